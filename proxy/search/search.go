// Package search answers searches: passages of the documents that a key may see, and an
// answer made from the best of them, with citations.
//
// It obeys one rule: what a key may not see is not searched, and looks as if it did not
// exist. It knows no database, no index and no ingestion; its caller passes them in behind
// the interfaces of this package. It does not import proxy/chat: what both need is in
// proxy/completion and proxy/grounding.
package search

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/upstream"
)

// Config holds the settings of the server that searches depend on.
type Config struct {
	PromptSecret []byte // keys the nonces that fence retrieved text
	Timings      Timings
}

// Timings bound streams. Zero values become the defaults.
type Timings struct {
	KeepAlive time.Duration // without an event until a comment is sent; 15 s
	Grace     time.Duration // for which an answer goes on that no client reads; 60 s
	Resume    time.Duration // for which a client may resume a stream that has ended; 60 s
	Save      time.Duration // between two savings of streams for other servers; 200 ms
	Poll      time.Duration // between two looks at a stream that another server makes; 250 ms
	Silence   time.Duration // of another server until it is taken for gone; 10 s
}

func (t Timings) withDefaults() Timings {
	for d, v := range map[*time.Duration]time.Duration{
		&t.KeepAlive: 15 * time.Second, &t.Grace: time.Minute, &t.Resume: time.Minute,
		&t.Save: 200 * time.Millisecond, &t.Poll: 250 * time.Millisecond, &t.Silence: 10 * time.Second,
	} {
		if *d == 0 {
			*d = v
		}
	}
	return t
}

// Directory finds assistants.
type Directory interface {
	// KnownAssistant finds an assistant in sight by id or slug; ErrNotFound,
	// ErrUnavailable. Callers share it and must not change it.
	KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error)
	// Assistants lists a tenant's assistants, a page at a time; ErrUnavailable.
	Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error)
}

// Retriever finds the passages for a question.
type Retriever interface {
	// Retrieve returns hits in order of score. An error means that nothing was searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// Store reads passages and collections. Its errors wrap ErrUnavailable.
type Store interface {
	// Hits resolves matches to the chunks that exist in these collections, in order.
	Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error)
	// Collections returns those of the named collections that exist, in no order.
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
}

// Upstreams finds the model server that an assistant names.
type Upstreams interface {
	// Named finds a tenant's upstream by id or name; "" is the default one.
	// ErrNotFound, ErrUnavailable; *upstream.Error when it is unusable as stored.
	Named(ctx context.Context, tenant assistants.TenantID, ref string) (client upstream.Client, defaultModel string, err error)
}

// Audit is the part of the audit log that searches need.
type Audit interface {
	// Record notes what has ended, without waiting for the database.
	Record(e assistants.AuditEvent)
}

// Deps are the parts that a handler works with. All are required but Embedder,
// Audit, Limits and Shared.
type Deps struct {
	Directory Directory
	Retriever Retriever
	Store     Store
	Upstreams Upstreams
	Front     *front.Front
	Embedder  grounding.Embedder // compares by meaning; nil: nothing does
	Log       *slog.Logger
	Metrics   *Metrics
	Audit     Audit           // nil: nothing is kept
	Limits    *access.Limits  // nil: there are none
	Shared    Shared          // nil: only this server can resume its streams
	Stop      context.Context // when it ends, so do all searches
	Drained   context.Context // when it ends, so do the answers that no client reads
}

// A Handler answers searches. It is safe for concurrent use.
type Handler struct {
	cfg     Config
	deps    Deps
	streams *streams
	sharer  *sharer        // nil: nothing is shared
	work    sync.WaitGroup // on streams
}

// New returns a handler, which is to be closed.
func New(cfg Config, deps Deps) *Handler {
	cfg.Timings = cfg.Timings.withDefaults()
	h := &Handler{cfg: cfg, deps: deps, streams: newStreams(cfg.Timings)}
	if deps.Shared != nil {
		h.sharer = newSharer(deps.Shared, cfg.Timings, deps.Log)
	}
	return h
}

// Close waits until all streams have ended, as they do when Deps.Stop ends, and until
// other servers can see that. No request may come any more.
func (h *Handler) Close() {
	h.work.Wait()
	if h.sharer != nil {
		h.sharer.close()
	}
}

// A job is one request that was read: who asks, for what, and what was found for it.
type job struct {
	*Handler
	caller    access.Principal
	event     assistants.AuditEvent
	in        request
	assistant *assistants.Assistant // nil: the key has none, and the request names none
	settings  assistants.Settings
	sight     sight
	cached    bool // no index was asked
	cited     int
	certainty float64
	tokens    int // of the answer and its prompt
}

// Search answers POST /v1/search.
func (h *Handler) Search(c *gin.Context, caller access.Principal) error {
	return h.serve(c, caller, "search", func(c *gin.Context, j *job) (any, error) {
		if j.in.stream {
			return nil, j.stream(c)
		}
		return j.search(c.Request.Context(), silent{})
	})
}

// Quick answers POST /v1/search/quick.
func (h *Handler) Quick(c *gin.Context, caller access.Principal) error {
	return h.serve(c, caller, "quick", func(c *gin.Context, j *job) (any, error) { return j.quick(c.Request.Context()) })
}

// Similar answers POST /v1/search/similar.
func (h *Handler) Similar(c *gin.Context, caller access.Principal) error {
	return h.serve(c, caller, "similar", func(c *gin.Context, j *job) (any, error) { return j.similar(c.Request.Context()) })
}

// Explain answers POST /v1/search/explain.
func (h *Handler) Explain(c *gin.Context, caller access.Principal) error {
	return h.serve(c, caller, "explain", func(c *gin.Context, j *job) (any, error) { return j.explain(c.Request.Context()) })
}

// serve reads a request, lets answer work on it and notes how it ended. An answer of nil
// was written already, and noted by whoever wrote it.
func (h *Handler) serve(c *gin.Context, caller access.Principal, route string, answer func(*gin.Context, *job) (any, error)) (err error) {
	if err := h.deps.Front.Admit(c); err != nil {
		return err
	}
	defer h.deps.Front.Leave()
	j := &job{Handler: h, caller: caller, event: newEvent(c, caller)}
	streamed := false
	defer func() {
		if !streamed {
			j.record(c.Request.Context(), route, err)
		}
	}()
	if err := caller.Require(assistants.ScopeSearch); err != nil {
		return err
	}
	if err := j.read(c, route); err != nil {
		return err
	}
	if route == "search" && j.in.synthesize {
		j.event.Chat = &assistants.ChatOutcome{} // its answer is counted as that of a chat
	}
	if err := j.look(c.Request.Context()); err != nil {
		return err
	}
	if streamed = j.in.stream; !streamed {
		pass, err := j.admit(c.Request.Context(), route)
		if err != nil {
			return err
		}
		defer func() { pass.Release(j.tokens) }() // after a panic as well
	}
	body, err := answer(c, j)
	if gone := c.Request.Context().Err(); err != nil && gone != nil {
		return context.Cause(c.Request.Context())
	}
	if err != nil || body == nil {
		return err
	}
	c.JSON(200, body)
	return nil
}

func requestIDOf(c *gin.Context) string { return c.Writer.Header().Get(apierr.RequestIDHeader) }
