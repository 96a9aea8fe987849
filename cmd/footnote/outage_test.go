package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// serverPatience is how long a test waits for what a server does by itself.
const serverPatience = 2 * time.Minute

// refusedPause is how often a client tries again that is refused; less than the server asks for.
const refusedPause = 100 * time.Millisecond

// outage is how long the database is away.
func outage() time.Duration {
	if nightly {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// A databaseServer can be stopped and started.
type databaseServer interface {
	Database(t testing.TB) string
	Stop(t testing.TB)
	Start(t testing.TB)
}

// The database is stopped for a while and started again while 100 chats
// stream and 20 clients upload: no stream is cut, nothing that was
// acknowledged is lost or doubled, and the other requests are asked to try again.
func TestAnOutageOfTheDatabaseCutsNoStreamAndLosesNothing(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) { outageTest(t, postgrestest.Start(t)) })
	if nightly {
		t.Run("mariadb", func(t *testing.T) { outageTest(t, mariadbtest.Start(t)) })
	}
}

func outageTest(t *testing.T, server databaseServer) {
	t.Helper()
	goOn := make(chan struct{})
	chats := 20
	if nightly {
		chats = 100
	}
	var scripts []upstreamtest.Script
	for range chats {
		scripts = append(scripts, drainScripts(goOn)[0])
	}
	up := modelServer(t, append(scripts, upstreamtest.JSON(drainAnswer))...)
	p := start(t, t.TempDir(), []string{"--demo"}, "FOOTNOTE_DATABASE_URL="+server.Database(t), "FOOTNOTE_UPSTREAM_URL="+up.URL(), "FOOTNOTE_UPSTREAM_MODEL=m")
	p.documents("handbook")
	if status := p.json("PATCH", "/v1.0/assistants/handbook/settings", map[string]any{"upstream": nil}, nil); status != 200 {
		t.Fatalf("the assistant's upstream: %d", status)
	}
	for _, slug := range []string{"uploads", "unseen"} {
		if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": slug}, nil); status != 201 {
			t.Fatalf("make %s: %d", slug, status)
		}
	}

	running := p.startStreams(chats)
	uploads := p.startUploads(20, "database_unavailable")
	uploads.await(t, 40)
	server.Stop(t)
	back := time.NewTimer(outage())
	p.duringTheOutage()
	<-back.C
	server.Start(t)
	uploads.await(t, uploads.count()+40)
	uploads.end()

	close(goOn)
	for i, stream := range running {
		whole := stream.rest()
		if !strings.Contains(whole, `"citations":{"status":"none"`) || !strings.HasSuffix(whole, "data: [DONE]\n\n") || strings.Contains(whole, `"error"`) {
			t.Errorf("stream %d: …%s", i, whole[max(0, len(whole)-400):])
		}
	}
	uploads.check(p)
	eventually(t, "the server is ready again", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
}

// A runningStream has had its first piece.
type runningStream struct {
	t    *testing.T
	resp *http.Response
	r    *bufio.Reader
}

func (p *process) startStreams(n int) []*runningStream {
	p.t.Helper()
	streams := make([]*runningStream, n)
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			body := `{"model":"handbook","stream":true,"messages":[{"role":"user","content":"How many vacation days do I get per year?"}]}`
			resp, err := p.send("POST", "/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				p.t.Error(err)
				return
			}
			r := bufio.NewReader(resp.Body)
			if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "Hello") {
				p.t.Errorf("the first piece of a stream: %q, %v", line, err)
			}
			streams[i] = &runningStream{p.t, resp, r}
		})
	}
	wg.Wait()
	if p.t.Failed() {
		p.t.FailNow()
	}
	return streams
}

func (s *runningStream) rest() string {
	s.t.Helper()
	raw, err := io.ReadAll(s.r)
	if closed := s.resp.Body.Close(); err != nil || closed != nil {
		s.t.Errorf("%v, %v", err, closed)
	}
	return string(raw)
}

// duringTheOutage asks what can be asked while the database is away.
func (p *process) duringTheOutage() {
	t := p.t
	t.Helper()
	var answer struct {
		Error     apiError
		Citations struct{ Status string }
	}
	question := map[string]any{"model": "handbook", "messages": []map[string]string{{"role": "user", "content": "How many vacation days do I get?"}}}
	if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 || answer.Citations.Status != "unavailable" {
		t.Errorf("a chat with an assistant that is known: %d %+v", status, answer)
	}
	question["model"] = "unseen"
	for _, ask := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/chat/completions", question}, {"POST", "/v1.0/assistants", map[string]any{"name": "new"}},
		{"GET", "/v1.0/assistants", nil}, {"GET", "/readyz", nil},
	} {
		resp, err := p.send(ask.method, ask.path, "application/json", encoded(t, ask.body))
		if err != nil {
			t.Fatal(err)
		}
		told := refusal(t, resp)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" ||
			told.Code != "database_unavailable" && resp.Request.URL.Path != "/readyz" {
			t.Errorf("%s: %d %+v, Retry-After %q", resp.Request.URL.Path, resp.StatusCode, told, resp.Header.Get("Retry-After"))
		}
	}
	if status := p.request("GET", "/healthz", "", nil, nil); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
}

func encoded(t *testing.T, in any) io.Reader {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(raw)
}

// send sends a request with the admin key; the caller closes the answer's body.
func (p *process) send(method, path, contentType string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequest(method, p.url+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	return http.DefaultClient.Do(req)
}

// refusal reads an error answer.
func refusal(t *testing.T, resp *http.Response) apiError {
	t.Helper()
	defer func() { _ = resp.Body.Close() }() // it is read
	var answer struct{ Error apiError }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Errorf("%s: %v", resp.Request.URL.Path, err)
	}
	return answer.Error
}

// uploads are clients that upload one document after the other.
type uploads struct {
	mu           sync.Mutex
	refusal      string            // the code of the error while a store is away
	acknowledged map[string]string // id → SHA-256
	refused      int
	stop         chan struct{}
	clients      sync.WaitGroup
	end          func() // stops the clients and waits for them
}

// startUploads starts clients who may be refused with one code. They end before the
// process does.
func (p *process) startUploads(clients int, refusal string) *uploads {
	u := &uploads{refusal: refusal, acknowledged: map[string]string{}, stop: make(chan struct{})}
	u.end = sync.OnceFunc(func() {
		close(u.stop)
		u.clients.Wait()
	})
	p.t.Cleanup(u.end)
	for client := range clients {
		u.clients.Go(func() { u.work(p, client) })
	}
	return u
}

// work uploads until the end. A client that was refused waits for the next tick.
func (u *uploads) work(p *process, client int) {
	retry := time.NewTicker(refusedPause)
	defer retry.Stop()
	for n := 0; ; n++ {
		select {
		case <-u.stop:
			return
		default:
		}
		if !u.upload(p, fmt.Sprintf("Document %d of client %d.\n\n%s", n, client, strings.Repeat("It has words. ", 50))) {
			select {
			case <-u.stop:
			case <-retry.C:
			}
		}
	}
}

// upload uploads a document and reports whether it was accepted.
func (u *uploads) upload(p *process, content string) bool {
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	file, err := m.CreateFormFile("file", "d.txt")
	if err == nil {
		_, err = io.WriteString(file, content)
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		p.t.Error(err)
		return false
	}
	resp, err := p.send("POST", "/v1.0/assistants/uploads/documents", m.FormDataContentType(), &form)
	if err != nil {
		p.t.Error(err)
		return false
	}
	if resp.StatusCode != http.StatusAccepted {
		told := refusal(p.t, resp)
		if resp.StatusCode != http.StatusServiceUnavailable || told.Code != u.refusal || resp.Header.Get("Retry-After") == "" {
			p.t.Errorf("an upload: %d %+v", resp.StatusCode, told)
		}
		u.mu.Lock()
		u.refused++
		u.mu.Unlock()
		return false
	}
	var d remoteDocument
	if err := json.NewDecoder(resp.Body).Decode(&d); err != nil {
		p.t.Error(err)
	}
	_ = resp.Body.Close() // it is read
	sum := sha256.Sum256([]byte(content))
	u.mu.Lock()
	u.acknowledged[d.ID] = hex.EncodeToString(sum[:])
	u.mu.Unlock()
	return true
}

func (u *uploads) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.acknowledged)
}

// await waits until so many uploads were acknowledged.
func (u *uploads) await(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " uploads"), func() bool { return u.count() >= n })
}

// check waits for every acknowledged document and compares its bytes; no
// content may be there twice.
func (u *uploads) check(p *process) {
	t := p.t
	t.Helper()
	if u.refused == 0 {
		t.Error("no upload met the outage")
	}
	var all []struct{ ID, Status, SHA256 string }
	eventually(t, "all documents are settled", func() bool {
		all = nil
		cursor := ""
		for {
			var page struct {
				Data       []struct{ ID, Status, SHA256 string }
				NextCursor *string `json:"next_cursor"`
			}
			if p.request("GET", "/v1.0/assistants/uploads/documents?limit=1000&cursor="+cursor, "", nil, &page) != 200 {
				return false
			}
			all = append(all, page.Data...)
			if page.NextCursor == nil {
				break
			}
			cursor = *page.NextCursor
		}
		return !slices.ContainsFunc(all, func(d struct{ ID, Status, SHA256 string }) bool { return d.Status != "ready" && d.Status != "failed" })
	})
	seen := map[string]bool{}
	for _, d := range all {
		if seen[d.SHA256] {
			t.Errorf("%s is there twice", d.SHA256)
		}
		seen[d.SHA256] = true
		want, known := u.acknowledged[d.ID]
		delete(u.acknowledged, d.ID)
		if d.Status != "ready" || known && d.SHA256 != want {
			t.Errorf("%+v, uploaded as %s", d, want)
		}
		if sum := sha256.Sum256([]byte(p.download(d.ID))); hex.EncodeToString(sum[:]) != d.SHA256 {
			t.Errorf("%s: other bytes", d.ID)
		}
	}
	for id := range u.acknowledged {
		t.Errorf("%s was acknowledged and is lost", id)
	}
	t.Logf("%d documents, %d uploads refused", len(all), u.refused)
}
