package proxy

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// handleOpenAPI describes the API to programs. It needs no key, because it says what
// the sources of this program say, and clients import it by its address.
func (s *Server) handleOpenAPI(c *gin.Context) error {
	d, err := s.description()
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/json; charset=utf-8", d.JSON)
	return nil
}

// handleDocs shows the same to people.
func (s *Server) handleDocs(c *gin.Context) error {
	d, err := s.description()
	if err != nil {
		return err
	}
	c.Header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	c.Header("X-Content-Type-Options", "nosniff")
	c.Data(http.StatusOK, "text/html; charset=utf-8", d.Page)
	return nil
}
