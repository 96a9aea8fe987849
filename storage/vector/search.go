package vector

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"footnote/assistants"
)

// Parameters of the score; see the package comment.
const (
	k1 = 1.2
	b  = 0.5
)

// A weight is a term that was asked for and occurs, with its idf.
type weight struct {
	term string
	idf  float64
	gain float64 // what the term contributes at most, however often it occurs
}

// A plan is a search over the statistics of the collections searched.
type plan struct {
	weights []weight // by descending idf
	sum     float64  // of the idf of all the terms, also of those that do not occur
	flat    float64  // k1·(1−b)
	slope   float64  // k1·b/L
	needed  float64  // least BM25 sum that is of use
}

// minCandidates is how many chunks either side of a hybrid search brings at
// least.
const minCandidates = 100

// Search returns the best matches for a question's terms, its vector, or both,
// by descending score; equal scores by document id and place in the document.
// Chunks that score 0 are no matches. The error wraps ErrInvalid when the
// question's vector is none of its space and ErrUnavailable after Close, and is
// that of ctx when it ended.
func (e *Embedded) Search(ctx context.Context, q assistants.Search) (assistants.Found, error) {
	if len(q.Vector) > 0 {
		if err := checkVector(q.Space, q.Vector); err != nil {
			return assistants.Found{}, fmt.Errorf("index: search: %w", err)
		}
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return assistants.Found{}, fmt.Errorf("index: search: %w: closed", assistants.ErrUnavailable)
	}
	s := search{Search: q, shelves: e.searched(q), limit: min(max(q.Limit, 1), assistants.MaxMatches), exact: e.exact}
	if q.Documents != nil {
		s.only = e.only(q.Documents)
	}
	found, err := s.run(ctx)
	if err != nil {
		return assistants.Found{}, fmt.Errorf("index: search: %w", err)
	}
	return found, nil
}

// searched returns the shelves that a question may look at.
func (e *Embedded) searched(q assistants.Search) []*shelf {
	var out []*shelf
	for _, id := range q.Collections {
		s := e.shelves[shelfKey{q.Tenant, id}]
		if s != nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Knows reports whether a term stands in a collection of a tenant's.
func (e *Embedded) Knows(tenant assistants.TenantID, collections []assistants.CollectionID, term string) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, id := range collections {
		if s := e.shelves[shelfKey{tenant, id}]; s != nil {
			if _, l := s.list(term); l != nil && l.live > 0 {
				return true
			}
		}
	}
	return false
}

// only returns the documents by shelf, in the order of their chunks.
func (e *Embedded) only(ids []assistants.DocumentID) map[*shelf][]*held {
	out := map[*shelf][]*held{}
	for _, id := range ids {
		if h := e.documents[id]; h != nil {
			out[h.shelf] = append(out[h.shelf], h)
		}
	}
	for s, documents := range out {
		slices.SortFunc(documents, func(x, y *held) int {
			return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(len(x.chunks), len(y.chunks)), strings.Compare(string(x.id), string(y.id)))
		})
		out[s] = slices.Compact(documents)
	}
	return out
}

// newPlan weighs the terms; ok is false when nothing can be found.
func newPlan(shelves []*shelf, terms []string) (p plan, ok bool) {
	chunks, total := 0, 0
	for _, s := range shelves {
		chunks += s.worded
		total += s.total
	}
	if chunks == 0 {
		return plan{}, false
	}
	seen := map[string]bool{}
	for _, term := range terms {
		if seen[term] {
			continue
		}
		seen[term] = true
		found := 0
		for _, s := range shelves {
			if _, l := s.list(term); l != nil {
				found += l.live
			}
		}
		idf := math.Log(1 + float64(chunks+1)/float64(found+1))
		p.sum += idf
		if found > 0 {
			p.weights = append(p.weights, weight{term, idf, idf * (k1 + 1)})
		}
	}
	slices.SortFunc(p.weights, func(x, y weight) int {
		return cmp.Or(cmp.Compare(y.idf, x.idf), strings.Compare(x.term, y.term))
	})
	p.flat = k1 * (1 - b)
	p.slope = k1 * b * float64(chunks) / float64(total)
	return p, len(p.weights) > 0
}

// part is what a term contributes to the sum of a chunk.
func (p plan) part(gain float64, halves, length uint32) float64 {
	tf := float64(halves) / bodyHalves
	return gain * tf / (tf + p.flat + p.slope*float64(length))
}

// of is the BM25 sum of one chunk, the same as the search for words has.
func (p plan) of(s *shelf, number uint32) float64 {
	sum := 0.0
	for _, w := range p.weights {
		n, l := s.list(w.term)
		if l == nil {
			continue
		}
		if i := seek(l.postings, 0, number); i < len(l.postings) && l.postings[i].chunk() == number {
			sum += p.part(w.gain, s.halves(n, l.postings[i]), s.lengths[number])
		}
	}
	return rounded(sum)
}

// grain is the difference between sums that counts. Smaller ones come from the
// order in which the parts were added, and must not decide between passages
// that are worth the same.
const grain = 1e-9

func rounded(sum float64) float64 { return math.Round(sum/grain) * grain }
