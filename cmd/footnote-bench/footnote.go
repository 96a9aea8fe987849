package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/links"
	"footnote/proxy/upstream"
	"footnote/storage/db"
)

// runFootnote is the role of Footnote: the whole server as cmd/footnote wires
// it, on a real database with a key and an assistant in it, but with retrieval
// that finds the same passages every time. The access log goes to the null device.
func runFootnote(upstreamAddr string, check assistants.SupportCheck) (err error) {
	proxy.RelaxGC() // as the program does
	dir, err := os.MkdirTemp("", "footnote-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx := context.Background()
	plain, err := db.Open(ctx, "sqlite:"+filepath.Join(dir, "footnote.db"), db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	if _, err := plain.Migrate(ctx); err != nil {
		return err
	}
	store := db.NewCached(plain)
	assistant, key, err := setUp(ctx, store, check)
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	server, closeUpstream, err := footnoteServer(store, sourceHits(assistant), upstreamAddr, slog.New(slog.NewJSONHandler(null, nil)))
	if err != nil {
		return err
	}
	defer closeUpstream()
	return serveChild(proxy.NewHTTPServer(server), key)
}

// setUp stores an assistant and a key that may use it.
func setUp(ctx context.Context, store *db.Cached, check assistants.SupportCheck) (assistants.Assistant, string, error) {
	settings := assistants.DefaultSettings()
	settings.EnableRAG, settings.EnableCitations, settings.SupportCheck = true, true, check
	model := "gpt-4o-mini"
	settings.Model = &model
	now := time.Now().UTC()
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: assistants.DefaultTenant, Slug: modelName, Name: "Bench",
		CollectionID: assistants.NewCollectionID(), Settings: settings, CreatedAt: now, UpdatedAt: now,
	}
	if err := store.CreateAssistant(ctx, a); err != nil {
		return a, "", err
	}
	secret, key := access.NewKey()
	key.TenantID, key.Name, key.CreatedAt = assistants.DefaultTenant, "bench", now
	key.Scopes, key.Assistants = []assistants.Scope{assistants.ScopeChat}, []assistants.AssistantID{a.ID}
	return a, secret, store.CreateKey(ctx, key)
}

func footnoteServer(store *db.Cached, hits []assistants.Hit, upstreamAddr string, log *slog.Logger) (*proxy.Server, func(), error) {
	auth, err := access.New(store, "", time.Now)
	if err != nil {
		return nil, nil, err
	}
	client, err := upstream.NewHTTP(upstream.HTTPConfig{BaseURL: "http://" + upstreamAddr + "/v1", APIKey: "sk-of-the-benchmark"})
	if err != nil {
		return nil, nil, err
	}
	cfg := proxy.Config{
		MaxBodyBytes: 32 << 20, MaxInFlightBytes: 256 << 20, PromptSecret: []byte(strings.Repeat("secret-", 5)),
	}
	server, err := proxy.New(cfg, proxy.Deps{
		Directory: store, Retriever: fixedHits(hits), Auth: auth, Log: log, Metrics: proxy.NewMetrics(store), Ready: store.Ping,
		Upstreams: upstream.NewDirectory(upstream.Entry{Client: client, DefaultModel: "gpt-4o-mini"}, nil),
		Anonymous: access.NewLimiter(access.Rate{Events: 30, Per: time.Minute}, time.Now),
		Links: links.New(links.Options{
			Base: links.Base{}.For, Documents: fixedHits(hits), Public: links.NewSigner([]byte(strings.Repeat("secret-", 5)), time.Now), Log: log,
		}),
	})
	return server, client.Close, err
}

// fixedHits is a retriever that finds the same passages for every question.
type fixedHits []assistants.Hit

// Retrieve returns the first passages.
func (f fixedHits) Retrieve(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{Hits: f[:min(len(f), q.TopK)], Trace: retrieval.Trace{
		Queries: []string{q.Text}, Mode: assistants.SearchFullText, Duration: 2 * time.Millisecond,
		Stages: map[string]time.Duration{retrieval.StageText: time.Millisecond, retrieval.StageFetch: time.Millisecond},
	}}, nil
}

// ExistingDocuments returns those of the documents that have passages.
func (f fixedHits) ExistingDocuments(_ context.Context, _ assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	existing := make([]assistants.DocumentID, 0, len(ids))
	for _, h := range f {
		if slices.Contains(ids, h.Document.ID) {
			existing = append(existing, h.Document.ID)
		}
	}
	return existing, nil
}

// DocumentsByID returns those of the documents that have passages.
func (f fixedHits) DocumentsByID(_ context.Context, _ assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	docs := make([]assistants.Document, 0, len(ids))
	for _, h := range f {
		if slices.Contains(ids, h.Document.ID) {
			docs = append(docs, h.Document)
		}
	}
	return docs, nil
}
