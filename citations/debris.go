package citations

import (
	"bytes"
	"sort"
)

// Where a marker is removed, what it leaves empty goes with it: brackets, emphasis or a tag
// around nothing but markers, and what joins two markers. The client's text is built byte by
// byte behind a removed marker, until it is clear that no more of it goes.

// maxWrapped is the number of bytes that may go before a marker, so that few are held back.
const maxWrapped = 16

// wrappers are what may stand around markers.
var wrappers = [...]struct{ opening, closing string }{
	{"(", ")"}, {"[", "]"}, {"（", "）"}, {"*", "*"}, {"_", "_"}, {"~", "~"},
	{"<sup>", "</sup>"}, {"<sub>", "</sub>"}, {"<small>", "</small>"}, {"<strong>", "</strong>"}, {"<em>", "</em>"}, {"<b>", "</b>"}, {"<i>", "</i>"},
}

// joints stand between two markers and join them. Spaces may stand around them.
var joints = [...]string{"", ",", ";", "、", "，", "&", "and", "or", "und", "et", "y", "e", "en", ", and", ", or"}

// A gap is the place in the client's text where a marker was removed last. Its last cut is
// what went before and behind it.
type gap struct {
	open   bool
	at     int  // index in out
	last   byte // the byte before it, as ruler.last
	budget int  // bytes before it that may still go
}

// A cut is a range of the client's text that was counted in units and then removed. gone is
// what earlier cuts removed.
type cut struct{ from, to, gone int }

// real returns the place in the client's text of a counted position.
func (r *ruler) real(position int) int {
	i := sort.Search(len(r.cuts), func(i int) bool { return r.cuts[i].from >= position }) - 1
	if i < 0 {
		return position
	}
	c := r.cuts[i]
	return position - c.gone - (min(position, c.to) - c.from)
}

// openGap notes that a marker is removed at the end of the text. It returns false if it only
// widens the last gap.
func (r *ruler) openGap() bool {
	if !r.gap.open {
		r.outer.open = false
		return true
	}
	if isJoint(r.out[r.gap.at:]) {
		r.out = r.out[:r.gap.at]
		r.cuts[len(r.cuts)-1].to = r.units
		r.last, r.skipSpace = r.gap.last, r.gap.last == '\n'
		return false
	}
	r.outer = r.gap // an opening stands between: [1], *[2]*
	return true
}

// joinOuter widens the gap before this one if nothing but a joint is left between them.
func (r *ruler) joinOuter() {
	if !r.outer.open || !isJoint(r.out[r.outer.at:r.gap.at]) {
		return
	}
	r.cuts = r.cuts[:len(r.cuts)-1]
	r.cuts[len(r.cuts)-1].to = r.units
	r.out = r.out[:r.outer.at]
	r.gap, r.outer.open = r.outer, false
	r.last, r.skipSpace = r.gap.last, r.gap.last == '\n'
}

// beginGap begins a gap at the end of the text.
func (r *ruler) beginGap() {
	gone := 0
	if n := len(r.cuts); n > 0 {
		c := r.cuts[n-1]
		gone = c.gone + c.to - c.from
		if c.from == c.to && !r.outer.open {
			r.cuts = r.cuts[:n-1]
		}
	}
	r.cuts = append(r.cuts, cut{r.units, r.units, gone})
	r.gap = gap{open: true, at: len(r.out), last: r.last, budget: maxWrapped}
}

// isJoint reports whether a text joins two markers.
func isJoint(text []byte) bool {
	text = bytes.Trim(text, " ")
	for _, joint := range joints {
		if string(text) == joint {
			return true
		}
	}
	return false
}

// behindGap adds a byte behind a removed marker.
func (r *ruler) behindGap(b byte) {
	one := [1]byte{b}
	r.put(one[:])
	r.units += measure(one[:], r.unit)
	tail := r.out[r.gap.at:]
	for _, w := range wrappers {
		if string(tail) == w.closing && r.unwrap(w.opening) {
			return
		}
	}
	if r.gap.open = mayGo(tail); !r.gap.open {
		r.outer.open = false
	}
}

// unwrap removes the opening before the gap and the closing behind it.
func (r *ruler) unwrap(opening string) bool {
	at := r.gap.at - len(opening)
	least := 0
	if r.outer.open {
		least = r.outer.at
	}
	if at < least || len(opening) > r.gap.budget || string(r.out[at:r.gap.at]) != opening || !r.opens(at, opening[0]) {
		return false
	}
	c := &r.cuts[len(r.cuts)-1]
	c.from -= measure([]byte(opening), r.unit)
	r.gap.budget -= len(opening)
	before := r.byteBefore(at)
	if before == ' ' && at > least {
		at--
		c.from--
		r.gap.budget = 0 // what stands before the space stays
		before = 'x'     // as after a marker
	}
	c.to = r.units
	r.out = r.out[:at]
	r.gap.at, r.gap.last, r.last = at, before, before
	r.skipSpace = before == '\n'
	r.joinOuter()
	return true
}

// opens reports whether a sign of emphasis before the gap opens it: no word stands before it.
func (r *ruler) opens(at int, sign byte) bool {
	if sign != '*' && sign != '_' && sign != '~' {
		return true
	}
	for at > 0 && r.out[at-1] == sign {
		at--
	}
	switch r.byteBefore(at) {
	case ' ', '\n', '(', '[', '>':
		return true
	}
	return false
}

// byteBefore returns the byte of the client's text before an index of out, a line break at the
// start of the text.
func (r *ruler) byteBefore(at int) byte {
	if at > 0 {
		return r.out[at-1]
	}
	return r.drained
}

// mayGo reports whether what stands behind a removed marker may still go: it begins a closing,
// or what joins it to another marker.
func mayGo(tail []byte) bool {
	for _, w := range wrappers {
		if len(tail) < len(w.closing) && w.closing[:len(tail)] == string(tail) {
			return true
		}
	}
	text := bytes.TrimLeft(tail, " ")
	for _, joint := range joints {
		n := min(len(text), len(joint))
		if joint[:n] == string(text[:n]) && areOpenings(bytes.TrimLeft(text[n:], " ")) {
			return len(tail) < maxWrapped
		}
	}
	return false
}

// areOpenings reports whether a text consists of openings; the last one may be cut.
func areOpenings(text []byte) bool {
	for len(text) > 0 {
		size := 0
		for _, w := range wrappers {
			if n := min(len(text), len(w.opening)); string(text[:n]) == w.opening[:n] {
				size = max(size, n)
			}
		}
		if size == 0 {
			return false
		}
		text = text[size:]
	}
	return true
}

// waits returns the number of bytes of out that cannot go any more.
func (r *ruler) waits() int {
	n := len(r.out)
	if r.gap.open {
		n = r.gap.at
		if r.outer.open {
			n = r.outer.at
		}
	}
	if !r.gap.open && n > 0 && r.out[n-1] == ' ' {
		n-- // it goes with the marker
	}
	for room := maxWrapped; room > 0; {
		size := openingAt(r.out[:n])
		if size == 0 || size > room {
			break
		}
		n, room = n-size, room-size
	}
	if n > 0 && r.out[n-1] == ' ' {
		n--
	}
	return n
}

// openingAt returns the size of an opening, or of the beginning of one, at the end of a text.
func openingAt(text []byte) int {
	for _, w := range wrappers {
		for n := min(len(w.opening), len(text)); n > 0; n-- {
			if string(text[len(text)-n:]) == w.opening[:n] {
				return n
			}
		}
	}
	return 0
}
