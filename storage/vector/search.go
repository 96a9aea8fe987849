package vector

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

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
}

// A plan is a search over the statistics of the collections searched.
type plan struct {
	weights []weight // by descending idf
	sum     float64  // of the idf of all the terms, also of those that do not occur
	flat    float64  // k1·(1−b)
	slope   float64  // k1·b/L
	needed  float64  // least BM25 sum
}

// SearchText returns the best matches for a query's terms by descending score;
// equal scores by document id and place in the document. The error wraps
// ErrUnavailable after Close, and is that of ctx when it ended.
func (e *Embedded) SearchText(ctx context.Context, q assistants.TextQuery) ([]assistants.Match, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, fmt.Errorf("index: search: %w: closed", assistants.ErrUnavailable)
	}
	shelves := e.searched(q)
	p, ok := newPlan(shelves, q)
	if !ok {
		return nil, ctx.Err()
	}
	top := newTop(min(max(q.Limit, 1), assistants.MaxMatches))
	for _, s := range shelves {
		if err := p.run(ctx, s, top); err != nil {
			return nil, fmt.Errorf("index: search: %w", err)
		}
	}
	return top.matches(p.sum), nil
}

// searched returns the shelves that a query may look at.
func (e *Embedded) searched(q assistants.TextQuery) []*shelf {
	var out []*shelf
	for _, id := range q.Collections {
		s := e.shelves[shelfKey{q.Tenant, id}]
		if s != nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// newPlan weighs the terms; ok is false when nothing can be found.
func newPlan(shelves []*shelf, q assistants.TextQuery) (p plan, ok bool) {
	chunks, total := 0, 0
	for _, s := range shelves {
		chunks += s.live
		total += s.total
	}
	if chunks == 0 {
		return plan{}, false
	}
	seen := map[string]bool{}
	for _, term := range q.Terms {
		if seen[term] {
			continue
		}
		seen[term] = true
		found := 0
		for _, s := range shelves {
			found += len(s.list(term))
		}
		idf := math.Log(1 + float64(chunks+1)/float64(found+1))
		p.sum += idf
		if found > 0 {
			p.weights = append(p.weights, weight{term, idf})
		}
	}
	slices.SortFunc(p.weights, func(x, y weight) int {
		return cmp.Or(cmp.Compare(y.idf, x.idf), strings.Compare(x.term, y.term))
	})
	p.flat = k1 * (1 - b)
	p.slope = k1 * b * float64(chunks) / float64(total)
	// A hair below, so that rounding loses no match that reaches the minimum.
	p.needed = q.MinScore*p.sum - grain
	return p, len(p.weights) > 0
}

// sums recycles the arrays of BM25 sums.
var sums = sync.Pool{New: func() any { return new([]float64) }}

// run adds the matches of a shelf to top.
func (p plan) run(ctx context.Context, s *shelf, top *top) error {
	buffer := sums.Get().(*[]float64)
	defer sums.Put(buffer)
	if cap(*buffer) < len(s.owners) {
		*buffer = make([]float64, len(s.owners))
	}
	sum := (*buffer)[:len(s.owners)]
	clear(sum)
	left := 0.0 // the most that this and the following terms can add
	for _, w := range p.weights {
		left += w.idf * (k1 + 1)
	}
	for _, w := range p.weights {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.addList(s, w, sum, left < max(p.needed, top.least()-grain))
		left -= w.idf * (k1 + 1)
	}
	for i, v := range sum {
		if v <= 0 || v < p.needed {
			continue
		}
		if v = rounded(v); v >= top.least() {
			top.offer(v, s.owners[i], int(uint32(i)-s.owners[i].first))
		}
	}
	return nil
}

// grain is the difference between sums that counts. Smaller ones come from the
// order in which the parts were added, and must not decide between passages
// that are worth the same.
const grain = 1e-9

func rounded(sum float64) float64 { return math.Round(sum/grain) * grain }

// addList adds what a term contributes to the sums of the chunks that have it.
// With foundOnly, chunks that no earlier term has are passed over: the terms
// from here on cannot lift them over the minimum. Terms come by descending idf,
// so what is passed over are the longest lists.
func (p plan) addList(s *shelf, w weight, sum []float64, foundOnly bool) {
	gain := w.idf * (k1 + 1)
	lengths := s.lengths[:len(sum)]
	for _, x := range s.list(w.term) {
		if foundOnly && sum[x.chunk] == 0 {
			continue
		}
		tf := float64(x.halves) / bodyHalves
		sum[x.chunk] += gain * tf / (tf + p.flat + p.slope*float64(lengths[x.chunk]))
	}
}

// top keeps the best of what it is offered.
type top struct {
	limit int
	found []candidate // a heap with the worst first
}

type candidate struct {
	sum   float64
	owner *held
	place int // of the chunk in its document
}

func newTop(limit int) *top { return &top{limit: limit, found: make([]candidate, 0, limit)} }

// least is the sum below which nothing is kept.
func (t *top) least() float64 {
	if len(t.found) < t.limit {
		return 0
	}
	return t.found[0].sum
}

// compare orders candidates from the best to the worst.
func compare(x, y candidate) int {
	return cmp.Or(
		cmp.Compare(y.sum, x.sum),
		strings.Compare(string(x.owner.id), string(y.owner.id)),
		cmp.Compare(x.owner.chunks[x.place].index, y.owner.chunks[y.place].index),
		cmp.Compare(x.place, y.place),
	)
}

func (t *top) offer(sum float64, owner *held, place int) {
	c := candidate{sum, owner, place}
	if len(t.found) < t.limit {
		t.found = append(t.found, c)
		t.up(len(t.found) - 1)
		return
	}
	if compare(c, t.found[0]) < 0 {
		t.found[0] = c
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compare(t.found[i], t.found[parent]) <= 0 {
			return
		}
		t.found[i], t.found[parent] = t.found[parent], t.found[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(t.found) && compare(t.found[child], t.found[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.found[i], t.found[worst] = t.found[worst], t.found[i]
		i = worst
	}
}

func (t *top) matches(whole float64) []assistants.Match {
	slices.SortFunc(t.found, compare)
	out := make([]assistants.Match, len(t.found))
	for i, c := range t.found {
		score := min(1, c.sum/whole)
		out[i] = assistants.Match{
			ChunkID: c.owner.chunks[c.place].id, DocumentID: c.owner.id, Version: c.owner.version,
			TextScore: score, Score: score,
		}
	}
	return out
}
