package proxy

import (
	"footnote/proxy/vectorstores"
)

// newVectorStores returns the handler of OpenAI's files and vector stores, which shares
// the parts of the control API.
func (s *Server) newVectorStores() *vectorstores.Handler {
	d := s.deps.Control
	deps := vectorstores.Deps{
		Store: s.deps.Files, Library: d.Library, Finder: s.search, Front: s.front, Limits: s.deps.Limits, Wake: d.Wake, Now: d.Now, Auth: s.deps.Auth,
		MaxUploadBytes: d.MaxUploadBytes, SpoolDir: d.SpoolDir,
	}
	if d.Audit != nil {
		deps.Audit = d.Audit
	}
	return vectorstores.New(deps)
}
