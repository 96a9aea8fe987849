package embedded

import (
	"context"
	"time"

	"footnote/assistants"
	"footnote/storage/vector"
)

// A search is one question being answered.
type search struct {
	assistants.Search
	partitions []*partition
	only       map[*partition][]*entry // the documents to search, by partition; nil: all
	limit      int
	exact      bool // see [Options]
}

// run searches for words and for meaning, takes enough candidates from each, and
// joins them.
func (s *search) run(ctx context.Context) (assistants.Found, error) {
	var found assistants.Found
	if err := ctx.Err(); err != nil {
		return found, err
	}
	candidates := s.limit
	if len(s.Terms) > 0 && len(s.Vector) > 0 {
		candidates = max(candidates, vector.MinCandidates)
	}
	start := time.Now()
	var plans []vector.Plan
	var words [][]candidate
	for _, terms := range append([][]string{s.Terms}, s.Wordings...) {
		plan, ok := newPlan(s.partitions, terms)
		if !ok {
			continue
		}
		best, err := s.words(ctx, plan, candidates)
		if err != nil {
			return found, err
		}
		plans, words = append(plans, plan), append(words, best)
	}
	found.Text = time.Since(start)
	meanings := newTop(candidates)
	if len(s.Vector) > 0 {
		start = time.Now()
		if err := s.scan(candidates).run(ctx, meanings); err != nil {
			return found, err
		}
		found.Vector = time.Since(start)
	}
	found.Matches = s.join(plans, words, meanings.found)
	return found, nil
}

// words searches for the words of one wording.
func (s *search) words(ctx context.Context, plan vector.Plan, candidates int) ([]candidate, error) {
	best, minSum := newTop(candidates), 0.0
	if len(s.Vector) == 0 {
		// Slightly below, so that rounding loses no match that reaches the minimum.
		minSum = s.MinScore*plan.Sum - vector.Grain
	}
	for _, partition := range s.partitions {
		only := s.only[partition]
		if s.only != nil && len(only) == 0 {
			continue
		}
		if err := addPartition(ctx, plan, minSum, partition, only, best); err != nil {
			return nil, err
		}
	}
	return best.found, nil
}

// scan prepares the scan of the vectors that the search may see.
func (s *search) scan(k int) *scan {
	scan := newScan(s.Vector, s.Space, k)
	scan.exact = s.exact
	for _, partition := range s.partitions {
		if a := partition.arenas[s.Space]; a != nil && s.only == nil {
			scan.add(a, 0, len(a.owners))
		}
		for _, h := range s.only[partition] {
			if in, ok := h.vectorsIn(s.Space); ok {
				scan.add(in.arena, int(in.first), int(in.first)+len(h.chunks))
			}
		}
	}
	return scan
}

// join gives each candidate the scores of the other searches as well and returns the
// best.
func (s *search) join(plans []vector.Plan, words [][]candidate, meanings []candidate) []assistants.Match {
	var all []vector.Scored
	type place struct {
		owner *entry
		place int
	}
	seen := make(map[place]bool, 2*len(meanings))
	for i, list := range append(words, meanings) {
		for _, c := range list {
			at := place{c.owner, c.place}
			if seen[at] {
				continue
			}
			seen[at] = true
			all = s.add(all, plans, c, i)
		}
	}
	return vector.Best(all, s.limit)
}

// add appends a candidate of search i that scores enough.
func (s *search) add(to []vector.Scored, plans []vector.Plan, c candidate, i int) []vector.Scored {
	chunk := c.owner.chunks[c.place]
	j := vector.Scored{Index: chunk.Index, Place: c.place}
	j.ChunkID, j.DocumentID, j.Version = chunk.ID, c.owner.id, c.owner.version
	for k, p := range plans {
		sum := c.sum
		if k != i {
			sum = sumOf(p, c.owner.partition, c.owner.first+uint32(c.place))
		}
		j.Word(p, sum)
	}
	hasVector := false
	if len(s.Vector) > 0 {
		var in placement
		if in, hasVector = c.owner.vectorsIn(s.Space); hasVector {
			j.Cosine = vector.Cosine(s.Vector, in.arena.vector(in.first+uint32(c.place)))
		}
	}
	j.Score = s.Score(j.TextScore, j.Cosine, hasVector)
	if j.Score <= 0 || j.Score < s.MinScore-vector.Grain {
		return to
	}
	return append(to, j)
}
