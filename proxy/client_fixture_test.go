package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
)

// logged lists the statuses of the requests in the log.
func (c *clients) logged() (all []string) {
	for line := range strings.Lines(c.log.String()) {
		if _, after, ok := strings.Cut(line, " status="); ok && strings.Contains(line, " msg=request ") {
			status, _, _ := strings.Cut(after, " ")
			all = append(all, status)
		}
	}
	return all
}

// secretText stands in the requests of the tests that need a text which must
// not get into the log.
const secretText = "the-clients-own-words"

// clients is a server as production runs it, on raw connections, and what has
// to hold after everything that clients do to it (FAULTS, I1–I8).
type clients struct {
	*fixture
	up  *upstreamtest.Server
	log *lockedLog

	goroutines, open int // goroutines and descriptors without any connection
}

// newClients starts a server. The upstream plays scripts, or answers okAnswer.
func newClients(t *testing.T, f fixture, scripts ...upstreamtest.Script) *clients {
	t.Helper()
	if scripts == nil {
		scripts = []upstreamtest.Script{upstreamtest.JSON(okAnswer)}
	}
	if f.settings.CitationFormat == "" {
		f.settings = mergeSettings(t, nil)
	}
	c := &clients{up: upstreamtest.New(t, scripts...), log: &lockedLog{}}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(c.log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	f.upstreamURL, f.log = c.up.URL(), c.log
	if f.transport == nil {
		f.transport = &http.Transport{}
	}
	c.fixture = newFixture(t, f)
	c.goroutines, c.open = runtime.NumGoroutine(), descriptors()
	return c
}

// settle waits until nothing is left of what the clients did: goroutines and
// descriptors are back, and the log has nothing that it must not have.
func (c *clients) settle(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	c.transport.CloseIdleConnections()
	c.up.WaitConns(0)
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	giveUp := time.After(30 * time.Second)
	goroutines := c.goroutines
	if t != c.t {
		goroutines++ // the subtest's own
	}
	for runtime.NumGoroutine() > goroutines || descriptors() > c.open {
		select {
		case <-ticker.C:
		case <-giveUp:
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines of %d, %d descriptors of %d are left\n%s", runtime.NumGoroutine(), goroutines,
				descriptors(), c.open, stacks[:runtime.Stack(stacks, true)])
		}
	}
	c.wantNoSecret(t, "the log", c.log.String(), adminKey, "sk-upstream", secretText)
}

func (c *clients) wantNoSecret(t *testing.T, where, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %s:\n%s", secret, where, text)
		}
	}
}

// A rawReply is what a raw connection got, read to its end.
type rawReply struct {
	*http.Response
	body []byte
}

// exchange sends bytes on a connection of its own and reads one answer. What
// was announced must be true: the connection is closed, or takes a next request.
func (c *clients) exchange(t *testing.T, raw string) rawReply {
	t.Helper()
	conn := c.dialAs(t)
	defer conn.Close()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(conn, raw) // the server may refuse before it has read everything
	}()
	method, _, _ := strings.Cut(raw, " ")
	in := bufio.NewReader(conn)
	a := readReply(t, in, method)
	if a.Response == nil {
		_ = conn.Close()
		<-sent
		return a
	}
	if a.Close {
		rest, err := io.ReadAll(in)
		if len(rest) > 0 || err != nil && !isReset(err) {
			t.Errorf("behind the answer comes %q %v", rest, err)
		}
		_ = conn.Close()
		<-sent
		return a
	}
	<-sent
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if next := readReply(t, in, "GET"); next.Response == nil || next.StatusCode != 200 || string(next.body) != `{"status":"ok"}` {
		t.Errorf("the next request gets %v", next)
	}
	return a
}

// isReset reports whether the peer closed a connection on which it had not read everything.
func isReset(err error) bool { return strings.Contains(err.Error(), "connection reset") }

// dialAs opens a raw connection that gives up after a while.
func (c *clients) dialAs(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(60 * time.Second))
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// readReply reads one answer; its response is nil when the connection ended without.
func readReply(t *testing.T, in *bufio.Reader, method string) rawReply {
	t.Helper()
	resp, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return rawReply{}
	}
	defer resp.Body.Close()
	body, err := readBody(resp)
	if err != nil {
		t.Errorf("the answer broke off: %q %v", body, err)
	}
	return rawReply{resp, body}
}

// wantError checks a refusal: status, code and param, the form that all have,
// and that nothing but the client's own words is in it.
func (c *clients) wantError(t *testing.T, a rawReply, status int, code, param string) {
	t.Helper()
	if a.Response == nil {
		t.Fatal("no answer")
	}
	var body struct{ Error map[string]any }
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil || len(body.Error) != 4 {
		t.Fatalf("%d is no error object: %q %v", a.StatusCode, a.body, err)
	}
	var got any
	if param != "" {
		got = param
	}
	if a.StatusCode != status || body.Error["code"] != code || body.Error["param"] != got {
		t.Errorf("%d %s, want %d %s param %q", a.StatusCode, a.body, status, code, param)
	}
	message, _ := body.Error["message"].(string)
	if message == "" || len(message) > 300 || strings.ContainsAny(message, "\r\n") || !strings.HasSuffix(message, ".") {
		t.Errorf("no sentence: %q", message)
	}
	if kind, _ := body.Error["type"].(string); !strings.HasSuffix(kind, "_error") {
		t.Errorf("type %q", kind)
	}
	if a.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(a.Header.Get("X-Request-Id"), "req_") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.Header)
	}
	if status == 429 || status == 503 {
		if a.Header.Get("Retry-After") == "" || a.Header.Get("Retry-After-Ms") == "" {
			t.Errorf("nothing says when to come back: %v", a.Header)
		}
	}
	c.wantNoSecret(t, "the answer", string(a.body), adminKey, "sk-upstream", c.up.Addr(), ".go:", "goroutine ", "/tmp/")
}

// post is a chat request as it goes over the wire. A header given replaces the
// usual one; "-Name" leaves that away.
func post(target, body string, headers ...string) string {
	return request("POST", target, body, headers...)
}

func request(method, target, body string, headers ...string) string {
	lines := []string{"Host: x", "Authorization: Bearer " + adminKey, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))}
	if body == "" && method != "POST" {
		lines = lines[:2]
	}
	for _, h := range headers {
		name, _, _ := strings.Cut(strings.TrimPrefix(h, "-"), ":")
		kept := lines[:0:0]
		for _, line := range lines {
			if was, _, _ := strings.Cut(line, ":"); !strings.EqualFold(was, name) || strings.HasPrefix(h, name+":+") {
				kept = append(kept, line)
			}
		}
		lines = kept
		if !strings.HasPrefix(h, "-") {
			lines = append(lines, strings.Replace(h, ":+", ":", 1))
		}
	}
	return method + " " + target + " HTTP/1.1\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

const chatPath = "/v1/chat/completions"

// A badRequest is a request that must not get through: what is sent, and how it
// is answered. status 0: answered by closing the connection.
type badRequest struct {
	name, raw   string
	status      int
	code, param string
}

// refuses plays a table of requests against one server.
func (c *clients) refuses(t *testing.T, table []badRequest) {
	t.Helper()
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			before := c.up.Count()
			a := c.exchange(t, row.raw)
			if row.status == 0 {
				if a.Response != nil {
					t.Errorf("answered: %d %s", a.StatusCode, a.body)
				}
			} else {
				c.wantError(t, a, row.status, row.code, row.param)
			}
			if n := c.up.Count() - before; n != 0 {
				t.Errorf("%d requests reached the upstream", n)
			}
			c.settle(t)
		})
	}
}

// A goodRequest is a request that gets through: what is sent, and what of it the
// upstream gets, "" for the same body.
type goodRequest struct{ name, raw, upstream string }

// accepts plays a table of requests that are answered by the upstream, once each.
func (c *clients) accepts(t *testing.T, table []goodRequest) {
	t.Helper()
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			before := c.up.Count()
			a := c.exchange(t, row.raw)
			if a.Response == nil || a.StatusCode != 200 || string(a.body) != okAnswer {
				t.Fatalf("%+v", a)
			}
			if n := c.up.Count() - before; n != 1 {
				t.Fatalf("%d requests reached the upstream", n)
			}
			want := row.upstream
			if want == "" {
				_, body, _ := strings.Cut(row.raw, "\r\n\r\n")
				want = strings.Replace(body, `"model":"support"`, `"model":"base-model"`, 1)
			}
			if got := string(c.up.Last().Body); got != want {
				t.Errorf("the upstream got %.300q\nwant %.300q", got, want)
			}
			c.settle(t)
		})
	}
}
