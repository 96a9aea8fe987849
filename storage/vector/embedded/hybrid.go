package embedded

import (
	"context"
	"slices"
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
	words, meanings := newTop(candidates), newTop(candidates)
	start := time.Now()
	plan, ok := newPlan(s.partitions, s.Terms)
	if ok {
		minSum := 0.0
		if len(s.Vector) == 0 {
			// Slightly below, so that rounding loses no match that reaches the minimum.
			minSum = s.MinScore*plan.Sum - vector.Grain
		}
		for _, partition := range s.partitions {
			only := s.only[partition]
			if s.only != nil && len(only) == 0 {
				continue
			}
			if err := addPartition(ctx, plan, minSum, partition, only, words); err != nil {
				return found, err
			}
		}
	}
	found.Text = time.Since(start)
	if len(s.Vector) > 0 {
		start = time.Now()
		if err := s.scan(candidates).run(ctx, meanings); err != nil {
			return found, err
		}
		found.Vector = time.Since(start)
	}
	found.Matches = s.join(plan, words.found, meanings.found)
	return found, nil
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

// join gives each candidate the score of the other search as well and returns the
// best.
func (s *search) join(p vector.Plan, words, meanings []candidate) []assistants.Match {
	var all []vector.Scored
	for _, c := range words {
		all = s.add(all, p, c, c.sum)
	}
	if len(words) > 0 {
		type place struct {
			owner *entry
			place int
		}
		seen := make(map[place]bool, len(words))
		for _, c := range words {
			seen[place{c.owner, c.place}] = true
		}
		meanings = slices.DeleteFunc(meanings, func(c candidate) bool { return seen[place{c.owner, c.place}] })
	}
	for _, c := range meanings {
		all = s.add(all, p, c, sumOf(p, c.owner.partition, c.owner.first+uint32(c.place)))
	}
	return vector.Best(all, s.limit)
}

// add appends a candidate that scores enough; sum is its BM25 sum.
func (s *search) add(to []vector.Scored, p vector.Plan, c candidate, sum float64) []vector.Scored {
	chunk := c.owner.chunks[c.place]
	j := vector.Scored{Sum: sum, Index: chunk.Index, Place: c.place}
	j.ChunkID, j.DocumentID, j.Version = chunk.ID, c.owner.id, c.owner.version
	if sum > 0 {
		j.TextScore = min(1, sum/p.Sum)
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
