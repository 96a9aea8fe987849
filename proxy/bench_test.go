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
	kind  string
	body  []byte
	paced bool // each read gives one event
}

// Chat answers.
func (a canned) Chat(context.Context, upstream.Call) (*upstream.Response, error) {
	return &upstream.Response{Status: 200, Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(&reads{a.body, a.paced})}, nil
}

// reads gives at most 4 KiB a time, as a socket would, or one event.
type reads struct {
	left  []byte
	paced bool
}

// Read reads.
func (r *reads) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), 4<<10)]
	if end := bytes.Index(r.left, []byte("\n\n")); r.paced && end >= 0 {
		p = p[:min(len(p), end+2)]
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

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

// benchmarkHits are passages that were found before, as in a warm chat.
func benchmarkHits() []assistants.Hit {
	hits := make([]assistants.Hit, 10)
	for i := range hits {
		hits[i] = assistants.Hit{Score: 0.9 - float64(i)/20,
			Document: assistants.Document{ID: assistants.DocumentID(fmt.Sprint("doc_", i)), Name: "Handbook.pdf"},
			Chunk: assistants.Chunk{ID: assistants.ChunkID(fmt.Sprint("chunk_", i)), Index: i, Page: i + 1,
				Text: strings.Repeat("Every employee has 27 vacation days per year, says clause 4. ", 7)},
			Memo: assistants.NewMemo(func(int) {})}
	}
	return hits
}

// benchmarkStream is an answer word by word, with a marker after every thirteen words,
// in frames of 260 bytes, as OpenAI fills them up.
func benchmarkStream() []byte {
	const frame = `{"id":"chatcmpl-123456789012345678901234567890","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_1234567890","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}],"obfuscation":"%s"}`
	words := strings.Fields("Every employee has 27 vacation days per year, says clause 4. Those who join later get one twelfth of them for every full month.")
	var b strings.Builder
	send := func(delta, finish string) {
		padding := strings.Repeat("x", max(0, 260-len(fmt.Sprintf(frame, delta, finish, ""))))
		fmt.Fprintf(&b, "data: "+frame+"\n\n", delta, finish, padding)
	}
	send(`{"role":"assistant","content":"","refusal":null}`, "null")
	markers := [][]string{{" [", "3", "]"}, {" [1]"}, {" [2", ", 5]"}, {" [", "10]"}}
	for i := range 190 {
		pieces := []string{" " + words[i%len(words)]}
		if i%14 == 13 {
			pieces = markers[i/14%len(markers)]
		}
		for _, piece := range pieces {
			send(fmt.Sprintf(`{"content":%q}`, piece), "null")
		}
	}
	send(`{}`, `"stop"`)
	b.WriteString("data: [DONE]\n\n")
	return []byte(b.String())
}

// BenchmarkChat is a chat through the whole handler, with everything but the
// sockets, the database and the index.
func BenchmarkChat(b *testing.B) {
	text := strings.Repeat("Every employee has 27 vacation days per year [1]. ", 15)
	whole := canned{kind: "application/json", body: fmt.Appendf(nil, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"total_tokens":9}}`, text)}
	streamed := canned{kind: "text/event-stream", body: benchmarkStream()}
	paced := streamed
	paced.paced = true
	for name, c := range map[string]struct {
		up   canned
		body string
	}{
		"json 1 KB":    {whole, conversation(1<<10, false)},
		"json 22 KB":   {whole, conversation(22<<10, false)},
		"stream 1 KB":  {streamed, conversation(1<<10, true)},
		"stream 22 KB": {streamed, conversation(22<<10, true)},
		"paced 1 KB":   {paced, conversation(1<<10, true)},
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
