package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// An inbound is a chat request after it was read: who sends it, what it asks
// for, and which assistant, upstream and model answer it.
type inbound struct {
	caller access.Principal
	body   front.Body
	req    *wire.Request

	assistant *assistants.Assistant // nil: the request passes through to the default upstream
	settings  assistants.Settings   // of the assistant, with the request's citation format
	client    upstream.Client
	model     string      // to ask at the upstream
	waiting   []candidate // to ask next if it fails
	turn      int         // which of the upstreams it is: 0 is the first, n its n-th fallback
	several   bool        // the assistant has fallbacks
	filter    assistants.Filter
	uncited   bool   // the request has files or documents that are no sources
	summary   string // of earlier messages that were left out; "": none were
	added     int    // bytes of the source block
	helped    spent  // by calls of the model besides the answer
}

// retrieves reports whether the assistant answers from documents.
func (in *inbound) retrieves() bool { return in.assistant != nil && in.settings.EnableRAG }

// cites reports whether its answers get citations.
func (in *inbound) cites() bool { return in.retrieves() && in.settings.EnableCitations }

// forget gives the memory of the request back once the upstream answers.
func (in *inbound) forget() {
	in.req.Forget()
	in.body.Release()
}

// receive reads the request and finds out what answers it. After an error the
// result holds what was known by then.
func (h *Handler) receive(c *gin.Context, caller access.Principal) (*inbound, error) {
	in := &inbound{caller: caller}
	ref := c.Param("assistant")
	if ref == "" {
		ref = c.GetHeader("X-Footnote-Assistant")
	}
	named := ref != ""
	if named { // before the body is read: a caller without permission need not send it
		if err := h.chooseAssistant(c, in, ref, named); err != nil {
			return in, err
		}
	}
	var err error
	if in.body, err = h.deps.Front.ReadJSON(c); err != nil {
		return in, err
	}
	if in.req, err = wire.ReadRequest(in.body.Bytes); err != nil {
		return in, err
	}
	if in.req.Extensions().MetadataFilter {
		if in.filter, err = assistants.ParseFilter(in.req.Raw(assistants.FilterField)); err != nil {
			return in, err
		}
	}
	if !named {
		if err := h.chooseAssistant(c, in, in.req.Model(), named); err != nil {
			return in, err
		}
	}
	if err := in.debug(); err != nil {
		return in, err
	}
	if err := errors.Join(checkSwitch(c, retrievalHeader), checkSwitch(c, historyHeader), chooseFormat(c, in)); err != nil {
		return in, err
	}
	in.uncited = in.cites() && in.req.HasFiles()
	return in, errors.Join(in.checkPassages(), in.checkCollections(), in.blameTried(h.chooseModel(c.Request.Context(), in)), in.checkContent())
}

// checkContent refuses messages without text that the built-in answerer could read. Other
// model servers get what was sent, and judge it.
func (in *inbound) checkContent() error {
	if !isQuoting(in.client) {
		return nil
	}
	return in.req.CheckContent()
}

// checkPassages refuses passages that nothing would cite.
func (in *inbound) checkPassages() error {
	if in.retrieves() || in.req.Extensions().Retrieval.Passages == nil {
		return nil
	}
	const param = "retrieval_options.passages"
	if in.assistant == nil {
		return &assistants.FieldError{Field: param, Message: "Passages need an assistant. Name one in model, and switch its setting enable_rag on."}
	}
	return &assistants.FieldError{Field: param, Message: "This assistant answers without sources. Switch its setting enable_rag on to send passages."}
}

// checkCollections refuses collections that the assistant does not search.
func (in *inbound) checkCollections() error {
	const param = "retrieval_options.collections"
	wanted := in.req.Extensions().Retrieval.Collections
	if wanted != nil && !in.retrieves() {
		return &assistants.FieldError{Field: param, Message: "This searches nothing. Name an assistant in model, and switch its setting enable_rag on."}
	}
	if wanted == nil {
		return nil
	}
	searched := in.settings.Searches(in.assistant.CollectionID)
	for _, id := range wanted {
		if !slices.Contains(searched, assistants.CollectionID(id)) {
			return &assistants.FieldError{Field: param, Message: "The assistant does not search one of these collections. Add it to the assistant's setting collections."}
		}
	}
	return nil
}

// chooseAssistant finds the assistant that the request is for: named by the
// path, else a header, else the model, else the key's default. An assistant that
// the caller may not see gets the same answer as one that does not exist.
func (h *Handler) chooseAssistant(c *gin.Context, in *inbound, ref string, named bool) error {
	a, err := Visible(c.Request.Context(), h.deps.Directory, in.caller, ref)
	switch {
	case err == nil:
	case !errors.Is(err, assistants.ErrNotFound):
		return err
	case !named && in.caller.Key.DefaultAssistant != "":
		a, err = Visible(c.Request.Context(), h.deps.Directory, in.caller, string(in.caller.Key.DefaultAssistant))
		if err != nil && !errors.Is(err, assistants.ErrNotFound) {
			return err
		}
	}
	public := err == nil && a.Settings.PublicAccess
	if in.caller.Anonymous && !public {
		return assistants.ErrUnauthorized
	}
	if !public {
		if err := in.caller.Require(assistants.ScopeChat); err != nil {
			return err
		}
	}
	if err == nil {
		in.assistant, in.settings = a, a.Settings
		c.Header("X-Footnote-Assistant", a.Slug)
		return nil
	}
	if h.cfg.Passthrough && !named && in.caller.Key.Assistants == nil {
		return nil
	}
	if named {
		return apierr.AssistantNotFound(ref)
	}
	return apierr.ModelNotFound(ref)
}

// retrievalHeader switches retrieval off for one request.
const retrievalHeader = "X-Footnote-Retrieval"

// checkSwitch refuses values of a header other than on and off: after a misspelled
// "off", passages would go to the upstream, or an answer be stored, without the client
// noticing.
func checkSwitch(c *gin.Context, name string) error {
	switch value := c.GetHeader(name); strings.ToLower(value) {
	case "", "on", "off":
		return nil
	default:
		return &assistants.FieldError{Field: name, Message: name + " must be off, or on."}
	}
}

// isOff reports whether a header switches something off.
func isOff(c *gin.Context, name string) bool { return strings.EqualFold(c.GetHeader(name), "off") }

// formatHeader chooses the citation format of one request.
const formatHeader = "X-Footnote-Citation-Format"

// chooseFormat lets the request's header override the setting, by the same rules.
func chooseFormat(c *gin.Context, in *inbound) error {
	value := c.GetHeader(formatHeader)
	if value == "" || in.assistant == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]string{"citation_format": value})
	if err != nil {
		return err
	}
	merged, err := in.settings.Merge(patch)
	if field, ok := errors.AsType[*assistants.FieldError](err); ok {
		message := strings.Replace(field.Message, "citation_format", formatHeader, 1)
		return &assistants.FieldError{Field: formatHeader, Message: message, Kind: field.Kind}
	}
	in.settings.CitationFormat = merged.CitationFormat
	return err
}

// chooseModel finds the upstream and the model to ask there.
func (h *Handler) chooseModel(ctx context.Context, in *inbound) error {
	name, tenant := "", in.caller.Tenant
	if in.assistant != nil {
		tenant = in.assistant.TenantID
	}
	if in.settings.Upstream != nil {
		name = *in.settings.Upstream
	}
	client, fallback, err := h.deps.Upstreams.Named(ctx, tenant, name)
	if errors.Is(err, assistants.ErrNotFound) {
		return apierr.UpstreamMissing(name)
	}
	if err != nil {
		return err
	}
	in.client = client
	asked := in.req.Model()
	if in.assistant != nil {
		if in.settings.Model != nil {
			fallback = *in.settings.Model
		}
		if asked == in.assistant.Slug || asked == string(in.assistant.ID) || !in.settings.AllowModelOverride {
			asked = ""
		}
	}
	if asked == "" {
		asked = fallback
	}
	if asked == "" {
		return apierr.UpstreamModelMissing()
	}
	in.model = asked
	return h.findFallbacks(ctx, in, tenant)
}

// PassedHeaders are the headers of a client that upstreams get.
func PassedHeaders(c *gin.Context) http.Header {
	h := http.Header{}
	for _, name := range []string{"OpenAI-Beta", "Traceparent"} {
		if v := c.Request.Header.Values(name); v != nil {
			h[http.CanonicalHeaderKey(name)] = v
		}
	}
	return h
}
