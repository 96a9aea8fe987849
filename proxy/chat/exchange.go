package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/grounding"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// An exchange is one chat request on its way to the upstream and back. It
// carries what the steps need, so that they take no long parameter lists.
type exchange struct {
	start     time.Time
	principal access.Principal
	req       *wire.Request
	body      front.Body

	// assistant is nil when the request passes through to the default upstream.
	assistant *assistants.Assistant
	settings  assistants.Settings
	dialect   dialect              // in which its citations are told
	wants     wire.CitationOptions // of the request
	client    upstream.Client
	model     string // the model asked at the upstream

	filter   assistants.Filter // of the request
	question string
	found    retrieval.Result
	// unsearched is why the documents could not be searched; nil: they were, or nobody wanted it.
	unsearched error
	sources    *citations.Set     // nil until passages were found
	complete   func() bool        // completes the sources as the answer goes out, once; whether one has a link
	tracker    *citations.Tracker // nil when the answer is not scanned
	verdict    func() *citations.Citations
	comparison *grounding.Comparison // nil: nothing is compared by meaning
	cited      *citations.Citations  // what was attached; nil until then
	status     string                // of the citations, for headers and logs
	answer     *upstream.Response    // nil until the upstream answered
	upstream   int                   // the status it answered with

	left      bool      // the client went before its stream was complete
	firstByte time.Time // when the answer began to go out; zero: it did not

	buffers *buffers
}

// buffers are what an answer is put together in. They serve one exchange after
// another, and nothing that outlives an exchange may point into them.
type buffers struct {
	answer []byte // of the upstream
	object []byte // the citations
	found  []byte // how their sources were found
	out    []byte // what the client gets
}

var idleBuffers = sync.Pool{New: func() any { return new(buffers) }}

// maxIdleBuffer bounds the buffers that are kept.
const maxIdleBuffer = 64 << 10

// free gives the buffers back.
func (b *buffers) free() {
	if max(cap(b.answer), cap(b.object), cap(b.found), cap(b.out)) <= maxIdleBuffer {
		idleBuffers.Put(b)
	}
}

func (ex *exchange) ragOn() bool   { return ex.assistant != nil && ex.settings.EnableRAG }
func (ex *exchange) citesOn() bool { return ex.ragOn() && ex.settings.EnableCitations }

// links completes the sources, now that the answer goes out, and reports
// whether they carry links, without which there are no annotations.
func (ex *exchange) links() bool { return ex.complete != nil && ex.complete() }

// answering notes that the answer begins to go out.
func (ex *exchange) answering() {
	if ex.firstByte.IsZero() {
		ex.firstByte = time.Now()
	}
}

// newExchange reads the request and finds out whom it is for.
func (h *Handler) newExchange(c *gin.Context, caller access.Principal) (*exchange, error) {
	ex := &exchange{start: time.Now(), principal: caller, buffers: idleBuffers.Get().(*buffers)}
	ref := c.Param("assistant")
	if ref == "" {
		ref = c.GetHeader("X-Footnote-Assistant")
	}
	named := ref != ""
	if named { // whoever may not have it need not send the request
		if err := h.chooseAssistant(c, ex, ref, named); err != nil {
			return ex, err
		}
	}
	if err := h.readRequest(c, ex); err != nil {
		return ex, err
	}
	if !named {
		if err := h.chooseAssistant(c, ex, ex.req.Model(), named); err != nil {
			return ex, err
		}
	}
	if err := errors.Join(checkRetrieval(c), chooseFormat(c, ex)); err != nil {
		return ex, err
	}
	ex.dialect = dialects[ex.settings.CitationFormat]
	return ex, h.chooseModel(c.Request.Context(), ex)
}

// readRequest reads and checks the request.
func (h *Handler) readRequest(c *gin.Context, ex *exchange) error {
	var err error
	if ex.body, err = h.deps.Front.ReadJSON(c); err != nil {
		return err
	}
	ex.req, err = wire.ReadRequest(ex.body.Bytes)
	if err != nil {
		return err
	}
	ext := ex.req.Extensions()
	if ext.MetadataFilter {
		if ex.filter, err = assistants.ParseFilter(ex.req.Raw(assistants.FilterField)); err != nil {
			return err
		}
	}
	ex.wants = ext.Citations
	return nil
}

// sent gives back what the request held once the upstream has begun to answer:
// a stream may go on for half an hour.
func (h *Handler) sent(ex *exchange) {
	ex.req.Forget()
	ex.body.Release()
}

// release gives back what the exchange holds of the server's memory.
func (h *Handler) release(ex *exchange) {
	ex.comparison.End()
	ex.buffers.free()
	ex.body.Release()
}

// chooseAssistant finds the assistant the request is for (CONTRACT 2): named
// by the path, else a header, else the model, else the key's default. It
// refuses what the caller may not see with the answer for what does not exist.
func (h *Handler) chooseAssistant(c *gin.Context, ex *exchange, ref string, named bool) error {
	a, err := Visible(c.Request.Context(), h.deps.Directory, ex.principal, ref)
	switch {
	case err == nil:
	case !errors.Is(err, assistants.ErrNotFound):
		return err
	case !named && ex.principal.Key.DefaultAssistant != "":
		a, err = Visible(c.Request.Context(), h.deps.Directory, ex.principal, string(ex.principal.Key.DefaultAssistant))
		if err != nil && !errors.Is(err, assistants.ErrNotFound) {
			return err
		}
	}
	public := err == nil && a.Settings.PublicAccess
	if ex.principal.Anonymous && !public {
		return assistants.ErrUnauthorized
	}
	if !public {
		if err := ex.principal.Require(assistants.ScopeChat); err != nil {
			return err
		}
	}
	if err == nil {
		ex.assistant, ex.settings = &a, a.Settings
		c.Header("X-Footnote-Assistant", a.Slug)
		return nil
	}
	if h.cfg.Passthrough && !named && ex.principal.Key.Assistants == nil {
		return nil
	}
	return apierr.ModelNotFound(ref)
}

// retrievalHeader switches retrieval off for one request.
const retrievalHeader = "X-Footnote-Retrieval"

// checkRetrieval refuses a header that means neither: whoever mistyped "off"
// must not learn from the answer that passages went out.
func checkRetrieval(c *gin.Context) error {
	switch value := c.GetHeader(retrievalHeader); strings.ToLower(value) {
	case "", "on", "off":
		return nil
	default:
		return &assistants.FieldError{Field: retrievalHeader, Message: retrievalHeader + " must be off, or on."}
	}
}

// formatHeader chooses the citation format of one request.
const formatHeader = "X-Footnote-Citation-Format"

// chooseFormat lets the request's header override the setting, by its rules.
func chooseFormat(c *gin.Context, ex *exchange) error {
	value := c.GetHeader(formatHeader)
	if value == "" || ex.assistant == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]string{"citation_format": value})
	if err != nil {
		return err
	}
	merged, err := ex.settings.Merge(patch)
	if field, ok := errors.AsType[*assistants.FieldError](err); ok {
		message := strings.Replace(field.Message, "citation_format", formatHeader, 1)
		return &assistants.FieldError{Field: formatHeader, Message: message, Kind: field.Kind}
	}
	ex.settings.CitationFormat = merged.CitationFormat
	return err
}

// chooseModel finds the upstream and the model to ask there.
func (h *Handler) chooseModel(ctx context.Context, ex *exchange) error {
	name, tenant := "", ex.principal.Tenant
	if ex.assistant != nil {
		tenant = ex.assistant.TenantID
	}
	if ex.settings.Upstream != nil {
		name = *ex.settings.Upstream
	}
	client, fallback, err := h.deps.Upstreams.Named(ctx, tenant, name)
	if errors.Is(err, assistants.ErrNotFound) {
		return apierr.UpstreamMissing(name)
	}
	if err != nil {
		return err
	}
	ex.client = client
	asked := ex.req.Model()
	if ex.assistant != nil {
		if ex.settings.Model != nil {
			fallback = *ex.settings.Model
		}
		if asked == ex.assistant.Slug || asked == string(ex.assistant.ID) || !ex.settings.AllowModelOverride {
			asked = ""
		}
	}
	if asked == "" {
		asked = fallback
	}
	if asked == "" {
		return apierr.UpstreamModelMissing()
	}
	ex.model = asked
	return nil
}

// prepare edits the request for the upstream: everything CONTRACT 2 lists
// under fidelity, and nothing else.
func (h *Handler) prepare(ex *exchange) {
	ex.req.StripExtensions()
	if ex.req.Model() != ex.model {
		ex.req.SetModel(ex.model)
	}
	if ex.assistant == nil {
		return
	}
	set := ex.settings
	setDefault := func(field string, v any) {
		raw, err := json.Marshal(v)
		if err == nil { // numbers always marshal
			ex.req.SetDefault(field, raw)
		}
	}
	if set.Temperature != nil {
		setDefault("temperature", *set.Temperature)
	}
	if set.TopP != nil {
		setDefault("top_p", *set.TopP)
	}
	if set.MaxTokens != nil && !ex.req.Has("max_completion_tokens") {
		setDefault("max_tokens", *set.MaxTokens)
	}
	if set.SystemPrompt != "" {
		ex.req.SetSystemPrompt(set.SystemPrompt)
	}
	if ex.citesOn() && set.HistoryMarkers == assistants.HistoryStrip {
		ex.req.EditAssistantText(citations.StripAnswer)
	}
	h.addSources(ex)
}

// call is what the upstream gets to see.
func (ex *exchange) call(c *gin.Context) upstream.Call {
	return upstream.Call{
		Body: ex.req.Body(), Stream: ex.req.Stream(), Model: ex.model, Header: PassedHeaders(c),
		Question: ex.asked(), Passages: ex.passages, Unsearched: ex.unsearched,
	}
}

// PassedHeaders are the client's headers that an upstream gets to see.
func PassedHeaders(c *gin.Context) http.Header {
	h := http.Header{}
	for _, name := range []string{"OpenAI-Beta", "Traceparent"} {
		if v := c.Request.Header.Values(name); v != nil {
			h[http.CanonicalHeaderKey(name)] = v
		}
	}
	return h
}

// asked is the user's last question, completed by what it leans on where it was
// searched for.
func (ex *exchange) asked() string {
	if ex.found.Question != "" {
		return ex.found.Question
	}
	return ex.question
}

// entry describes the exchange for the access log.
func (ex *exchange) entry() Entry {
	e := Entry{Model: ex.model, UpstreamStatus: ex.upstream, Key: ex.principal.Key.ID, Left: ex.left}
	if ex.assistant != nil {
		e.Assistant = ex.assistant.ID
	}
	if ex.ragOn() {
		e.Retrieval, e.Citations, e.Hits, e.Generation = true, ex.status, len(ex.found.Hits), ex.found.Trace.Generation
	}
	return e
}
