package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A fakeLibrary is as much of a server as ingest talks to. Documents are
// embedding when they are looked at first, and ready after that.
type fakeLibrary struct {
	mu      sync.Mutex
	docs    []map[string]any
	looks   map[string]int
	uploads int
	refuse  func(n int) (status int, code string) // the n-th upload, from 1
	// replaces: what was sent takes the place of others, which answer for ever.
	replaces bool
	problem  map[string]any // what every document has as its error
}

func (l *fakeLibrary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v) // the client tells what it misses
	}
	switch {
	case r.URL.Path == "/v1.0/assistants/manuals":
		answer(200, map[string]any{"id": "asst_1"})
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/documents"):
		answer(200, map[string]any{"data": l.docs, "next_cursor": nil})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/documents"):
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			answer(400, nil)
			return
		}
		l.uploads++
		if l.refuse != nil {
			if status, code := l.refuse(l.uploads); status != 0 {
				answer(status, map[string]any{"error": map[string]any{"message": "The server says why.", "code": code}})
				return
			}
		}
		path := r.FormValue("source_path")
		d := map[string]any{"id": fmt.Sprintf("doc_%d", len(l.docs)), "source_path": path, "status": "pending", "chunks": 1, "sha256": sumOf(path)}
		if l.problem != nil {
			d["error"] = l.problem
		}
		l.docs = append(l.docs, d)
		answer(202, d)
	default:
		for _, d := range l.docs {
			if "/v1.0/documents/"+d["id"].(string) == r.URL.Path { //nolint:forcetypeassert // made above
				l.looks[r.URL.Path]++
				if l.replaces {
					d["status"], d["searchable"] = "embedding", "full"
					answer(200, d)
					return
				}
				d["status"] = map[bool]string{true: "embedding", false: "ready"}[l.looks[r.URL.Path] == 1]
				answer(200, d)
				return
			}
		}
		answer(404, nil)
	}
}

// refuseWith sets what is refused.
func (l *fakeLibrary) refuseWith(refuse func(n int) (status int, code string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = refuse
}

// replaceAll makes what is sent from now on take the place of others.
func (l *fakeLibrary) replaceAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replaces = true
}

// finish makes every document ready.
func (l *fakeLibrary) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.docs {
		d["status"] = "ready"
	}
}

// sent counts the uploads so far.
func (l *fakeLibrary) sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uploads
}

func newFakeLibrary(t *testing.T, files int) (l *fakeLibrary, ingest func(flags ...string) (stdout, stderr string, code int)) {
	t.Helper()
	l = &fakeLibrary{looks: map[string]int{}}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(docs, fmt.Sprintf("%02d.txt", i)), []byte(fmt.Sprint("text ", i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return l, func(flags ...string) (stdout, stderr string, code int) {
		t.Helper()
		return run(t, append([]string{"ingest", "--url", server.URL, "--key", "k", "--assistant", "manuals", docs}, flags...)...)
	}
}

func TestIngestWaitsForWordsAndSaysThatVectorsAreToCome(t *testing.T) {
	_, ingest := newFakeLibrary(t, 3)
	stdout, stderr, code := ingest()
	if code != 0 || !strings.Contains(stdout, "3 ready, 0 unchanged, 0 failed\nOf these, 3 documents are found by words; vectors are made") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	_, ingest = newFakeLibrary(t, 3)
	stdout, stderr, code = ingest("--wait=full")
	if code != 0 || !strings.HasSuffix(stdout, "3 ready, 0 unchanged, 0 failed\n") {
		t.Errorf("%d\n%s\n%s", code, stdout, stderr)
	}
	if _, stderr, code = ingest("--wait=long"); code == 0 || !strings.Contains(stderr, "--wait") {
		t.Errorf("%d %s", code, stderr)
	}
}

func TestIngestSaysWhatCouldNotBeReadOfADocument(t *testing.T) {
	for _, wait := range []string{"--wait=text", "--wait=full"} {
		l, ingest := newFakeLibrary(t, 1)
		l.problem = map[string]any{"code": "pages_unreadable", "message": "53 of 73 pages could not be read."}
		stdout, stderr, code := ingest(wait)
		if code != 0 || !strings.Contains(stdout, "(1 passage): 53 of 73 pages could not be read.\n") {
			t.Errorf("%s: %d\n%s\n%s", wait, code, stdout, stderr)
		}
	}
}

func TestIngestSaysWhichDocumentsAnswerAsTheyDidBefore(t *testing.T) {
	l, ingest := newFakeLibrary(t, 3)
	l.replaceAll()
	for n := 1; n <= 2; n++ { // what they tell of their bytes is about others, so they are sent
		stdout, stderr, code := ingest()
		if code != 0 || !strings.Contains(stdout, "3 ready, 0 unchanged, 0 failed\nOf these, 3 documents are replaced once vectors are made") || l.sent() != 3*n {
			t.Errorf("%d, %d sent\n%s\n%s", code, l.sent(), stdout, stderr)
		}
	}
}

func TestWhatTheServerHasIsNotSentAgain(t *testing.T) {
	l, ingest := newFakeLibrary(t, 12)
	l.refuseWith(func(n int) (int, string) { return map[bool]int{true: 500}[n == 6], "internal_error" })
	if stdout, stderr, code := ingest(); code == 0 {
		t.Fatalf("%s\n%s", stdout, stderr)
	}
	l.finish()
	l.refuseWith(nil)
	before := l.sent()
	stdout, stderr, code := ingest()
	if code != 0 || !strings.Contains(stdout, "7 ready, 5 unchanged, 0 failed") || l.sent() != before+7 {
		t.Errorf("%d, %d uploads\n%s\n%s", code, l.sent()-before, stdout, stderr)
	}
}

func TestAServerWithTooMuchToDoIsGivenTime(t *testing.T) {
	l, ingest := newFakeLibrary(t, 4)
	l.refuseWith(func(n int) (int, string) { return map[bool]int{true: 503}[n == 3 || n == 4], "overloaded" })
	stdout, stderr, code := ingest()
	if code != 0 || !strings.Contains(stdout, "4 ready, 0 unchanged, 0 failed") || l.sent() != 6 {
		t.Errorf("%d, %d uploads\n%s\n%s", code, l.sent(), stdout, stderr)
	}
}

func TestACollectionOfAnotherModelIsSaidOnce(t *testing.T) {
	l, ingest := newFakeLibrary(t, 4)
	l.refuseWith(func(int) (int, string) { return 409, "embedding_dimension_mismatch" })
	stdout, stderr, code := ingest()
	if code != 1 || !strings.Contains(stderr, "The server says why.") || l.sent() != 1 {
		t.Errorf("%d, %d uploads\n%s\n%s", code, l.sent(), stdout, stderr)
	}
}
