// Package proxy is the OpenAI face of Footnote: the routes, their middleware,
// health, metrics, models and embeddings. Chat requests are answered by
// proxy/chat, searches by proxy/search, the control API by proxy/control.
//
// It obeys one rule: a handler returns its error, and one place turns errors into
// HTTP. It imports no database and no index; cmd/footnote passes them in behind
// interfaces.
package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/chat"
	"footnote/proxy/check"
	"footnote/proxy/control"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/links"
	"footnote/proxy/mcp"
	"footnote/proxy/openapi"
	"footnote/proxy/search"
	"footnote/proxy/tracing"
	"footnote/proxy/vectorstores"
)

// Config holds what the server needs to know about itself.
type Config struct {
	Version          string   // of the program
	MaxBodyBytes     int64    // of one chat request
	MaxInFlightBytes int64    // of all chat requests together
	MaxAnswerMemory  int64    // of all answers that are read as a whole; 0: 512 MiB
	Passthrough      bool     // models that are not assistants go to the default upstream
	TrustedProxies   []string // addresses or networks whose X-Forwarded-* counts
	CORSOrigins      []string
	PromptSecret     []byte         // keys the nonces that fence retrieved text
	Timings          chat.Timings   // of the relay
	Clients          front.Timings  // of the clients
	Searches         search.Timings // of the streams of searches
	Descriptors      int64          // that the process may have; 0: what the system says
}

// Directory finds assistants.
type Directory interface {
	chat.Directory
	// Assistants lists a tenant's assistants, a page at a time.
	Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error)
}

// Deps are the parts that a server works with. All are required except Embeddings,
// Embedder, Control, Files, Audit, History, Limits, Tracer and Streams.
type Deps struct {
	Directory Directory
	Retriever chat.Retriever
	Upstreams chat.Upstreams
	Auth      *access.Authenticator
	Anonymous *access.Limiter // bounds public access per client address
	Log       *slog.Logger
	Metrics   *Metrics
	Ready     func(context.Context) error // nil error: the server can do its work
	Links     *links.Links                // what sources lead to
	// Embeddings answer /v1/embeddings; the zero value answers 503.
	Embeddings Embeddings
	Embedder   grounding.Embedder // compares by meaning; nil: nothing does
	Control    *control.Deps      // the control API; nil: none
	Passages   search.Store       // what searches read; nil: there are no searches
	Files      vectorstores.Store // what files and vector stores are kept in; nil: there are none
	Audit      chat.Audit         // keeps who asked what; nil: nothing is kept
	History    chat.History       // keeps answers; nil: nothing is kept
	Limits     *access.Limits     // of keys and assistants; nil: there are none
	Tracer     *tracing.Tracer    // makes spans of requests; nil: none are made
	Streams    search.Shared      // where servers find each other's searches; nil: there is one server
}

// A Server answers HTTP requests. Its zero value is not usable; see [New].
type Server struct {
	cfg      Config
	deps     Deps
	engine   *gin.Engine
	front    *front.Front
	chat     *chat.Handler
	check    *check.Handler
	within   http.Handler    // for requests of this process to itself
	mcp      *mcp.Handler    // nil: there is no control API
	search   *search.Handler // nil: there are no searches
	draining atomic.Bool
	drained  context.Context // ends when the drain begins
	drain    context.CancelFunc
	// description of the API, which is made when it is first asked for.
	description func() (openapi.Description, error)
	// stop ends the requests that outlive the drain; see Stop.
	stop context.CancelCauseFunc
}

// New builds a server. It fails when a trusted proxy is neither an address nor a network.
func New(cfg Config, deps Deps) (*Server, error) {
	s := &Server{cfg: cfg, deps: deps}
	s.front = front.New(front.Config{
		Timings: cfg.Clients, MaxBodyBytes: cfg.MaxBodyBytes, MaxInFlightBytes: cfg.MaxInFlightBytes,
		MaxAnswerMemory: cfg.MaxAnswerMemory, Descriptors: cfg.Descriptors,
	}, deps.Log)
	s.front.Observe(deps.Metrics.registry)
	s.drained, s.drain = context.WithCancel(context.Background())
	var stopped context.Context
	stopped, s.stop = context.WithCancelCause(context.Background())
	chatMetrics := chat.NewMetrics(deps.Metrics.registry)
	s.chat = chat.New(chat.Config{Passthrough: cfg.Passthrough, PromptSecret: cfg.PromptSecret, Timings: cfg.Timings}, chat.Deps{
		Directory: deps.Directory, Retriever: deps.Retriever, Upstreams: deps.Upstreams, Front: s.front, Links: deps.Links,
		Embedder: deps.Embedder, Log: deps.Log, Metrics: chatMetrics, Stop: stopped, Audit: deps.Audit, History: deps.History,
		Limits: deps.Limits,
	})
	s.check = check.New(check.Deps{
		Directory: deps.Directory, Retriever: deps.Retriever, Front: s.front, Links: deps.Links, Embedder: deps.Embedder, Log: deps.Log, Audit: deps.Audit,
		Limits: deps.Limits,
	})
	if deps.Passages != nil {
		s.search = search.New(search.Config{PromptSecret: cfg.PromptSecret, Timings: cfg.Searches}, search.Deps{
			Directory: deps.Directory, Retriever: deps.Retriever, Store: deps.Passages, Upstreams: deps.Upstreams, Front: s.front,
			Embedder: deps.Embedder, Log: deps.Log, Metrics: search.NewMetrics(deps.Metrics.registry, chat.Seconds, chatMetrics.Upstream),
			Audit: deps.Audit, Stop: stopped, Drained: s.drained, Limits: deps.Limits, Shared: deps.Streams,
		})
	}
	deps.Metrics.Show(readiness(deps.Ready))
	if deps.Limits != nil {
		deps.Metrics.registry.MustRegister(limitMetrics{deps.Limits})
	}
	gin.SetMode(gin.ReleaseMode)
	s.engine = gin.New()
	s.description = sync.OnceValues(func() (openapi.Description, error) { return openapi.New(cfg.Version) })
	// A redirect would drop a POST's body, so wrong paths are 404.
	s.engine.RedirectTrailingSlash = false
	s.engine.RedirectFixedPath = false
	s.engine.HandleMethodNotAllowed = true
	// A path in another spelling is another path, as it is for a proxy in front
	// that lets only some paths through.
	s.engine.UseRawPath = true
	s.engine.UnescapePathValues = false // gin would take a plus for a space
	if err := s.engine.SetTrustedProxies(cfg.TrustedProxies); err != nil {
		return nil, err
	}
	var err error
	if s.within, err = s.newWithin(); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	r := s.engine
	r.Use(s.requestID, s.trace, s.accessLog, s.recover, s.front.BoundBody, s.cors())
	r.NoRoute(apierr.Handle(s.handleDashboard))
	r.NoMethod(apierr.NoMethod)

	// Monitors ask with HEAD, too; net/http leaves the body out.
	asked := []string{http.MethodGet, http.MethodHead}
	r.Match(asked, "/healthz", s.handleHealth)
	r.Match(asked, "/readyz", s.handleReady)
	r.Match(asked, "/metrics", gin.WrapH(s.deps.Metrics.Handler()))

	v1 := r.Group("/v1", s.authenticate)
	v1.POST("/chat/completions", apierr.Handle(s.handleChat))
	v1.POST("/embeddings", apierr.Handle(s.handleEmbeddings))
	v1.GET("/models", apierr.Handle(s.handleModels))
	v1.GET("/models/*id", apierr.Handle(s.handleModel))
	keyed := r.Group("/v1", s.requireKey)
	keyed.POST("/check", apierr.Handle(s.handleCheck))
	if s.search != nil {
		for path, answer := range map[string]func(*gin.Context, access.Principal) error{
			"/search": s.search.Search, "/search/quick": s.search.Quick, "/search/similar": s.search.Similar, "/search/explain": s.search.Explain,
		} {
			keyed.POST(path, apierr.Handle(func(c *gin.Context) error { return answer(c, principalOf(c)) }))
		}
		keyed.GET("/search/collections", apierr.Handle(func(c *gin.Context) error { return s.search.Collections(c, principalOf(c)) }))
	}
	if s.deps.Control != nil && s.deps.Files != nil && s.search != nil {
		s.newVectorStores().Register(r.Group("/v1"))
	}
	bound := r.Group("/assistants/:assistant/v1", named, s.authenticate)
	bound.POST("/chat/completions", apierr.Handle(s.handleChat))
	s.responsesRoutes(v1, keyed, bound)
	bound.GET("/models", apierr.Handle(s.handleModels))
	bound.GET("/models/*id", apierr.Handle(s.handleModel))

	r.GET("/v1.0/openapi.json", apierr.Handle(s.handleOpenAPI))
	r.GET("/v1.0/docs", apierr.Handle(s.handleDocs))
	if s.deps.Control != nil {
		control.Register(r, s.controlDeps())
		s.mcp = s.newMCP()
		r.POST("/mcp", apierr.Handle(s.handleMCP))
	}
}

func (s *Server) controlDeps() control.Deps {
	d := *s.deps.Control
	d.Ready, d.Draining, d.Limits = s.deps.Ready, s.drained.Done(), s.deps.Limits
	d.Chat = func(w http.ResponseWriter, r *http.Request, caller access.Principal) {
		caller.Within = true // an evaluation's questions are nobody's requests
		s.serveWithin(w, r, caller)
	}
	return d
}

// handleChat answers one chat request.
func (s *Server) handleChat(c *gin.Context) error {
	return s.chat.Complete(c, principalOf(c), func() *chat.Entry { return entryOf(c) })
}

// handleCheck answers one check of a text. It ends with the server.
func (s *Server) handleCheck(c *gin.Context) error {
	ctx, cancel := s.chat.Bounded(c.Request.Context())
	defer cancel(nil)
	c.Request = c.Request.WithContext(ctx)
	entryOf(c).Key = principalOf(c).Key.ID
	return s.check.Check(c, principalOf(c))
}

// named refuses paths with an empty assistant name.
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

// Drain makes /readyz answer 503, so that balancers choose another server.
// Requests are still served, but endless streams end.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.drain()
}

// Stop ends all running requests: streams get an error frame with code
// server_shutting_down.
func (s *Server) Stop() { s.stop(apierr.ShuttingDown()) }

// Close ends what goes on without a request, and waits for it. No request may come any more.
func (s *Server) Close() {
	s.Stop()
	if s.search != nil {
		s.search.Close()
	}
}
