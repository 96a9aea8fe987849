package retrieval

import (
	"cmp"
	"context"
	"slices"

	"footnote/assistants"
)

// maxFurther is the largest number of searches that are made in addition because a few
// documents have more matches than are wanted of them.
const maxFurther = 8

// A documentRoom counts the hits of each document. Its zero value is empty.
type documentRoom map[assistants.DocumentID]int

// take counts a hit of a document, and reports whether it is one of the first most. If
// most is 0 there is no limit.
func (r *documentRoom) take(d assistants.DocumentID, most int) bool {
	if most <= 0 {
		return true
	}
	if *r == nil {
		*r = documentRoom{}
	}
	if (*r)[d] >= most {
		return false
	}
	(*r)[d]++
	return true
}

// giveBack takes back what take counted.
func (r *documentRoom) giveBack(d assistants.DocumentID) {
	if (*r)[d] > 0 {
		(*r)[d]--
	}
}

// PerDocument returns the hits without those that follow the first most of their
// document. If most is 0 there is no limit. It reuses the memory of hits.
func PerDocument(hits []assistants.Hit, most int) []assistants.Hit {
	var room documentRoom
	return slices.DeleteFunc(hits, func(h assistants.Hit) bool { return !room.take(h.Document.ID, most) })
}

// withOthers searches the other documents as well, if the matches of a few fill a search
// and too few of them are wanted. search searches some documents; permitted are those
// that may be searched, nil for all.
func (w *run) withOthers(ctx context.Context, found findings, permitted []assistants.DocumentID, search func([]assistants.DocumentID) (findings, error)) (findings, error) {
	for range maxFurther {
		var room documentRoom
		wanted := 0
		for _, m := range found.matches {
			if room.take(m.DocumentID, w.q.PerDocument) {
				wanted++
			}
		}
		if !found.full || wanted >= w.q.TopK {
			return found, nil
		}
		if permitted == nil {
			var err error
			if permitted, err = w.store.FilterDocuments(ctx, w.q.Tenant, w.q.Collections, assistants.Filter{}); err != nil {
				return found, err
			}
		}
		isFull := func(d assistants.DocumentID) bool { return room[d] == w.q.PerDocument }
		permitted = slices.DeleteFunc(slices.Clone(permitted), isFull)
		if len(permitted) == 0 {
			return found, nil
		}
		others, err := search(permitted)
		if err != nil {
			return found, err
		}
		found.matches = append(slices.DeleteFunc(found.matches, func(m assistants.Match) bool { return !isFull(m.DocumentID) }), others.matches...)
		slices.SortStableFunc(found.matches, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
		found.full, found.degraded = others.full, found.degraded || others.degraded
	}
	return found, nil
}
