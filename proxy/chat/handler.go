// Package chat answers chat requests: it retrieves passages for the question,
// puts them into the prompt, relays the request to the upstream and adds
// citations to the answer.
//
// It obeys one rule: what the client sent and what the upstream answered are
// edited as bytes, never decoded and encoded again. It knows no database, no
// index and no ingestion; its caller passes them in behind the interfaces of
// this package.
package chat

import (
	"context"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/links"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/extractive"
)

// Config holds the settings of the server that chats depend on.
type Config struct {
	Passthrough  bool   // models that are not assistants go to the default upstream
	PromptSecret []byte // keys the nonces that fence retrieved text
	Timings      Timings
}

// Timings bound how long the relay waits. Zero values become the defaults.
type Timings struct {
	KeepAlive   time.Duration // without data to the client until a comment is sent; 15 s
	FirstFrame  time.Duration // for which the status is held back before the first frame; 15 s
	StreamTotal time.Duration // for a whole stream; 30 min, or the upstream's Timeouts.Total if that is longer
}

func (t Timings) withDefaults() Timings {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.KeepAlive, 15*time.Second)
	set(&t.FirstFrame, 15*time.Second)
	set(&t.StreamTotal, 30*time.Minute)
	return t
}

// Directory finds assistants.
type Directory interface {
	// KnownAssistant finds an assistant in sight by id or slug; ErrNotFound,
	// ErrUnavailable. Only an assistant in sight may come from memory. For any
	// other reference the database is asked, whether it exists or not, so that
	// the time of the answer does not show which. Callers share it and must not change it.
	KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error)
}

// Retriever finds the passages for a question.
type Retriever interface {
	// Retrieve returns hits in order of score. An error means that nothing was searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// Upstreams finds the model server that an assistant names.
type Upstreams interface {
	// Named finds a tenant's upstream by id or name; "" is the default one.
	// ErrNotFound, ErrUnavailable; *upstream.Error when it is unusable as stored.
	Named(ctx context.Context, tenant assistants.TenantID, ref string) (client upstream.Client, defaultModel string, err error)
}

// Audit is the part of the audit log that chats need.
type Audit interface {
	// Record notes what has ended, without waiting for the database.
	Record(e assistants.AuditEvent)
}

// Limits is the part of the limits that chats need.
type Limits interface {
	// Admit admits a request, which must be released; see [access.Limits.Admit].
	Admit(ctx context.Context, p access.Principal, a *assistants.Assistant, ask access.Ask) (*access.Pass, error)
}

// History is the part of the history that chats need.
type History interface {
	// Record keeps an answer that has ended, without waiting for the database.
	Record(a assistants.Answer)
}

// Deps are the parts that a handler works with. All are required but Embedder,
// Audit, History and Limits.
type Deps struct {
	Directory Directory
	Retriever Retriever
	Upstreams Upstreams
	Front     *front.Front
	Links     *links.Links
	Embedder  grounding.Embedder // compares by meaning; nil: nothing does
	Log       *slog.Logger
	Metrics   *Metrics
	Audit     Audit           // nil: nothing is kept
	History   History         // nil: nothing is kept
	Limits    Limits          // nil: there are none
	Stop      context.Context // when it ends, so do all calls, with its cause as the error
}

// A Handler answers chat requests. It is safe for concurrent use.
type Handler struct {
	cfg      Config
	deps     Deps
	refusing upstream.Client // answers what no passage fits, where no model may
}

// New returns a handler.
func New(cfg Config, deps Deps) *Handler {
	cfg.Timings = cfg.Timings.withDefaults()
	return &Handler{cfg, deps, extractive.NewFixed(citations.NoInformation)}
}

// Complete answers one chat request of the caller. Once the server has admitted
// the request, it fills in a new entry for the access log.
func (h *Handler) Complete(c *gin.Context, caller access.Principal, newEntry func() *Entry) (err error) {
	if err := h.deps.Front.Admit(c); err != nil {
		return err
	}
	defer h.deps.Front.Leave()
	start, entry := time.Now(), newEntry()
	event := h.newEvent(c, caller, start)
	defer func() { h.audit(c, event, err) }()

	in, err := h.receive(c, caller)
	defer in.body.Release()
	entry.received(in)
	event.received(in)
	if err != nil {
		return err
	}
	pass, err := h.admit(c, in)
	if err != nil {
		return err
	}
	var answered *relay // nil: the model was not asked
	defer func() { pass.Release(answered.tokens(pass.Estimate()+in.added/bytesPerToken) + in.helped.tokens()) }()
	found, err := h.retrieve(c, in)
	defer found.comparison.End()
	entry.retrieved(found)
	event.retrieved(in, found)
	if err != nil {
		return err
	}
	found.forgetHits(in.settings.ExposeRetrievedChunks)
	h.compact(c, in, found)
	plain := h.fillPrompt(in, found)
	r := &relay{h: h, c: c, pass: pass, finisher: newFinisher(in, found, plain), memory: h.deps.Front.NewShare(), keeper: h.newKeeper(c, in, event)}
	answered = r
	defer r.memory.Release()
	defer r.free()
	defer func() { // after a panic as well
		entry.answered(r)
		event.answered(r)
		r.record(start)
		r.keep(start)
	}()
	err = r.run()
	event.returned = true
	return err
}

// Bounded derives the context of an upstream call: it ends with the client's
// request and with the server.
func (h *Handler) Bounded(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	unhook := context.AfterFunc(h.deps.Stop, func() { cancel(context.Cause(h.deps.Stop)) })
	return ctx, func(cause error) { unhook(); cancel(cause) }
}

// Visible finds an assistant that the caller may chat with; ErrNotFound otherwise.
func Visible(ctx context.Context, d Directory, p access.Principal, ref string) (*assistants.Assistant, error) {
	if !assistants.NamesAssistant(ref) { // such as most models of an upstream
		return nil, assistants.ErrNotFound
	}
	return d.KnownAssistant(ctx, p.Tenant, ref, Sight(p))
}

// Sight is what the caller may chat with: public assistants, too.
func Sight(p access.Principal) assistants.Sight {
	sight := p.Sight()
	sight.Public = true
	return sight
}

func requestIDOf(c *gin.Context) string { return c.Writer.Header().Get(apierr.RequestIDHeader) }
