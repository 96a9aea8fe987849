package vector

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"footnote/assistants"
)

// A search is one question on its way.
type search struct {
	assistants.Search
	shelves []*shelf
	only    map[*shelf][]*held // documents; nil: all
	limit   int
	exact   bool // see [Options]
}

// run searches for words and for meaning, each for enough candidates, and joins
// what they found.
func (s *search) run(ctx context.Context) (assistants.Found, error) {
	var found assistants.Found
	if err := ctx.Err(); err != nil {
		return found, err
	}
	most := s.limit
	if len(s.Terms) > 0 && len(s.Vector) > 0 {
		most = max(most, minCandidates)
	}
	words, meanings := newTop(most), newTop(most)
	start := time.Now()
	plan, ok := newPlan(s.shelves, s.Terms)
	if ok {
		if len(s.Vector) == 0 {
			// A hair below, so that rounding loses no match that reaches the minimum.
			plan.needed = s.MinScore*plan.sum - grain
		}
		for _, shelf := range s.shelves {
			only := s.only[shelf]
			if s.only != nil && len(only) == 0 {
				continue
			}
			if err := plan.addShelf(ctx, shelf, only, words); err != nil {
				return found, err
			}
		}
	}
	found.Text = time.Since(start)
	if len(s.Vector) > 0 {
		start = time.Now()
		if err := s.scan(most).run(ctx, meanings); err != nil {
			return found, err
		}
		found.Vector = time.Since(start)
	}
	found.Matches = s.join(plan, words.found, meanings.found)
	return found, nil
}

// scan prepares the scan of what the search may look at.
func (s *search) scan(k int) *scan {
	scan := newScan(s.Vector, s.Space, k)
	scan.exact = s.exact
	for _, shelf := range s.shelves {
		if a := shelf.arenas[s.Space]; a != nil && s.only == nil {
			scan.add(a, 0, len(a.owners))
		}
		for _, h := range s.only[shelf] {
			if in, ok := h.in(s.Space); ok {
				scan.add(in.arena, int(in.first), int(in.first)+len(h.chunks))
			}
		}
	}
	return scan
}

// A joined is a match with the BM25 sum that orders those whose text score is 1.
type joined struct {
	assistants.Match
	sum   float64
	index int
	place int
}

// join gives each candidate the score that it was not found by, and returns the
// best.
func (s *search) join(p plan, words, meanings []candidate) []assistants.Match {
	var all []joined
	for _, c := range words {
		all = s.add(all, p, c, c.sum)
	}
	if len(words) > 0 {
		type place struct {
			owner *held
			place int
		}
		seen := make(map[place]bool, len(words))
		for _, c := range words {
			seen[place{c.owner, c.place}] = true
		}
		meanings = slices.DeleteFunc(meanings, func(c candidate) bool { return seen[place{c.owner, c.place}] })
	}
	for _, c := range meanings {
		all = s.add(all, p, c, p.of(c.owner.shelf, c.owner.first+uint32(c.place)))
	}
	return firstOf(all, s.limit)
}

// firstOf returns the best matches, from the best to the worst.
func firstOf(all []joined, limit int) []assistants.Match {
	slices.SortFunc(all, func(x, y joined) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.sum, x.sum),
			strings.Compare(string(x.DocumentID), string(y.DocumentID)), cmp.Compare(x.index, y.index), cmp.Compare(x.place, y.place))
	})
	out := make([]assistants.Match, min(len(all), limit))
	for i := range out {
		out[i] = all[i].Match
	}
	return out
}

// add appends a candidate that scores enough; sum is its BM25 sum.
func (s *search) add(to []joined, p plan, c candidate, sum float64) []joined {
	chunk := c.owner.chunks[c.place]
	j := joined{sum: sum, index: chunk.index, place: c.place}
	j.ChunkID, j.DocumentID, j.Version = chunk.id, c.owner.id, c.owner.version
	if sum > 0 {
		j.TextScore = min(1, sum/p.sum)
	}
	has := false
	if len(s.Vector) > 0 {
		var in placed
		if in, has = c.owner.in(s.Space); has {
			j.Cosine = cosine(s.Vector, in.arena.vector(in.first+uint32(c.place)))
		}
	}
	j.Score = s.Score(j.TextScore, j.Cosine, has)
	if j.Score <= 0 || j.Score < s.MinScore-grain {
		return to
	}
	return append(to, j)
}
