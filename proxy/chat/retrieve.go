package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
	"footnote/proxy/upstream"
)

// A grounded is what the documents hold for a request.
type grounded struct {
	question   string // the user's last, with what it refers to; "": retrieval is off
	result     retrieval.Result
	returned   int                   // how many passages it has
	sources    *citations.Set        // nil: nothing was searched
	complete   func() bool           // adds the links to the sources; nil: it was done, or there are no sources
	hasLinks   bool                  // a source has a link
	comparison *grounding.Comparison // nil: nothing is compared by meaning
	skipped    bool                  // no search was wanted or needed
	searched   bool                  // the documents were searched
	failure    error                 // why the documents could not be searched
}

// forgetHits gives back the memory of the passages that were found, unless the answer
// shows them: an answer may stream for half an hour, and its sources have their texts.
func (g *grounded) forgetHits(shown bool) {
	g.returned = len(g.result.Hits)
	if !shown {
		g.result.Hits = nil
	}
}

// addLinks adds the links to the sources when the answer goes out. It reports
// whether a source has a link: without links there are no annotations.
func (g *grounded) addLinks() bool {
	if g.complete != nil {
		g.hasLinks = g.complete()
		g.complete = nil
	}
	return g.hasLinks
}

// retrieve finds the passages for the request's last user message, and adds those
// that the request brings. It fails only when the assistant wants failed retrieval to
// fail the request. After an error the result holds what was known by then.
func (h *Handler) retrieve(c *gin.Context, in *inbound) (*grounded, error) {
	g := &grounded{}
	if !in.retrieves() {
		return g, nil
	}
	g.question = strings.TrimSpace(in.req.LastUserText())
	ext := in.req.Extensions().Retrieval
	g.skipped = true
	if !ext.Only && g.question != "" && (ext.Enabled == nil || *ext.Enabled) && !isOff(c, retrievalHeader) {
		if err := h.search(c, in, g); err != nil {
			return g, err
		}
	}
	brought := grounding.Brought(ext.Passages, g.question)
	if len(brought) > 0 {
		g.skipped = false
	}
	if g.skipped || g.failure != nil && len(brought) == 0 {
		return g, nil
	}
	known, err := grounding.ApplyUnknownPolicy(g.result.Hits, in.settings.UnknownDocumentPolicy)
	if err != nil {
		return g, err
	}
	nameless := len(g.result.Hits) - len(known)
	g.result.Hits = known
	h.addSources(c, in, g, brought)
	h.refuseWithoutSources(in, g)
	if nameless > 0 {
		g.sources.Warn(fmt.Sprintf("Left out, because their documents have no name: %d of the passages found.", nameless))
	}
	if g.failure != nil { // the answer has the passages of the request
		g.sources.Warn(g.warning())
		g.failure = nil
	}
	return g, nil
}

// refuseWithoutSources lets no model answer without sources, where the assistant wants that.
func (h *Handler) refuseWithoutSources(in *inbound, g *grounded) {
	if g.sources.Empty() && in.settings.NoSourcesPolicy == assistants.NoSourcesRefuse {
		in.client, in.waiting, in.several = h.refusing, nil, false
	}
}

// search looks for passages in the assistant's documents.
func (h *Handler) search(c *gin.Context, in *inbound, g *grounded) error {
	result, err := h.deps.Retriever.Retrieve(c.Request.Context(), h.query(in, g.question))
	h.deps.Metrics.retrieval(result.Trace, err)
	if err != nil {
		g.skipped = false
		g.failure = err
		return h.retrievalFailed(c, in, err)
	}
	if result.Question != "" {
		g.question = result.Question
	}
	g.result, g.skipped, g.searched = result, result.Unneeded, !result.Unneeded
	return nil
}

// query is the question for the retriever, with the settings and the request's options.
func (h *Handler) query(in *inbound, question string) retrieval.Query {
	q := retrieval.NewQuery(in.assistant.TenantID, in.assistant.CollectionID, in.settings)
	q.Text, q.Before, q.Filter = question, grounding.Before(in.req), q.Filter.And(in.filter)
	wants := in.req.Extensions().Retrieval
	if wants.TopK != nil {
		q.TopK = *wants.TopK
	}
	if wants.Collections != nil {
		q.Collections = slices.DeleteFunc(slices.Clone(q.Collections), func(id assistants.CollectionID) bool {
			return !slices.Contains(wants.Collections, string(id))
		})
	}
	q.Model = h.languageModel(in)
	return q
}

// addSources makes the set of sources: those that the request brought, then the hits.
func (h *Handler) addSources(c *gin.Context, in *inbound, g *grounded, brought []citations.Source) {
	options := formats[in.settings.CitationFormat].options(grounding.Options(&in.settings))
	options.Uncited = in.req.Extensions().Citations.Uncited
	g.comparison = grounding.Compare(c.Request.Context(), h.deps.Embedder, &in.settings, g.question, &options)
	if g.comparison != nil {
		g.comparison.Log = func(err error) {
			h.deps.Log.Warn("texts could not be compared by meaning", "assistant", in.assistant.ID, "error", err)
		}
	}
	sources := grounding.Sources(g.result.Hits)
	if len(brought) > 0 {
		sources = slices.Concat(brought, sources)
	}
	g.sources = citations.NewSet(sources, options)
	for _, warning := range g.result.Trace.Warnings {
		g.sources.Warn(warning)
	}
	linked := slices.ContainsFunc(brought, func(src citations.Source) bool { return src.DownloadURL != "" })
	g.complete = func() bool { return h.deps.Links.Complete(c.Request, in.assistant, g.sources) || linked }
}

// Warnings in an answer that was made without its documents.
const (
	warnUnsearched = "The documents could not be searched; this answer was made without them."
	warnUncited    = "Files and documents in the request were passed on to the model, but they are not among the sources and not cited. To have them cited, send their text as retrieval_options.passages."
	warnNoEmbedder = "The documents could not be searched, because search_mode Vector needs an embedder and none is set up; this answer was made without them. " + grounding.EmbedderRemedy
)

// warning is what the answer says about a failed search.
func (g *grounded) warning() string {
	if errors.Is(g.failure, assistants.ErrNoEmbedder) {
		return warnNoEmbedder
	}
	return warnUnsearched
}

// unsearched is why an answerer gets no passages of the documents; nil: they were
// searched, or the request brought passages.
func (g *grounded) unsearched(in *inbound) error {
	switch {
	case g.failure != nil:
		return g.failure
	case in.assistant != nil && !in.retrieves():
		return upstream.ErrNoRetrieval
	case g.sources == nil:
		return upstream.ErrNotWanted
	}
	return nil
}

// retrievalFailed returns the request's error after a failed retrieval, or nil
// when the assistant answers without documents.
func (h *Handler) retrievalFailed(c *gin.Context, in *inbound, err error) error {
	if c.Request.Context().Err() != nil {
		return context.Cause(c.Request.Context())
	}
	h.deps.Log.Error("retrieval failed", "request_id", requestIDOf(c), "assistant", in.assistant.ID, "error", err)
	if in.settings.OnRetrievalError == assistants.OnErrorFail {
		return apierr.RetrievalUnavailable()
	}
	return nil
}

// passages are the sources in the prompt, for answerers that do not read
// prompts. Without citations they have no numbers to cite by.
func (g *grounded) passages(numbered bool) []upstream.Passage {
	return grounding.Passages(g.sources, numbered)
}
