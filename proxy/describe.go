package proxy

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/dashboard"

	"footnote/proxy/apierr"
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

// dashboardKey marks requests of the dashboard's files, which have no route.
const dashboardKey = "dashboard"

// handleDashboard answers what no route does: with a page or a file of the dashboard, or
// that there is no such path. The files hold nothing of anybody, so they need no key.
func (s *Server) handleDashboard(c *gin.Context) error {
	read := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	if read && dashboard.Has(c.Request.URL.Path) {
		c.Set(dashboardKey, true)
		c.Status(http.StatusOK)
		if ok, err := dashboard.Serve(c.Writer, c.Request); ok || err != nil {
			return err
		}
	}
	apierr.NoRoute(c)
	return nil
}
