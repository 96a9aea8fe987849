package retrieval

import (
	"cmp"
	"slices"

	"footnote/assistants"
)

// supersededWorth is how much of a passage's score stays if another document supersedes
// the one that it is of.
const supersededWorth = 0.5

// maxNewer is how many of the documents that replace one are looked at. A longer chain of
// versions is cut there.
const maxNewer = 256

// supersededOnes returns the documents that others supersede because somebody said so, with
// those others: the ones that replace it directly, then those that replace them, and so on.
// Documents that supersede each other in a circle are all superseded.
func (x *nameIndex) supersededOnes() map[int32][]int32 {
	next := map[int32][]int32{}
	for i, d := range x.documents {
		if old, ok := x.places[d.Supersedes]; ok && d.Supersedes != "" && d.Supersedes != d.ID {
			next[old] = append(next[old], int32(i)) //nolint:gosec // there are not so many
		}
	}
	all := make(map[int32][]int32, len(next))
	for old := range next {
		// A document supersedes at most one, so only a circle leads to one twice.
		list := []int32{old}
		for at := 0; at < len(list) && len(list) <= maxNewer; at++ {
			for _, i := range next[list[at]] {
				if i != old {
					list = append(list, i)
				}
			}
		}
		all[old] = list[1:]
	}
	return all
}

// inFrontOf returns a function that finds which document a question wants in front of one,
// "" for none: one that supersedes it or, if the question asks for the one before, the one
// that it supersedes. Both may be searched. It is nil if no document has such a one.
func (x *nameIndex) inFrontOf(question string, permits func(assistants.DocumentID) bool) func(assistants.DocumentID) assistants.DocumentID {
	if len(x.superseded) == 0 {
		return nil
	}
	find := x.newest
	switch older := asksForOlder(question); {
	case older && !asksForNewest(question):
		find = x.before
	case older, asksForPast(question): // any of them may have the answer
		return nil
	}
	asked := partsOf(question)
	return func(d assistants.DocumentID) assistants.DocumentID {
		i, known := x.places[d]
		if !known {
			return ""
		}
		return find(i, asked, permits)
	}
}

// newest returns the last document that supersedes one and may be searched, "" for none.
// One that the question asks for by its year or version has none.
func (x *nameIndex) newest(old int32, asked map[string]bool, permits func(assistants.DocumentID) bool) assistants.DocumentID {
	by := x.superseded[old]
	if x.asksFor(asked, old, by) {
		return ""
	}
	for _, i := range slices.Backward(by) {
		if newer := x.documents[i].ID; permits(newer) {
			return newer
		}
	}
	return ""
}

// before returns the document that the last one supersedes, of those that may be searched,
// "" for none. If the question asks for the last one by its year or version, it has none.
func (x *nameIndex) before(last int32, asked map[string]bool, permits func(assistants.DocumentID) bool) assistants.DocumentID {
	if x.newest(last, nil, permits) != "" {
		return ""
	}
	at := last
	for range maxNewer {
		older := x.documents[at].Supersedes
		i, known := x.places[older]
		if !known || i == last {
			return ""
		}
		if !permits(older) {
			at = i
			continue
		}
		if x.asksFor(asked, last, []int32{i}) {
			return ""
		}
		return older
	}
	return ""
}

// asksFor reports whether a question has a year, version or number of a document that its
// other versions lack. Other words of it are words of its subject, which they are about, too.
func (x *nameIndex) asksFor(asked map[string]bool, d int32, others []int32) bool {
	return slices.ContainsFunc(x.documents[d].dated, func(part string) bool {
		return asked[part] && !slices.ContainsFunc(others, func(i int32) bool { return slices.Contains(x.documents[i].dated, part) })
	})
}

// raised returns matches with scores such that the best one has at least some score. Their order stays.
func raised(matches []assistants.Match, least float64) []assistants.Match {
	if len(matches) > 0 && matches[0].Score > 0 && matches[0].Score < least {
		share := least / matches[0].Score
		for i := range matches {
			matches[i].Score *= share
		}
		matches[0].Score = least // exactly
	}
	return matches
}

// demote puts the passages of documents that the question wants another one in front of
// behind its best one. None of them is lost by that alone.
func (c choice) demote(matches []assistants.Match, threshold float64) []assistants.Match {
	if c.inFront == nil {
		return matches
	}
	best, front := map[assistants.DocumentID]float64{}, map[assistants.DocumentID]assistants.DocumentID{}
	for _, m := range matches {
		best[m.DocumentID] = max(best[m.DocumentID], m.Score)
	}
	for d := range best {
		if other := c.inFront(d); other != "" {
			front[d] = other
		}
	}
	isBehind := func(m assistants.Match) int {
		if front[m.DocumentID] != "" {
			return 1
		}
		return 0
	}
	for i, m := range matches {
		if isBehind(m) == 0 {
			continue
		}
		score := m.Score * supersededWorth
		if best := best[front[m.DocumentID]]; best > 0 {
			score = min(score, best)
		}
		matches[i].Score = max(score, min(m.Score, threshold))
	}
	slices.SortStableFunc(matches, func(a, b assistants.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(isBehind(a), isBehind(b)))
	})
	return matches
}

// replaces reports whether a document is to be shown in place of another one that says the
// same: it supersedes it or is a later release of it, and the question does not ask for the
// other one.
func replaces(d, other assistants.Document, question string) bool {
	if d.Supersedes != other.ID && !later(d, other) || asksForPast(question) || asksForOlder(question) {
		return false
	}
	newer := partsOf(withoutExtension(d.Name))
	asked := partsOf(question)
	for part := range partsOf(withoutExtension(other.Name)) {
		if hasDigit(part) && asked[part] && !newer[part] {
			return false
		}
	}
	return true
}
