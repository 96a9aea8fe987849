package citations

import (
	"bytes"
	"sort"
)

// Where a marker is removed, what it leaves empty goes with it: brackets, quotation marks,
// emphasis or a tag around nothing but markers, what joins two markers, what led to them, a
// line without anything else, and spaces before a full stop. The client's text is built byte
// by byte behind a removed marker, until it is clear that no more of it goes.

// A gap is the place in the client's text where a marker was removed last. Its last cut is
// what went before and behind it.
type gap struct {
	open   bool
	at     int  // index in out
	last   byte // the byte before it, as ruler.last
	spaced bool // a space went before it
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
		r.drop(len(r.out) - r.gap.at)
		r.standAt(r.gap.last)
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
	r.standAt(r.gap.last)
}

// standAt notes which byte the text ends with, as it is after a marker was removed.
func (r *ruler) standAt(last byte) { r.last, r.skipSpace = last, last == '\n' }

// beginGap begins a gap at the end of the text. spaced is the size of the space that went
// before it.
func (r *ruler) beginGap(spaced int) {
	gone := 0
	if n := len(r.cuts); n > 0 {
		c := r.cuts[n-1]
		gone = c.gone + c.to - c.from
		if c.from == c.to && !r.outer.open {
			r.cuts = r.cuts[:n-1]
		}
	}
	r.cuts = append(r.cuts, cut{r.units, r.units, gone})
	r.gap = gap{open: true, at: len(r.out), last: r.last, spaced: spaced > 0, budget: maxGlue - spaced}
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

// take removes the text before the gap from an index of out on, and reports whether it may go.
func (r *ruler) take(from int) bool {
	least, c := 0, &r.cuts[len(r.cuts)-1]
	if r.outer.open {
		least = r.outer.at
	}
	if from < least || r.gap.at-from > r.gap.budget {
		return false
	}
	units := measure(r.out[from:r.gap.at], r.unit)
	if n := len(r.cuts); n > 1 && c.from-units < r.cuts[n-2].to {
		return false
	}
	c.from -= units
	r.gap.budget -= r.gap.at - from
	r.out = append(r.out[:from], r.out[r.gap.at:]...)
	r.gap.at = from
	return true
}

// drop removes the first n bytes behind the gap.
func (r *ruler) drop(n int) {
	at := r.gap.at
	r.cuts[len(r.cuts)-1].to += measure(r.out[at:at+n], r.unit)
	r.out = append(r.out[:at], r.out[at+n:]...)
}

// byteBefore returns the byte of the client's text before an index of out, a line break at the
// start of the text.
func (r *ruler) byteBefore(at int) byte {
	if at > 0 {
		return r.out[at-1]
	}
	return r.drained
}

// behindGap adds a byte behind a removed marker.
func (r *ruler) behindGap(b byte) {
	one := [1]byte{b}
	r.put(one[:])
	r.units += measure(one[:], r.unit)
	tail := r.out[r.gap.at:]
	rest, _ := behindPage(tail)
	for i := range wrappers {
		if w := &wrappers[i]; string(rest) == w.closing && r.unwrap(w) {
			return
		}
	}
	if !mayGo(tail) && !r.cutsBefore(tail) {
		r.closeGap()
	}
}

// cutsBefore reports whether a tail is a sign before which something may go, unless what follows
// makes it part of something else: .5, ...
func (r *ruler) cutsBefore(tail []byte) bool {
	if sign := string(bytes.TrimLeft(tail, " ")); sign != "." && sign != "," {
		return false
	}
	before := r.out[:r.gap.at]
	return len(tail) > 1 || spacesAtEnd(before) > 0 || endsWith(before, leadSigns) > 0 || leadAtEnd(before, r.drained) > 0
}

// behindPage returns what follows the spaces and the page behind a removed marker, ", p. 12",
// and whether there may be more of the page.
func behindPage(tail []byte) (rest []byte, cut bool) {
	p := parser{b: bytes.TrimLeft(tail, " ")}
	switch p.commaAndPage() {
	case yes:
		return p.b[p.i:], false
	case more:
		return p.b, true
	}
	return p.b, false
}

// unwrap removes the opening before the gap and the closing behind it.
func (r *ruler) unwrap(w *wrapper) bool {
	at := r.gap.at
	if w.tight && (r.gap.spaced || len(r.out)-at > len(w.closing)) {
		return false
	}
	if w.led {
		at -= leadAtEnd(r.out[:at], r.drained)
	}
	if !w.tight {
		at -= spacesAtEnd(r.out[:at])
	}
	at -= len(w.opening)
	if at < 0 || !bytes.HasPrefix(r.out[at:], []byte(w.opening)) || w.atWord && !r.opens(at, w.opening[0]) || !r.take(at) {
		return false
	}
	r.drop(len(r.out) - at)
	before := r.byteBefore(at)
	r.gap.spaced = false
	if size := endsWith(r.out[:at], spaces); size > 0 && r.take(at-size) {
		before, r.gap.spaced = 'x', true // as after a marker
	}
	r.gap.last = before
	r.standAt(before)
	r.joinOuter()
	return true
}

// opens reports whether a sign before the gap opens emphasis or a quotation: no word stands
// before it.
func (r *ruler) opens(at int, sign byte) bool {
	for least := max(0, r.gap.at-r.gap.budget); at > least && r.out[at-1] == sign; {
		at--
	}
	switch r.byteBefore(at) {
	case ' ', '\n', '(', '[', '>':
		return true
	}
	return false
}

// mayGo reports whether what stands behind a removed marker may still go: it begins a closing,
// or what joins it to another marker.
func mayGo(tail []byte) bool {
	text := bytes.TrimLeft(tail, " ")
	if len(tail) >= maxGlue {
		return false
	}
	rest, cut := behindPage(tail)
	if cut {
		return true
	}
	for i := range wrappers {
		if closing := wrappers[i].closing; len(rest) < len(closing) && closing[:len(rest)] == string(rest) {
			return true
		}
	}
	for _, joint := range joints {
		n := min(len(text), len(joint))
		if joint[:n] == string(text[:n]) && areOpenings(bytes.TrimLeft(text[n:], " ")) {
			return true
		}
	}
	return false
}

// areOpenings reports whether a text consists of openings; the last one may be cut.
func areOpenings(text []byte) bool {
	for len(text) > 0 {
		size := 0
		for i := range wrappers {
			opening := wrappers[i].opening
			if n := min(len(text), len(opening)); string(text[:n]) == opening[:n] {
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

// closeGap removes what makes no sense without the markers, once it is known what follows them.
func (r *ruler) closeGap() {
	r.gap.open = false
	tail := r.out[r.gap.at:]
	blank := len(tail) - len(bytes.TrimLeft(tail, " "))
	after := sequelOf(tail[blank:])
	if after == goesOn {
		r.outer.open = false
		return
	}
	if after == stops || after == pauses {
		r.drop(blank)
		r.take(r.gap.at - spacesAtEnd(r.out[:r.gap.at]))
	}
	r.takeLead(after)
	if after == endsLine {
		r.takeLine()
	}
	r.outer.open = false
	r.last = r.byteBefore(len(r.out))
}

// A sequel is what follows a removed marker.
type sequel int

const (
	goesOn   sequel = iota
	stops           // a full stop
	pauses          // a comma
	breaks          // another sign, before which a space may stand
	endsLine        // a line break, or nothing
)

func sequelOf(text []byte) sequel {
	switch {
	case len(text) == 0 || text[0] == '\n':
		return endsLine
	case text[0] == ';' || text[0] == ')' || text[0] == '!' || text[0] == '?':
		return breaks
	case text[0] != '.' && text[0] != ',' || len(text) > 1 && (isWordByte(text[1]) || text[1] == '.'):
		return goesOn
	case text[0] == ',':
		return pauses
	}
	return stops
}

// takeLead removes what led to the markers: ", see [1]." and the sentence "See [1].", and a
// comma or dash that has nothing behind it any more.
func (r *ruler) takeLead(after sequel) {
	at := r.gap.at
	at -= leadAtEnd(r.out[:at], r.drained)
	led := at < r.gap.at
	blank := spacesAtEnd(r.out[:at])
	sign := endsWith(r.out[:at-blank], leadSigns)
	start := at - blank - sign - spacesAtEnd(r.out[:at-blank-sign])
	switch before := r.byteBefore(start); {
	case sign > 0 && before != '\n' && goesBefore(r.out[at-blank-sign], start < at-blank-sign, after):
		r.take(start)
	case !led || after == pauses || after == breaks:
	case before == '.' || before == '!' || before == '?' || r.atLineStart(at):
		if r.atLineStart(at) {
			start = at
		}
		if r.take(start) && after == stops {
			r.drop(1)
		}
		if r.byteBefore(r.gap.at) == '\n' {
			tail := r.out[r.gap.at:]
			r.drop(len(tail) - len(bytes.TrimLeft(tail, " ")))
		}
	}
}

// goesBefore reports whether a sign before the gap goes with it: a comma, a dash with a space
// before it, and a colon before a full stop.
func goesBefore(sign byte, spaced bool, after sequel) bool {
	switch sign {
	case ',', ';':
		return true
	case ':':
		return after == stops
	}
	return spaced
}

// lineStart returns the index in out where the line of an index begins, if what stands there
// is held back.
func (r *ruler) lineStart(at int) (start int, found bool) {
	start = bytes.LastIndexByte(r.out[:at], '\n') + 1
	return start, start > 0 || r.drained == '\n'
}

// atLineStart reports whether nothing but the sign of a list item stands before an index.
func (r *ruler) atLineStart(at int) bool {
	start, found := r.lineStart(at)
	return found && at-start <= maxGlue && isLineSign(r.out[start:at])
}

// takeLine removes a line that has nothing left but its sign, with its line break.
func (r *ruler) takeLine() {
	start, _ := r.lineStart(r.gap.at)
	tail := r.out[r.gap.at:]
	if !r.atLineStart(r.gap.at) || !r.take(start) {
		return
	}
	if line := bytes.IndexByte(tail, '\n'); line >= 0 {
		r.drop(line + 1)
	}
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
	return glueFrom(r.out[:n], r.drained)
}
