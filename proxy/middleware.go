package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-contrib/cors"
	"github.com/gin-gonic/gin"
	"github.com/oklog/ulid/v2"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/chat"
	"footnote/proxy/tracing"
)

// What the middleware keeps in a request's context.
const (
	principalKey = "footnote.principal"
	entryKey     = "footnote.entry"
)

// requestID gives every request a new id. The client's is ignored, because ids
// must be unique in the log. A server that drains also closes the connection, so
// that the client's next request may reach another server.
func (s *Server) requestID(c *gin.Context) {
	if s.draining.Load() {
		c.Header("Connection", "close")
	}
	c.Header("X-Request-Id", "req_"+strings.ToLower(ulid.Make().String()))
}

// trace makes a span of the request, if requests are traced. What monitors ask is not.
func (s *Server) trace(c *gin.Context) {
	route := routeOf(c)
	if s.deps.Tracer == nil || isMonitored(route) {
		return
	}
	method := methodLabel(c.Request.Method)
	ctx, span := s.deps.Tracer.StartRequest(c.Request.Context(), c.Request.Header, method+" "+route)
	span.Text("http.request.method", method)
	span.Text("http.route", route)
	span.Text("footnote.request_id", requestIDOf(c))
	c.Request = c.Request.WithContext(ctx)
	defer func() { // after a panic as well
		status := statusOf(c)
		span.Int("http.response.status_code", status)
		if status >= http.StatusInternalServerError {
			span.Fail(strconv.Itoa(status))
		}
		span.End()
	}()
	c.Next()
}

// routeOf is the pattern of the request's path.
func routeOf(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	if c.GetBool(dashboardKey) {
		return "dashboard"
	}
	return "unmatched"
}

// isMonitored reports whether monitors ask a route, again and again.
func isMonitored(route string) bool {
	return route == "/healthz" || route == "/readyz" || route == "/metrics"
}

// statusOf is the status that the request ended with.
func statusOf(c *gin.Context) int {
	entry, _ := c.Value(entryKey).(*chat.Entry)
	if c.Request.Context().Err() != nil && !c.Writer.Written() || entry != nil && entry.Left {
		return apierr.StatusClientClosed // the client left before it was answered in full
	}
	return c.Writer.Status()
}

// recover turns a panic into 500 internal_error; the stack goes to the log only.
// http.ErrAbortHandler passes: it cuts the connection.
func (s *Server) recover(c *gin.Context) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if err, ok := r.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(r)
		}
		s.deps.Log.Error("panic", "request_id", requestIDOf(c), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		if c.Writer.Written() {
			// Half of the answer is sent: after a clean end it would look complete.
			panic(http.ErrAbortHandler)
		}
		apierr.Write(c, apierr.Internal())
		c.Abort()
	}()
	c.Next()
}

// accessLog writes one line per request and counts it.
func (s *Server) accessLog(c *gin.Context) {
	start := time.Now()
	defer func() {
		route, status := routeOf(c), statusOf(c)
		entry, _ := c.Value(entryKey).(*chat.Entry)
		d := time.Since(start)
		s.deps.Metrics.request(c.Request.Method, route, status, d)
		level := slog.LevelInfo
		if isMonitored(route) {
			level = slog.LevelDebug
		}
		attrs := []slog.Attr{
			slog.String("request_id", requestIDOf(c)), slog.String("method", c.Request.Method),
			slog.String("route", route), slog.Int("status", status),
			slog.Int("bytes", max(c.Writer.Size(), 0)), slog.Float64("duration_ms", float64(d.Microseconds())/1000),
		}
		if id := tracing.TraceID(c.Request.Context()); id != "" {
			attrs = append(attrs, slog.String("trace_id", id))
		}
		if entry != nil {
			attrs = append(attrs, entry.Attrs()...)
		}
		s.deps.Log.LogAttrs(c.Request.Context(), level, "request", attrs...)
	}()
	c.Next()
}

// cors lets the configured browser origins call the API with keys, never with
// cookies; without any configured it does nothing.
func (s *Server) cors() gin.HandlerFunc {
	if len(s.cfg.CORSOrigins) == 0 {
		return func(*gin.Context) {}
	}
	allow := cors.New(cors.Config{
		AllowOrigins:     s.cfg.CORSOrigins,
		AllowMethods:     []string{"GET", "POST", "PUT", "PATCH", "DELETE"},
		AllowHeaders:     []string{"*", "Authorization"}, // "*" does not cover it
		ExposeHeaders:    []string{"X-Request-Id", "X-Footnote-Assistant", "X-Footnote-Citations", "X-Footnote-Answer", "X-Footnote-Upstream", "X-Thread-Id", "Retry-After", "Content-Disposition", "Idempotent-Replayed", "ETag", "Mcp-Session-Id"},
		AllowCredentials: false,
		MaxAge:           time.Hour,
	})
	return func(c *gin.Context) {
		origin := c.GetHeader("Origin")
		if origin != "" && !slices.Contains(s.cfg.CORSOrigins, origin) {
			apierr.Write(c, originNotAllowed())
			return
		}
		allow(c)
	}
}

// authenticate resolves the key to a principal. A request without one of our
// keys passes as anonymous: each assistant decides what it may see.
func (s *Server) authenticate(c *gin.Context) {
	p, err := s.deps.Auth.Authenticate(c.Request.Context(), c.Request)
	if err != nil {
		apierr.Write(c, err)
		c.Abort()
		return
	}
	if p.Anonymous {
		if wait, ok := s.deps.Anonymous.Allow(access.AddressName(c.ClientIP())); !ok {
			apierr.Write(c, apierr.RateLimited(wait))
			c.Abort()
			return
		}
	}
	c.Set(principalKey, p)
}

// requireKey finds the sender of a request that needs a key, whichever assistant it is
// for. Without one the answer is 401, however many such requests there are.
func (s *Server) requireKey(c *gin.Context) {
	p, err := s.deps.Auth.Authenticate(c.Request.Context(), c.Request)
	if err == nil && p.Anonymous {
		err = assistants.ErrUnauthorized
	}
	if err != nil {
		apierr.Write(c, err)
		c.Abort()
		return
	}
	c.Set(principalKey, p)
}

func principalOf(c *gin.Context) access.Principal {
	p, _ := c.MustGet(principalKey).(access.Principal)
	return p
}

func requestIDOf(c *gin.Context) string { return c.Writer.Header().Get("X-Request-Id") }

// entryOf returns what the access log will say of a request to a model.
func entryOf(c *gin.Context) *chat.Entry {
	entry, ok := c.Value(entryKey).(*chat.Entry)
	if !ok {
		entry = &chat.Entry{}
		c.Set(entryKey, entry)
	}
	return entry
}
