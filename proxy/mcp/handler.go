package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// Headers of the protocol.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// maxMessage bounds a message, in bytes. Questions are text; files are uploaded elsewhere.
const maxMessage = 1 << 20

// Directory finds assistants.
type Directory interface {
	// KnownAssistant finds an assistant in sight by id or slug; ErrNotFound, ErrUnavailable.
	// Callers share it and must not change it.
	KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error)
	// Assistants lists a tenant's assistants, a page at a time. ErrUnavailable.
	Assistants(ctx context.Context, tenant assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error)
}

// Documents lists documents.
type Documents interface {
	// Documents lists a collection's documents, a page at a time. ErrUnavailable; a
	// FieldError on "cursor" for a cursor of another list.
	Documents(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, list assistants.List) ([]assistants.Document, string, error)
}

// Deps are the parts that a handler works with. All are required.
type Deps struct {
	Directory Directory
	Documents Documents
	// API answers a request to the server's API from within the process, in the name
	// of the caller.
	API func(w http.ResponseWriter, r *http.Request, caller access.Principal)
	// Bounded derives the context of a call, which ends with the server, too. Its cause
	// is the error.
	Bounded func(parent context.Context) (context.Context, context.CancelCauseFunc)
	Log     *slog.Logger
	Version string // of the program
}

// A Handler answers messages of the Model Context Protocol. It is safe for
// concurrent use.
type Handler struct {
	deps    Deps
	http    http.Handler
	servers map[string]*sdk.Server // by what a key may do; see abilities
	calls   calls
}

// New returns a handler.
func New(deps Deps) *Handler {
	h := &Handler{deps: deps, servers: map[string]*sdk.Server{}}
	for _, search := range []bool{false, true} {
		for _, ask := range []bool{false, true} {
			scopes := map[assistants.Scope]bool{assistants.ScopeSearch: search, assistants.ScopeChat: ask}
			may := func(s assistants.Scope) bool { return scopes[s] }
			h.servers[abilities(may)] = h.newServer(may)
		}
	}
	h.http = sdk.NewStreamableHTTPHandler(
		func(r *http.Request) *sdk.Server { return h.servers[abilities(callOf(r.Context()).may)] },
		&sdk.StreamableHTTPOptions{
			Stateless: true,
			// Every request needs a key, which a page in a browser does not have, and
			// proxies on this machine pass on the name that the client asked for.
			DisableLocalhostProtection: true,
			MaxRequestBodyBytes:        2 * maxMessage, // of a message that has been written anew
		})
	return h
}

// abilities names what a key may do, which decides the tools that it sees.
func abilities(may func(assistants.Scope) bool) string {
	return fmt.Sprint(may(assistants.ScopeSearch), may(assistants.ScopeChat))
}

const instructions = "Footnote answers from documents, with citations. search returns passages of the documents; " +
	"ask returns a whole answer whose [n] stand for the sources that follow it. " +
	"Quote the line (Source: …) of a passage when you use it. " +
	"The resources are the texts of the documents and of their pages."

// perKey says of an answer that it is for one key only.
var perKey = sdk.Cacheable{CacheScope: "private"}

// newServer returns the server for keys that may do this much.
func (h *Handler) newServer(may func(assistants.Scope) bool) *sdk.Server {
	s := sdk.NewServer(
		&sdk.Implementation{Name: "footnote", Title: "Footnote", Version: h.deps.Version},
		&sdk.ServerOptions{
			Instructions: instructions,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { *c = perKey },
		})
	for _, t := range h.tools() {
		if may(t.scope) {
			t.add(s)
		}
	}
	for _, t := range templates {
		s.AddResourceTemplate(t, func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return h.readResource(ctx, callOf(ctx), req.Params)
		})
	}
	s.AddReceivingMiddleware(h.receive)
	return s
}

// A call is one request to the handler, for what works on its message.
type call struct {
	ctx     context.Context // ends with the client, with the server, and when the client cancels the call
	request *http.Request
	caller  access.Principal
}

func (c *call) may(scope assistants.Scope) bool { return c.caller.Require(scope) == nil }

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// Serve answers a request whose body has been read, in the name of a caller who has a
// key. An error is not written to the client yet.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, body []byte, caller access.Principal) error {
	if err := caller.RequireAny(assistants.ScopeSearch, assistants.ScopeChat); err != nil {
		return err
	}
	if len(body) > maxMessage {
		return apierr.TooLarge(maxMessage)
	}
	if err := checkHeaders(r); err != nil {
		return err
	}
	m, err := readMessage(body)
	if err != nil {
		return err
	}
	if !m.known() {
		return writeUnknown(w, r, m)
	}
	bounded, release := h.deps.Bounded(r.Context())
	defer release(nil)
	ctx, end := h.calls.begin(bounded, r, caller, m)
	defer end()
	if m.Method == methodInitialize {
		w.Header().Set(sessionHeader, rand.Text())
	}
	// The SDK gets the client's context: it writes no answer after the end of its own.
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, &call{ctx, r, caller}))
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	r.Header = r.Header.Clone()
	r.Header.Set("Content-Type", "application/json") // its parameters have been checked, and so has what is accepted
	r.Header.Set("Accept", "*/*")
	w.Header().Set("X-Accel-Buffering", "no")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	out := &answer{ResponseWriter: w, connection: w.Header().Values("Connection")}
	h.http.ServeHTTP(out, r)
	return out.fault()
}

// checkHeaders checks the headers that the protocol asks for.
func checkHeaders(r *http.Request) error {
	accepted := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	if accepted != "" && !strings.Contains(accepted, "*/*") && !(strings.Contains(accepted, "application/json") && strings.Contains(accepted, "text/event-stream")) {
		return apierr.Invalid("Accept", "The header Accept must name application/json and text/event-stream.")
	}
	versions := sdk.SupportedProtocolVersions()
	if v := r.Header.Get(versionHeader); v != "" && !slices.Contains(versions, v) {
		return apierr.Invalid("MCP-Protocol-Version", "MCP-Protocol-Version must be one of "+strings.Join(versions, ", ")+".")
	}
	return nil
}

// receive wraps the work on every message: it ends with the call,
// its panics stay in it, and what depends on the key is answered here.
func (h *Handler) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		c := callOf(ctx)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
		defer func() { // the SDK calls this in a goroutine of its own
			if p := recover(); p != nil {
				h.deps.Log.Error("panic", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				result, err = nil, internalError()
			}
		}()
		switch params := req.GetParams().(type) {
		case *sdk.ListResourcesParams:
			return h.listResources(ctx, c, params)
		case *sdk.ReadResourceParams:
			// The SDK's own error would repeat the URI in a form that is not always JSON.
			if _, ok := pathOf(params.URI); !ok {
				return nil, h.resourceError(ctx, params.URI, assistants.ErrNotFound)
			}
		}
		return next(ctx, method, req)
	}
}

func internalError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: apierr.Internal().Message}
}

// An answer passes an answer of the SDK on, except its errors in plain text and what it
// says about the connection.
type answer struct {
	http.ResponseWriter
	connection []string // what this server says: close, if it is about to stop
	begun      bool
	failed     int // the status of an error in plain text
	text       bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	a.begun = true
	if a.Header().Del("Connection"); len(a.connection) > 0 {
		a.Header()["Connection"] = a.connection
	}
	if status >= 400 && !strings.HasPrefix(a.Header().Get("Content-Type"), "application/json") {
		a.failed = status
		return
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	if a.failed != 0 {
		return a.text.Write(p)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// fault returns the error that was held back. Its text is for the log: it may name
// types of this program.
func (a *answer) fault() error {
	switch {
	case a.failed == 0:
		return nil
	case a.failed < 500:
		e := apierr.Invalid("params", "The message does not have the form that its method has in the Model Context Protocol.")
		e.Cause = fmt.Errorf("%d: %s", a.failed, a.text.String())
		return e
	}
	e := apierr.Internal()
	e.Cause = fmt.Errorf("%d: %s", a.failed, a.text.String())
	return e
}
