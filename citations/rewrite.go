package citations

import (
	"slices"
	"strconv"
)

// Rewrites reports whether the client gets a different text than the model wrote.
func (s *Set) Rewrites() bool { return s.opt.Renumber || s.opt.Markers != MarkersKeep }

// A renumbering numbers the sources in the order in which an answer first cites
// them. Uncited sources follow in their old order.
type renumbering struct {
	count      int   // of sources
	newNumbers []int // by old number; 0: not cited so far
	old        []int // the old numbers, by new number less 1
}

// newNumber returns the new number of a source, which it cites.
func (r *renumbering) newNumber(n int) int {
	if r.newNumbers == nil {
		r.newNumbers = make([]int, r.count+1)
	}
	if r.newNumbers[n] == 0 {
		r.old = append(r.old, n)
		r.newNumbers[n] = len(r.old)
	}
	return r.newNumbers[n]
}

// order returns the sources by their new numbers.
func (r *renumbering) order(sources []Source) []Source {
	if len(r.old) == 0 {
		return sources
	}
	list := make([]Source, 0, len(sources))
	for _, n := range r.old {
		list = append(list, sources[n-1])
	}
	for i := range sources {
		if r.newNumbers[i+1] == 0 {
			list = append(list, sources[i])
		}
	}
	for i := range list {
		list[i].Index = i + 1
	}
	return list
}

// number returns the number that a source has in the answer.
func (t *Tracker) number(n int) int {
	if t.set.opt.Renumber {
		return t.numbers.newNumber(n)
	}
	return n
}

// replacement returns the text that replaces a marker.
func (c *choice) replacement(m match) []byte {
	t := c.tracker
	numbers := make([]int, 0, len(m.numbers))
	for i, n := range m.numbers {
		if slices.Contains(m.numbers[:i], n) {
			continue
		}
		if n <= len(t.set.sources) {
			n = t.number(n)
		}
		numbers = append(numbers, n)
	}
	switch {
	case t.set.opt.Markers == MarkersStrip:
		return nil
	case t.set.opt.Markers == MarkersDoc:
		return docMarkers(numbers, len(t.set.sources))
	case slices.Equal(numbers, m.numbers):
		return m.text
	}
	// The text around the numbers stays: [Source 2] becomes [Source 1].
	text := append(make([]byte, 0, len(m.text)+8), m.text[:m.first]...)
	for i, n := range numbers {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return append(text, m.text[m.last:]...)
}

// docMarkers writes numbers as Azure's markers. Numbers without a source stay plain,
// so that clients do not look for one.
func docMarkers(numbers []int, sources int) []byte {
	var text []byte
	for _, n := range numbers {
		text = append(text, '[')
		if n <= sources {
			text = append(text, "doc"...)
		}
		text = append(strconv.AppendInt(text, int64(n), 10), ']')
	}
	return text
}
