package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/control"
	"footnote/storage/blob"
	"footnote/storage/vector/embedded"
)

// A confined world is the control API and the worker on a database whose file
// may only grow by some pages, which SQLite reports like a full disk.
type confined struct {
	t      *testing.T
	store  *Store
	pool   *sql.DB
	blobs  *blob.Disk
	index  *embedded.Index
	worker *ingestion.Worker
	queue  *someJobs
	server *httptest.Server
	clock  atomic.Int64
	full   int // number of requests refused because there was no space
	owner  string
}

const fullAdminKey = "the admin key of a full database"

// someJobs gives the worker a number of jobs other than embeddings, one after the other, and then ends
// it.
type someJobs struct {
	*Store
	left atomic.Int64
	stop context.CancelFunc
}

func (j *someJobs) ClaimJob(ctx context.Context, now time.Time, lease time.Duration, want assistants.JobFilter) (assistants.Job, bool, error) {
	if want.Kinds[0] == assistants.JobEmbed || len(want.Except) > 0 {
		return assistants.Job{}, false, nil
	}
	if j.left.Add(-1) < 0 {
		j.stop()
		return assistants.Job{}, false, nil
	}
	job, ok, err := j.Store.ClaimJob(ctx, now, lease, want)
	if err != nil || !ok {
		j.stop()
	}
	return job, ok, err
}

type readsInProcess struct{}

func (readsInProcess) Extract(ctx context.Context, f *os.File, hint sandbox.Hint) (extract.Document, error) {
	info, err := f.Stat()
	if err != nil {
		return extract.Document{}, err
	}
	return extract.Extract(ctx, f, info.Size(), extract.Options{Name: hint.Name})
}

func newConfined(t *testing.T) *confined {
	t.Helper()
	w := &confined{t: t}
	dir := t.TempDir()
	// The clock advances by minutes at every call, so that nothing waits for a
	// lease or a pause.
	now := func() time.Time { return time.Now().Add(time.Duration(w.clock.Add(1)) * 10 * time.Minute) }
	w.store = openTest(t, "sqlite:"+filepath.Join(dir, "footnote.db"), Options{Now: now})
	var err error
	w.pool, err = w.store.pool.GetDBConn()
	w.must(err)
	w.pool.SetMaxOpenConns(1) // the limit belongs to the connection
	w.blobs, err = blob.OpenDisk(filepath.Join(dir, "documents"))
	w.must(err)
	quiet := slog.New(slog.DiscardHandler)
	w.index, err = embedded.Open(filepath.Join(dir, "index.db"), embedded.Options{Log: quiet})
	w.must(err)
	w.queue = &someJobs{Store: w.store}
	w.worker = ingestion.NewWorker(ingestion.WorkerConfig{Workers: 1, Log: quiet}, w.queue, w.blobs, w.index, readsInProcess{})
	w.worker.Now = now
	library := ingestion.NewLibrary(w.store, w.blobs, func() {})
	auth, err := access.New(NewCached(w.store), fullAdminKey, now)
	w.must(err)
	server, err := proxy.New(proxy.Config{MaxInFlightBytes: 1 << 20}, proxy.Deps{
		Directory: NewCached(w.store), Auth: auth, Log: quiet, Metrics: proxy.NewMetrics(w.store),
		Control: &control.Deps{Store: w.store, Library: library, Blobs: w.blobs, Auth: auth, SpoolDir: t.TempDir(), Log: quiet},
	})
	w.must(err)
	w.server = httptest.NewServer(server.Handler())
	t.Cleanup(func() {
		w.server.Close()
		w.must(errors.Join(w.index.Close(), w.blobs.Close()))
	})
	w.owner = w.request("POST", "/assistants", "application/json", `{"name":"a","slug":"a"}`, 201)["id"].(string)
	return w
}

func (w *confined) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// mayGrow lets the database's file grow by a number of pages.
func (w *confined) mayGrow(pages int) {
	w.t.Helper()
	var now int
	w.must(w.pool.QueryRowContext(w.t.Context(), "PRAGMA page_count").Scan(&now))
	_, err := w.pool.ExecContext(w.t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", now+pages))
	w.must(err)
}

// request sends a request. If the answer is 503 with Retry-After instead of
// status, it returns nil.
func (w *confined) request(method, path, contentType, body string, status int, headers ...string) map[string]any {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+"/v1.0"+path, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+fullAdminKey)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := w.server.Client().Do(req)
	w.must(err)
	raw, err := io.ReadAll(resp.Body)
	w.must(errors.Join(err, resp.Body.Close()))
	switch {
	case resp.StatusCode == 503 && resp.Header.Get("Retry-After") != "" && method != "GET":
		w.full++
		return nil
	case resp.StatusCode != status:
		w.t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, raw)
	}
	answer := map[string]any{}
	if len(raw) > 0 {
		w.must(json.Unmarshal(raw, &answer))
	}
	return answer
}

func (w *confined) upload(method, path, name string, status int) map[string]any {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name+".md")
	w.must(err)
	_, err = part.Write([]byte("# " + name + "\n\n" + strings.Repeat("The words of the text "+name+" fill some pages of the database. ", 200)))
	if err == nil && method == "POST" { // rows of some pages
		err = form.WriteField("labels", wideLabels)
	}
	w.must(errors.Join(err, form.Close()))
	return w.request(method, path, form.FormDataContentType(), body.String(), status, "Idempotency-Key", name)
}

// wideLabels are labels that fill some pages.
var wideLabels = func() string {
	var labels []string
	for n := range 20 {
		labels = append(labels, fmt.Sprintf("label %d %s", n, strings.Repeat("x", 200)))
	}
	raw, err := json.Marshal(labels)
	if err != nil {
		panic(err)
	}
	return string(raw)
}()

// work works on some jobs.
func (w *confined) work(jobs int) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	w.queue.left.Store(int64(jobs))
	w.queue.stop = stop
	w.must(w.worker.Run(ctx))
}

// visible returns the listed documents with the names of their files' texts.
func (w *confined) visible() map[string]bool {
	w.t.Helper()
	ids := map[string]bool{}
	for _, d := range w.request("GET", "/assistants/a/documents", "", "", 200)["data"].([]any) {
		ids[d.(map[string]any)["id"].(string)] = true
	}
	return ids
}

// A confinedLife is a series of uploads, a replacement and a deletion, with a
// record of what was acknowledged. Calling live again repeats what was refused.
type confinedLife struct {
	w                            *confined
	first, second                string // ids of documents
	replaced, deleted, assistant bool
}

func (l *confinedLife) live(jobs int) {
	w, documents := l.w, "/assistants/"+l.w.owner+"/documents"
	upload := func(id *string, name string) {
		if *id == "" {
			if d := w.upload("POST", documents, name, 202); d != nil {
				*id = d["id"].(string)
			}
		}
		l.check()
		w.work(jobs)
	}
	upload(&l.first, "first")
	if l.first != "" && !l.replaced && !l.deleted {
		l.replaced = w.upload("PUT", "/documents/"+l.first+"/file", "replacement", 202) != nil
	}
	w.work(jobs)
	upload(&l.second, "second")
	if l.first != "" && l.replaced && !l.deleted {
		l.deleted = w.request("DELETE", "/documents/"+l.first, "", "", 204) != nil
	}
	l.check()
	w.work(jobs)
	if !l.assistant {
		l.assistant = w.request("POST", "/assistants", "application/json",
			`{"name":"b","settings":{"system_prompt":"`+strings.Repeat("x", 10000)+`"}}`, 201, "Idempotency-Key", "b") != nil
	}
}

// check checks that everything acknowledged exists, and nothing else.
func (l *confinedLife) check() {
	l.w.t.Helper()
	want := map[string]bool{}
	if l.first != "" && !l.deleted {
		want[l.first] = true
	}
	if l.second != "" {
		want[l.second] = true
	}
	if got := l.w.visible(); fmt.Sprint(got) != fmt.Sprint(want) {
		l.w.t.Errorf("documents %v, acknowledged %v", got, want)
	}
}

// fits checks database, files and index against each other.
func (w *confined) fits() {
	w.t.Helper()
	indexed, err := w.index.Versions(w.t.Context())
	w.must(err)
	c := ingestion.Checker{Store: w.store, Blobs: w.blobs, Index: indexed, Deep: true, Report: func(f ingestion.Finding) { w.t.Errorf("found %+v", f) }}
	counts, err := c.Run(w.t.Context())
	if err != nil || counts.OpenJobs != 0 {
		w.t.Errorf("%+v, %v", counts, err)
	}
}

// Wherever the space ends, what cannot be stored is refused with 503, reading
// still works, and nothing incomplete is visible. When there is space again,
// everything acknowledged becomes ready.
func TestADiskFullAtAnyPageLosesNothing(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	refused, pages := 0, 0
	for ; ; pages++ {
		w := newConfined(t)
		w.mayGrow(pages)
		l := confinedLife{w: w}
		l.live(2)
		enough := w.full == 0 && l.deleted && l.assistant && w.ready(l.second)
		refused += w.full
		w.mayGrow(1 << 20)
		l.live(50)
		l.live(50)
		for _, was := range []bool{l.first != "", l.second != "", l.replaced, l.deleted, l.assistant} {
			if !was {
				t.Errorf("%d pages: with space again not everything went through: %+v", pages, l)
			}
		}
		if !w.ready(l.second) {
			t.Errorf("%d pages: %v", pages, w.request("GET", "/documents/"+l.second, "", "", 200))
		}
		w.fits()
		if enough || t.Failed() {
			break
		}
	}
	t.Logf("%d pages, %d requests refused", pages, refused)
	if refused < 10 || pages < 10 {
		t.Errorf("only %d requests were refused, over %d pages", refused, pages)
	}
}

func (w *confined) ready(id string) bool {
	w.t.Helper()
	return id != "" && w.request("GET", "/documents/"+id, "", "", 200)["status"] == "ready"
}
