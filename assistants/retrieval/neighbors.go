package retrieval

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
)

// A place is the position of a chunk in a version of a document.
type place struct {
	document assistants.DocumentID
	version  int
	index    int
}

func placeOf(c assistants.Chunk) place { return place{c.DocumentID, c.Version, c.Index} }

// withNeighbors adds to each hit the passages before and after it. No passage is
// added twice: one that is a hit itself is not added to another hit, and one between
// two hits is added to the better hit. If the passages cannot be fetched, it returns
// hits unchanged.
func (w *run) withNeighbors(ctx context.Context, hits []assistants.Hit) []assistants.Hit {
	if w.q.Neighbors <= 0 || len(hits) == 0 {
		return hits
	}
	around := min(w.q.Neighbors, maxNeighbors)
	var chunks []assistants.Chunk
	ctx, cancel := context.WithTimeout(ctx, w.budget)
	defer cancel()
	err := w.stage(StageNeighbors, func() (err error) {
		ranges := make([]assistants.PassageRange, len(hits))
		for i, h := range hits {
			ranges[i] = assistants.PassageRange{
				Document: h.Chunk.DocumentID, Version: h.Chunk.Version, First: max(0, h.Chunk.Index-around), Last: h.Chunk.Index + around,
			}
		}
		chunks, err = w.store.Passages(ctx, w.q.Tenant, ranges)
		return err
	})
	if err != nil {
		w.skip(StageNeighbors, "the passages could not be fetched")
		w.log.Warn("the passages around the hits could not be fetched", "error", err)
		return hits
	}
	there := make(map[place]assistants.Chunk, len(chunks))
	for _, c := range chunks {
		there[placeOf(c)] = c
	}
	taken := make(map[place]bool, len(there))
	for _, h := range hits {
		taken[placeOf(h.Chunk)] = true
	}
	out := slices.Clone(hits)
	for i := range out {
		out[i].Given = withNeighbors(out[i].Chunk, around, there, taken)
	}
	return out
}

// maxNeighbors is the most that retrieval_include_neighbors may be.
const maxNeighbors = 10

// maxJoined is the most that a passage with its neighbours spans, in
// characters. The chunker's span far less, but the database may hold others.
const maxJoined = 64 << 10

// withNeighbors joins a chunk with the passages around it. In both directions it
// stops at a passage that is taken, missing or too long. It returns nil if the chunk
// has no neighbours.
func withNeighbors(c assistants.Chunk, around int, there map[place]assistants.Chunk, taken map[place]bool) *assistants.JoinedPassages {
	parts := []assistants.Chunk{c}
	for _, step := range []int{-1, 1} {
		for n := 1; n <= around; n++ {
			at := place{c.DocumentID, c.Version, c.Index + step*n}
			next, ok := there[at]
			if !ok || taken[at] || !adjoins(parts, next, step) {
				break
			}
			taken[at] = true
			if step < 0 {
				parts = slices.Insert(parts, 0, next)
			} else {
				parts = append(parts, next)
			}
		}
	}
	if len(parts) == 1 {
		return nil
	}
	return join(parts)
}

// adjoins reports whether a chunk directly precedes or follows the others, as its
// index says. Nothing follows a chunk that was cut off.
func adjoins(parts []assistants.Chunk, next assistants.Chunk, step int) bool {
	first, last := parts[0], parts[len(parts)-1]
	if step < 0 {
		first = next
	} else {
		last = next
	}
	return len(next.Text) <= maxPassage && len(next.TableHeader) <= maxPassage &&
		first.CharStart <= last.CharStart && last.CharEnd-first.CharStart <= maxJoined
}

// join joins consecutive passages. Between them the document has only white space,
// which is replaced by line ends of the same length, so that offsets into the text
// stay correct.
func join(parts []assistants.Chunk) *assistants.JoinedPassages {
	s := assistants.JoinedPassages{CharStart: parts[0].CharStart, Page: parts[0].Page, TableHeader: parts[0].TableHeader}
	var text strings.Builder
	end := parts[0].CharStart
	for _, c := range parts {
		body := c.Text
		switch gap := c.CharStart - end; {
		case gap > 0:
			text.WriteString(strings.Repeat("\n", gap))
		case gap < 0: // they overlap
			for range -gap {
				_, size := utf8.DecodeRuneInString(body)
				body = body[size:]
			}
		}
		text.WriteString(body)
		end = max(end, c.CharEnd)
		if c.Page > 0 && (len(s.PageStarts) == 0 || s.PageStarts[len(s.PageStarts)-1].Page != c.Page) {
			s.PageStarts = append(s.PageStarts, assistants.PageStart{Page: c.Page, CharStart: c.CharStart})
		}
		s.PageStarts = append(s.PageStarts, c.PageStarts...)
	}
	s.Text = text.String()
	return &s
}
