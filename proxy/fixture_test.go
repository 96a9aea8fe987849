package proxy_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/chat"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/links"
	"footnote/proxy/openapi/openapitest"
	"footnote/proxy/search"
	"footnote/proxy/upstream"
	"footnote/storage/db/postgrestest"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(postgrestest.Main{M: m}, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

const (
	adminKey    = "admin-key-of-the-tests"
	assistantID = assistants.AssistantID("asst_test")
)

// fixture is a running server with one assistant, "support", whose directory
// and retrieval are in memory, and a real upstream behind real HTTP.
type fixture struct {
	upstreamURL    string
	settings       assistants.Settings
	hits           []assistants.Hit
	hitsFor        func(question string) []assistants.Hit                           // nil: hits, for every question
	retrieve       func(context.Context, retrieval.Query) (retrieval.Result, error) // nil: the hits
	embedder       grounding.Embedder                                               // nil: there is none
	retrievalError string
	deleted        func() []assistants.DocumentID // since they were found; nil: none
	timings        chat.Timings
	clients        front.Timings
	passthrough    bool
	origins        []string
	descriptors    int64
	answerMemory   int64
	headerTime     time.Duration    // for the headers of a request; 0: the real one
	anonymous      int              // chats at once without a key; 0: 5
	now            func() time.Time // of the limits; nil: time.Now
	maxBody        int64            // 0: 1 MiB
	transport      *http.Transport
	configure      func(*upstream.HTTPConfig) // how the upstream is asked; nil: as it stands
	log            io.Writer                  // nil: discarded
	stored         upstream.Finder            // nil: there are no stored upstreams
	clock          func() time.Time           // of the circuit breakers; nil: time.Now
	embeddings     proxy.Embeddings
	limits         *access.Limits // nil: there are none
	searches       search.Timings
	others         []assistants.Assistant // that searches see, too
	audit          chat.Audit             // nil: nothing is kept

	t      *testing.T
	client *upstream.HTTP
	url    string
	server *proxy.Server
	front  *front.HTTPServer
	keys   memoryKeys
}

func newFixture(t *testing.T, f fixture) *fixture {
	t.Helper()
	f.t, f.keys = t, memoryKeys{}
	if f.log == nil {
		f.log = io.Discard
	}
	log := slog.New(slog.NewTextHandler(f.log, nil))
	f.maxBody = cmp.Or(f.maxBody, 1<<20)
	auth, err := access.New(f.keys, adminKey, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	healths := upstream.NewHealths(f.clock, log)
	conf := upstream.HTTPConfig{BaseURL: f.upstreamURL, APIKey: "sk-upstream", Transport: f.transport, Health: healths.Of(upstream.DefaultID)}
	if f.configure != nil {
		f.configure(&conf)
	}
	client, err := upstream.NewHTTP(conf)
	if err != nil {
		t.Fatal(err)
	}
	f.client = client
	ups := upstream.NewDirectory(upstream.Entry{Client: client, DefaultModel: "base-model"}, nil)
	if f.stored != nil {
		clients := upstream.NewStored(upstream.StoredConfig{Healths: healths})
		t.Cleanup(clients.Close)
		ups = ups.WithStored(f.stored, clients)
	}
	cfg := proxy.Config{
		MaxBodyBytes: f.maxBody, MaxInFlightBytes: 8 * f.maxBody, Passthrough: f.passthrough, CORSOrigins: f.origins,
		PromptSecret: []byte("0123456789abcdef0123456789abcdef"), Timings: f.timings, Clients: f.clients, Descriptors: f.descriptors,
		MaxAnswerMemory: f.answerMemory, Searches: f.searches,
	}
	metrics := proxy.NewMetrics(noDocuments{})
	metrics.Show(healths)
	f.server, err = proxy.New(cfg, proxy.Deps{
		Directory: &f, Retriever: &f, Upstreams: ups, Auth: auth, Log: log,
		Anonymous: access.NewLimiter(access.Rate{Events: cmp.Or(f.anonymous, 5), Per: time.Minute}, f.now),
		Metrics:   metrics, Ready: func(context.Context) error { return nil },
		Links: f.links(), Embeddings: f.embeddings, Embedder: f.embedder, Passages: &f, Limits: f.limits, Audit: f.audit,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.front = proxy.NewHTTPServer(f.server)
	f.front.ReadHeaderTimeout = cmp.Or(f.headerTime, f.front.ReadHeaderTimeout)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- f.front.Serve(ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := errors.Join(f.front.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		client.Close()
	})
	f.url = "http://" + ln.Addr().String()
	return &f
}

// send sends a request, with the admin key unless it carries one, and reads the whole answer.
func (f *fixture) send(req *http.Request) (*http.Response, []byte) {
	f.t.Helper()
	resp := f.open(req)
	body, err := readBody(resp)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		f.t.Fatal(err)
	}
	return resp, body
}

// readBody reads the body of an answer. A stream that ends with an error frame must
// break the connection, because clients that ignore the frame would take the answer
// for a complete one. Everything else must end cleanly.
func readBody(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !endsWithErrorFrame(body) {
		return body, err
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return body, fmt.Errorf("an answer that failed ended with %v, want a broken transfer", err)
	}
	return body, nil
}

func endsWithErrorFrame(body []byte) bool {
	last := body[bytes.LastIndex(bytes.TrimRight(body, "\n"), []byte("\n"))+1:]
	return bytes.HasPrefix(last, []byte(`data: {"error":`))
}

func (f *fixture) open(req *http.Request) *http.Response {
	f.t.Helper()
	out, err := http.NewRequestWithContext(req.Context(), req.Method, f.url+req.URL.String(), req.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	out.Header = req.Header
	out.ContentLength = req.ContentLength
	if out.Header.Get("Authorization") == "" {
		out.Header.Set("Authorization", "Bearer "+adminKey)
	}
	client := http.Client{Transport: openapitest.Transport(f.t, http.DefaultTransport)}
	resp, err := client.Do(out)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp
}

func (f *fixture) assistant() assistants.Assistant {
	return assistants.Assistant{
		ID: assistantID, TenantID: assistants.DefaultTenant, Slug: "support", Name: "Support",
		CollectionID: "coll_test", Settings: f.settings, CreatedAt: time.Unix(1767225600, 0),
	}
}

// KnownAssistant is the directory's.
func (f *fixture) KnownAssistant(_ context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	if a := f.assistant(); tenant == assistants.DefaultTenant && sight.Sees(&a) && (ref == a.Slug || ref == string(a.ID)) {
		return &a, nil
	}
	return nil, assistants.ErrNotFound
}

// Assistants is the directory's.
func (f *fixture) Assistants(context.Context, assistants.TenantID, assistants.List) ([]assistants.Assistant, string, error) {
	return append([]assistants.Assistant{f.assistant()}, f.others...), "", nil
}

// Retrieve is the retriever's.
func (f *fixture) Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	if f.retrieve != nil {
		return f.retrieve(ctx, q)
	}
	if f.retrievalError != "" {
		return retrieval.Result{}, errors.New(f.retrievalError)
	}
	hits := f.hits
	if f.hitsFor != nil {
		hits = f.hitsFor(q.Text)
	}
	hits = hits[:min(len(hits), q.TopK)]
	return retrieval.Result{Hits: hits, Trace: retrieval.Trace{Queries: []string{q.Text}, Mode: assistants.SearchFullText,
		Duration: 4100 * time.Microsecond, Stages: map[string]time.Duration{"text": 1200 * time.Microsecond}}}, nil
}

// links are made with a fixed key at a fixed time.
func (f *fixture) links() *links.Links {
	noon := func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }
	signer := links.NewSigner([]byte("0123456789abcdef0123456789abcdef"), noon)
	return links.New(links.Options{Base: links.Base{}.For, Documents: f, Public: signer, Log: slog.New(slog.DiscardHandler)})
}

// DocumentsByID are those that the hits come from, except those deleted meanwhile.
func (f *fixture) DocumentsByID(_ context.Context, _ assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	var gone []assistants.DocumentID
	if f.deleted != nil {
		gone = f.deleted()
	}
	found := make([]assistants.Document, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(gone, id) {
			found = append(found, assistants.Document{ID: id, TenantID: assistants.DefaultTenant, Name: f.nameOf(id)})
		}
	}
	return found, nil
}

// ExistingDocuments are their ids.
func (f *fixture) ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	found, err := f.DocumentsByID(ctx, tenant, ids)
	there := make([]assistants.DocumentID, len(found))
	for i := range found {
		there[i] = found[i].ID
	}
	return there, err
}

func (f *fixture) nameOf(id assistants.DocumentID) string {
	for _, h := range f.hits {
		if h.Document.ID == id {
			return h.Document.Name
		}
	}
	return ""
}

// memoryKeys is a key store in memory.
type memoryKeys map[string]assistants.Key

// KeyFor finds a key.
func (m memoryKeys) KeyFor(_ context.Context, prefix string, _ func(assistants.Key) bool) (assistants.Key, error) {
	k, ok := m[prefix]
	if !ok {
		return k, assistants.ErrNotFound
	}
	return k, nil
}

// add makes a key and returns its secret.
func (m memoryKeys) add(edit func(*assistants.Key)) string {
	secret, k := access.NewKey()
	k.TenantID, k.Scopes = assistants.DefaultTenant, []assistants.Scope{assistants.ScopeChat}
	edit(&k)
	m[k.Prefix] = k
	return secret
}

// noDocuments is an installation without documents.
type noDocuments struct{}

// CountDocuments counts none.
func (noDocuments) CountDocuments(context.Context, assistants.TenantID) (map[assistants.Status]int, error) {
	return nil, nil
}
