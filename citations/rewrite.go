package citations

import (
	"bytes"
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
	old        []int // the old numbers, by new number less 1; 0: left to an uncited source
}

// newNumber returns the new number of a source, which it cites: the first one that is
// free and that the answer does not define as a link or footnote, else the first free one.
func (r *renumbering) newNumber(n int, defined map[label]bool) int {
	if r.newNumbers == nil {
		r.newNumbers = make([]int, r.count+1)
	}
	if r.newNumbers[n] != 0 {
		return r.newNumbers[n]
	}
	first, free := 0, 0
	for i := 1; i <= r.count && free == 0; i++ {
		if i <= len(r.old) && r.old[i-1] != 0 {
			continue
		}
		if first == 0 {
			first = i
		}
		if !defined[label{formNumber, i}] && !defined[label{formFootnote, i}] {
			free = i
		}
	}
	if free == 0 {
		free = first
	}
	for len(r.old) < free {
		r.old = append(r.old, 0)
	}
	r.old[free-1], r.newNumbers[n] = n, free
	return free
}

// order returns the sources by their new numbers.
func (r *renumbering) order(sources []Source) []Source {
	if len(r.old) == 0 {
		return sources
	}
	list, next := make([]Source, 0, len(sources)), 1
	for i := range sources {
		if i < len(r.old) && r.old[i] != 0 {
			list = append(list, sources[r.old[i]-1])
			continue
		}
		for r.newNumbers[next] != 0 {
			next++
		}
		list = append(list, sources[next-1])
		next++
	}
	for i := range list {
		list[i].Index = i + 1
	}
	return list
}

// number returns the number that a source has in the answer.
func (c *choice) number(n int) int {
	if t := c.tracker; t.set.opt.Renumber {
		return t.numbers.newNumber(n, c.scan.defined)
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
			n = c.number(n)
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
	case len(numbers) == 1 && c.scan.defined[label{m.bracketed(), numbers[0]}]: // [1] would be the link that the answer defines
		return append(strconv.AppendInt([]byte("[Source "), int64(numbers[0]), 10), ']')
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

// bracketed is the form of a marker's inner brackets: [[1]] has those of [1].
func (m match) bracketed() form {
	if bytes.HasPrefix(m.text, []byte("[[")) {
		return formNumber
	}
	return m.form
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
