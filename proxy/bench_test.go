package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/upstream"
)

// canned is an upstream that has its answer ready.
type canned struct {
	kind string
	body []byte
}

// Chat answers.
func (a canned) Chat(context.Context, upstream.Call) (*upstream.Response, error) {
	return &upstream.Response{Status: 200, Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(&reads{bytes.NewReader(a.body)})}, nil
}

// reads gives at most 4 KiB a time, as a socket would.
type reads struct{ r io.Reader }

// Read reads.
func (r *reads) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 4<<10)]) }

// Models lists none.
func (canned) Models(context.Context) ([]upstream.Model, error) { return nil, nil }

func (canned) Timeouts() upstream.Timeouts { return upstream.Timeouts{}.WithDefaults() }

// discard is a client that takes everything and keeps nothing.
type discard struct {
	header http.Header
	status int
	size   int
}

func (d *discard) Header() http.Header              { return d.header }
func (d *discard) WriteHeader(status int)           { d.status = status }
func (d *discard) Write(p []byte) (int, error)      { d.size += len(p); return len(p), nil }
func (d *discard) Flush()                           {}
func (d *discard) SetWriteDeadline(time.Time) error { return nil }
func (d *discard) SetReadDeadline(time.Time) error  { return nil }

// conversation is a request of about n bytes, with earlier turns.
func conversation(n int, stream bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"support","stream":%v,"temperature":0.2,"messages":[{"role":"system","content":"You are a helpful assistant."}`, stream)
	for i := 0; b.Len() < n-150; i++ {
		role := []string{"user", "assistant"}[i%2]
		fmt.Fprintf(&b, `,{"role":%q,"content":"In the %dth year the company grew by \"eleven\" percent,\nas the report says, and opened a site in Málaga."}`, role, i)
	}
	b.WriteString(`,{"role":"user","content":"How many vacation days do I get per year?"}]}`)
	return b.String()
}

func benchmarkHits() []assistants.Hit {
	hits := make([]assistants.Hit, 10)
	for i := range hits {
		hits[i] = assistants.Hit{Score: 0.9 - float64(i)/20,
			Document: assistants.Document{ID: assistants.DocumentID(fmt.Sprint("doc_", i)), Name: "Handbook.pdf"},
			Chunk: assistants.Chunk{ID: assistants.ChunkID(fmt.Sprint("chunk_", i)), Index: i, Page: i + 1,
				Text: strings.Repeat("Every employee has 27 vacation days per year, says clause 4. ", 7)}}
	}
	return hits
}

func benchmarkStream() []byte {
	var b strings.Builder
	for i := range 200 {
		content := " word of the answer"
		if i%20 == 10 {
			content = " [" + fmt.Sprint(i/20+1) + "]."
		}
		fmt.Fprintf(&b, `data: {"id":"chatcmpl-123456789012345678901234567890","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_1234567890","choices":[{"index":0,"delta":{"content":%q},"logprobs":null,"finish_reason":null}],"obfuscation":"abc"}`+"\n\n", content)
	}
	b.WriteString(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return []byte(b.String())
}

// BenchmarkChat is a chat through the whole handler, with everything but the
// sockets, the database and the index.
func BenchmarkChat(b *testing.B) {
	text := strings.Repeat("Every employee has 27 vacation days per year [1]. ", 15)
	whole := canned{"application/json", fmt.Appendf(nil, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"total_tokens":9}}`, text)}
	streamed := canned{"text/event-stream", benchmarkStream()}
	for name, c := range map[string]struct {
		up   canned
		body string
	}{
		"json 1 KB":    {whole, conversation(1<<10, false)},
		"json 22 KB":   {whole, conversation(22<<10, false)},
		"stream 1 KB":  {streamed, conversation(1<<10, true)},
		"stream 22 KB": {streamed, conversation(22<<10, true)},
	} {
		b.Run(name, func(b *testing.B) {
			h := benchmarkServer(b, c.up)
			b.ReportAllocs()
			for b.Loop() {
				req := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(c.body))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Authorization", "Bearer "+adminKey)
				w := &discard{header: http.Header{}}
				h.ServeHTTP(w, req)
				if w.status != 200 || w.size < 2000 {
					b.Fatal(w.status, w.size)
				}
			}
		})
	}
}

func benchmarkServer(b *testing.B, up upstream.Client) http.Handler {
	set, err := assistants.DefaultSettings().Merge([]byte(`{"enable_rag":true,"enable_citations":true}`))
	if err != nil {
		b.Fatal(err)
	}
	f := &fixture{settings: set, hits: benchmarkHits()}
	auth, err := access.New(memoryKeys{}, adminKey, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	cfg := proxy.Config{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 8 << 20, PromptSecret: []byte("0123456789abcdef0123456789abcdef")}
	s, err := proxy.New(cfg, proxy.Deps{
		Directory: f, Retriever: f, Upstreams: upstream.NewDirectory(upstream.Entry{Client: up, DefaultModel: "base-model"}, nil),
		Auth: auth, Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), Anonymous: access.NewLimiter(access.Rate{Events: 5, Per: time.Minute}, time.Now),
		Metrics: proxy.NewMetrics(noDocuments{}), Ready: func(context.Context) error { return nil }, Links: f.links(),
	})
	if err != nil {
		b.Fatal(err)
	}
	return s.Handler()
}
