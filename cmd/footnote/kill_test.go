package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

const stormUploaders = 4

// stormSize says how long a storm lasts: until there were so many kills and
// acknowledged uploads, or until the time is over. A document that is being processed at
// three kills is taken for their cause, and a job waits 10 s for its next claim.
func stormSize() (kills int, uploads int64, limit time.Duration) {
	if nightly {
		return 25, 200, 15 * time.Second
	}
	return 5, 40, 5 * time.Second
}

// A storm is uploads, replacements and deletions through the real program,
// while it is killed and started again.
type storm struct {
	t         *testing.T
	assistant string

	mu    sync.Mutex
	url   string        // of the server that runs, "" while none does
	fresh chan struct{} // closed when url changes

	uploads, keyed, repeated atomic.Int64 // acknowledged; with a key; of those, after an unknown outcome
	calm                     atomic.Bool  // no kills any more: finish

	known sync.Mutex
	docs  map[string]string // ids of acknowledged documents, to the SHA-256 of their bytes
	gone  map[string]bool   // ids of documents whose deletion was acknowledged
	maybe map[string]bool   // SHA-256 of uploads whose answer no client received
	made  map[string]string // slugs of acknowledged assistants, to their ids
}

func (s *storm) runsAt(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = url
	close(s.fresh)
	s.fresh = make(chan struct{})
}

// at waits for a server.
func (s *storm) at() string {
	for {
		s.mu.Lock()
		url, fresh := s.url, s.fresh
		s.mu.Unlock()
		if url != "" {
			return url
		}
		<-fresh
	}
}

// changed waits until another server runs than the one at url, or a moment.
func (s *storm) changed(url string) {
	s.mu.Lock()
	now, fresh := s.url, s.fresh
	s.mu.Unlock()
	if now != url {
		return
	}
	select {
	case <-fresh:
	case <-time.After(200 * time.Millisecond):
	}
}

// A stormReply is an answer that arrived whole.
type stormReply struct {
	status int
	header http.Header
	body   []byte
}

var errUnanswered = errors.New("the connection broke")

// send sends a request once. Without an answer its outcome is unknown.
func (s *storm) send(method, path, contentType string, body []byte, headers ...string) (stormReply, error) {
	url := s.at()
	req, err := http.NewRequest(method, url+path, bytes.NewReader(body))
	if err != nil {
		return stormReply{}, err
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.changed(url)
		return stormReply{}, errUnanswered
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		s.changed(url)
		return stormReply{}, errUnanswered
	}
	return stormReply{resp.StatusCode, resp.Header, raw}, nil
}

// insist sends a request until it has an answer that is not "later"; lost is
// whether an attempt before that went unanswered.
func (s *storm) insist(method, path, contentType string, body []byte, headers ...string) (r stormReply, lost bool) {
	for {
		r, err := s.send(method, path, contentType, body, headers...)
		switch {
		case err != nil:
			lost = true
		case r.status == http.StatusServiceUnavailable,
			r.status == http.StatusConflict && strings.Contains(string(r.body), "idempotency_in_progress"):
			if r.header.Get("Retry-After") == "" {
				s.t.Errorf("%s %s: %d without Retry-After", method, path, r.status)
			}
			s.changed(s.at())
		default:
			return r, lost
		}
	}
}

// A stormFile is content that exists once.
type stormFile struct {
	name, sum string
	content   []byte
}

func newStormFile(rng *mathrand.Rand) stormFile {
	mark := rand.Text()
	var content []byte
	name := mark + ".md"
	switch rng.IntN(20) {
	case 0:
		name = mark + ".html"
		content = []byte("<html><body><h1>" + mark + "</h1><p>" + strings.Repeat("Some words in a page. ", 200) + "</p></body></html>")
	case 1:
		content = []byte("# " + mark + "\n\n" + strings.Repeat("A long document has many passages. ", 20000))
	default:
		content = []byte("# " + mark + "\n\n" + strings.Repeat("Some words that are cut. ", 1+rng.IntN(300)))
	}
	sum := sha256.Sum256(content)
	return stormFile{name, hex.EncodeToString(sum[:]), content}
}

func (f stormFile) form(t *testing.T, sourcePath string) (contentType string, body []byte) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreateFormFile("file", f.name)
	if err == nil {
		_, err = part.Write(f.content)
	}
	if err == nil && sourcePath != "" {
		err = m.WriteField("source_path", sourcePath)
	}
	if err = errors.Join(err, m.Close()); err != nil {
		t.Error(err)
	}
	return m.FormDataContentType(), b.Bytes()
}

type stormDocument struct {
	ID        string `json:"id"`
	SHA256    string `json:"sha256"`
	Status    string `json:"status"`
	Duplicate bool   `json:"duplicate"`
}

func (s *storm) read(r stormReply, into any) {
	if err := json.Unmarshal(r.body, into); err != nil {
		s.t.Errorf("%d %s: %v", r.status, r.body, err)
	}
}

func (s *storm) acknowledged(id, sum string) {
	s.known.Lock()
	defer s.known.Unlock()
	s.docs[id] = sum
	s.uploads.Add(1)
}

// seedOf is the seed of a test's choices; FOOTNOTE_TEST_SEED repeats one.
func seedOf(t *testing.T) uint64 {
	seed := mathrand.Uint64()
	if text := os.Getenv("FOOTNOTE_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("FOOTNOTE_TEST_SEED=%d", seed)
	return seed
}

// The "Done when" of durability: what was answered 202 is there after any kill.
func TestKillsAtRandomMomentsLoseNothingAcknowledgedAndDoubleNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, storms)
}

// storms kills a program whose environment says where it keeps its data.
func storms(t *testing.T, env ...string) {
	t.Helper()
	dir := t.TempDir()
	seed := seedOf(t)
	s := &storm{t: t, fresh: make(chan struct{}), docs: map[string]string{}, gone: map[string]bool{}, maybe: map[string]bool{}, made: map[string]string{}}
	program := ownProgram(t)
	serve := func() *process {
		return launch(t, exec.Command(program, "serve", "--data-dir", dir), env...)
	}
	p := serve()
	s.assistant = createAssistant(t, p, "storm")
	s.runsAt(p.url)
	var uploaders sync.WaitGroup
	for n := range stormUploaders {
		u := &uploader{storm: s, rng: mathrand.New(mathrand.NewPCG(seed, uint64(n)+1))}
		uploaders.Go(u.work)
	}
	kills := 0
	rng := mathrand.New(mathrand.NewPCG(seed, 0))
	mostKills, mostUploads, limit := stormSize()
	const leastKills = 3 // fewer prove nothing, however slow the machine is
	for began := time.Now(); kills < leastKills || time.Since(began) < limit && (kills < mostKills || s.uploads.Load() < mostUploads); kills++ {
		<-time.After(time.Duration(rng.IntN(500)) * time.Millisecond) // the random moment
		s.runsAt("")
		p.kill()
		noChildren(t, program)
		p = serve()
		s.runsAt(p.url)
	}
	s.calm.Store(true)
	uploaders.Wait()
	t.Logf("%d kills, %d uploads acknowledged, %d of them with a key, %d of those after an attempt that went unanswered; %d deleted, %d unknown",
		kills, s.uploads.Load(), s.keyed.Load(), s.repeated.Load(), len(s.gone), len(s.maybe))
	if kills >= 10 && s.repeated.Load() == 0 { // a slow machine has few
		t.Errorf("%d kills and %d retries with a key: too few to prove anything", kills, s.repeated.Load())
	}
	s.settle(p)
	s.verify(p)
	if code := p.stop(syscall.SIGINT); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.stderr)
	}
	noChildren(t, program)
	checkedAfterStorm(t, dir, env)
}

// list reads a list whole.
func (s *storm) list(p *process, path string) (items []json.RawMessage) {
	s.t.Helper()
	cursor := ""
	for {
		var page struct {
			Data       []json.RawMessage `json:"data"`
			NextCursor *string           `json:"next_cursor"`
		}
		if status := p.request("GET", path+"?limit=50&cursor="+cursor, "", nil, &page); status != 200 {
			s.t.Fatalf("%s: %d", path, status)
		}
		items = append(items, page.Data...)
		if page.NextCursor == nil {
			return items
		}
		cursor = *page.NextCursor
	}
}

func (s *storm) documents(p *process) (docs []stormDocument) {
	s.t.Helper()
	for _, raw := range s.list(p, "/v1.0/assistants/"+s.assistant+"/documents") {
		var d stormDocument
		if err := json.Unmarshal(raw, &d); err != nil {
			s.t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

// settle waits until no work is left.
func (s *storm) settle(p *process) {
	s.t.Helper()
	eventually(s.t, "no work is left", func() bool {
		var status struct{ Jobs int }
		return p.request("GET", "/v1.0/status", "", nil, &status) == 200 && status.Jobs == 0
	})
}

// verify compares what there is with what was acknowledged.
func (s *storm) verify(p *process) {
	s.t.Helper()
	bySum := map[string]string{}
	byID := map[string]stormDocument{}
	for _, d := range s.documents(p) {
		if twin := bySum[d.SHA256]; twin != "" {
			s.t.Errorf("%s and %s have the same bytes", d.ID, twin)
		}
		bySum[d.SHA256], byID[d.ID] = d.ID, d
		if s.docs[d.ID] == "" && !s.maybe[d.SHA256] {
			s.t.Errorf("nobody sent %+v", d)
		}
		if s.gone[d.ID] {
			s.t.Errorf("the deletion of %s was acknowledged", d.ID)
		}
		if d.Status != "ready" {
			s.t.Errorf("%+v", d)
		}
		if sum := s.download(p, d.ID); sum != d.SHA256 {
			s.t.Errorf("%s: downloaded bytes have the sum %s, want %s", d.ID, sum, d.SHA256)
		}
	}
	for id, sum := range s.docs {
		if byID[id].SHA256 != sum {
			s.t.Errorf("%s was acknowledged with %s; there is %+v", id, sum, byID[id])
		}
	}
	slugs := map[string]string{}
	for _, raw := range s.list(p, "/v1.0/assistants") {
		var a struct{ ID, Slug string }
		if err := json.Unmarshal(raw, &a); err != nil {
			s.t.Fatal(err)
		}
		slugs[a.Slug] = a.ID
	}
	for slug, id := range s.made {
		if slugs[slug] != id {
			s.t.Errorf("assistant %s was acknowledged as %s; there is %q", slug, id, slugs[slug])
		}
	}
	if len(slugs) != len(s.made)+1 {
		s.t.Errorf("%d assistants for %d acknowledged", len(slugs)-1, len(s.made))
	}
}

func (s *storm) download(p *process, id string) string {
	s.t.Helper()
	req, err := http.NewRequest("GET", p.url+"/v1.0/documents/"+id+"/download", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	hash := sha256.New()
	_, err = io.Copy(hash, resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode != 200 {
		s.t.Errorf("download %s: %d, %v", id, resp.StatusCode, err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// checkedAfterStorm sees that nothing is left over but files of uploads that
// died before their document was stored and were never acknowledged: the sweep
// takes them when they are five minutes old, a repair at once.
func checkedAfterStorm(t *testing.T, dir string, env []string) {
	t.Helper()
	check := func(args ...string) (out string, code int) {
		out, stderr, code := runIn(t, t.TempDir(), env, append([]string{"check", "--data-dir", dir, "--deep"}, args...)...)
		return out + stderr, code
	}
	out, _ := check()
	orphans := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "file_without_document ") {
			orphans++
		} else if strings.Contains(line, "(") {
			t.Errorf("left over: %s", line)
		}
	}
	t.Logf("%d orphaned files", orphans)
	if out, code := check("--repair"); code != 0 {
		t.Errorf("the repair: %d %s", code, out)
	}
	if out, code := check(); code != 0 || !strings.HasPrefix(out, "everything fits: ") || !strings.Contains(out, " 0 jobs ") {
		t.Errorf("after the repair: %d %s", code, out)
	}
	for _, place := range []string{"uploads/*", ".new-*", "documents/*/.*"} {
		if left, err := filepath.Glob(filepath.Join(dir, place)); err != nil || len(left) > 0 {
			t.Errorf("left over: %q, %v", left, err)
		}
	}
}

// ownProgram is a second name of the program. Its processes can be told from
// those of the tests that run at the same time.
func ownProgram(t *testing.T) string {
	t.Helper()
	name := filepath.Join(filepath.Dir(binary), "storm-"+rand.Text())
	if err := os.Link(binary, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// noChildren waits until no process of the program is left: the children that
// read documents end with their server.
func noChildren(t *testing.T, program string) {
	t.Helper()
	eventually(t, "no child outlives its server", func() bool {
		exes, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			t.Fatal(err)
		}
		for _, exe := range exes {
			if target, err := os.Readlink(exe); err == nil && target == program {
				return false
			}
		}
		return true
	})
}

// eachDatabase runs a test of the program with every kind of database; env is
// what chooses it.
func eachDatabase(t *testing.T, test func(t *testing.T, env ...string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t) })
	t.Run("postgres", func(t *testing.T) { test(t, "FOOTNOTE_DATABASE_URL="+postgrestest.URL(t)) })
	if nightly {
		t.Run("mariadb", func(t *testing.T) { test(t, "FOOTNOTE_DATABASE_URL="+mariadbtest.URL(t)) })
	}
}
