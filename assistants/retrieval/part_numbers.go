package retrieval

import "maps"

// PartNumbers number the parts of names and profiles, from 0. An index that is made of an
// earlier one has its numbers: the parts of ten thousand documents need not be looked up
// again because one of them has changed.
type partNumbers struct {
	known map[string]int32
	own   bool // known is not shared with an earlier index
}

// of returns the number of a part, a new one if it has none.
func (n *partNumbers) of(part string) int32 {
	number, ok := n.known[part]
	if ok {
		return number
	}
	if !n.own {
		n.own, n.known = true, maps.Clone(n.known)
		if n.known == nil {
			n.known = map[string]int32{}
		}
	}
	number = int32(len(n.known)) //nolint:gosec // there are not so many
	n.known[part] = number
	return number
}

// fewNumbers are so few that it does not matter how many of them are used.
const fewNumbers = 4096

// wasteful reports whether most numbers are those of parts that no document has any more.
func (n *partNumbers) wasteful(documents []named) bool {
	if len(n.known) <= fewNumbers {
		return false
	}
	used, seen := 0, make([]bool, len(n.known))
	for _, d := range documents {
		for _, parts := range [][]int32{d.parts, d.described} {
			for _, number := range parts {
				if !seen[number] {
					seen[number] = true
					used++
				}
			}
		}
	}
	return len(n.known) > 2*used
}
