package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
	"footnote/assistants/ingestion"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/dbtest"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// An accessWorld is the whole program in this process, behind a real listener,
// with three assistants: mine and other belong to the default tenant, theirs
// to another one. Nothing works on its jobs.
type accessWorld struct {
	t          testing.TB
	app        *app
	database   string
	url        string
	client     *http.Client
	statements *statementNotes
	far        *upstreamtest.Server   // of all stored upstreams
	things     map[string]*belongings // by the name of their assistant; "absent" names none of them
	public     bool
	count      int
}

// belongings are what a request may name of one assistant.
type belongings struct {
	tenant     assistants.TenantID
	assistant  assistants.Assistant
	document   assistants.DocumentID
	key        assistants.KeyID
	upstream   assistants.UpstreamID
	collection assistants.CollectionID
	question   assistants.GoldID
	run        assistants.RunID
	answer     assistants.AnswerID
	batch      string // of files
}

const otherTenant = assistants.TenantID("tenant-b")

// onEveryDatabase runs a test on a world over an empty database of every kind. MariaDB
// is for the night, because its answers are those of PostgreSQL but for the contract of
// the store, which it keeps every day.
func onEveryDatabase(t *testing.T, settings string, test func(t *testing.T, w *accessWorld)) {
	t.Helper()
	databases := map[string]func(t *testing.T) string{
		"postgres": func(t *testing.T) string { return postgrestest.URL(t) },
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "footnote.db") },
	}
	if nightly {
		databases["mariadb"] = func(t *testing.T) string { return mariadbtest.URL(t) }
	}
	for name, database := range databases {
		t.Run(name, func(t *testing.T) { test(t, newAccessWorld(t, database(t), settings)) })
	}
}

func newAccessWorld(t testing.TB, database, settings string) *accessWorld {
	t.Helper()
	w := &accessWorld{t: t, database: database, statements: &statementNotes{t: t}, things: map[string]*belongings{}, client: &http.Client{
		Transport:     openapitest.Transport(t, &http.Transport{}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	w.far = modelServer(t, upstreamtest.JSON(`{"data":[]}`))
	cfg, _, err := LoadConfig(Sources{Flags: map[string]string{
		"data_dir": t.TempDir(), "admin_key": testAdminKey, "trusted_proxies": "127.0.0.1",
		"secret_key": strings.Repeat("0123456789abcdef", 2),
	}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.DatabaseURL = database
	before := slog.Default()
	if w.app, err = openApp(t.Context(), cfg, slog.New(w.statements), ""); err != nil {
		t.Fatal(err)
	}
	w.serve(before)
	for _, tenant := range []assistants.TenantID{assistants.DefaultTenant, otherTenant} {
		files := assistants.Collection{ID: assistants.FilesCollection(tenant), TenantID: tenant, Name: "Files", CreatedAt: time.Now()}
		if err := w.app.store.CreateCollection(t.Context(), files); err != nil {
			t.Fatal(err)
		}
	}
	for name, tenant := range map[string]assistants.TenantID{"mine": assistants.DefaultTenant, "other": assistants.DefaultTenant, "theirs": otherTenant} {
		w.things[name] = w.furnish(tenant, name, settings)
	}
	w.things["absent"] = &belongings{
		assistant: assistants.Assistant{ID: assistants.NewAssistantID(), Slug: "absent"},
		document:  assistants.NewDocumentID(), key: assistants.NewKeyID(), upstream: assistants.NewUpstreamID(), collection: assistants.NewCollectionID(),
		question: assistants.NewGoldID(), run: assistants.NewRunID(), answer: assistants.NewAnswerID(), batch: assistants.NewBatchID(),
	}
	w.public = w.things["mine"].assistant.Settings.PublicAccess
	return w
}

func (w *accessWorld) serve(before *slog.Logger) {
	w.t.Helper()
	ln, err := new(net.ListenConfig).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.url = "http://" + ln.Addr().String()
	server := proxy.NewHTTPServer(w.app.server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	w.t.Cleanup(func() {
		w.client.CloseIdleConnections()
		if err := errors.Join(server.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
			w.t.Error(err)
		}
		if err := w.app.close(); err != nil {
			w.t.Error(err)
		}
		slog.SetDefault(before)
	})
}

// furnish makes an assistant with a document that answers and a key.
func (w *accessWorld) furnish(tenant assistants.TenantID, slug, settings string) *belongings {
	w.t.Helper()
	b := &belongings{tenant: tenant, assistant: w.makeAssistant(tenant, slug, settings)}
	b.collection = b.assistant.CollectionID
	b.document = w.makeDocument(b)
	ref := assistants.VersionRef{Tenant: tenant, Document: b.document, Number: 1}
	text := "The office opens at eight."
	err := w.app.store.SaveVersion(w.t.Context(), ref, "text/plain", assistants.Text{
		Text: text, Runes: len(text), Pages: []assistants.Page{{Number: 1, End: len(text)}},
	}, []assistants.Chunk{{
		ID: assistants.NewChunkID(b.document, 1, 0), DocumentID: b.document, Version: 1, Text: text, Tokens: 6, Page: 1, PageEnd: 1, CharEnd: len(text),
	}})
	if err = errors.Join(err, w.app.store.Publish(w.t.Context(), ref, time.Now(), assistants.StatusReady)); err != nil {
		w.t.Fatal(err)
	}
	b.key, b.upstream = w.makeKey(tenant), w.makeUpstream(tenant)
	b.question, b.run, b.answer = w.makeQuestion(b.assistant), w.makeRun(b.assistant), w.makeAnswer(b.assistant)
	b.batch = w.makeBatch(b)
	return b
}

// makeBatch puts the document into the vector store in which it is.
func (w *accessWorld) makeBatch(b *belongings) string {
	w.t.Helper()
	secret := w.secret(func(k *assistants.Key) { k.TenantID = b.tenant })
	got := w.json("POST", "/v1/vector_stores/"+string(b.collection)+"/file_batches", secret, `{"file_ids":["`+string(b.document)+`"]}`)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(got.body), &made); err != nil || got.status != 200 {
		w.t.Fatal(got, err)
	}
	return made.ID
}

func (w *accessWorld) makeQuestion(a assistants.Assistant) assistants.GoldID {
	w.t.Helper()
	id := assistants.NewGoldID()
	gold := runs.Gold{
		ID: id, Tenant: a.TenantID, Assistant: a.ID, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		Question: evaluation.Question{ID: string(id), Document: "a.txt", Question: "When does the office open?"},
	}
	if _, err := w.app.store.AddQuestions(w.t.Context(), a.TenantID, a.ID, []runs.Gold{gold}, false); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// aThread is the conversation of the stored answers.
const aThread = "thread-1"

// makeAnswer stores an answer that cites its first source.
func (w *accessWorld) makeAnswer(a assistants.Assistant) assistants.AnswerID {
	w.t.Helper()
	answer := assistants.Answer{
		ID: assistants.NewAnswerID(), TenantID: a.TenantID, Assistant: a.ID, Thread: aThread, CreatedAt: time.Now(), Question: "When does the office open?",
		Text: "At eight [1].", Outcome: assistants.AnswerComplete, Cited: []int{1},
	}
	if err := w.app.store.SaveAnswers(w.t.Context(), []assistants.Answer{answer}); err != nil {
		w.t.Fatal(err)
	}
	return answer.ID
}

// makeRun makes a run that has ended.
func (w *accessWorld) makeRun(a assistants.Assistant) assistants.RunID {
	w.t.Helper()
	run := runs.Run{ID: assistants.NewRunID(), Tenant: a.TenantID, Assistant: a.ID, TopK: 10, Total: 1}
	err := w.app.store.CreateRun(w.t.Context(), run)
	if err == nil {
		_, err = w.app.store.EndRun(w.t.Context(), a.TenantID, run.ID, runs.Completed, time.Now())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return run.ID
}

func (w *accessWorld) makeUpstream(tenant assistants.TenantID) assistants.UpstreamID {
	w.t.Helper()
	w.count++
	u := assistants.Upstream{
		ID: assistants.NewUpstreamID(), TenantID: tenant, Name: fmt.Sprint("upstream ", w.count), BaseURL: w.far.URL(), APIKey: assistants.NewSecret("sk-stored"),
	}
	if err := w.app.store.CreateUpstream(w.t.Context(), u); err != nil {
		w.t.Fatal(err)
	}
	return u.ID
}

func (w *accessWorld) makeAssistant(tenant assistants.TenantID, slug, settings string) assistants.Assistant {
	w.t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	merged, err := assistants.DefaultSettings().Merge([]byte(settings))
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: tenant, Slug: slug, Name: slug, CollectionID: assistants.NewCollectionID(),
		Settings: merged, CreatedAt: now, UpdatedAt: now,
	}
	if err = errors.Join(err, w.app.store.CreateAssistant(w.t.Context(), a)); err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *accessWorld) makeDocument(b *belongings) assistants.DocumentID {
	w.t.Helper()
	w.count++
	d, _, err := w.app.library.Add(w.t.Context(), ingestion.Upload{
		Tenant: b.tenant, Collection: b.assistant.CollectionID, Name: "a.txt", MaxBytes: 1 << 20,
		Content: strings.NewReader(fmt.Sprintf("The office opens at eight. %d", w.count)),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return d.ID
}

func (w *accessWorld) makeKey(tenant assistants.TenantID) assistants.KeyID {
	w.t.Helper()
	var id assistants.KeyID
	w.secret(func(k *assistants.Key) { k.TenantID, id = tenant, k.ID })
	return id
}

// secret stores a key as the API would not always make it, and returns it.
func (w *accessWorld) secret(change func(*assistants.Key)) string {
	w.t.Helper()
	secret, k := access.NewKey()
	k.TenantID, k.Name, k.CreatedAt = assistants.DefaultTenant, "test", time.Now()
	k.Scopes = []assistants.Scope{assistants.ScopeAdmin}
	change(&k)
	if err := w.app.store.CreateKey(w.t.Context(), k); err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// An accessAnswer is what a request was answered, and what the database was asked for it.
type accessAnswer struct {
	status     int
	header     http.Header
	body       string
	statements []string
}

// ask sends a request as a client with an address of its own, so that no limit strikes.
func (w *accessWorld) ask(method, path, secret, contentType string, body io.Reader, headers ...string) accessAnswer {
	w.t.Helper()
	w.count++
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", w.count>>16, w.count>>8&255, w.count&255))
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w.statements.take()
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	resp.Header.Del("X-Request-Id")
	resp.Header.Del("Date")
	return accessAnswer{resp.StatusCode, resp.Header, string(raw), w.statements.take()}
}

// json sends JSON; "" sends no body.
func (w *accessWorld) json(method, path, secret, body string, headers ...string) accessAnswer {
	w.t.Helper()
	if body == "" {
		return w.ask(method, path, secret, "", nil, headers...)
	}
	return w.ask(method, path, secret, "application/json", strings.NewReader(body), headers...)
}

// upload sends a form with one file that no document has.
func (w *accessWorld) upload(method, path, secret, fields string) accessAnswer {
	w.t.Helper()
	body, contentType := formOf(w.t, "a.txt", fmt.Sprintf("A new text, number %d.", w.count), fields)
	return w.ask(method, path, secret, contentType, strings.NewReader(body))
}

// statementNotes is a log that keeps the texts of database statements, each of
// which must name its tenant.
type statementNotes struct {
	t     testing.TB
	quiet bool
	mu    sync.Mutex
	texts []string
}

func (n *statementNotes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	texts := n.texts
	n.texts = nil
	return texts
}

// Enabled implements slog.Handler.
func (n *statementNotes) Enabled(context.Context, slog.Level) bool { return !n.quiet }

// Handle implements slog.Handler.
func (n *statementNotes) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "SQL") && r.Level >= slog.LevelError { // a failed one; a slow one is the machine's doing
		r.Attrs(func(a slog.Attr) bool { n.t.Errorf("%s: %v", r.Message, a); return true })
	}
	if r.Message != "statement" {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "sql" {
			background := ctx.Value(http.ServerContextKey) == nil
			if sql := a.Value.String(); !background && !strings.Contains(sql, "audit_events") && !strings.Contains(sql, "usage_hours") && !strings.Contains(sql, "limit_m") && !strings.Contains(sql, "search_stream") { // those are written on the side
				n.texts = append(n.texts, a.Value.String())
			}
			if err := dbtest.NamesTenant(a.Value.String()); err != nil {
				n.t.Error(err)
			}
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (n *statementNotes) WithAttrs([]slog.Attr) slog.Handler { return n }

// WithGroup implements slog.Handler.
func (n *statementNotes) WithGroup(string) slog.Handler { return n }

// equal compares what a client can tell, and what the answer took.
func (a accessAnswer) equal(b accessAnswer) bool {
	return a.status == b.status && a.body == b.body && fmt.Sprint(a.header) == fmt.Sprint(b.header) && slices.Equal(a.statements, b.statements)
}

func (a accessAnswer) String() string {
	return fmt.Sprintf("%d %s %v, %d statements %q", a.status, a.body, a.header, len(a.statements), a.statements)
}

// formOf makes a form with one file, and with the fields of a query.
func formOf(t testing.TB, name, content string, fields ...string) (body, contentType string) {
	t.Helper()
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	for _, query := range fields {
		values, fault := url.ParseQuery(query)
		err = errors.Join(err, fault)
		for field := range values {
			err = errors.Join(err, form.WriteField(field, values.Get(field)))
		}
	}
	if err = errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	return text.String(), form.FormDataContentType()
}
