package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// A Question asks for the passages of one collection that fit one of several texts.
type Question struct {
	Collection assistants.CollectionID
	Texts      []string
	Any        []assistants.Filter // one of them must select a document
	Limit      int
	Threshold  float64 // least score of a passage
}

// InOne answers a question with the passages that fit best, the best first, each once with
// its best score. A key with the scope admin that is not bound to assistants may search
// every collection of its tenant, any other those that it searches with [Handler.Search].
// ErrNotFound: the key may not see the collection, or there is none. The caller has
// counted the search and notes it in the audit log.
func (h *Handler) InOne(ctx context.Context, caller access.Principal, q Question) (hits []assistants.Hit, err error) {
	began := time.Now()
	defer func() {
		status := 200
		if err != nil {
			status, _ = apierr.StatusAndCode(err)
		}
		h.deps.Metrics.searched("vector_store", status, time.Since(began))
	}()
	j := &job{Handler: h, caller: caller, settings: assistants.DefaultSettings(), sight: sight{filters: map[assistants.CollectionID][]assistants.Filter{}}}
	if err := j.lookAtOne(ctx, q.Collection); err != nil {
		return nil, err
	}
	for _, text := range q.Texts {
		for _, filter := range q.Any {
			j.in.filter = filter
			found, err := j.find(ctx, text, q.Limit, func(r *retrieval.Query) { r.Threshold, r.Lenient = q.Threshold, false })
			if err != nil {
				return nil, err
			}
			hits = append(hits, found.hits...)
		}
	}
	slices.SortStableFunc(hits, func(a, b assistants.Hit) int { return cmp.Compare(b.Score, a.Score) })
	seen := map[assistants.ChunkID]bool{}
	hits = slices.DeleteFunc(hits, func(x assistants.Hit) bool {
		again := seen[x.Chunk.ID]
		seen[x.Chunk.ID] = true
		return again
	})
	return hits[:min(len(hits), q.Limit)], nil
}

// lookAtOne finds out through which filters the key may search a collection.
func (j *job) lookAtOne(ctx context.Context, id assistants.CollectionID) error {
	if j.caller.MaySeeAll() && j.caller.Require(assistants.ScopeAdmin) == nil {
		found, err := j.deps.Store.Collections(ctx, j.caller.Tenant, []assistants.CollectionID{id})
		if err == nil && (len(found) == 0 || found[0].IsFiles()) {
			err = assistants.ErrNotFound
		}
		if err != nil {
			return err
		}
		j.sight.filters[id] = []assistants.Filter{{}}
	} else if err := j.eachAssistant(ctx, j.sight.add); err != nil {
		return err
	}
	if _, ok := j.sight.filters[id]; !ok {
		return assistants.ErrNotFound
	}
	j.sight.order = []assistants.CollectionID{id}
	return nil
}
