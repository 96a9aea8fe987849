package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/vector/qdranttest"
)

// A copyWorld is an installation with something in most tables, and what its server
// says, which the server of every copy must say, too.
type copyWorld struct {
	t        *testing.T
	env      []string // of every server
	embedder *embeddingServer
	far      *upstreamtest.Server // answers the assistant "far"
	key      string               // that the source has made
	link     string               // that the source has signed, without its host
	answers  map[string]string    // citations of the demo's questions
	lists    map[string]string    // lists by path
	asked    int                  // questions of which there is a history
}

// copyFarKey is the stored key of an upstream.
const copyFarKey = "the-stored-key-of-the-upstream"

// newCopyWorld fills a data directory with the demo and some more documents, all of them
// with vectors, and ends its server.
func newCopyWorld(t *testing.T) (w *copyWorld, dir string) {
	t.Helper()
	documents, questions := copySize()
	dir = demoData(t)
	w = &copyWorld{t: t, embedder: newEmbeddingServer(t)}
	w.far = modelServer(t, upstreamtest.JSON(`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`))
	w.env = []string{"FOOTNOTE_EMBEDDING_URL=" + w.embedder.URL, "FOOTNOTE_EMBEDDING_MODEL=words", "FOOTNOTE_PUBLIC_URL=https://footnote.example"}
	p := start(t, dir, nil, w.env...)
	w.ingest(p, documents)
	w.must(p, 200, "PATCH", "/v1.0/assistants/handbook/settings", map[string]any{"citation_link_mode": "Public", "citation_link_delivery": "proxy", "store_history": true, "history_retention_days": 30}, nil)
	w.must(p, 201, "POST", "/v1.0/upstreams", map[string]any{"name": "far", "base_url": w.far.URL(), "api_key": copyFarKey, "default_model": "m"}, nil)
	w.must(p, 201, "POST", "/v1.0/assistants", map[string]any{"name": "Far", "slug": "far", "settings": map[string]any{"upstream": "far"}}, nil)
	var made struct{ Key string }
	w.must(p, 201, "POST", "/v1.0/keys", map[string]any{"name": "kept", "scopes": []string{"chat"}}, &made)
	w.key = made.Key
	eventually(t, "every document has its vectors", func() bool {
		var status struct{ Jobs int }
		return p.request("GET", "/v1.0/status", "", nil, &status) == 200 && status.Jobs == 0
	})
	w.answers = w.ask(p)
	if len(w.answers) != questions || w.link == "" {
		t.Fatalf("%d answers, the link %q", len(w.answers), w.link)
	}
	w.lists = w.read(p)
	if code := p.stop(os.Interrupt); code != 0 {
		t.Fatal(code)
	}
	return w, dir
}

// ingest uploads documents to the assistant "shelves", a folder at a time.
func (w *copyWorld) ingest(p *process, documents int) {
	w.t.Helper()
	notes := w.t.TempDir()
	for n := range documents {
		text := fmt.Sprintf("# Shelf %d\n\nThe tool number %d lies on shelf %d.\n\n## Keeper\n\nKeeper %d looks after it.\n", n, n, n, n%7)
		folder := filepath.Join(notes, fmt.Sprint(n/100))
		err := os.MkdirAll(folder, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, fmt.Sprintf("shelf-%d.md", n)), []byte(text), 0o600)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if n%100 < 99 && n < documents-1 {
			continue
		}
		if _, stderr, code := run(w.t, w.t.TempDir(), "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "shelves", "--create", folder); code != 0 {
			w.t.Fatalf("%d %s", code, stderr)
		}
	}
}

func (w *copyWorld) must(p *process, status int, method, path string, in, out any) {
	w.t.Helper()
	if got := p.json(method, path, in, out); got != status {
		w.t.Fatalf("%s %s: %d", method, path, got)
	}
}

// A link has a signature, what it leads to, and when it ends.
var link = regexp.MustCompile(`"download_url":"https://footnote\.example(/v1\.0/links/)([^/"]+)(/[^"]+/)([0-9]+)(/[^"]+)"`)

// copySize is how many documents there are beside the demo's, and how many of the demo's
// questions are asked.
func copySize() (documents, questions int) {
	if nightly {
		return 991, 25
	}
	return 22, 8
}

// ask asks the demo's questions. The answers are the citations, byte for byte but for the
// signatures of their links.
func (w *copyWorld) ask(p *process) map[string]string {
	w.t.Helper()
	file, err := os.Open(filepath.Join("demo", "questions.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer file.Close()
	answers := map[string]string{}
	_, questions := copySize()
	for lines := bufio.NewScanner(file); lines.Scan() && len(answers) < questions; {
		var q struct{ Question string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			w.t.Fatal(err)
		}
		body, _ := json.Marshal(map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": q.Question}}})
		raw := p.raw("/v1/chat/completions", string(body))
		var answer struct{ Citations json.RawMessage }
		if err := json.Unmarshal([]byte(raw), &answer); err != nil || len(answer.Citations) == 0 {
			w.t.Fatalf("%v %s", err, raw)
		}
		if m := link.FindStringSubmatch(raw); m != nil && w.link == "" {
			w.link = strings.Join(m[1:], "")
		}
		answers[q.Question] = link.ReplaceAllString(string(answer.Citations), "$1 $3 $5")
	}
	w.asked += len(answers)
	eventually(w.t, "the answers are in the history", func() bool {
		var history struct{ Data []any }
		return p.request("GET", "/v1.0/assistants/handbook/history?limit=1000", "", nil, &history) == 200 && len(history.Data) == w.asked
	})
	return answers
}

// read reads what the copy must have of most tables.
func (w *copyWorld) read(p *process) map[string]string {
	w.t.Helper()
	lists := map[string]string{}
	for _, path := range []string{
		"/v1.0/assistants", "/v1.0/assistants/handbook/documents?limit=100", "/v1.0/assistants/shelves/documents?limit=1000", "/v1.0/keys", "/v1.0/upstreams",
		"/v1.0/assistants/handbook/history?limit=1000", "/v1.0/assistants/handbook/settings", "/v1.0/audit?action=document.upload&limit=100",
	} {
		code, raw, err := p.exchange("GET", path, "", nil)
		if code != 200 || err != nil {
			w.t.Fatalf("%s: %d %v %s", path, code, err, raw)
		}
		lists[path] = string(raw)
	}
	return lists
}

// check starts a server on a copy. It must say what the source said, without an
// embedding of any passage.
func (w *copyWorld) check(dir string, env ...string) {
	w.t.Helper()
	if out, stderr, code := runIn(w.t, w.t.TempDir(), env, "check", "--deep", "--data-dir", dir); code != 0 || !strings.HasPrefix(out, "everything fits") {
		w.t.Errorf("check: %d %s %s", code, out, stderr)
	}
	w.embedder.faulty(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var req struct{ Input []string }
		if err != nil || json.Unmarshal(body, &req) != nil || len(req.Input) != 1 || strings.Contains(req.Input[0], "\n") {
			w.t.Errorf("passages are embedded again: %v %s", err, body)
		}
		w.embedder.faulty(nil)
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.embedder.Config.Handler.ServeHTTP(rw, r)
	})
	p := start(w.t, dir, nil, append(env, w.env...)...)
	eventually(w.t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	for path, got := range w.read(p) {
		same(w.t, path, got, w.lists[path])
	}
	for question, got := range w.ask(p) {
		sameCitations(w.t, question, got, w.answers[question])
	}
	if got := p.statusFor(w.key, "/v1/models"); got != 200 {
		w.t.Errorf("the source's key: %d", got)
	}
	if resp, err := http.Get(p.url + w.link); err != nil || resp.StatusCode != 200 || resp.Body.Close() != nil {
		w.t.Errorf("the source's link %s: %v %v", w.link, resp, err)
	}
	before := w.far.Count()
	p.raw("/v1/chat/completions", `{"model":"far","messages":[{"role":"user","content":"hi"}]}`)
	if got := w.far.Last().Header.Get("Authorization"); w.far.Count() == before || got != "Bearer "+copyFarKey {
		w.t.Errorf("the upstream got %q", got)
	}
	w.lists = w.read(p) // the questions are in the history now
	if code := p.stop(os.Interrupt); code != 0 || strings.Contains(p.stderr.String(), "index reconciled") {
		w.t.Errorf("%d\n%s", code, p.stderr)
	}
}

// checkFinds takes a document's vectors from the index on a server, and a file that no
// document has into the folder. `footnote check` finds both, and mends them.
func (w *copyWorld) checkFinds(q *qdranttest.Server, dir string, env ...string) {
	w.t.Helper()
	orphan := filepath.Join(dir, "documents", "default", "orphan")
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	lost := ""
	q.Lose("footnote_words", func(payload map[string]*qdrant.Value) bool {
		if lost == "" {
			lost = payload["document"].GetStringValue()
		}
		return payload["document"].GetStringValue() == lost
	})
	out, stderr, code := runIn(w.t, w.t.TempDir(), env, "check", "--data-dir", dir)
	if code != 1 || !strings.Contains(out, "file_without_document default/orphan ") || !strings.Contains(out, "index_differs "+lost+" ") || !strings.Contains(out, "\n2 found, 0 repaired") {
		w.t.Errorf("%d %s %s", code, out, stderr)
	}
	if out, stderr, code = runIn(w.t, w.t.TempDir(), env, "check", "--data-dir", dir, "--repair"); code != 0 || !strings.Contains(out, "\n2 found, 2 repaired") {
		w.t.Errorf("%d %s %s", code, out, stderr)
	}
	w.embedder.faulty(nil)
	p := start(w.t, dir, nil, append(env, w.env...)...) // makes the vectors again
	eventually(w.t, "nothing is left to do", func() bool {
		var status struct{ Jobs int }
		return p.request("GET", "/v1.0/status", "", nil, &status) == 200 && status.Jobs == 0
	})
	p.stop(os.Interrupt)
	if out, stderr, code = runIn(w.t, w.t.TempDir(), env, "check", "--data-dir", dir); code != 0 || !strings.HasPrefix(out, "everything fits") {
		w.t.Errorf("%d %s %s", code, out, stderr)
	}
}

// score is the score of a source.
var score = regexp.MustCompile(`"score":([0-9.e-]+)`)

// sameCitations compares citations byte for byte, but for the last digit of scores: an
// index on a server may add numbers in another order.
func sameCitations(t *testing.T, question, got, want string) {
	t.Helper()
	same(t, question, score.ReplaceAllString(got, "score"), score.ReplaceAllString(want, "score"))
	scores, before := score.FindAllStringSubmatch(got, -1), score.FindAllStringSubmatch(want, -1)
	for n := range min(len(scores), len(before)) {
		is, err := strconv.ParseFloat(scores[n][1], 64)
		was, err2 := strconv.ParseFloat(before[n][1], 64)
		if errors.Join(err, err2) != nil || math.Abs(is-was) > 0.00015 {
			t.Errorf("%s: the score of source %d is %s, was %s", question, n+1, scores[n][1], before[n][1])
		}
	}
}

// same compares two texts and shows where they begin to differ.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	part := func(s string) string { return s[max(0, at-80):min(len(s), at+80)] }
	t.Errorf("%s: …%s…\nwas …%s…", what, part(got), part(want))
}

// contentOf lists the files of a folder with what is in them, but for locks and SQLite's
// own files beside a database.
func contentOf(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "lock" || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, "-wal") {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&list, "%s %x\n", path, sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}
