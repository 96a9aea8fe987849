package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// An embeddingServer makes vectors of words, or answers as the test says.
type embeddingServer struct {
	*httptest.Server
	fault atomic.Pointer[http.HandlerFunc]
}

func newEmbeddingServer(t *testing.T) *embeddingServer {
	t.Helper()
	s := &embeddingServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := s.fault.Load(); fault != nil {
			(*fault)(w, r)
			return
		}
		var req struct{ Input []string }
		if json.NewDecoder(r.Body).Decode(&req) != nil {
			return // the client left in the middle of it
		}
		var items []string
		for i, text := range req.Input {
			vector := [8]int{1}
			for _, word := range strings.Fields(strings.ToLower(text)) {
				h := fnv.New32a()
				h.Write([]byte(strings.Trim(word, ".?#")))
				vector[h.Sum32()%8]++
			}
			items = append(items, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, strings.ReplaceAll(fmt.Sprint(vector), " ", ",")))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(items, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// faulty has the server answer in some way; nil: it works.
func (s *embeddingServer) faulty(fault http.HandlerFunc) {
	if fault == nil {
		s.fault.Store(nil)
		return
	}
	s.fault.Store(&fault)
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// The ways in which an embedding server fails.
var embeddingFaults = map[string]http.HandlerFunc{
	"401":                answering(401, `{"error":{"message":"wrong key fn-embed-secret","type":"invalid_request_error"}}`),
	"403":                answering(403, ``),
	"404":                answering(404, `<html>`),
	"500":                answering(500, `power cut`),
	"429":                answering(429, `{"error":{"message":"slow down"}}`),
	"no JSON":            answering(200, `power cut`),
	"data null":          answering(200, `{"data":null}`),
	"fewer than asked":   answering(200, `{"data":[]}`),
	"too many":           answering(200, `{"data":[{"index":0,"embedding":[1,0,0,0,0,0,0,0]},{"index":1,"embedding":[1,0,0,0,0,0,0,0]}]}`),
	"another's index":    answering(200, `{"data":[{"index":7,"embedding":[1,0,0,0,0,0,0,0]}]}`),
	"zero":               answering(200, `{"data":[{"index":0,"embedding":[0,0,0,0,0,0,0,0]}]}`),
	"NaN":                answering(200, `{"data":[{"index":0,"embedding":[NaN,0,0,0,0,0,0,0]}]}`),
	"another dimension":  answering(200, `{"data":[{"index":0,"embedding":[1,0,0]}]}`),
	"connection is shut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"silent": func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then a server does not see its client leave
		<-r.Context().Done()
	},
}

// However the embedding server fails, a chat goes on by words and says so, or
// fails as its assistant is set; a document that comes meanwhile is found by its
// words and gets its vectors later; and it all comes back by itself.
func TestChatsGoOnWhenTheEmbeddingServerFails(t *testing.T) {
	t.Parallel()
	server, dir := newEmbeddingServer(t), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir, nil, "FOOTNOTE_EMBEDDING_URL="+server.URL+"/v1", "FOOTNOTE_EMBEDDING_MODEL=m", "FOOTNOTE_EMBEDDING_API_KEY=fn-embed-secret")
	ingest := func(file, wait string) {
		t.Helper()
		if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "--wait="+wait, file); code != 0 {
			t.Fatal(stderr)
		}
	}
	write("bees.md", "# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n")
	ingest("bees.md", "full")
	n := 0
	ask := func(question string) (code int, status string, warned bool) {
		t.Helper()
		n++ // no question comes twice, so that none is remembered
		code, raw, err := p.exchange(http.MethodPost, "/v1/chat/completions", "application/json",
			strings.NewReader(fmt.Sprintf(`{"model":"bees","messages":[{"role":"user","content":"%s no%d"}]}`, question, n)))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Citations struct{ Status string } }
		_ = json.Unmarshal(raw, &got) // an error has no citations
		if strings.Contains(string(raw), "power cut") || strings.Contains(string(raw), "secret") {
			t.Errorf("internal words leave the server: %s", raw)
		}
		return code, got.Citations.Status, strings.Contains(string(raw), "could not be compared by meaning")
	}
	const honey = "How much honey does a colony need?"
	expect := func(what string, wantCode int, want string, wantWarned bool) {
		t.Helper()
		if code, status, warned := ask(honey); code != wantCode || status != want || warned != wantWarned {
			t.Errorf("%s: %d %q, warned: %v", what, code, status, warned)
		}
	}
	expect("all is well", 200, "cited", false)
	for name, fault := range embeddingFaults {
		server.faulty(fault)
		expect(name, 200, "cited", true)
		var got embedderStatus
		if p.json("GET", "/v1.0/status", nil, &got); got.Embedder.State != "failing" || got.Embedder.Reason == "" {
			t.Errorf("%s: status %+v", name, got.Embedder)
		}
		server.faulty(nil)
		expect("after "+name, 200, "cited", false)
	}

	server.faulty(answering(503, `power cut`))
	write("wax.md", "# Wax\n\nCandles are cast from beeswax at 70 degrees.\n")
	ingest("wax.md", "text")
	if code, status, warned := ask("At how many degrees are candles cast?"); code != 200 || status != "cited" || !warned {
		t.Errorf("what came meanwhile: %d %q, warned: %v", code, status, warned)
	}
	if code := p.json(http.MethodPatch, "/v1.0/assistants/bees/settings", map[string]string{"on_retrieval_error": "fail"}, nil); code != 200 {
		t.Fatal(code)
	}
	expect("set to fail", 503, "", false)
	server.faulty(nil)
	expect("set to fail, and well", 200, "cited", false)
	eventually(t, "the document that came meanwhile has its vectors", func() bool {
		for _, d := range p.documents("bees") {
			if d.Searchable != "full" {
				return false
			}
		}
		return true
	})
	if strings.Contains(p.stderr.String(), "fn-embed-secret") {
		t.Error("the key is in the log")
	}
}
