package vectorstores

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/access"
	"footnote/proxy/front"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/search"
	"footnote/storage/blob"
	"footnote/storage/db"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.ReleaseMode)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}

const tenant = assistants.DefaultTenant

// A world is the handler with a real database, real files and a real HTTP server. The
// test itself finds passages and keeps the audit log.
type world struct {
	t      *testing.T
	store  *db.Store
	server *httptest.Server

	mu     sync.Mutex
	now    time.Time
	caller access.Principal
	hits   []assistants.Hit
	asked  search.Question
	events []assistants.AuditEvent
	begun  int
	broken error // of the audit log
	woken  int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), caller: access.Principal{
		Tenant: tenant, Key: assistants.Key{ID: "key_test", Name: "test", Scopes: []assistants.Scope{assistants.ScopeAdmin}},
	}}
	var err error
	w.store, err = db.Open(t.Context(), "sqlite::memory:", db.Options{Now: w.clock})
	w.must(err)
	_, err = w.store.Migrate(t.Context())
	w.must(err)
	blobs, err := blob.OpenDisk(t.TempDir())
	w.must(err)
	f := front.New(front.Config{MaxBodyBytes: 1 << 20, MaxInFlightBytes: 1 << 24}, slog.New(slog.DiscardHandler))
	f.Observe(prometheus.NewRegistry())
	library := ingestion.NewLibrary(w.store, blobs, func() {})
	library.Now = w.clock
	h := New(Deps{
		Download: func(out http.ResponseWriter, r *http.Request, _ access.Principal) {
			out.Header().Set("Content-Type", "text/markdown")
			_, _ = io.WriteString(out, r.Method+" "+r.RequestURI) // the client reads all
		},
		Store: w.store, Library: library, Finder: w, Front: f, Audit: w, Now: w.clock, SpoolDir: t.TempDir(), MaxUploadBytes: 1 << 16,
		Wake: func() { w.woken++ }, Auth: w,
	})
	engine := gin.New()
	engine.UseRawPath, engine.UnescapePathValues = true, false // as the server has it
	h.Register(engine.Group("/v1", func(c *gin.Context) { c.Header("X-Request-Id", "req_test") }))
	w.server = httptest.NewServer(engine)
	w.server.Client().Transport = openapitest.Transport(t, w.server.Client().Transport)
	t.Cleanup(func() {
		w.server.Close()
		w.must(errors.Join(blobs.Close(), w.store.Close()))
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// clock passes by a second at each look, so that everything has a place in its list.
func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(time.Second)
	return w.now
}

// Authenticate implements Authenticator.
func (w *world) Authenticate(context.Context, *http.Request) (access.Principal, error) {
	return w.caller, nil
}

// InOne implements Finder.
func (w *world) InOne(_ context.Context, _ access.Principal, q search.Question) ([]assistants.Hit, error) {
	w.asked = q
	return w.hits, nil
}

// Begin implements Audit.
func (w *world) Begin(context.Context, assistants.AuditEvent) error {
	w.begun++
	return w.broken
}

// Record implements Audit.
func (w *world) Record(e assistants.AuditEvent) { w.events = append(w.events, e) }

// object is a decoded answer.
type object map[string]any

// ask sends a request and wants a status.
func (w *world) ask(want int, method, path, body string) object {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+"/v1"+path, strings.NewReader(body))
	w.must(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return w.send(want, req)
}

func (w *world) send(want int, req *http.Request) object {
	w.t.Helper()
	resp, err := w.server.Client().Do(req)
	w.must(err)
	raw, err := io.ReadAll(resp.Body)
	w.must(errors.Join(err, resp.Body.Close()))
	var got object
	if err := json.Unmarshal(raw, &got); err != nil || resp.StatusCode != want {
		w.t.Fatalf("%s %s: %d %s, want %d", req.Method, req.URL.Path, resp.StatusCode, raw, want)
	}
	return got
}

// fault is the error of an answer: its code and its parameter.
func (o object) fault() (code, param string) {
	e, _ := o["error"].(map[string]any)
	code, _ = e["code"].(string)
	param, _ = e["param"].(string)
	return code, param
}

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// form sends a form with a file, and with fields.
func (w *world) form(want int, file, content string, fields ...string) object {
	w.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	if file != "" {
		part, err := m.CreateFormFile("file", file)
		w.must(err)
		_, err = io.WriteString(part, content)
		w.must(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		w.must(m.WriteField(fields[i], fields[i+1]))
	}
	w.must(m.Close())
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+"/v1/files", &body)
	w.must(err)
	req.Header.Set("Content-Type", m.FormDataContentType())
	return w.send(want, req)
}

// file uploads a file and returns its id.
func (w *world) file(name, content string) string {
	w.t.Helper()
	return w.form(200, name, content, "purpose", "assistants").text("id")
}

// vectorStore creates a vector store and returns its id.
func (w *world) vectorStore(name string, files ...string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "file_ids": files})
	w.must(err)
	return w.ask(200, "POST", "/vector_stores", string(body)).text("id")
}

// read does what a worker does: a document's version is live.
func (w *world) read(id string) {
	w.t.Helper()
	ref := assistants.VersionRef{Tenant: tenant, Document: assistants.DocumentID(id), Number: 1}
	w.must(w.store.SaveVersion(w.t.Context(), ref, "text/markdown", assistants.Text{Text: "What was read.", Runes: 14},
		[]assistants.Chunk{{ID: assistants.NewChunkID(ref.Document, 1, 0), DocumentID: ref.Document, Version: 1, Text: "What was read.", CharEnd: 14}}))
	w.must(w.store.Publish(w.t.Context(), ref, w.now, assistants.StatusReady))
	w.work()
}

// work ends all open jobs.
func (w *world) work() {
	w.t.Helper()
	for {
		j, ok, err := w.store.ClaimJob(w.t.Context(), w.clock().Add(time.Hour), time.Hour, assistants.JobFilter{})
		w.must(err)
		if !ok {
			return
		}
		w.must(w.store.FinishJob(w.t.Context(), j))
	}
}

// ids are the ids of a page.
func (o object) ids() (ids []string) {
	list, _ := o["data"].([]any)
	for _, item := range list {
		members, _ := item.(map[string]any)
		id, _ := members["id"].(string)
		ids = append(ids, id)
	}
	return ids
}
