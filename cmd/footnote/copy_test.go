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
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/postgrestest"
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
	w.must(p, 200, "PATCH", "/v1.0/assistants/handbook/settings", map[string]any{"citation_link_mode": "Public", "store_history": true, "history_retention_days": 30}, nil)
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

var decimal = regexp.MustCompile(`\d+\.\d+`)

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
		return p.request("GET", "/v1.0/assistants/handbook/history?limit=100", "", nil, &history) == 200 && len(history.Data) == w.asked
	})
	return answers
}

// read reads what the copy must have of most tables.
func (w *copyWorld) read(p *process) map[string]string {
	w.t.Helper()
	lists := map[string]string{}
	for _, path := range []string{
		"/v1.0/assistants", "/v1.0/assistants/handbook/documents?limit=100", "/v1.0/assistants/shelves/documents?limit=1000", "/v1.0/keys", "/v1.0/upstreams",
		"/v1.0/assistants/handbook/history?limit=100", "/v1.0/assistants/handbook/settings", "/v1.0/audit?action=document.upload&limit=100",
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
		sameButForRounding(w.t, question, got, w.answers[question])
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

// sameButForRounding compares two answers whose scores may differ in their last digit: each
// index adds the numbers of a vector in an order of its own.
func sameButForRounding(t *testing.T, what, got, want string) {
	t.Helper()
	was, is := decimal.FindAllString(want, -1), decimal.FindAllString(got, -1)
	if len(was) == len(is) && decimal.ReplaceAllString(got, "#") == decimal.ReplaceAllString(want, "#") {
		for i := range was {
			a, errA := strconv.ParseFloat(was[i], 64)
			b, errB := strconv.ParseFloat(is[i], 64)
			if errA != nil || errB != nil || math.Abs(a-b) > 0.00015 {
				t.Errorf("%s: %s, was %s", what, is[i], was[i])
			}
		}
		return
	}
	same(t, what, got, want)
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

// A deadlyProxy passes connections to a database on, until a statement appears. Then it
// kills a process instead.
type deadlyProxy struct {
	url string // of the database behind the proxy

	mu        sync.Mutex
	statement string // "": none kills
	left      int    // how many packets pass after it
	seen      bool
	victim    *os.Process
}

func newDeadlyProxy(t *testing.T, database string) *deadlyProxy {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, target := &deadlyProxy{}, u.Host
	u.Host = ln.Addr().String()
	p.url = u.String()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(client, target) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return p
}

func (p *deadlyProxy) serve(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(client, server) // ends with either
		_ = client.Close()
	}()
	buffer := make([]byte, 1<<20)
	for {
		n, err := client.Read(buffer)
		if err != nil || p.kills(buffer[:n]) {
			break
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			break
		}
	}
	_ = server.Close()
	<-answered
}

// kills kills the process if it is time.
func (p *deadlyProxy) kills(packet []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.statement == "" || p.victim == nil {
		return false
	}
	if !p.seen {
		p.seen = bytes.Contains(packet, []byte(p.statement))
	} else {
		p.left--
	}
	if !p.seen || p.left > 0 {
		return false
	}
	_ = p.victim.Kill() // it is a child that was not waited for
	return true
}

// killed runs a command until it is killed at the statement.
func (p *deadlyProxy) killed(t *testing.T, statement string, packets int, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir = bareEnv(), t.TempDir()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p.mu.Lock()
	err := cmd.Start()
	p.statement, p.left, p.seen, p.victim = statement, packets, false, cmd.Process
	p.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed at %q: %v\n%s", statement, err, &out)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.victim = nil
}

// An installation with embedded stores moves to PostgreSQL and another data directory,
// killed five times on the way; then its index to Qdrant; then all of it back.
func TestACopyAnswersAsTheSourceDid(t *testing.T) {
	t.Parallel()
	w, source := newCopyWorld(t)
	database, target := postgrestest.URL(t), filepath.Join(t.TempDir(), "target")
	proxy := newDeadlyProxy(t, database)
	args := []string{"copy", "--data-dir", source, "--to-data-dir", target, "--to-database", proxy.url}
	before := contentOf(t, source)
	documents, _ := copySize()
	for n, at := range []struct {
		statement string
		packets   int
	}{
		{`INSERT INTO "assistants"`, 0},
		{`INSERT INTO "chunks"`, documents / 10},
		{`document_versions v`, 0},                  // the list of the documents' files
		{`ON documents.id = chunks.document_id`, 0}, // the first document of the index
		{`ON documents.id = chunks.document_id`, documents},
	} {
		proxy.killed(t, at.statement, at.packets, args...)
		if n != 1 {
			continue
		}
		for _, command := range []string{"serve", "check"} {
			_, stderr, code := runIn(t, t.TempDir(), w.env, command, "--data-dir", filepath.Join(t.TempDir(), "new"), "--database-url", database)
			if want := map[string]string{"serve": "has not been finished", "check": "no data directory"}[command]; code != 1 || !strings.Contains(stderr, want) {
				t.Errorf("%s on an unfinished copy: %d %s", command, code, stderr)
			}
		}
	}
	out, stderr, code := run(t, t.TempDir(), args...)
	if code != 0 || stderr != "an unfinished copy goes on\n" || !strings.Contains(out, "compared by checksums") || !strings.Contains(out, fmt.Sprintf("index: %d documents\n", documents+9)) ||
		strings.Contains(out, "secret") {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	if after := contentOf(t, source); after != before {
		t.Errorf("the source was changed:\n%s\nwas\n%s", after, before)
	}
	onPostgres := "FOOTNOTE_DATABASE_URL=" + database
	w.check(target, onPostgres)

	q := qdranttest.New(t)
	onQdrant := fmt.Sprintf("FOOTNOTE_VECTOR_URL=qdrant://127.0.0.1:%d", q.Port)
	if out, stderr, code := runIn(t, t.TempDir(), []string{onPostgres}, "copy", "--data-dir", target, "--to-vector", strings.TrimPrefix(onQdrant, "FOOTNOTE_VECTOR_URL=")); code != 0 || strings.Contains(out, "database") {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	w.check(target, onPostgres, onQdrant)
	w.checkFinds(q, target, onPostgres, onQdrant)

	back := filepath.Join(t.TempDir(), "back")
	if out, stderr, code := runIn(t, t.TempDir(), []string{onPostgres, onQdrant}, "copy", "--data-dir", target,
		"--to-data-dir", back, "--to-database", "sqlite:", "--to-vector", "embedded:"); code != 0 || stderr != "" {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	w.check(back)
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
