package proxy

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
)

// handleHealth answers as long as the process runs.
func (s *Server) handleHealth(c *gin.Context) {
	c.JSON(http.StatusOK, gin.H{"status": "ok"})
}

// handleReady answers 200 when requests can be served, 503 while draining or
// while a part the server needs is out of reach.
func (s *Server) handleReady(c *gin.Context) {
	if s.draining.Load() {
		apierr.Write(c, apierr.Draining())
		return
	}
	if err := s.deps.Ready(c.Request.Context()); err != nil {
		apierr.Write(c, err)
		return
	}
	c.JSON(http.StatusOK, gin.H{"status": "ready"})
}
