package citations

import (
	"bytes"
	"slices"
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
	at     int    // index in out
	tongue tongue // of the text before
	last   byte   // the byte before it, as ruler.last
	spaced bool   // a space went before it
	budget int    // bytes before it that may still go
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
	tail := r.out[r.gap.at:]
	text := r.joint(tail)
	if slices.Contains(jointSigns, text) || joins(text, r.gap.tongue) && (r.pending() || r.atLineStart(r.gap.at) || r.bracketed()) {
		r.drop(len(tail))
		r.standAt(r.gap.last)
		return false
	}
	r.outer = r.gap // an opening or a word stands between: [1], *[2]*
	return true
}

// pending reports whether a word stands between the gap before this one and this one: it goes
// if the sentence does not go on behind it.
func (r *ruler) pending() bool {
	return r.outer.open && joins(string(bytes.Trim(r.out[r.outer.at:r.gap.at], " ")), r.outer.tongue)
}

// whole returns the gap, or the one before if they are to be one.
func (r *ruler) whole() gap {
	if r.pending() {
		return r.outer
	}
	return r.gap
}

// joinOuter widens the gap before this one by what is between them and this one.
func (r *ruler) joinOuter() {
	last := len(r.cuts) - 1
	r.cuts[last-1].to = r.cuts[last].to
	r.cuts = r.cuts[:last]
	r.out = append(r.out[:r.outer.at], r.out[r.gap.at:]...)
	r.gap, r.outer.open = r.outer, false
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
	r.gap = gap{open: true, at: len(r.out), tongue: r.heard.tongue(), last: r.last, spaced: spaced > 0, budget: maxGlue - spaced}
}

// joint returns what may join the gap to a marker, in brackets without the page before it.
func (r *ruler) joint(tail []byte) string {
	tail = bytes.Trim(tail, " ")
	if rest, _ := behindPage(tail); len(rest) < len(tail) && r.bracketed() {
		tail = rest
	}
	return string(bytes.Trim(tail, " "))
}

// leadBefore returns the size of that lead of a list which stands before an index, 0 if there is
// none.
func (r *ruler) leadBefore(at int, list []glueWord) int {
	return leadAtEnd(r.out[:at], r.drained, list, r.gap.tongue)
}

// bracketed reports whether nothing but a lead stands between an opening and the gap.
func (r *ruler) bracketed() bool {
	at := r.gap.at - r.leadBefore(r.gap.at, leads)
	return r.behindOpening(at - spacesAtEnd(r.out[:at]))
}

// behindOpening reports whether an opening stands before an index.
func (r *ruler) behindOpening(at int) bool {
	for i := range wrappers {
		w := &wrappers[i]
		from := at - len(w.opening)
		if from >= max(0, r.gap.at-r.gap.budget) && string(r.out[from:at]) == w.opening && (w.led || r.opens(from, w.opening[0])) {
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
	rest = bytes.TrimPrefix(rest, []byte(":"))
	for i := range wrappers {
		if w := &wrappers[i]; string(rest) == w.closing && r.unwrap(w) {
			return
		}
	}
	if !r.mayGo(tail) && !r.cutsBefore(tail) {
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
	return len(tail) > 1 || r.pending() || spacesAtEnd(before) > 0 || endsWith(before, leadSigns) > 0 || r.leadBefore(r.gap.at, leads) > 0
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
	whole := r.whole()
	at := whole.at
	if w.tight && (whole.spaced || bytes.IndexByte(r.out[r.gap.at:], ' ') >= 0) {
		return false
	}
	if w.led {
		at -= r.leadBefore(at, leads)
	}
	if !w.tight {
		at -= spacesAtEnd(r.out[:at])
	}
	at -= len(w.opening)
	if at < 0 || !bytes.HasPrefix(r.out[at:], []byte(w.opening)) || w.atWord && !r.opens(at, w.opening[0]) {
		return false
	}
	if r.pending() {
		r.joinOuter()
	}
	if !r.take(at) {
		return false
	}
	r.drop(len(r.out) - at)
	before := r.byteBefore(at)
	r.gap.spaced = false
	if size := endsWith(r.out[:at], spaces); size > 0 && r.take(at-size) {
		before, r.gap.spaced = 'x', true // as after a marker
	}
	r.gap.last = before
	if r.outer.open && slices.Contains(jointSigns, string(bytes.Trim(r.out[r.outer.at:r.gap.at], " "))) {
		r.joinOuter()
	}
	r.standAt(r.gap.last)
	return true
}

// opens reports whether a sign before the gap opens emphasis or a quotation: no word stands
// before it.
func (r *ruler) opens(at int, sign byte) bool {
	whole := r.whole()
	for least := max(0, whole.at-whole.budget); at > least && r.out[at-1] == sign; {
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
func (r *ruler) mayGo(tail []byte) bool {
	if len(tail) >= maxGlue {
		return false
	}
	rest, cut := behindPage(tail)
	text := bytes.TrimLeft(tail, " ")
	if len(rest) < len(text) && r.bracketed() {
		text = rest
	}
	rest = bytes.TrimPrefix(rest, []byte(":"))
	if cut || len(bytes.TrimLeft(rest, " ")) == 0 {
		return true
	}
	for i := range wrappers {
		if closing := wrappers[i].closing; len(rest) < len(closing) && closing[:len(rest)] == string(rest) {
			return true
		}
	}
	begins := func(joint string) bool {
		n := min(len(text), len(joint))
		return joint[:n] == string(text[:n]) && areOpenings(bytes.TrimLeft(text[n:], " "))
	}
	return slices.ContainsFunc(jointSigns, begins) || slices.ContainsFunc(jointWords, func(w glueWord) bool { return w.fits(r.gap.tongue) && begins(w.text) })
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
	r.dropSign()
	tail := r.out[r.gap.at:]
	blank := len(tail) - len(bytes.TrimLeft(tail, " "))
	after := sequelOf(tail[blank:])
	if after != goesOn && r.pending() {
		r.joinOuter()
	}
	r.gap.open = false
	if after == stops || after == pauses {
		r.drop(blank)
		r.take(r.gap.at - spacesAtEnd(r.out[:r.gap.at]))
	}
	if after != goesOn {
		r.takeLead(after)
	}
	if after == endsLine {
		r.takeLine()
	}
	r.outer.open = false
	r.last = r.byteBefore(len(r.out))
}

// dropSign removes the sign and the spaces behind a marker that stands at the start of a line
// or behind an opening: "[1]: It grew", "([1]; Table 3)".
func (r *ruler) dropSign() {
	tail := r.out[r.gap.at:]
	text := bytes.TrimLeft(tail, " ")
	if len(text) == len(tail) && !beginsWithSign(text) {
		return
	}
	opening := r.behindOpening(r.gap.at)
	tight := opening && !r.gap.spaced
	if (opening || r.atLineStart(r.gap.at) || r.atItem()) && beginsWithSign(text) {
		r.drop(len(tail) - len(text) + 1)
		tail = r.out[r.gap.at:]
		tight = tight || r.byteBefore(r.gap.at) == '\n'
	}
	if tight {
		r.drop(len(tail) - len(bytes.TrimLeft(tail, " ")))
	}
}

// atItem reports whether nothing but the number of a list item stands before the gap.
func (r *ruler) atItem() bool {
	start, found := r.lineStart(r.gap.at)
	line := r.out[start:r.gap.at]
	return found && len(line) <= maxGlue && isNumber(line) && !isWordByte(r.byteBefore(r.gap.at))
}

// beginsWithSign reports whether a text begins with a comma, semicolon or colon that ends there.
func beginsWithSign(text []byte) bool {
	return len(text) > 0 && (text[0] == ',' || text[0] == ';' || text[0] == ':') && (len(text) == 1 || text[1] == ' ' || text[1] == '\n')
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
	case text[0] == ';' || text[0] == ':' || text[0] == ')' || text[0] == '!' || text[0] == '?':
		return breaks
	case text[0] != '.' && text[0] != ',' || len(text) > 1 && (isWordByte(text[1]) || text[1] == '.'):
		return goesOn
	case text[0] == ',':
		return pauses
	}
	return stops
}

// takeLead removes what led to the markers: ", see [1]." and the sentence "See [1].", or a
// comma or dash that has nothing behind it any more.
func (r *ruler) takeLead(after sequel) {
	at := r.gap.at
	if lead := r.leadBefore(at, leads); lead > 0 && r.takeClause(at-lead, after) {
		return
	}
	if start, sign := r.signBefore(at); sign > 0 && r.goesBefore(start, sign, after) {
		r.take(start)
	}
}

// signBefore returns where the sign before an index begins, with the spaces around it, and its
// first byte, 0 if there is none.
func (r *ruler) signBefore(at int) (start int, sign byte) {
	start = at - spacesAtEnd(r.out[:at])
	if size := endsWith(r.out[:start], leadSigns); size > 0 {
		start -= size
		sign = r.out[start]
	}
	return start - spacesAtEnd(r.out[:start]), sign
}

// goesBefore reports whether a sign before the gap goes with it: a comma where the line goes on,
// a dash with a space before it, and a colon before a full stop.
func (r *ruler) goesBefore(start int, sign byte, after sequel) bool {
	switch {
	case r.byteBefore(start) == '\n':
		return false
	case sign == ',' || sign == ';':
		return after != endsLine
	case sign == ':':
		return after == stops
	}
	return r.out[start] != sign
}

// takeClause removes a lead that begins at an index, with the sign before it or as a sentence.
func (r *ruler) takeClause(at int, after sequel) bool {
	start, sign := r.signBefore(at)
	ends := after
	if after == endsLine {
		ends = stops
	}
	if sign > 0 && r.leadBefore(r.gap.at, clauses) > 0 && r.goesBefore(start, sign, ends) {
		return r.take(start)
	}
	before := r.byteBefore(start)
	switch {
	case after == pauses || after == breaks:
		return false
	case r.atLineStart(at):
		start = at
	case before != '.' && before != '!' && before != '?':
		return false
	}
	if r.take(start) && after == stops {
		r.drop(1)
	}
	if r.byteBefore(r.gap.at) == '\n' {
		tail := r.out[r.gap.at:]
		r.drop(len(tail) - len(bytes.TrimLeft(tail, " ")))
	}
	return true
}

// lineStart returns the index in out where the line of an index begins, if what stands there
// is held back.
func (r *ruler) lineStart(at int) (start int, found bool) {
	from := max(0, at-maxGlue-1)
	start = from + bytes.LastIndexByte(r.out[from:at], '\n') + 1
	return start, start > from || from == 0 && r.drained == '\n'
}

// atLineStart reports whether nothing but the sign of a list item stands before an index.
func (r *ruler) atLineStart(at int) bool {
	start, found := r.lineStart(at)
	return found && at-start <= maxGlue && isLineSign(r.out[start:at])
}

// takeLine removes a line that has nothing left but its sign or a lead, with its line break.
func (r *ruler) takeLine() {
	start, found := r.lineStart(r.gap.at)
	tail := r.out[r.gap.at:]
	if !found || !r.atLineStart(r.gap.at) && !r.isLeadLine(r.out[start:r.gap.at]) || !r.take(start) {
		return
	}
	if line := bytes.IndexByte(tail, '\n'); line >= 0 {
		r.drop(line + 1)
	}
}

// isLeadLine reports whether a text is only a lead, in emphasis: "**Sources:**".
func (r *ruler) isLeadLine(text []byte) bool {
	text = bytes.Trim(text, "* ")
	return len(text) > 0 && leadAtEnd(text, '\n', leads, r.gap.tongue) == len(text)
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
