// Package proxy is the OpenAI face of Footnote: it takes a chat request,
// retrieves passages for it, puts them into the prompt, relays the request to
// the upstream and adds citations to the answer.
//
// It obeys one rule: what the client sent and what the upstream answered are
// edited as bytes, never decoded and encoded again. It knows no database and
// no index; cmd/footnote hands them in behind the interfaces of this package.
package proxy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/control"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/links"
	"footnote/proxy/upstream"
)

// Config holds what the server needs to know about itself.
type Config struct {
	MaxBodyBytes     int64    // of one chat request
	MaxInFlightBytes int64    // of all chat requests together
	Passthrough      bool     // models that are no assistant go to the default upstream
	TrustedProxies   []string // addresses or networks whose X-Forwarded-* counts
	CORSOrigins      []string
	PromptSecret     []byte // keys the nonces that fence retrieved text
	Timings          Timings
	Descriptors      int64 // that the process may have; 0: what the system says
}

// Timings bound how long the relay waits. Zero values become the defaults
// named beside them.
type Timings struct {
	KeepAlive   time.Duration // 15 s without data to the client: a comment is sent
	FirstFrame  time.Duration // 15 s: the status is held back until the first frame, at most this long
	FirstToken  time.Duration // 120 s until the upstream's first frame
	Idle        time.Duration // 120 s between two reads from the upstream
	StreamTotal time.Duration // 30 min for a whole stream
	Write       time.Duration // 30 s without progress to the client
	Body        time.Duration // 60 s for the client to send a request
	Pace        time.Duration // 10 s for each 10 KiB of it
}

func (t Timings) withDefaults() Timings {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.KeepAlive, 15*time.Second)
	set(&t.FirstFrame, 15*time.Second)
	set(&t.FirstToken, 120*time.Second)
	set(&t.Idle, 120*time.Second)
	set(&t.StreamTotal, 30*time.Minute)
	return t
}

// Directory finds assistants.
type Directory interface {
	// KnownAssistant finds an assistant in sight by id or slug; ErrNotFound,
	// ErrUnavailable. Only one in sight may come from memory; otherwise the
	// database is asked, whether it has such an assistant or not, so that what
	// the caller may not have takes as long as what is not there.
	KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (assistants.Assistant, error)
	// Assistants lists a tenant's assistants.
	Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error)
}

// Retriever finds the passages for a question.
type Retriever interface {
	// Retrieve returns hits in order of score; its errors mean that nothing was searched.
	Retrieve(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// Upstreams finds the model server an assistant names.
type Upstreams interface {
	// Named finds a tenant's upstream by id or name; "" is the default one.
	// ErrNotFound, ErrUnavailable; *upstream.Error when it is of no use as stored.
	Named(ctx context.Context, tenant assistants.TenantID, ref string) (client upstream.Client, defaultModel string, err error)
}

// Deps are the parts a server works with. All are required but Embedder and Control.
type Deps struct {
	Directory Directory
	Retriever Retriever
	Upstreams Upstreams
	Auth      *access.Authenticator
	Anonymous *access.Limiter // bounds public access per client address
	Log       *slog.Logger
	Metrics   *Metrics
	Ready     func(context.Context) error // nil error: the server can do its work
	Links     *links.Links                // what sources lead to
	// Embeddings answers /v1/embeddings; without anybody in it that is 503.
	Embeddings Embeddings
	Embedder   grounding.Embedder // compares by meaning; nil: nothing does
	Control    *control.Deps      // the control API; nil: none
}

// A Server answers HTTP requests. Its zero value is not usable; see [New].
type Server struct {
	cfg      Config
	deps     Deps
	engine   *gin.Engine
	front    *front.Front
	draining atomic.Bool
	// stop ends the requests that outlive the drain; see Stop.
	stop     context.Context
	stopWith context.CancelCauseFunc
}

// errShuttingDown ends streams that outlive the drain.
var errShuttingDown = errors.New("server is shutting down")

// New builds a server. It fails when a trusted proxy is neither an address nor a network.
func New(cfg Config, deps Deps) (*Server, error) {
	cfg.Timings = cfg.Timings.withDefaults()
	s := &Server{cfg: cfg, deps: deps}
	s.front = front.New(front.Config{
		Timings:      front.Timings{Write: cfg.Timings.Write, Body: cfg.Timings.Body, Pace: cfg.Timings.Pace},
		MaxBodyBytes: cfg.MaxBodyBytes, MaxInFlightBytes: cfg.MaxInFlightBytes, Descriptors: cfg.Descriptors,
	}, deps.Log)
	s.front.Observe(deps.Metrics.registry)
	s.stop, s.stopWith = context.WithCancelCause(context.Background())
	gin.SetMode(gin.ReleaseMode)
	s.engine = gin.New()
	// A redirect would drop a POST's body, so wrong paths are 404 (C-032).
	s.engine.RedirectTrailingSlash = false
	s.engine.RedirectFixedPath = false
	s.engine.HandleMethodNotAllowed = true
	// A path that is written in another way than ours is another path, as it is
	// for whoever stands in front and lets some paths through.
	s.engine.UseRawPath = true
	s.engine.UnescapePathValues = false // gin would take a plus for a space
	if err := s.engine.SetTrustedProxies(cfg.TrustedProxies); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	r := s.engine
	r.Use(s.requestID, s.accessLog, s.recover, s.front.BoundBody, s.cors())
	r.NoRoute(apierr.NoRoute)
	r.NoMethod(apierr.NoMethod)

	// Monitors ask with HEAD, too; net/http leaves the body out.
	asked := []string{http.MethodGet, http.MethodHead}
	r.Match(asked, "/healthz", s.handleHealth)
	r.Match(asked, "/readyz", s.handleReady)
	r.Match(asked, "/metrics", gin.WrapH(s.deps.Metrics.Handler()))

	v1 := r.Group("/v1", s.authenticate)
	v1.POST("/chat/completions", apierr.Handle(s.handleChatCompletions))
	v1.POST("/embeddings", apierr.Handle(s.handleEmbeddings))
	v1.GET("/models", apierr.Handle(s.handleModels))
	v1.GET("/models/*id", apierr.Handle(s.handleModel))
	bound := r.Group("/assistants/:assistant/v1", named, s.authenticate)
	bound.POST("/chat/completions", apierr.Handle(s.handleChatCompletions))
	bound.GET("/models", apierr.Handle(s.handleModels))
	bound.GET("/models/*id", apierr.Handle(s.handleModel))

	if s.deps.Control != nil {
		control.Register(r, *s.deps.Control)
	}
}

// named refuses a path that leaves the assistant's name empty.
func named(c *gin.Context) {
	if c.Param("assistant") == "" {
		apierr.NoRoute(c)
	}
}

// NewHTTPServer returns the HTTP server that serves s.
func NewHTTPServer(s *Server) *front.HTTPServer { return s.front.HTTPServer(s.Handler()) }

// Handler returns the server's HTTP handler.
func (s *Server) Handler() http.Handler { return s.engine }

// Routes lists the server's routes; tests walk it to prove that all need a key.
func (s *Server) Routes() gin.RoutesInfo { return s.engine.Routes() }

// Drain makes /readyz answer 503, so that balancers look elsewhere; requests
// go on being served.
func (s *Server) Drain() { s.draining.Store(true) }

// Stop ends what is still running: streams get an error frame with code
// server_shutting_down.
func (s *Server) Stop() { s.stopWith(errShuttingDown) }
