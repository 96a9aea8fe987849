package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
	"footnote/proxy/upstream"
)

// retrieve finds the passages for the request's last user message. It fails
// only when the assistant wants failed retrieval to fail the request.
func (h *Handler) retrieve(c *gin.Context, ex *exchange) error {
	if !ex.ragOn() {
		return nil
	}
	ex.question = strings.TrimSpace(ex.req.LastUserText())
	ext := ex.req.Extensions().Retrieval
	switch {
	case ex.question == "", ext.Enabled != nil && !*ext.Enabled, strings.EqualFold(c.GetHeader(retrievalHeader), "off"):
		ex.skip()
		return nil
	}
	q := retrieval.NewQuery(ex.assistant.TenantID, ex.assistant.CollectionID, ex.settings)
	q.Text, q.Before, q.Filter = ex.question, grounding.Before(ex.req), q.Filter.And(ex.filter)
	if ext.TopK != nil {
		q.TopK = *ext.TopK
	}
	q.Model = h.languageModel(ex)
	found, err := h.deps.Retriever.Retrieve(c.Request.Context(), q)
	h.deps.Metrics.retrieval(found.Trace, err)
	if err != nil {
		return h.retrievalFailed(c, ex, err)
	}
	ex.found = found
	if found.Unneeded {
		ex.skip()
		return nil
	}
	known, err := grounding.Known(found.Hits, ex.settings.UnknownDocumentPolicy)
	if err != nil {
		return err
	}
	nameless := len(found.Hits) - len(known)
	ex.found.Hits = known
	options := ex.dialect.options(grounding.Options(ex.settings))
	ex.comparison = grounding.Compare(c.Request.Context(), h.deps.Embedder, ex.settings, ex.asked(), &options, func(err error) {
		h.deps.Log.Warn("texts could not be compared by meaning", "assistant", ex.assistant.ID, "error", err)
	})
	ex.sources = citations.NewSet(grounding.Sources(known), options)
	for _, warning := range found.Trace.Warnings {
		ex.sources.Warn(warning)
	}
	if nameless > 0 {
		ex.sources.Warn(fmt.Sprintf("Left out, because their documents have no name: %d of the passages found.", nameless))
	}
	ex.complete = sync.OnceValue(func() bool { return h.deps.Links.Complete(c.Request, ex.assistant, ex.sources) })
	return nil
}

// What the answer says of a search that failed.
const (
	warnUnsearched = "The documents could not be searched; this answer was made without them."
	warnNoEmbedder = "The documents could not be searched, because search_mode Vector needs an embedder and none is set up; this answer was made without them. " + grounding.EmbedderRemedy
)

// retrievalFailed decides what a failed retrieval does to the request.
func (h *Handler) retrievalFailed(c *gin.Context, ex *exchange, err error) error {
	if c.Request.Context().Err() != nil {
		return context.Cause(c.Request.Context())
	}
	h.deps.Log.Error("retrieval failed", "request_id", requestIDOf(c), "assistant", ex.assistant.ID, "error", err)
	if ex.settings.OnRetrievalError == assistants.OnErrorFail {
		return apierr.RetrievalUnavailable()
	}
	ex.status, ex.unsearched = citations.StatusUnavailable, err
	warning := warnUnsearched
	if errors.Is(err, assistants.ErrNoEmbedder) {
		warning = warnNoEmbedder
	}
	ex.verdict = func() *citations.Citations {
		verdict := citations.Unavailable(nil)
		verdict.Warnings = append(verdict.Warnings, warning)
		return verdict
	}
	return nil
}

// skip marks an answer that is not to be scanned; sources found are still listed.
func (ex *exchange) skip() {
	ex.tracker = nil
	ex.status = citations.StatusSkipped
	ex.verdict = func() *citations.Citations { return citations.Skipped(ex.sources) }
}

// addSources puts the sources into the prompt and decides whether the answer
// will be scanned for markers.
func (h *Handler) addSources(ex *exchange) {
	if ex.sources == nil {
		return
	}
	plain := ex.req.JSONMode() || ex.req.ForcedTool()
	block, worked := ex.fit(citations.PromptOptions{
		Secret: h.cfg.PromptSecret, Cite: ex.citesOn(), Instruct: !plain, Template: ex.settings.CitationPrompt,
	})
	ex.req.AddContext(block)
	ex.req.InsertMessages(worked...)
	if plain {
		ex.skip()
		return
	}
	if ex.citesOn() {
		ex.tracker = ex.sources.Tracker()
		ex.verdict = ex.tracker.Result
	}
}

// passages hands the sources that were given to the model to answerers that do
// not read prompts. Without citations they have no numbers to cite by.
func (ex *exchange) passages() []upstream.Passage {
	if ex.sources == nil {
		return nil
	}
	sources := ex.sources.Passages()
	list := make([]upstream.Passage, len(sources))
	for i, src := range sources {
		list[i] = upstream.Passage{Name: src.DocumentName, Section: src.SectionHeader, Text: src.Text, Score: src.Score}
		if ex.citesOn() {
			list[i].Index = src.Index
		}
		if src.PageNumber != nil {
			list[i].Page = *src.PageNumber
		}
	}
	return list
}

// A quotation is known by this many bytes, and looked for in so many of a text.
const (
	leastQuote = 16
	sureQuote  = 32
	mostQuoted = 4 << 10
)

// quotes reports whether an upstream's words repeat what we put into the
// prompt: the assistant's system prompt, its own citing instruction or a passage.
func (ex *exchange) quotes(words string) bool {
	if words == "" {
		return false
	}
	q := newQuotation(words)
	if q.in(ex.settings.SystemPrompt) {
		return true
	}
	for part := range strings.SplitSeq(ex.settings.CitationPrompt, assistants.SourcesPlace) {
		if q.in(part) {
			return true
		}
	}
	for _, p := range ex.passages() {
		if q.in(p.Text) {
			return true
		}
	}
	return false
}

// A quotation is words that may repeat a text. Each text is gone over once.
type quotation struct {
	words   string
	windows map[string]struct{} // every sureQuote bytes of the words
	looked  int                 // windows of texts that were looked for
}

func newQuotation(words string) *quotation {
	words = words[:min(len(words), mostQuoted)]
	q := &quotation{words: words, windows: make(map[string]struct{}, len(words))}
	for i := 0; i+sureQuote <= len(words); i++ {
		q.windows[words[i:i+sureQuote]] = struct{}{}
	}
	return q
}

// in reports whether the words repeat a part of text, or all of a short one.
func (q *quotation) in(text string) bool {
	if len(text) < sureQuote {
		q.looked++
		return len(text) >= leastQuote && strings.Contains(q.words, text)
	}
	if len(q.windows) == 0 {
		return false
	}
	for i := 0; i+sureQuote <= len(text); i++ {
		q.looked++
		if _, ok := q.windows[text[i:i+sureQuote]]; ok {
			return true
		}
	}
	return false
}
