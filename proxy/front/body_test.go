package front

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// A handler that is slow, such as one that writes to a slow disk, does not make its
// client too slow.
func TestASlowHandlerIsNotASlowUpload(t *testing.T) {
	const pace = 200 * time.Millisecond
	f := New(Config{Timings: Timings{Upload: pace}}, slog.New(slog.DiscardHandler))
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.POST("/", f.BoundBody, func(c *gin.Context) {
		first := make([]byte, 1)
		_, err := io.ReadFull(c.Request.Body, first)
		<-time.After(2 * pace)
		rest, restErr := io.ReadAll(c.Request.Body)
		if err != nil || restErr != nil {
			t.Errorf("%v, %v after %d bytes", err, restErr, len(rest))
		}
		c.Status(http.StatusOK)
	})
	s := httptest.NewServer(engine)
	defer s.Close()
	resp, err := s.Client().Post(s.URL, "multipart/form-data; boundary=x", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Error(resp.StatusCode, err)
	}
}
