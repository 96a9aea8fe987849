package retrieval

import (
	"cmp"
	"maps"
	"slices"

	"footnote/assistants"
)

// supersededWorth is how much of a passage's score stays if another document supersedes
// the one that it is of.
const supersededWorth = 0.5

// A superseded is a document that others replace, because somebody said so.
type superseded struct {
	by  []int32         // those that replace it, directly or not, the last ones at the end
	own map[string]bool // years, versions and numbers of its name and profile that they lack
}

// supersededAmong returns the documents that others of the list supersede, by their places
// in it. Documents that supersede each other in a circle are all superseded.
func supersededAmong(documents []named) map[int32]superseded {
	places, next := map[assistants.DocumentID]int32{}, map[int32][]int32{}
	for i, d := range documents {
		places[d.ID] = int32(i) //nolint:gosec // there are not so many
	}
	for i, d := range documents {
		if old, ok := places[d.Supersedes]; ok && d.Supersedes != "" {
			next[old] = append(next[old], int32(i)) //nolint:gosec // there are not so many
		}
	}
	all := make(map[int32]superseded, len(next))
	for old := range next {
		s := superseded{own: allParts(documents[old])}
		seen := map[int32]bool{old: true}
		for queue := slices.Clone(next[old]); len(queue) > 0; queue = queue[1:] {
			if i := queue[0]; !seen[i] {
				seen[i] = true
				s.by = append(s.by, i)
				queue = append(queue, next[i]...)
			}
		}
		for _, i := range s.by {
			newer := allParts(documents[i])
			maps.DeleteFunc(s.own, func(part string, _ bool) bool { return newer[part] })
		}
		all[old] = s
	}
	return all
}

// allParts are the parts of a document's name and profile that have digits. The others are
// words of its subject, which those that replace it are about, too.
func allParts(d named) map[string]bool {
	parts := partsOf(withoutExtension(d.Name))
	maps.Copy(parts, describedBy(d.Profile))
	maps.DeleteFunc(parts, func(part string, _ bool) bool { return !hasDigit(part) })
	return parts
}

// outdated returns the documents that are superseded by one that may be searched, with that
// one. Those that the question asks for are not among them: by their year or version, or
// because it asks for what was before.
func (x *nameIndex) outdated(question string, permitted []assistants.DocumentID) map[assistants.DocumentID]assistants.DocumentID {
	if len(x.superseded) == 0 || asksForOlder(question) {
		return nil
	}
	asked := askedParts(question)
	old := map[assistants.DocumentID]assistants.DocumentID{}
	for i, s := range x.superseded {
		wanted := false
		for part := range s.own {
			wanted = wanted || asked[part]
		}
		if wanted {
			continue
		}
		for _, by := range slices.Backward(s.by) {
			if d := x.documents[by]; may(permitted, d.ID) {
				old[x.documents[i].ID] = d.ID
				break
			}
		}
	}
	return old
}

// demote puts the passages of outdated documents behind the best one of the document that
// supersedes theirs. None of them is lost by that alone.
func (c choice) demote(matches []assistants.Match, threshold float64) []assistants.Match {
	if len(c.outdated) == 0 {
		return matches
	}
	best := map[assistants.DocumentID]float64{}
	for _, m := range matches {
		best[m.DocumentID] = max(best[m.DocumentID], m.Score)
	}
	isOld := func(m assistants.Match) int {
		if c.outdated[m.DocumentID] != "" {
			return 1
		}
		return 0
	}
	for i, m := range matches {
		if isOld(m) == 0 {
			continue
		}
		score := m.Score * supersededWorth
		if newer := best[c.outdated[m.DocumentID]]; newer > 0 {
			score = min(score, newer)
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
