package control

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/assistants/ingestion/extract/pdf"
	"footnote/assistants/ingestion/sandbox"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/events"
	"footnote/proxy/links"
	"footnote/proxy/upstream"
)

// Authenticator identifies the sender of a request.
type Authenticator interface {
	// Authenticate returns an anonymous principal for a request without a
	// Footnote key. ErrUnauthorized, ErrAmbiguous, ErrInvalid and ErrUnavailable
	// as access.Authenticator documents them.
	Authenticate(ctx context.Context, r *http.Request) (access.Principal, error)
}

// Library stores uploaded files as documents.
type Library interface {
	// Add stores a new document, durably, and queues its ingestion. duplicate:
	// the collection has a document with these bytes, which is returned.
	// ErrTooLarge, ErrEmptyFile, ErrUnsupportedMedia, ErrConflict (the source
	// path is taken), ErrSpaceMismatch as Fits, ErrQueueFull, ErrUnavailable.
	Add(ctx context.Context, u ingestion.Upload) (d assistants.Document, duplicate bool, err error)
	// Replace stores a new version of a document. Errors as Add, and
	// ErrNotFound; ErrConflict: another document of the collection has these bytes.
	Replace(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, u ingestion.Upload) (d assistants.Document, duplicate bool, err error)
	// Fits checks that new documents can be embedded in the collection's space.
	// ErrSpaceMismatch, as a FieldError.
	Fits(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID) error
}

// Blobs reads the files of documents.
type Blobs interface {
	// Open opens a file for reading and returns its size. ErrNotFound,
	// ErrUnavailable.
	Open(ctx context.Context, key string) (file io.ReadSeekCloser, size int64, err error)
}

// Retriever finds the passages for a question.
type Retriever interface {
	// Retrieve returns hits in order of score. An error means that nothing was
	// searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// Upstreams talks to the model servers of stored upstreams.
type Upstreams interface {
	// Check returns a FieldError if the upstream breaks a rule, such as for its
	// URL.
	Check(u assistants.Upstream) error
	// Models lists the upstream's models from a short-lived cache. Probe asks the
	// upstream now, which need not be stored. Their errors are *upstream.Error, or
	// the context's.
	Models(ctx context.Context, u assistants.Upstream) ([]upstream.Model, error)
	Probe(ctx context.Context, u assistants.Upstream) (upstream.Finding, error)
	// Health reports how the latest calls of an upstream ended, by its id. false: there
	// were none.
	Health(id string) (upstream.Report, bool)
	// Forget drops what was kept for a deleted upstream.
	Forget(id assistants.UpstreamID)
}

// Embedder reports the state of the embedder.
type Embedder interface {
	Status() assistants.EmbedderStatus
	// Space is the space of its vectors. ErrNoEmbedder, ErrUnavailable.
	Space(ctx context.Context) (assistants.Space, error)
}

// Backends names the kinds of storage for the status route ("sqlite", "file",
// "embedded"), never addresses.
type Backends struct {
	Database string `json:"database"`
	Blobs    string `json:"blobs"`
	Index    string `json:"index"`
}

// Deps are the parts the control API works with. All are required unless the
// comment says what nil means.
type Deps struct {
	Store     Store
	Library   Library
	Blobs     Blobs
	Retriever Retriever
	Auth      Authenticator
	Links     *links.Links  // makes links for sources
	Signer    *links.Signer // checks links that work without a key
	Upstreams Upstreams

	// Pictures draws pages. nil: there are no pictures.
	Pictures Pictures

	// Sandbox reports how readers of documents are isolated. nil: GET status omits it.
	Sandbox func(ctx context.Context) sandbox.Isolation

	// Log gets warnings other than failed requests. nil: slog.Default().
	Log *slog.Logger

	// Audit keeps who did what. nil: nothing is kept.
	Audit AuditLog
	// Recent counts the chats of the last hour. nil: nothing is counted.
	Recent Recent

	// Limits of keys and assistants. nil: there are none.
	Limits *access.Limits

	// History writes what chats have noted. nil: nothing is kept.
	History History

	// Runs works on the runs of evaluations, whose answers come from Chat: it answers
	// a chat request of a caller within this process.
	Runs Runs
	Chat func(w http.ResponseWriter, r *http.Request, caller access.Principal)

	// Wake is called when a handler has queued a job through Store; Library does
	// that itself. nil: the worker finds the job by polling.
	Wake func()

	// Events passes on what Store reports as changed. nil: no changes are seen.
	Events *events.Hub
	// EventTimings of the streams of events. Zero values become the defaults.
	EventTimings EventTimings
	// Ready returns why the server cannot do all its work. nil: it always can.
	Ready func(context.Context) error
	// Draining is closed when the server is about to stop: streams end. nil: never.
	Draining <-chan struct{}

	Version  string   // of the program
	Backends Backends // for GET status
	Embedder Embedder // nil: none

	// MaxUploadBytes bounds an upload: the sum of its files. 0: 100 MiB.
	MaxUploadBytes int64
	// SpoolDir is where files of an upload wait until the form is complete. It
	// must exist. "": the system's directory for temporary files.
	SpoolDir string
	// Now is the clock. nil: time.Now.
	Now func() time.Time
}

const defaultMaxUpload = 100 << 20

// api is Deps with its defaults filled in; the handlers are its methods.
type api struct {
	Deps
	started time.Time
}

// Register adds the routes of the control API to r, under /v1.0. Each route
// authenticates itself. The caller's middleware must set X-Request-Id and must
// not limit the size or duration of request bodies, because the limits differ by
// route.
func Register(r gin.IRouter, d Deps) {
	if d.Wake == nil {
		d.Wake = func() {}
	}
	if d.Log == nil {
		d.Log = slog.Default()
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Events == nil {
		d.Events = events.New(events.Limits{})
	}
	if d.Ready == nil {
		d.Ready = func(context.Context) error { return nil }
	}
	d.EventTimings = d.EventTimings.withDefaults()
	if d.MaxUploadBytes <= 0 {
		d.MaxUploadBytes = defaultMaxUpload
	}
	a := &api{Deps: d, started: d.Now()}
	g := r.Group("/v1.0")
	for _, rt := range a.routes() {
		g.Handle(rt.method, rt.path, apierr.Handle(a.guarded(rt)))
	}
}

// need is what a route requires of a principal.
type need int

const (
	// The zero value is never met, so a route without a need is closed.
	_ need = iota
	// admin: scope admin. The handler checks that the key covers the assistant.
	admin
	// adminOfAll: scope admin and a key that is not bound to assistants. It
	// protects what belongs to the whole tenant: a bound key could create itself
	// an unbound one.
	adminOfAll
	// searcher: scope search or admin. The handler checks that the key covers the
	// assistant.
	searcher
	// reader: any scope. The handler checks that the key covers the assistant.
	reader
	// signed: instead of a key, a link that this server signed and that has not
	// expired. The handler gets it from linkOf and checks what it opens. No
	// principal meets this need.
	signed
)

func (n need) check(p access.Principal) error {
	switch n {
	case admin:
		return p.Require(assistants.ScopeAdmin)
	case adminOfAll:
		if err := p.Require(assistants.ScopeAdmin); err != nil {
			return err
		}
		if !p.MaySeeAll() {
			return &assistants.FieldError{Kind: assistants.ErrForbidden,
				Message: "This key is bound to assistants; this request needs one that is not."}
		}
		return nil
	case searcher:
		return p.Require(assistants.ScopeSearch)
	case reader:
		return p.RequireAny(assistants.Scopes...)
	default:
		return assistants.ErrForbidden
	}
}

const principalKey = "footnote.control.principal"

// guarded finds the principal of a request and calls the route's handler for it.
func (a *api) guarded(rt route) func(*gin.Context) error {
	if rt.need == signed {
		return a.behindLink(rt.handle)
	}
	return func(c *gin.Context) error {
		p, err := a.Auth.Authenticate(c.Request.Context(), c.Request)
		if err != nil {
			return err
		}
		if p.Anonymous { // before the need, so that the answer reveals nothing about the route
			return assistants.ErrUnauthorized
		}
		return a.audited(c, rt, p)
	}
}

// allowed calls the route's handler if the principal meets the need.
func allowed(c *gin.Context, rt route, p access.Principal) error {
	if err := rt.need.check(p); err != nil {
		return err
	}
	if c.Request.URL.RawPath != "" {
		// The path contains an escape such as %2f. No id or slug has one.
		return assistants.ErrNotFound
	}
	c.Set(principalKey, p)
	return rt.handle(c)
}

func principalOf(c *gin.Context) access.Principal {
	p, _ := c.MustGet(principalKey).(access.Principal)
	return p
}

// linksRoute matches everything below links.Path, so that a malformed link gets
// a link's error.
const linksRoute = "/links/*link"

// Pictures draws pages of PDF documents.
type Pictures interface {
	// Draw draws a page of the file under a blob key, as PNG. ErrNotFound (no
	// such file or page), ErrUnavailable, *extract.Error (the file cannot be
	// drawn).
	Draw(ctx context.Context, blobKey string, want pdf.Picture) ([]byte, error)
}
