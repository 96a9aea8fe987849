package citations

import (
	"cmp"
	"slices"
)

// MaxMarkers is how many markers an object lists.
const MaxMarkers = 1000

// A Tracker scans the text of an answer's choices as it comes and says in the
// end what it cites. It keeps no text. It is not safe for concurrent use.
type Tracker struct {
	set     *Set
	choices map[int]*choice
	last    *choice // the one written to last, mostly the only one
	result  *Citations
}

// A choice is one alternative answer.
type choice struct {
	index   int
	scan    *scanner
	markers []*Marker
	fresh   []Marker // made ahead, a few at a time
	numbers []int    // those of all markers, in one list
	count   int
	cited   map[int]bool // numbers with a source
	invalid map[int]bool // numbers without
}

// Tracker returns a tracker for one answer to a prompt with these sources.
func (s *Set) Tracker() *Tracker {
	return &Tracker{set: s, choices: map[int]*choice{}}
}

// Write takes the next piece of a choice's text, cut anywhere. It must not be
// called after Result.
func (t *Tracker) Write(index int, text string) {
	if t.last != nil && t.last.index == index {
		t.last.scan.write(text)
		return
	}
	c := t.choices[index]
	if c == nil {
		c = &choice{index: index, cited: map[int]bool{}, invalid: map[int]bool{}, numbers: make([]int, 0, 16)}
		c.scan = newScanner(t.set.unit, func(f found) *Marker { return t.found(index, c, f) })
		t.choices[index] = c
	}
	t.last = c
	c.scan.write(text)
}

// found records a marker: its numbers, and itself while the list has room.
func (t *Tracker) found(index int, c *choice, f found) *Marker {
	c.count++
	first := len(c.numbers)
	for i, n := range f.numbers {
		if n <= len(t.set.sources) && !contains(f.numbers[:i], n) { // [1, 1]
			c.cited[n] = true
			c.numbers = append(c.numbers, n)
		}
	}
	between := len(c.numbers)
	for i, n := range f.numbers {
		if n > len(t.set.sources) && !contains(f.numbers[:i], n) {
			c.invalid[n] = true
			c.numbers = append(c.numbers, n)
		}
	}
	if len(c.markers) >= MaxMarkers {
		c.numbers = c.numbers[:first]
		return nil
	}
	m := c.marker()
	*m = Marker{Choice: index, Start: f.start, End: f.end, Indices: slices.Clip(c.numbers[first:between]), Invalid: slices.Clip(c.numbers[between:])}
	c.markers = append(c.markers, m)
	return m
}

// marker returns room for one more.
func (c *choice) marker() *Marker {
	if len(c.fresh) == 0 {
		c.fresh = make([]Marker, 16)
	}
	m := &c.fresh[0]
	c.fresh = c.fresh[1:]
	return m
}

// Annotations decides what a choice's text ends with and returns the annotations
// that its own markers make (see [Citations.Annotations]): for a choice that has
// ended while others go on.
func (t *Tracker) Annotations(index int) []byte {
	c := t.choices[index]
	if c == nil {
		return nil
	}
	c.scan.scan(true)
	own := t.set.result(StatusNone)
	for _, m := range c.markers {
		own.Markers = append(own.Markers, *m)
	}
	return own.Annotations(index)
}

// Result ends the text and returns what it cites; calling it again returns the same.
func (t *Tracker) Result() *Citations {
	if t.result != nil {
		return t.result
	}
	r := t.set.result(StatusNone)
	cited, invalid := map[int]bool{}, map[int]bool{}
	count := 0
	for _, c := range t.choices {
		c.scan.finish()
		r.Markers = slices.Grow(r.Markers, len(c.markers))
		count += c.count
		for _, m := range c.markers {
			r.Markers = append(r.Markers, *m)
		}
		for n := range c.cited {
			cited[n] = true
		}
		for n := range c.invalid {
			invalid[n] = true
		}
	}
	slices.SortFunc(r.Markers, func(a, b Marker) int {
		return cmp.Or(cmp.Compare(a.Choice, b.Choice), cmp.Compare(a.Start, b.Start))
	})
	if count > MaxMarkers {
		r.Markers, r.Truncated = r.Markers[:MaxMarkers], true
	}
	r.ReferencedIndices, r.InvalidIndices = ascending(cited), ascending(invalid)
	switch {
	case len(t.set.sources) == 0:
		r.Status = StatusNoSources
	case len(cited) > 0:
		r.Status = StatusCited
	}
	scores := make([]float64, 0, len(cited))
	for _, n := range r.ReferencedIndices {
		scores = append(scores, t.set.sources[n-1].Score)
	}
	r.Confidence = ConfidenceOf(scores)
	t.result = r
	return r
}

func ascending(set map[int]bool) []int {
	list := make([]int, 0, len(set))
	for n := range set {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
