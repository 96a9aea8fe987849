package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// exchange sends a request and reads the answer, for goroutines other than the
// test's: it returns what went wrong.
func (p *process) exchange(method, path, contentType string, body io.Reader) (status int, answer []byte, err error) {
	resp, err := p.send(method, path, contentType, body)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// A pressure uploads, replaces and deletes documents of the assistant "notes" and
// streams chats of the demo, until it is stopped. It knows what was acknowledged.
type pressure struct {
	t    *testing.T
	p    *process
	stop chan struct{}
	wg   sync.WaitGroup

	mu           sync.Mutex
	acknowledged map[string]bool // ids of documents
	deleting     map[string]bool // from before the request on
	streams      int
}

func startPressure(t *testing.T, p *process) *pressure {
	t.Helper()
	if code := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Notes", "settings": map[string]any{"enable_rag": true}}, nil); code != 201 {
		t.Fatal(code)
	}
	l := &pressure{t: t, p: p, stop: make(chan struct{}), acknowledged: map[string]bool{}, deleting: map[string]bool{}}
	for n := range 2 {
		l.keep(func(i int) { l.documents(fmt.Sprintf("%d-%d", n, i)) })
	}
	l.keep(func(int) { l.chat() })
	return l
}

// keep does something until the pressure is stopped.
func (l *pressure) keep(do func(i int)) {
	l.wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			default:
				do(i)
			}
		}
	})
}

// documents stores two documents, replaces one of them and deletes the other,
// half of the time.
func (l *pressure) documents(name string) {
	ids := make([]string, 2)
	for i := range ids {
		form, contentType := noteForm(l.t, fmt.Sprintf("%s-%d.txt", name, i), strings.Repeat(fmt.Sprintf("Note %s of number %d. ", name, i), 300))
		status, raw, err := l.p.exchange("POST", "/v1.0/assistants/notes/documents", contentType, form)
		var doc remoteDocument
		if err != nil || status != 202 || json.Unmarshal(raw, &doc) != nil {
			l.t.Errorf("upload: %d %v %s", status, err, raw)
			return
		}
		ids[i] = doc.ID
		l.note(l.acknowledged, doc.ID)
	}
	form, contentType := noteForm(l.t, "replaced.txt", "Replaced "+name)
	if status, raw, err := l.p.exchange("PUT", "/v1.0/documents/"+ids[0]+"/file", contentType, form); err != nil || status != 202 {
		l.t.Errorf("replace: %d %v %s", status, err, raw)
	}
	if len(name)%2 == 0 {
		return
	}
	l.note(l.deleting, ids[1])
	if status, raw, err := l.p.exchange("DELETE", "/v1.0/documents/"+ids[1], "", nil); err != nil || status != 204 {
		l.t.Errorf("delete: %d %v %s", status, err, raw)
	}
}

// chat streams an answer to its end.
func (l *pressure) chat() {
	status, raw, err := l.p.exchange("POST", "/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"handbook","stream":true,"messages":[{"role":"user","content":"How many vacation days do I get per year?"}]}`))
	if err != nil || status != 200 || !bytes.HasSuffix(raw, []byte("data: [DONE]\n\n")) || !bytes.Contains(raw, []byte(`"status":"cited"`)) {
		l.t.Errorf("chat: %d %v %s", status, err, raw)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams++
}

func (l *pressure) note(in map[string]bool, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in[id] = true
}

func (l *pressure) known(of map[string]bool) map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(of)
}

// answers are the demo's answers to all its questions: text and citations, as
// they were sent.
func (p *process) answers() map[string]string {
	p.t.Helper()
	raw, err := os.ReadFile("demo/questions.jsonl")
	if err != nil {
		p.t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range bytes.Lines(raw) {
		var q struct{ Question string }
		if err := json.Unmarshal(line, &q); err != nil {
			p.t.Fatal(err)
		}
		var answer struct {
			Choices   []struct{ Message json.RawMessage }
			Citations json.RawMessage
		}
		code := p.json("POST", "/v1/chat/completions", map[string]any{"model": "handbook",
			"messages": []map[string]string{{"role": "user", "content": q.Question}}}, &answer)
		if code != 200 || len(answer.Choices) != 1 || len(answer.Citations) == 0 {
			p.t.Fatalf("%s: %d", q.Question, code)
		}
		answers[q.Question] = string(answer.Choices[0].Message) + string(answer.Citations)
	}
	return answers
}

func TestBackupsUnderLoadRestoreToServersThatAnswerTheSame(t *testing.T) {
	t.Parallel()
	p := demoServer(t)
	want := p.answers()
	l := startPressure(t, p)
	type taken struct {
		file string
		must map[string]bool // documents that were there before it began and still when it ended
	}
	var all []taken
	backups := 4
	if !nightly {
		backups = 1
	}
	for range backups {
		enough := len(l.known(l.acknowledged)) + 30 // so that every backup meets another state
		eventually(t, "documents are acknowledged", func() bool { return t.Failed() || len(l.known(l.acknowledged)) >= enough })
		must := l.known(l.acknowledged)
		file := backup(t, p.dataDir())
		for id := range l.known(l.deleting) {
			delete(must, id)
		}
		all = append(all, taken{file, must})
	}
	close(l.stop)
	l.wg.Wait()
	if l.streams == 0 {
		t.Error("no chat ended beside the backups")
	}
	for i, b := range all {
		data := restore(t, b.file)
		restored := start(t, data, nil)
		eventually(t, "the restored server is ready", func() bool { return restored.request("GET", "/readyz", "", nil, nil) == 200 })
		for question, answer := range restored.answers() {
			if answer != want[question] {
				t.Errorf("backup %d, %q:\n%s\nand was\n%s", i, question, answer, want[question])
			}
		}
		got := restored.everyDocument("notes")
		for id := range b.must {
			if !got[id] {
				t.Errorf("backup %d lacks %s, which was acknowledged before it began", i, id)
			}
		}
		if demo := restored.everyDocument("handbook"); len(demo) != 9 {
			t.Errorf("backup %d has %d documents of the demo", i, len(demo))
		}
		if blobs, m := filesOf(t, filepath.Join(data, "documents/default")), manifestOf(t, b.file); len(m.Damaged) > 0 || len(blobs) < len(got) {
			t.Errorf("backup %d: %d files for %d documents, damaged: %v", i, len(blobs), len(got), m.Damaged)
		}
		t.Logf("backup %d: %d documents, %d of them had to be there", i, len(got), len(b.must))
		restored.kill()
	}
}

// everyDocument waits until all documents of an assistant are settled, and
// checks that each is ready and its file what its row says.
func (p *process) everyDocument(assistant string) map[string]bool {
	p.t.Helper()
	type document struct {
		ID, Name, Status, SHA256 string
		Error                    *apiError
	}
	docs := map[string]bool{}
	eventually(p.t, "all documents settled", func() bool {
		clear(docs)
		cursor := ""
		for {
			var page struct {
				Data       []document
				NextCursor *string `json:"next_cursor"`
			}
			p.request("GET", "/v1.0/assistants/"+assistant+"/documents?limit=1000&cursor="+cursor, "", nil, &page)
			for _, d := range page.Data {
				if d.Status != "ready" && d.Status != "failed" {
					return false
				}
				if d.Status == "failed" {
					p.t.Errorf("failed: %+v", d)
				}
				docs[d.ID] = true
			}
			if page.NextCursor == nil {
				break
			}
			cursor = *page.NextCursor
		}
		return true
	})
	for id := range docs {
		var d document
		p.request("GET", "/v1.0/documents/"+id, "", nil, &d)
		sum := sha256.Sum256([]byte(p.download(id)))
		if hex.EncodeToString(sum[:]) != d.SHA256 {
			p.t.Errorf("%s (%s) downloads as something else", d.Name, id)
		}
	}
	return docs
}
