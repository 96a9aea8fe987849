package control_test

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
	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/assistants/audit"
	"footnote/assistants/evaluation/runs"
	"footnote/assistants/ingestion"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/control"
	"footnote/proxy/events"
	"footnote/proxy/links"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/upstream"
	"footnote/storage/blob"
	"footnote/storage/db"
	"footnote/storage/db/dbtest"
	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.ReleaseMode)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(postgrestest.Main{M: m})
}

const adminKey = "the configured admin key"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// A world is the control API with a real database, real files and a real HTTP
// server. The test itself is the index: see found.
type world struct {
	t      *testing.T
	store  *db.Cached
	events *events.Hub
	blobs  *blob.Disk
	server *httptest.Server
	engine *gin.Engine
	url    string

	mu    sync.Mutex
	found retrieval.Result // the result of retrievals
	fails error
	asked retrieval.Query // the last query
	woken int

	worked sync.Mutex
	ending *sync.Cond      // a run has ended
	ends   map[string]bool // the runs that have

	now    time.Time // by which links expire
	signer *links.Signer
}

func (w *world) Retrieve(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = q
	return w.found, w.fails
}

func newWorld(t *testing.T, change ...func(*control.Deps)) *world {
	t.Helper()
	return newWorldOn(t, "sqlite::memory:", change...)
}

// newWorldOn is newWorld with a database of another kind.
func newWorldOn(t *testing.T, database string, change ...func(*control.Deps)) *world {
	t.Helper()
	w := &world{t: t, events: events.New(events.Limits{}), ends: map[string]bool{}}
	w.ending = sync.NewCond(&w.worked)
	now := func() time.Time { return noon }
	store, err := db.Open(t.Context(), database, db.Options{Now: now, SecretKey: make([]byte, 32), Logger: dbtest.TenantGuard(t), Changed: func(changes []assistants.DocumentChange) { w.events.Publish(changes) }})
	if err != nil {
		t.Fatal(err)
	}
	w.store = db.NewCached(store)
	if _, err = w.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.blobs, err = blob.OpenDisk(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	auth, err := access.New(w.store, adminKey, now)
	if err != nil {
		t.Fatal(err)
	}
	w.now = noon
	w.signer = links.NewSigner([]byte("0123456789abcdef0123456789abcdef"), func() time.Time { return w.now })
	stored := upstream.NewStored(upstream.StoredConfig{})
	t.Cleanup(stored.Close)
	library := ingestion.NewLibrary(w.store, w.blobs, func() {})
	deps := control.Deps{
		Store: w.store, Library: library, Blobs: w.blobs, Retriever: w, Auth: auth, Upstreams: stored, Now: now, SpoolDir: t.TempDir(),
		Signer: w.signer, Links: links.New(links.Options{
			Base:      func(r *http.Request) (string, bool) { return "https://docs.example", true },
			Documents: w.store, Public: w.signer, Log: slog.New(slog.DiscardHandler),
		}),
		Wake:    func() { w.mu.Lock(); w.woken++; w.mu.Unlock() },
		Version: "1.2.3", Backends: control.Backends{Database: "sqlite", Blobs: "file", Index: "embedded"},
		MaxUploadBytes: 1 << 20, Log: slog.New(slog.DiscardHandler), Events: w.events,
	}
	log := audit.New(w.store, audit.Config{Now: now, Log: slog.New(slog.DiscardHandler)})
	deps.Audit, deps.Recent = log, log
	runner := runs.NewRunner(endNotes{w.store, w}, runs.Config{Now: now, Log: slog.New(slog.DiscardHandler)})
	deps.Runs = runner
	for _, c := range change {
		c(&deps)
	}
	w.events = deps.Events
	w.engine = gin.New()
	w.engine.RedirectTrailingSlash = false
	w.engine.UseRawPath, w.engine.UnescapePathValues = true, false // as the server has it
	w.engine.HandleMethodNotAllowed = true
	w.engine.NoRoute(apierr.NoRoute)
	w.engine.NoMethod(apierr.NoMethod)
	w.engine.Use(func(c *gin.Context) { c.Header("X-Request-Id", "req_test") })
	control.Register(w.engine, deps)
	w.server = httptest.NewServer(w.engine)
	w.url = w.server.URL + "/v1.0"
	t.Cleanup(func() {
		w.server.Close()
		runner.Close()
		_ = log.Close() // the database may be closed by the test
		if err := errors.Join(w.store.Close(), w.blobs.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// A reply is a response with its whole body.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	raw    []byte
}

// into decodes the answer after checking its status.
func (r reply) into(status int, v any) {
	r.t.Helper()
	r.want(status)
	if err := json.Unmarshal(r.raw, v); err != nil {
		r.t.Fatalf("%v in %s", err, r.raw)
	}
}

// object checks the status and decodes the answer.
func (r reply) object(status int) map[string]any {
	r.t.Helper()
	var v map[string]any
	r.into(status, &v)
	return v
}

func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.raw)
	}
	return r
}

// fails checks that the answer is an error object with status, code and param ("": null).
func (r reply) fails(status int, code, param string) {
	r.t.Helper()
	var v struct {
		Error struct {
			Message, Type, Code string
			Param               *string
		}
	}
	if err := json.Unmarshal(r.raw, &v); err != nil || r.status != status || v.Error.Code != code || v.Error.Message == "" || v.Error.Type == "" {
		r.t.Errorf("%d %s, want %d %s", r.status, r.raw, status, code)
		return
	}
	if got := v.Error.Param; got == nil && param != "" || got != nil && *got != param {
		r.t.Errorf("param in %s, want %q", r.raw, param)
	}
	if r.header.Get("X-Request-Id") == "" || r.header.Get("Content-Type") != "application/json" {
		r.t.Errorf("headers %v", r.header)
	}
}

// send sends a request with a key and headers (name, value, …).
func (w *world) send(method, path, key string, body io.Reader, headers ...string) reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := *w.server.Client()
	client.Transport = openapitest.Transport(w.t, client.Transport)
	resp, err := client.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{w.t, resp.StatusCode, resp.Header, raw}
}

// call sends JSON as admin; "" sends no body.
func (w *world) call(method, path, body string) reply {
	w.t.Helper()
	return w.as(adminKey, method, path, body)
}

func (w *world) as(key, method, path, body string) reply {
	w.t.Helper()
	if body == "" {
		return w.send(method, path, key, nil)
	}
	return w.send(method, path, key, strings.NewReader(body), "Content-Type", "application/json")
}

// assistant makes an assistant and returns its id.
func (w *world) assistant(slug, settings string) string {
	w.t.Helper()
	if settings == "" {
		settings = "{}"
	}
	return w.call("POST", "/assistants", `{"name":"`+slug+`","settings":`+settings+`}`).object(201)["id"].(string)
}

// key makes a key, described as the body of a request.
func (w *world) key(body string) string {
	w.t.Helper()
	return w.call("POST", "/keys", body).object(201)["key"].(string)
}

// A part of a multipart form; a name makes it a file.
type part struct{ field, name, content string }

func encode(t *testing.T, parts ...part) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = &bytes.Buffer{}
	m := multipart.NewWriter(body)
	for _, p := range parts {
		var to io.Writer
		var err error
		if p.name == "" {
			to, err = m.CreateFormField(p.field)
		} else {
			to, err = m.CreateFormFile(p.field, p.name)
		}
		if err == nil {
			_, err = io.WriteString(to, p.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return body, m.FormDataContentType()
}

// upload sends a form as admin.
func (w *world) upload(method, path string, parts ...part) reply {
	w.t.Helper()
	body, contentType := encode(w.t, parts...)
	return w.send(method, path, adminKey, body, "Content-Type", contentType)
}

// document uploads a text file and returns the document's id.
func (w *world) document(assistant, name, content string) string {
	w.t.Helper()
	return w.upload("POST", "/assistants/"+assistant+"/documents", part{"file", name, content}).object(202)["id"].(string)
}

// publish gives a document its text and one chunk per page, and makes it live,
// as the worker would.
func (w *world) publish(id string, pages ...string) {
	w.t.Helper()
	w.publishAs(id, "text/plain", pages...)
}

// publishAs is publish for a document of another type.
func (w *world) publishAs(id, contentType string, pages ...string) {
	w.t.Helper()
	w.publishVersion(id, 1, contentType, pages...)
}

func (w *world) publishVersion(id string, version int, contentType string, pages ...string) {
	w.t.Helper()
	text := assistants.Text{}
	var chunks []assistants.Chunk
	for i, p := range pages {
		start := text.Runes
		text.Text += p
		text.Runes += len([]rune(p))
		text.Pages = append(text.Pages, assistants.Page{Number: i + 1, Start: start, End: text.Runes})
		chunks = append(chunks, assistants.Chunk{
			ID: assistants.NewChunkID(assistants.DocumentID(id), version, i), DocumentID: assistants.DocumentID(id), Version: version, Index: i,
			Text: p, Tokens: 1, TableHeader: []string{"", "Größe | Preis"}[i%2], Page: i + 1, PageEnd: i + 1, HeadingPath: []string{"Title", "Part"}, CharStart: start, CharEnd: text.Runes,
		})
	}
	ctx := w.t.Context()
	err := w.store.SaveVersion(ctx, assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(id), Number: version}, contentType, text, chunks)
	if err == nil {
		err = w.store.Publish(ctx, assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(id), Number: version}, noon, assistants.StatusReady)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
