package embedded

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/storage/vector"
)

// Search returns the best matches for a question's terms, its vector, or both, by
// descending score; equal scores are ordered by document id and position. Chunks
// that score 0 do not match. The error wraps ErrInvalid if the question's vector
// does not fit its space, and ErrUnavailable after Close. When ctx ends, it wraps the
// error of ctx.
func (e *Index) Search(ctx context.Context, q assistants.Search) (assistants.Found, error) {
	if len(q.Vector) > 0 {
		if err := vector.CheckVector(q.Space, q.Vector); err != nil {
			return assistants.Found{}, fmt.Errorf("index: search: %w", err)
		}
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return assistants.Found{}, fmt.Errorf("index: search: %w: closed", assistants.ErrUnavailable)
	}
	s := search{Search: q, partitions: e.partitionsOf(q), limit: min(max(q.Limit, 1), assistants.MaxMatches), exact: e.exact}
	if q.Documents != nil {
		s.only = e.byPartition(q.Documents)
	}
	found, err := s.run(ctx)
	if err != nil {
		return assistants.Found{}, fmt.Errorf("index: search: %w", err)
	}
	return found, nil
}

// partitionsOf returns the partitions that a question may search.
func (e *Index) partitionsOf(q assistants.Search) []*partition {
	var out []*partition
	for _, id := range q.Collections {
		s := e.partitions[partitionKey{q.Tenant, id}]
		if s != nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Knows reports whether a term occurs in one of a tenant's collections.
func (e *Index) Knows(tenant assistants.TenantID, collections []assistants.CollectionID, term string) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, id := range collections {
		if s := e.partitions[partitionKey{tenant, id}]; s != nil {
			if _, l := s.list(term); l != nil && l.live > 0 {
				return true
			}
		}
	}
	return false
}

// byPartition groups documents by partition, in the order of their chunks.
func (e *Index) byPartition(ids []assistants.DocumentID) map[*partition][]*entry {
	out := map[*partition][]*entry{}
	for _, id := range ids {
		if h := e.documents[id]; h != nil {
			out[h.partition] = append(out[h.partition], h)
		}
	}
	for s, documents := range out {
		slices.SortFunc(documents, func(x, y *entry) int {
			return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(len(x.chunks), len(y.chunks)), strings.Compare(string(x.id), string(y.id)))
		})
		out[s] = slices.Compact(documents)
	}
	return out
}

// newPlan weighs the terms; ok is false if nothing can be found.
func newPlan(partitions []*partition, question []string) (p vector.Plan, ok bool) {
	chunks, words := 0, 0
	for _, s := range partitions {
		chunks += s.wordedChunks
		words += s.totalWords
	}
	if chunks == 0 {
		return vector.Plan{}, false
	}
	var terms []string
	seen := map[string]bool{}
	for _, term := range question {
		if !seen[term] {
			seen[term] = true
			terms = append(terms, term)
		}
	}
	p = vector.NewPlan(terms, func(i int) int {
		found := 0
		for _, s := range partitions {
			if _, l := s.list(terms[i]); l != nil {
				found += l.live
			}
		}
		return found
	}, chunks, words)
	return p, len(p.Weights) > 0
}

// sumOf returns the BM25 sum of one chunk, the same as the search for words
// computes.
func sumOf(p vector.Plan, s *partition, number uint32) float64 {
	sum := 0.0
	for _, w := range p.Weights {
		n, l := s.list(w.Term)
		if l == nil {
			continue
		}
		if i := seek(l.postings, 0, number); i < len(l.postings) && l.postings[i].chunk() == number {
			sum += p.Part(w.Gain, s.halves(n, l.postings[i]), s.lengths[number])
		}
	}
	return vector.Rounded(sum)
}
