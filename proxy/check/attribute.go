package check

import (
	"context"
	"fmt"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/errgroup"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
)

// Bounds of the work for one text.
const (
	maxStatements = 200
	maxEvidence   = 5 // passages that a statement is compared with
	atOnce        = 4 // statements that are searched for at once
	searchLimit   = 30 * time.Second
)

// attribute finds passages for each statement of the text and compares them.
func (h *Handler) attribute(c *gin.Context, a *assistants.Assistant, in request, event *assistants.AuditEvent) (*citations.Citations, error) {
	opt := citations.Options{Unit: grounding.Options(&a.Settings).Unit, Support: true}
	statements := citations.Statements(in.text, opt.Unit)
	all := len(statements)
	statements = statements[:min(all, maxStatements)]
	evidence, warnings, err := h.search(c.Request.Context(), a, in.filter, statements)
	if err != nil {
		return nil, err
	}
	comparison := grounding.Compare(c.Request.Context(), h.deps.Embedder, &a.Settings, "", &opt)
	defer comparison.End()
	if comparison != nil {
		comparison.Log = func(err error) {
			h.deps.Log.Warn("texts could not be compared by meaning", "assistant", a.ID, "error", err)
		}
	}
	found := citations.Attribute(statements, evidence, opt)
	set := found.Sources()
	for _, w := range warnings {
		set.Warn(w)
	}
	if all > maxStatements {
		set.Warn(fmt.Sprintf("Only the first %d of %d statements were checked. Check the text in parts.", maxStatements, all))
	}
	h.deps.Links.Complete(c.Request, a, set)
	event.Results = len(set.Sources())
	for _, id := range set.Documents() {
		event.Documents = append(event.Documents, assistants.DocumentID(id))
	}
	r := found.Result()
	r.Truncated = all > maxStatements
	return r, nil
}

// search finds the passages for each statement, and what the searches warn of.
func (h *Handler) search(ctx context.Context, a *assistants.Assistant, filter assistants.Filter, statements []citations.Statement) ([][]citations.Source, []string, error) {
	bounded, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	found := make([]retrieval.Result, len(statements))
	group, within := errgroup.WithContext(bounded)
	group.SetLimit(atOnce)
	for i, s := range statements {
		group.Go(func() (err error) {
			defer assistants.CatchPanic(&err)
			result, err := h.deps.Retriever.Retrieve(within, queryFor(a, filter, s.Text))
			if err != nil {
				return err
			}
			found[i] = result
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		if gone := ctx.Err(); gone != nil {
			return nil, nil, context.Cause(ctx)
		}
		unavailable := apierr.RetrievalUnavailable()
		unavailable.Cause = err
		return nil, nil, unavailable
	}
	evidence := make([][]citations.Source, len(statements))
	var warnings []string
	for i, result := range found {
		hits, err := grounding.ApplyUnknownPolicy(result.Hits, a.Settings.UnknownDocumentPolicy)
		if err != nil {
			return nil, nil, err
		}
		evidence[i] = grounding.Sources(hits[:min(len(hits), maxEvidence)])
		warnings = append(warnings, result.Trace.Warnings...) // the set keeps each once
	}
	return evidence, warnings, nil
}

// queryFor is the query for a statement: with the assistant's settings, but without
// the stages that ask a model, and with all evidence that one document has.
func queryFor(a *assistants.Assistant, filter assistants.Filter, text string) retrieval.Query {
	q := retrieval.NewQuery(a.TenantID, a.CollectionID, a.Settings)
	q.Text, q.Filter, q.TopK = text, q.Filter.And(filter), maxEvidence
	q.Gate, q.Rewrite, q.Rerank, q.PerDocument = false, nil, nil, 0
	return q
}
