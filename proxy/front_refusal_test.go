package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/proxy/upstream/upstreamtest"
)

// likeARefusal is how net/http begins to refuse what is no request.
const likeARefusal = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// A body that looks like net/http's own refusal is a body, wherever the writes
// to the connection happen to part it.
func TestABodyThatLooksLikeARefusalArrivesAsItIs(t *testing.T) {
	var body atomic.Value
	answer := func(contentType string) upstreamtest.Step {
		return func(c *upstreamtest.Conn) error {
			text := body.Load().(string)
			head := upstreamtest.Head(422, "Content-Type: "+contentType, fmt.Sprintf("Content-Length: %d", len(text)))
			_, err := io.WriteString(c.Conn, head+text)
			return err
		}
	}
	for _, row := range []struct {
		name, raw string
		script    upstreamtest.Step
	}{
		{"error in text", post(chatPath, plainRequest), answer("text/plain")},
		{"error in JSON", post(chatPath, plainRequest), answer("application/json")},
		{"JSON", request("GET", "/written", ""), nil},
		{"download", request("GET", "/download", ""), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newClients(t, fixture{}, upstreamtest.Script{row.script})
			routes := c.server.Handler().(*gin.Engine)
			routes.GET("/written", func(g *gin.Context) {
				g.Data(http.StatusOK, "application/json", []byte(body.Load().(string)))
			})
			routes.GET("/download", func(g *gin.Context) {
				http.ServeContent(g.Writer, g.Request, "a.bin", time.Time{}, strings.NewReader(body.Load().(string)))
			})
			conn := c.dialAs(t)
			defer conn.Close()
			in := bufio.NewReader(conn)
			for pad := 3500; pad <= 4200; pad++ {
				want := strings.Repeat("a", pad) + likeARefusal
				body.Store(want)
				if _, err := io.WriteString(conn, row.raw+request("GET", "/healthz", "")); err != nil { // the second one in the pipeline
					t.Fatal(err)
				}
				if a := readReply(t, in, "POST"); a.Response == nil || string(a.body) != want {
					t.Fatalf("%d bytes before it: %+v", pad, a)
				}
				if a := readReply(t, in, "GET"); a.Response == nil || a.StatusCode != 200 || string(a.body) != `{"status":"ok"}` {
					t.Fatalf("%d bytes before it, the next answer: %+v", pad, a)
				}
			}
			// What is no request is still refused as before, on the same connection.
			if _, err := io.WriteString(conn, "nonsense\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			c.wantError(t, readReply(t, in, "GET"), 400, "invalid_value", "")
			_ = conn.Close()
			c.settle(t)
		})
	}
}

func TestMadeUpMethodsShareOneSeries(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil)})
	conn := f.dial()
	in := bufio.NewReader(conn)
	for i := range 100 {
		if _, err := fmt.Fprintf(conn, "X%d /nope HTTP/1.1\r\nHost: x\r\n\r\n", i); err != nil {
			t.Fatal(err)
		}
		if a := readReply(t, in, "GET"); a.Response == nil || a.StatusCode != 404 {
			t.Fatalf("%+v", a)
		}
	}
	if got := f.metric(`footnote_requests_total{method="other",route="unmatched",status="404"}`); got != "100" {
		t.Errorf("%q requests under one name", got)
	}
	if _, all := f.send(getRequest(t, "/metrics")); strings.Contains(string(all), `method="X`) {
		t.Error("a method that a client made up has a series")
	}
}
