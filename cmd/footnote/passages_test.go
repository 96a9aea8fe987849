package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/proxy"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/postgrestest"
)

// Passages are kept in memory. While the same question is asked again and again, in
// plain answers and streams, documents are deleted and replaced: no answer shows a text
// that was gone before the answer began.
func TestNoAnswerShowsWhatWasGoneBeforeItBegan(t *testing.T) {
	chats := 1000
	if nightly {
		chats = 50_000 // on each database
	}
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "footnote.db") },
		"postgres": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) { newOffices(t, database(t)).storm(chats) })
	}
}

// offices is a server in this process with an assistant whose documents change.
type offices struct {
	t      *testing.T
	app    *app
	url    string
	client *http.Client

	mu   sync.Mutex
	gone map[string]time.Time // when a text was certain to be gone
	live map[string]string    // text of each document, by id
	last int                  // number of the newest text
}

func newOffices(t *testing.T, database string) *offices {
	t.Helper()
	o := &offices{t: t, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}, gone: map[string]time.Time{}, live: map[string]string{}}
	const answer = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"It opens at eight [1]."},"finish_reason":"stop"}]}`
	model := modelServer(t, upstreamtest.JSON(answer))
	cfg, _, err := LoadConfig(Sources{Flags: map[string]string{
		"data_dir": t.TempDir(), "admin_key": testAdminKey, "upstream_url": model.URL(), "upstream_model": "m",
	}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.DatabaseURL = database
	before := slog.Default()
	if o.app, err = openApp(t.Context(), cfg, slog.New(slog.DiscardHandler), ""); err != nil {
		t.Fatal(err)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.url = "http://" + ln.Addr().String()
	server := proxy.NewHTTPServer(o.app.server)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var parts sync.WaitGroup
	parts.Go(func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	parts.Go(func() {
		if err := o.app.run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		o.client.CloseIdleConnections()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		parts.Wait()
		if err := o.app.close(); err != nil {
			t.Error(err)
		}
		slog.SetDefault(before)
	})
	o.must(201, "POST", "/v1.0/assistants", "application/json", strings.NewReader(`{"name":"Offices","settings":{"enable_rag":true,"enable_citations":true}}`), nil)
	return o
}

// send sends a request with the admin key.
func (o *offices) send(method, path, contentType string, body io.Reader) (status int, answer []byte, err error) {
	req, err := http.NewRequest(method, o.url+path, body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	resp, err := o.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, errors.Join(err, resp.Body.Close())
}

func (o *offices) must(want int, method, path, contentType string, body io.Reader, out any) {
	o.t.Helper()
	status, answer, err := o.send(method, path, contentType, body)
	if err == nil && out != nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil || status != want {
		o.t.Fatalf("%s %s: %d %v %s", method, path, status, err, answer)
	}
}

// textForm is a form with a new text, and the mark by which answers show it.
func (o *offices) textForm() (mark string, form *bytes.Buffer, contentType string) {
	o.last++
	mark = fmt.Sprintf("mark%06d", o.last)
	form, contentType = noteForm(o.t, mark+".txt", fmt.Sprintf("The office %s opens at eight. %s", mark, strings.Repeat("Rule "+mark+". ", o.last%7)))
	return mark, form, contentType
}

// add adds a document and waits until it is found.
func (o *offices) add() {
	mark, form, contentType := o.textForm()
	var doc remoteDocument
	o.must(202, "POST", "/v1.0/assistants/offices/documents", contentType, form, &doc)
	o.awaitReady(doc.ID)
	o.live[doc.ID] = mark
}

// replace gives a document another text and waits until it is found.
func (o *offices) replace(id string) {
	mark, form, contentType := o.textForm()
	o.must(202, "PUT", "/v1.0/documents/"+id+"/file", contentType, form, nil)
	o.awaitReady(id)
	o.bury(o.live[id])
	o.live[id] = mark
}

func (o *offices) remove(id string) {
	o.must(204, "DELETE", "/v1.0/documents/"+id, "", nil, nil)
	o.bury(o.live[id])
	delete(o.live, id)
}

func (o *offices) awaitReady(id string) {
	eventually(o.t, "the document is ready", func() bool {
		var doc remoteDocument
		o.must(200, "GET", "/v1.0/documents/"+id, "", nil, &doc)
		return doc.Status == "ready"
	})
}

// bury notes that a text is gone now.
func (o *offices) bury(mark string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone[mark] = time.Now()
}

var officeMark = regexp.MustCompile(`The office (mark\d{6}) opens`)

// ask asks the question and returns the marks of the sources. It reports an error if one
// of them was gone before.
func (o *offices) ask(stream bool) ([]string, error) {
	began := time.Now()
	status, answer, err := o.send("POST", "/v1/chat/completions", "application/json",
		strings.NewReader(fmt.Sprintf(`{"model":"offices","stream":%t,"messages":[{"role":"user","content":"When does the office open?"}]}`, stream)))
	if err != nil || status != 200 {
		return nil, fmt.Errorf("%d %w %s", status, err, answer)
	}
	var marks []string
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, found := range officeMark.FindAllSubmatch(answer, -1) {
		mark := string(found[1])
		if at, gone := o.gone[mark]; gone && at.Before(began) {
			return nil, fmt.Errorf("%s was gone %s before the question and is in the answer %s", mark, began.Sub(at), answer)
		}
		marks = append(marks, mark)
	}
	return marks, nil
}

// storm asks at least n times while documents change.
func (o *offices) storm(n int) {
	const askers, documents, changes = 6, 8, 6
	for range documents {
		o.add()
	}
	var asked, shown atomic.Int64
	var askersAtWork sync.WaitGroup
	done := make(chan struct{}) // the changes are made
	for asker := range askers {
		askersAtWork.Go(func() {
			for ended := false; !ended || asked.Load() < int64(n); {
				select {
				case <-done:
					ended = true
				default:
				}
				marks, err := o.ask(asker%2 == 1)
				if err != nil {
					o.t.Error(err)
					return
				}
				asked.Add(1)
				shown.Add(int64(len(marks)))
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for change := 0; change < changes || nightly && asked.Load() < int64(n); change++ {
		ids := make([]string, 0, len(o.live))
		for id := range o.live {
			ids = append(ids, id)
		}
		id := ids[rng.IntN(len(ids))]
		if change%2 == 0 {
			o.remove(id)
			o.add()
		} else {
			o.replace(id)
		}
		if o.t.Failed() {
			break
		}
	}
	close(done)
	askersAtWork.Wait()
	marks, err := o.ask(false)
	if err != nil || len(marks) < documents {
		o.t.Errorf("at last the answer shows %v of %v: %v", marks, o.live, err)
	}
	for _, mark := range marks {
		if _, gone := o.gone[mark]; gone {
			o.t.Errorf("%s is shown at last", mark)
		}
	}
	stats := o.app.store.PassageStats()
	if shown.Load() < asked.Load() || stats.Hits < stats.Misses {
		o.t.Errorf("%d questions showed %d passages; of those %d were in memory and %d were not", asked.Load(), shown.Load(), stats.Hits, stats.Misses)
	}
	o.t.Logf("%d questions, %d texts gone; %d passages in memory, %d read", asked.Load(), len(o.gone), stats.Hits, stats.Misses)
}
