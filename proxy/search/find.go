package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/apierr"
	"footnote/proxy/grounding"
)

// atOnce bounds the collections that one request searches at the same time.
const atOnce = 8

// found is what a search of several collections gave.
type found struct {
	hits     []assistants.Hit // best first
	warnings []string
	synonyms []retrieval.Addition // that were searched for, too
	naming   []string             // terms of the question that only name a document
}

// A part is one search: a collection through one of its filters.
type part struct {
	collection assistants.CollectionID
	filter     assistants.Filter
	result     retrieval.Result
	err        error
}

// find searches the collections of a request, each by itself, so that one that fails does
// not fail the others. It fails when all do. edit may change each query.
func (j *job) find(ctx context.Context, text string, limit int, edit func(*retrieval.Query)) (found, error) {
	var parts []*part
	for _, id := range j.sight.order {
		filters := j.sight.filters[id]
		if i := slices.IndexFunc(filters, assistants.Filter.IsZero); i >= 0 {
			filters = filters[i : i+1]
		}
		for _, f := range filters {
			parts = append(parts, &part{collection: id, filter: f})
		}
	}
	whole := j.wholeOf(parts)
	var wg sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, p := range parts {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			p.result, p.err = j.retrieve(ctx, p, whole, text, limit, edit)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return found{}, context.Cause(ctx)
	}
	return j.merge(parts, limit)
}

// wholeOf returns what the parts are together, nil if there is only one.
func (j *job) wholeOf(parts []*part) *retrieval.Whole {
	if len(parts) < 2 {
		return nil
	}
	var whole retrieval.Whole
	for _, p := range parts {
		whole.Parts = append(whole.Parts, retrieval.Part{Collection: p.collection, Filter: p.filter.And(j.in.filter)})
	}
	return &whole
}

// retrieve searches one part. A panic fails this part alone: in a goroutine of its own it
// would end the whole program.
func (j *job) retrieve(ctx context.Context, p *part, whole *retrieval.Whole, text string, limit int, edit func(*retrieval.Query)) (result retrieval.Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			j.deps.Log.Error("panic", "request_id", j.event.RequestID, "panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			err = errors.New("the search panicked")
		}
	}()
	q := retrieval.NewQuery(j.caller.Tenant, p.collection, j.settings)
	q.Collections, q.Text, q.TopK, q.Keep = []assistants.CollectionID{p.collection}, text, limit, 0
	q.Filter, q.Whole = p.filter.And(j.in.filter), whole
	if edit != nil {
		edit(&q)
	}
	return j.deps.Retriever.Retrieve(ctx, q)
}

// merge puts the hits of several searches in order, each passage once.
func (j *job) merge(parts []*part, limit int) (found, error) {
	var all found
	var failure error
	failed, searched, answered := map[assistants.CollectionID]bool{}, false, false
	seen := map[assistants.ChunkID]bool{}
	j.cached = len(parts) > 0
	for _, p := range parts {
		if p.err != nil {
			failed[p.collection], failure = true, p.err
			j.deps.Log.Warn("a collection could not be searched", "request_id", j.event.RequestID, "collection", p.collection, "error", p.err)
			continue
		}
		searched, answered = true, answered || !p.result.Unsure
		j.cached = j.cached && p.result.Trace.Cached
		for _, h := range p.result.Hits {
			if !seen[h.Chunk.ID] {
				seen[h.Chunk.ID] = true
				all.hits = append(all.hits, h)
			}
		}
		if len(p.result.Hits) > 0 {
			all.naming = append(all.naming, p.result.Trace.Naming...)
		}
		for _, s := range p.result.Trace.Synonyms {
			if !slices.ContainsFunc(all.synonyms, func(known retrieval.Addition) bool { return known.Phrase == s.Phrase }) {
				all.synonyms = append(all.synonyms, s)
			}
		}
	}
	if len(parts) > 1 && !answered {
		all.hits = nil // what is near the threshold in one part, while no part has it
	}
	all.warnings = warningsOf(parts)
	if len(failed) > 0 && !searched { // a collection is searched once for each of its filters
		unavailable := apierr.RetrievalUnavailable()
		unavailable.Cause = failure
		return found{}, unavailable
	}
	if len(failed) > 0 {
		all.warnings = append(all.warnings, fmt.Sprintf("Some collections could not be searched: %d of %d.", len(failed), len(j.sight.order)))
	}
	var err error
	if all.hits, err = grounding.ApplyUnknownPolicy(all.hits, j.settings.UnknownDocumentPolicy); err != nil {
		return found{}, err
	}
	slices.SortStableFunc(all.hits, func(a, b assistants.Hit) int { return cmp.Compare(b.Score, a.Score) })
	// A document may be found through several filters.
	all.hits = retrieval.PerDocument(all.hits, int(j.settings.MaxSourcesPerDocument))
	all.hits = all.hits[:min(len(all.hits), limit)]
	j.note(all.hits)
	return all, nil
}

// warningsOf returns the warnings of all parts that were searched, each once.
func warningsOf(parts []*part) []string {
	var warnings, alike []string
	empty := true // as far as could be searched
	for _, p := range parts {
		if p.err != nil {
			continue
		}
		for _, w := range p.result.Trace.Warnings {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
		alike = append(alike, p.result.Trace.Alike...)
		empty = empty && slices.ContainsFunc(p.result.Trace.Warnings, retrieval.TellsOfNothing)
	}
	if !empty { // one of several collections may be empty
		warnings = slices.DeleteFunc(warnings, retrieval.TellsOfNothing)
	}
	slices.Sort(alike)
	if alike = slices.Compact(alike); len(alike) > 1 {
		warnings = append(warnings, retrieval.SeveralFit(alike))
	}
	return warnings
}

// note notes for the audit log what was found.
func (j *job) note(hits []assistants.Hit) {
	j.event.Documents, j.event.Results = assistants.DocumentsOf(hits), len(hits)
}

// names returns the names of the collections that hits come from.
func (j *job) names(ctx context.Context, hits []assistants.Hit) (map[assistants.CollectionID]string, error) {
	var ids []assistants.CollectionID
	for _, h := range hits {
		if !slices.Contains(ids, h.Document.CollectionID) {
			ids = append(ids, h.Document.CollectionID)
		}
	}
	names := map[assistants.CollectionID]string{}
	if ids == nil {
		return names, nil
	}
	collections, err := j.deps.Store.Collections(ctx, j.caller.Tenant, ids)
	for _, c := range collections {
		names[c.ID] = c.Name
	}
	return names, err
}
