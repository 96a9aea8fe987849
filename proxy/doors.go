package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/responses"
	"footnote/proxy/vectorstores"
)

// newVectorStores returns the handler of OpenAI's files and vector stores, which shares
// the parts of the control API.
func (s *Server) newVectorStores() *vectorstores.Handler {
	d := s.deps.Control
	deps := vectorstores.Deps{
		Store: s.deps.Files, Library: d.Library, Finder: s.search, Front: s.front, Limits: s.deps.Limits, Wake: d.Wake, Now: d.Now, Auth: s.deps.Auth,
		MaxUploadBytes: d.MaxUploadBytes, SpoolDir: d.SpoolDir,
		Download: func(w http.ResponseWriter, r *http.Request, caller access.Principal) {
			in := inner{requestID: w.Header().Get(apierr.RequestIDHeader)}
			s.serveWithin(w, r.WithContext(context.WithValue(r.Context(), withinKey{}, in)), caller)
		},
	}
	if d.Audit != nil {
		deps.Audit = d.Audit
	}
	return vectorstores.New(deps)
}

// newResponses returns the handler of OpenAI's responses, which are chats of the server
// with itself.
func (s *Server) newResponses() *responses.Handler {
	deps := responses.Deps{Front: s.front, Chat: s.serveWithin, Now: time.Now}
	if d := s.deps.Control; d != nil {
		deps.Answers = d.Store
		if d.History != nil {
			deps.History = d.History
		}
	}
	return responses.New(deps)
}

// responsesRoutes adds the routes of responses to those that a base URL has.
// keyed takes those of stored responses, which are read with a key only.
func (s *Server) responsesRoutes(v1, keyed, bound gin.IRoutes) {
	h := s.newResponses()
	create := apierr.Handle(func(c *gin.Context) error {
		// The chat is part of this request: it has its id, and fills in its line of the log.
		in := inner{requestID: requestIDOf(c), entry: entryOf(c)}
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), withinKey{}, in))
		return h.Create(c, principalOf(c))
	})
	v1.POST("/responses", create)
	bound.POST("/responses", create)
	if s.deps.Control == nil {
		return
	}
	keyed.GET("/responses/:answer", apierr.Handle(func(c *gin.Context) error { return h.Get(c, principalOf(c)) }))
	keyed.DELETE("/responses/:answer", apierr.Handle(func(c *gin.Context) error {
		c.Request = c.Request.WithContext(asPartOf(c))
		return h.Delete(c, principalOf(c))
	}))
}
