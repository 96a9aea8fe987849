package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"footnote/assistants"
	"footnote/assistants/audit"
	"footnote/assistants/embedding"
	"footnote/assistants/evaluation/runs"
	"footnote/assistants/history"
	"footnote/assistants/ingestion"
	"footnote/assistants/ingestion/sandbox"
	"footnote/assistants/retrieval"
	"footnote/cmd/footnote/console"
	"footnote/cmd/footnote/maintain"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/control"
	"footnote/proxy/events"
	"footnote/proxy/links"
	"footnote/proxy/search"
	"footnote/proxy/tracing"
	"footnote/proxy/upstream"
	"footnote/storage/db"
	"footnote/storage/vector/qdrant"
)

// jobLease is how long after a process has died its jobs may be taken over.
const jobLease = 10 * time.Second

// publicRate bounds chats without a key, per client address.
var publicRate = access.Rate{Events: 30, Per: time.Minute}

// An app is the whole program except its listener: stores, index, workers and the
// HTTP server, opened on one data directory.
type app struct {
	cfg           Config
	log           *slog.Logger
	lock          *maintain.Lock
	store         *db.Cached
	events        *events.Hub // told of what the store changes
	blobs         documentStore
	index         index
	embedder      *embedding.Cached // never nil; without a configured one it returns ErrNoEmbedder
	embeddings    proxy.Embeddings  // for the embeddings API; the texts of clients are not kept
	library       *ingestion.Library
	worker        *ingestion.Worker
	extractor     *sandbox.Extractor
	audit         *audit.Log
	history       *history.Log
	limits        *access.Limits
	runs          *runs.Runner
	server        *proxy.Server
	defaultClient *upstream.HTTP // the default upstream; nil: the built-in one
	healths       *upstream.Healths
	closers       []func()
	writes        *writeProbe
	lockLost      chan error    // receives the reason when another server has locked the database
	refill        chan struct{} // the index was lost
	indexed       atomic.Bool   // the index agrees with the database
	demoLoading   atomic.Bool   // the demo is not searchable yet
}

// openApp opens everything under the data directory, which it locks. adminKey
// is one more key with every scope, "" for none.
func openApp(ctx context.Context, cfg Config, log *slog.Logger, adminKey string) (_ *app, err error) {
	slog.SetDefault(log)
	maintain.PrivateFiles()
	a := &app{cfg: cfg, log: log, events: events.New(events.Limits{}), lockLost: make(chan error, 1), refill: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if a.lock, err = maintain.LockData(cfg.maintenance(log)); err != nil {
		return nil, err
	}
	secret, err := secretKey(cfg)
	if err != nil {
		return nil, err
	}
	store, err := db.Open(ctx, cfg.databaseURL(), db.Options{
		Logger: log, SecretKey: secret.subkey("stored secrets"), Changed: a.events.Publish,
	})
	if err != nil {
		return nil, openDatabaseError(cfg, err)
	}
	a.store = db.NewCached(store)
	a.store.LimitPassages(int64(cfg.PassageCacheBytes))
	if err = a.lockDatabase(ctx); err != nil { // first, so that no other server uses the schema while it is migrated
		return nil, err
	}
	if _, err = a.store.Migrate(ctx); err != nil {
		return nil, fmt.Errorf("the database %s cannot be used: %w", console.RedactURL(cfg.databaseURL()), err)
	}
	if a.blobs, err = openDocuments(ctx, cfg, log, a.store); err != nil {
		return nil, err
	}
	a.writes = &writeProbe{now: time.Now, stores: []probedStore{
		{a.store.ProbeWrite, assistants.ErrDatabaseUnavailable}, {a.blobs.ProbeWrite, assistants.ErrUnavailable},
	}}
	if a.index, err = openIndex(cfg, log, a.indexWasLost); err != nil {
		return nil, err
	}
	if err = a.openEmbedder(); err != nil {
		return nil, err
	}
	if err = a.openIngestion(); err != nil {
		return nil, err
	}
	a.audit = audit.New(a.store, audit.Config{Retention: time.Duration(cfg.AuditRetentionDays) * 24 * time.Hour, Log: log})
	a.history = history.New(a.store, log)
	limits := access.LimitsConfig{Months: a.store, Log: log}
	if !cfg.databaseIsFile() {
		limits.Shared = a.store
	}
	a.limits = access.NewLimits(limits)
	if _, err = a.store.InterruptRuns(ctx, time.Now()); err != nil { // of a process that was killed
		return nil, err
	}
	a.runs = runs.NewRunner(a.store, runs.Config{Log: log})
	return a, a.openServer(ctx, secret, adminKey)
}

// openDatabaseError explains what to do when the database cannot be opened.
func openDatabaseError(cfg Config, err error) error {
	if !cfg.databaseIsFile() {
		return fmt.Errorf("the database %s cannot be used: %w", console.RedactURL(cfg.databaseURL()), err)
	}
	return fmt.Errorf("the database %s cannot be opened: see whether the disk is full and the file may be read and written, or correct --database-url; "+
		"put it back from a backup only if it is damaged: %w", console.RedactURL(cfg.databaseURL()), err)
}

func (a *app) openIngestion() error {
	cache := filepath.Join(a.cfg.DataDir, "cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	a.extractor = sandbox.New(sandbox.Config{CacheDir: cache, Recogniser: a.findRecogniser()})
	a.worker = ingestion.NewWorker(ingestion.WorkerConfig{Lease: jobLease, OwnBlobs: true, Embedder: a.embedder, Log: a.log}, a.store, a.blobs, a.index, a.extractor)
	a.library = ingestion.NewLibrary(a.store, a.blobs, a.worker.Notify)
	a.library.Embedder = a.embedder
	return nil
}

// findRecogniser looks for the program that reads scanned pages.
func (a *app) findRecogniser() *sandbox.Recogniser {
	r := sandbox.FindRecogniser(context.Background())
	if r == nil {
		a.log.Info("scanned PDFs cannot be read: tesseract is not installed (Debian: tesseract-ocr, and a package per language such as tesseract-ocr-deu)")
		return nil
	}
	a.log.Info("scanned PDFs are read by text recognition", "program", r.Program, "languages", strings.Join(r.Languages, " "))
	return r
}

func (a *app) openServer(ctx context.Context, secret masterSecret, adminKey string) error {
	upstreams, stored, err := a.openUpstreams(ctx)
	if err != nil {
		return err
	}
	spool, err := a.spoolDir()
	if err != nil {
		return err
	}
	if adminKey == "" {
		adminKey = string(a.cfg.AdminKey)
	}
	auth, err := access.New(a.store, adminKey, time.Now)
	if err != nil {
		return err
	}
	tracer, err := a.openTracing(ctx)
	if err != nil {
		return err
	}
	retriever := tracing.Retriever{Searcher: retrieval.New(a.index, a.store, retrieval.Options{Embedder: a.embedder, Spaces: a.store, Names: a.store, Log: a.log})}
	config := proxy.Config{
		Version:      version,
		MaxBodyBytes: int64(a.cfg.MaxBodyBytes), MaxInFlightBytes: maxInFlightBytes,
		Passthrough:    a.cfg.Passthrough,
		TrustedProxies: a.cfg.TrustedProxies, CORSOrigins: a.cfg.CORSOrigins, PromptSecret: secret.subkey("prompt fences"),
	}
	signer := links.NewSigner(secret.subkey("public links"), time.Now)
	base := links.Base{PublicURL: a.cfg.PublicURL, AllowedHosts: a.cfg.AllowedHosts, TrustedProxies: a.cfg.TrustedProxies}
	linker := links.New(links.Options{Base: base.For, Documents: a.store, Public: signer, Presigner: a.presigner(), Log: a.log})
	api := control.Deps{
		Store: a.store, Library: a.library, Blobs: a.blobs, Retriever: retriever, Auth: auth, Log: a.log,
		Upstreams: stored, Links: linker, Signer: signer, Wake: a.worker.Notify, Version: version,
		Backends:       control.Backends{Database: a.store.Kind(), Blobs: a.cfg.documentsKind(), Index: a.cfg.indexKind()},
		MaxUploadBytes: int64(a.cfg.MaxUploadBytes), SpoolDir: spool, Embedder: a.embedder,
		Pictures: ingestion.NewPageRenderer(a.blobs, a.extractor), Sandbox: a.extractor.Isolation, Audit: a.audit, Recent: a.audit, History: a.history,
		Events: a.events,
		Runs:   a.runs,
	}
	metrics := proxy.NewMetrics(a.store)
	metrics.CountRepairs(a.worker.Repairs)
	metrics.Show(a.healths)
	metrics.Show(passageMetrics{a.store.PassageStats})
	a.server, err = proxy.New(config, proxy.Deps{
		Directory: a.store, Retriever: retriever, Upstreams: upstreams, Auth: auth,
		Anonymous: access.NewLimiter(publicRate, time.Now), Log: a.log,
		Metrics: metrics, Ready: a.ready,
		Links: linker, Embeddings: a.embeddings, Embedder: a.embedder, Control: &api, Passages: a.store, Files: a.store, Audit: a.audit, History: a.history, Limits: a.limits,
		Tracer:  tracer,
		Streams: a.sharedStreams(),
	})
	return err
}

// sharedStreams is the database if other servers can use it: a file is this server's own,
// and answers are not kept in it without need.
func (a *app) sharedStreams() search.Shared {
	if a.cfg.databaseIsFile() {
		return nil
	}
	return a.store
}

// ready reports whether the server can do all its work: the database answers,
// the index agrees with it, and database and disk can be written to.
func (a *app) ready(ctx context.Context) error {
	if !a.indexed.Load() {
		return apierr.Starting("its index is being brought up to date.")
	}
	if a.demoLoading.Load() {
		return apierr.Starting("its sample documents are being read.")
	}
	if err := pingInTime(ctx, a.store.Ping); err != nil {
		return err
	}
	return a.writes.check(ctx)
}

// lockDatabase locks a database on a server for this process, because its rows can refer
// to files in this data directory, which other Footnote servers cannot read, and because
// the files of uploads that have no row yet are removed at the start.
func (a *app) lockDatabase(ctx context.Context) error {
	release, err := a.store.Exclude(ctx, func(err error) { a.lockLost <- err })
	if errors.Is(err, assistants.ErrConflict) {
		return fmt.Errorf("the database %s is in use by another server; talk to that server with --url, or stop it first: "+
			"this version has one server for each database", console.RedactURL(a.cfg.databaseURL()))
	}
	if err != nil {
		return err
	}
	a.closers = append(a.closers, release)
	return nil
}

// run works on jobs until ctx ends.
func (a *app) run(ctx context.Context) error {
	if err := a.fillIndex(ctx, a.worker.Reconcile); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.keepIndexFilled(ctx) })
	g.Go(func() error { return a.worker.Run(ctx) })
	g.Go(func() error {
		select {
		case err := <-a.lockLost:
			return fmt.Errorf("another server has taken the database over: %w", err)
		case <-ctx.Done():
			return nil
		}
	})
	return g.Wait()
}

// indexWasLost makes the server unready until the index is filled again.
func (a *app) indexWasLost() {
	a.indexed.Store(false)
	select {
	case a.refill <- struct{}{}:
	default:
	}
}

// keepIndexFilled fills the index again when its server has lost it.
func (a *app) keepIndexFilled(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.refill:
		}
		a.log.Error("the index's server has lost the index; it is built again from the documents")
		if err := a.fillIndex(ctx, a.worker.Recheck); err != nil {
			return err
		}
	}
}

// fillIndex brings the index up to date, and says so to all that wait for it.
func (a *app) fillIndex(ctx context.Context, compare func(context.Context) error) error {
	x, onServer := a.index.(*qdrant.Index)
	var losses uint64
	if onServer {
		losses = x.Losses()
	}
	if err := a.untilAvailable(ctx, compare); err != nil {
		return fmt.Errorf("bring the index up to date: %w", err)
	}
	if !onServer || x.Restored(losses) { // else it was lost again, and a.refill has a signal
		a.indexed.Store(true)
	}
	return nil
}

// untilAvailable compares database and index as soon as both let it.
func (a *app) untilAvailable(ctx context.Context, compare func(context.Context) error) error {
	const retryDelay = 2 * time.Second
	for {
		err := compare(ctx)
		if !errors.Is(err, assistants.ErrUnavailable) {
			return err
		}
		a.log.Warn("the index cannot be brought up to date yet", "again_in", retryDelay.String(), "error", err)
		select {
		case <-time.After(retryDelay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close releases everything, the lock last.
func (a *app) close() error {
	var errs []error
	if a.runs != nil {
		a.runs.Close() // first, because they write to the database
	}
	if a.server != nil {
		a.server.Close()
	}
	for _, f := range a.closers {
		f()
	}
	if a.limits != nil {
		errs = append(errs, a.limits.Close())
	}
	if a.history != nil {
		errs = append(errs, a.history.Close())
	}
	if a.audit != nil {
		errs = append(errs, a.audit.Close())
	}
	if a.index != nil {
		errs = append(errs, a.index.Close())
	}
	if a.blobs != nil {
		errs = append(errs, a.blobs.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.lock != nil {
		errs = append(errs, a.lock.Release())
	}
	return errors.Join(errs...)
}

// uploadsFolder is where uploads wait, in the data directory.
const uploadsFolder = "uploads"

// spoolDir makes the folder in which the files of an upload wait for the rest of its
// form. It removes files that a killed process left there.
func (a *app) spoolDir() (string, error) {
	dir := filepath.Join(a.cfg.DataDir, uploadsFolder)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o700)
}

// firstAdminKey makes the admin key of a new installation and returns its
// secret, "" when there is one already.
func (a *app) firstAdminKey(ctx context.Context) (string, error) {
	const metaKey = "admin_key_id"
	if a.cfg.AdminKey != "" {
		return "", nil
	}
	known, err := a.store.Meta(ctx, metaKey)
	if err != nil || known != "" {
		return "", err
	}
	secret, key := access.NewKey()
	key.TenantID, key.Name, key.Scopes, key.CreatedAt = assistants.DefaultTenant, "admin", []assistants.Scope{assistants.ScopeAdmin}, time.Now().UTC()
	if err := a.store.CreateKey(ctx, key); err != nil {
		return "", err
	}
	a.audit.Record(assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: key.TenantID, CreatedAt: key.CreatedAt, Action: assistants.AuditKeyCreate, Status: 201, Target: string(key.ID),
	})
	_, err = a.store.SetMetaOnce(ctx, metaKey, string(key.ID))
	return secret, err
}

// publicAssistants returns the slugs of the assistants that need no key.
func (a *app) publicAssistants(ctx context.Context) (slugs []string, err error) {
	for list := (assistants.List{Limit: 1000}); ; {
		items, next, err := a.store.Assistants(ctx, assistants.DefaultTenant, list)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if item.Settings.PublicAccess {
				slugs = append(slugs, item.Slug)
			}
		}
		if list.Cursor = next; next == "" {
			return slugs, nil
		}
	}
}
