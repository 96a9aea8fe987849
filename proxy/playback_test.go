package proxy_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/upstream"
)

// A playback is a whole server without sockets: the upstream is whatever body
// a test hands it, and the client's connection is memory. It is what makes
// cutting hundreds of streams at every byte affordable.
type playback struct {
	t       testing.TB
	handler http.Handler
	members string // that every request has besides

	mu     sync.Mutex
	answer func() *upstream.Response
}

const citesOn = `{"enable_rag":true,"enable_citations":true}`

// newPlayback builds a server with that assistant; members are added to every request.
func newPlayback(t testing.TB, settings, members string) *playback {
	t.Helper()
	raw, err := os.ReadFile("testdata/streams/hits.json")
	if err != nil {
		t.Fatal(err)
	}
	p := &playback{t: t}
	f := &fixture{settings: assistants.DefaultSettings()}
	f.settings.SystemPrompt = ""
	if f.settings, err = f.settings.Merge([]byte(settings)); err != nil {
		t.Fatal(err)
	}
	f.hits = readHits(t, raw)
	log := slog.New(slog.DiscardHandler)
	auth, err := access.New(memoryKeys{}, adminKey, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	cfg := proxy.Config{
		MaxBodyBytes: 1 << 20, MaxInFlightBytes: 8 << 20, PromptSecret: []byte("0123456789abcdef0123456789abcdef"),
	}
	server, err := proxy.New(cfg, proxy.Deps{
		Directory: f, Retriever: f, Auth: auth, Log: log,
		Upstreams: upstream.NewDirectory(upstream.Entry{Client: p, DefaultModel: "base-model"}, nil),
		Anonymous: access.NewLimiter(access.Rate{Events: 5, Per: time.Minute}, time.Now),
		Metrics:   proxy.NewMetrics(noDocuments{}), Ready: func(context.Context) error { return nil },
		Links: f.links(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.handler = server.Handler()
	p.members = members
	return p
}

// Chat is the upstream's.
func (p *playback) Chat(context.Context, upstream.Call) (*upstream.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer(), nil
}

// Models is the upstream's.
func (p *playback) Models(context.Context) ([]upstream.Model, error) { return nil, nil }

// Timeouts are the upstream's.
func (p *playback) Timeouts() upstream.Timeouts { return upstream.Timeouts{}.WithDefaults() }

// stream asks for a stream and lets the upstream answer with s, cut at these places.
func (p *playback) stream(s stream, cuts ...int) *recorded { return p.streamFrom(s, s.read(cuts...)) }

// streamFrom is stream for a body that is read in another way.
func (p *playback) streamFrom(s stream, body io.Reader) (w *recorded) {
	if s.refused != 0 {
		return p.answered(true, s.refused, "application/json", body)
	}
	return p.answered(true, 200, "text/event-stream", body)
}

// ask sends one chat request; the upstream answers 200 with that type and body.
func (p *playback) ask(stream bool, contentType string, body io.Reader) *recorded {
	return p.answered(stream, 200, contentType, body)
}

func (p *playback) answered(stream bool, status int, contentType string, body io.Reader) (w *recorded) {
	p.mu.Lock()
	p.answer = func() *upstream.Response {
		return &upstream.Response{Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body)}
	}
	p.mu.Unlock()
	request := `{"model":"support","messages":[{"role":"user","content":"How did revenue develop?"}]`
	if stream {
		request += `,"stream":true`
	}
	request = withMembers(request, p.members)
	req, err := http.NewRequest("POST", "/v1/chat/completions", strings.NewReader(request))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	w = &recorded{header: http.Header{}}
	defer func() {
		if r := recover(); (r == http.ErrAbortHandler) != endsWithErrorFrame(w.body.Bytes()) || r != nil && r != http.ErrAbortHandler {
			p.t.Fatalf("the handler ended with %v after\n%s", r, w.body.Bytes())
		}
	}()
	p.handler.ServeHTTP(w, req)
	return w
}

// withMembers ends a JSON object with the members of another one, which may be "".
func withMembers(open, members string) string {
	if members == "" {
		return open + "}"
	}
	return open + "," + strings.TrimPrefix(members, "{")
}

// recorded is a client's connection in memory, and what came over it.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is the response writer's.
func (w *recorded) Header() http.Header { return w.header }

// WriteHeader is the response writer's.
func (w *recorded) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write is the response writer's.
func (w *recorded) Write(b []byte) (int, error) {
	w.WriteHeader(200)
	return w.body.Write(b)
}

// Flush and the deadlines are those of a connection that is never slow.
func (w *recorded) Flush() { w.WriteHeader(200) }

// SetReadDeadline is the response controller's.
func (w *recorded) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is the response controller's.
func (w *recorded) SetWriteDeadline(time.Time) error { return nil }

// pieces is a body that arrives in pieces, one read each.
type pieces struct {
	parts [][]byte
	last  error // after them
}

// Read reads from the next piece.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.parts) > 0 && len(p.parts[0]) == 0 {
		p.parts = p.parts[1:]
	}
	if len(p.parts) == 0 {
		return 0, p.last
	}
	n := copy(b, p.parts[0])
	p.parts[0] = p.parts[0][n:]
	return n, nil
}

// read is the stream's body cut at these places, in ascending order.
func (s stream) read(cuts ...int) io.Reader {
	p := &pieces{last: io.EOF}
	if s.breaks {
		p.last = io.ErrUnexpectedEOF
	}
	from := 0
	for _, cut := range cuts {
		p.parts, from = append(p.parts, s.body[from:cut]), cut
	}
	p.parts = append(p.parts, s.body[from:])
	return p
}
