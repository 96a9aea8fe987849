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

// newerThan returns a function that tells which document supersedes one and may be searched,
// "" for none. It is nil if there are no such documents at all. One that the question asks
// for has none: by its year or version, or because it asks for what was before.
func (x *nameIndex) newerThan(question string, permitted []assistants.DocumentID) func(assistants.DocumentID) assistants.DocumentID {
	if len(x.superseded) == 0 || asksForOlder(question) {
		return nil
	}
	asked := partsOf(question)
	return func(d assistants.DocumentID) assistants.DocumentID {
		old, known := x.places[d]
		by := x.superseded[old]
		if !known || x.asksForOneOf(asked, old, by) {
			return ""
		}
		for _, i := range slices.Backward(by) {
			if newer := x.documents[i].ID; may(permitted, newer) {
				return newer
			}
		}
		return ""
	}
}

// asksForOneOf reports whether a question has a year, version or number of a document that
// those that replace it lack. Other words of it are words of its subject, which they are
// about, too.
func (x *nameIndex) asksForOneOf(asked map[string]bool, old int32, by []int32) bool {
	return slices.ContainsFunc(x.documents[old].dated, func(part string) bool {
		return asked[part] && !slices.ContainsFunc(by, func(i int32) bool { return slices.Contains(x.documents[i].dated, part) })
	})
}

// demote puts the passages of outdated documents behind the best one of the document that
// supersedes theirs. None of them is lost by that alone.
func (c choice) demote(matches []assistants.Match, threshold float64) []assistants.Match {
	if c.newer == nil {
		return matches
	}
	best, newer := map[assistants.DocumentID]float64{}, map[assistants.DocumentID]assistants.DocumentID{}
	for _, m := range matches {
		best[m.DocumentID] = max(best[m.DocumentID], m.Score)
	}
	for d := range best {
		if by := c.newer(d); by != "" {
			newer[d] = by
		}
	}
	isOld := func(m assistants.Match) int {
		if newer[m.DocumentID] != "" {
			return 1
		}
		return 0
	}
	for i, m := range matches {
		if isOld(m) == 0 {
			continue
		}
		score := m.Score * supersededWorth
		if best := best[newer[m.DocumentID]]; best > 0 {
			score = min(score, best)
		}
		matches[i].Score = max(score, min(m.Score, threshold))
	}
	slices.SortStableFunc(matches, func(a, b assistants.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(isOld(a), isOld(b)))
	})
	return matches
}

// replaces reports whether a document is to be shown in place of another one that says the
// same: it supersedes it or is a later release of it, and the question does not ask for the
// other one.
func replaces(d, other assistants.Document, question string) bool {
	if d.Supersedes != other.ID && !later(d, other) || asksForOlder(question) {
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
