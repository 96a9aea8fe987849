package proxy

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/mcp"
)

func (s *Server) newMCP() *mcp.Handler {
	return mcp.New(mcp.Deps{
		Directory: s.deps.Directory, Documents: s.deps.Control.Store, API: s.serveWithin,
		Bounded: s.chat.Bounded, Log: s.deps.Log, Version: s.cfg.Version,
	})
}

// handleMCP answers one message of an agent.
func (s *Server) handleMCP(c *gin.Context) error {
	// A page in a browser must be of a known origin, whether or not there are any: the
	// protocol asks for it, against pages that have their name point to this machine.
	if origin := c.GetHeader("Origin"); origin != "" && !slices.Contains(s.cfg.CORSOrigins, origin) {
		return originNotAllowed()
	}
	caller, err := s.deps.Auth.Authenticate(c.Request.Context(), c.Request)
	if err != nil {
		return err
	}
	if caller.Anonymous { // public assistants are for chats
		return assistants.ErrUnauthorized
	}
	body, err := s.front.ReadJSON(c)
	if err != nil {
		return err
	}
	defer body.Release()
	return s.mcp.Serve(c.Writer, c.Request.WithContext(asPartOf(c)), body.Bytes, caller)
}

func originNotAllowed() error {
	return apierr.New(http.StatusForbidden, "origin_not_allowed", "Pages of this origin may not call the API.")
}
