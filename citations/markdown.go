package citations

import "bytes"

// maxContainers bounds the nesting of quotes and list items; deeper ones are text.
const maxContainers = 32

// A container is a block quote or a list item that contains lines.
type container struct {
	quote bool
	bare  bool // a list item without content yet: a blank line ends it
	width int8 // of a list item: columns before its content
}

// A line is the state of the line being scanned and of those before it. Columns
// count a tab as the distance to the next multiple of four.
type line struct {
	col       int  // of the next character, while in the prefix
	base      int  // where the content of the containers begins
	matched   int  // containers that the line continues, so far
	gap       bool // a ">" stands directly before; a space after it belongs to it
	item      bool // a list item has begun without content so far
	deep      bool // the text is indented as code would be
	textStart int  // offset of the first character after the prefix; -1 while in the prefix
	alone     bool // a heading, a rule or a row of a table: a block by itself
	row       bool // a table's row
	rows      int  // of the table so far, this one included

	open      [maxContainers]container
	depth     int  // of open
	paragraph bool // the line before belongs to a paragraph, which this one may continue
	fenced    bool // in a fence
}

// reset begins a new line.
func (l *line) reset() {
	l.col, l.base, l.matched, l.textStart = 0, 0, 0, -1
	l.gap, l.item, l.deep, l.alone, l.row = false, false, false, false, false
}

// blankSoFar reports whether nothing but the prefix stands before pos.
func (l *line) blankSoFar(pos int) bool { return l.textStart == pos && !l.deep }

// indent is how many columns of white space stand before the next character.
func (l *line) indent() int { return l.col - l.base }

// lazy reports whether the line can continue a paragraph of containers whose marks
// it lacks.
func (l *line) lazy() bool { return l.paragraph && l.matched < l.depth }

// push opens a container inside those that the line continues.
func (l *line) push(c container) {
	l.filled()
	l.open[l.matched] = c
	l.matched++
	l.depth = l.matched
	l.paragraph = false
}

// filled records that the innermost container has content.
func (l *line) filled() {
	if l.matched > 0 {
		l.open[l.matched-1].bare = false
	}
}

// prefix scans the start of a line: white space, the marks of containers, and what
// begins after them.
func (s *scanner) prefix(final bool) bool {
	l := &s.line
	c := s.buf[s.at]
	switch c {
	case ' ', '\t', '\r':
		s.blank(c)
		return true
	case '\n':
		s.blankLine()
		return true
	}
	l.gap = false
	if l.item { // up to four columns of white space are the item's
		l.item = false
		if extra := l.indent(); extra < 4 {
			l.open[l.depth-1].width += int8(extra)
			l.base = l.col
		}
	}
	for l.matched < l.depth && !l.open[l.matched].quote && l.indent() >= int(l.open[l.matched].width) {
		l.base += int(l.open[l.matched].width)
		l.matched++
	}
	if l.matched < l.depth && l.open[l.matched].quote && c == '>' && l.indent() < 4 {
		s.quoteMark()
		return true
	}
	if l.fenced {
		if l.matched == l.depth {
			s.zone = zoneFence
			if c == s.fenceBy && l.indent() < 4 {
				s.zone, s.run = zoneFenceRun, 0
			}
			return true
		}
		l.fenced = false // the fence ended with its container
	}
	return s.beginning(c, final)
}

// blank takes white space in the prefix.
func (s *scanner) blank(c byte) {
	l := &s.line
	start := l.col
	switch c {
	case ' ':
		l.col++
	case '\t':
		l.col += 4 - l.col%4
	}
	if l.gap && l.col > start {
		l.gap = false
		l.base = start + 1
	}
	s.skip(1)
}

// blankLine ends a line without text. A list item continues after it; a quote and a
// paragraph do not.
func (s *scanner) blankLine() {
	l := &s.line
	for l.matched < l.depth && !l.open[l.matched].quote && !l.open[l.matched].bare {
		l.matched++
	}
	if l.matched < l.depth {
		l.fenced = false
	}
	l.depth, l.paragraph = l.matched, false
	if !l.fenced {
		s.blockEnd()
	}
	s.skip(1)
	l.reset()
}

// quoteMark takes ">".
func (s *scanner) quoteMark() {
	l := &s.line
	l.col++
	l.base, l.gap = l.col, true
	if l.matched < l.depth {
		l.matched++
	}
	s.skip(1)
}

// beginning looks at the first character after the marks of containers.
func (s *scanner) beginning(c byte, final bool) bool {
	l := &s.line
	l.filled()
	if l.indent() >= 4 {
		if l.paragraph {
			l.deep = true
			s.startText()
			return true
		}
		s.block()
		s.zone = zoneIndented
		return true
	}
	if c == '-' || c == '*' || c == '_' || c == '=' {
		r, v := rule(s.rest(), final)
		if v == more {
			return false
		}
		underline := l.paragraph && l.matched == l.depth && r.underline
		if v == yes && (underline || r.parts) {
			l.alone = underline // the text above is a heading
			s.block()
			l.alone = true
			s.skip(r.size)
			s.zone = zoneText
			return true
		}
	}
	switch {
	case c == '>' && l.matched < maxContainers:
		s.block()
		l.push(container{quote: true})
		s.quoteMark()
		return true
	case c == '`' || c == '~':
		return s.fenceStart(final)
	case c == '-' || c == '*' || c == '+' || isDigit(c):
		if done, v := s.listItem(final); v != no {
			return done
		}
	case c == '#':
		v := heading(s.rest(), final)
		if v == more {
			return false
		}
		if v == yes {
			s.block()
			l.alone = true
		}
	case c == '|':
		s.blockEnd()
		l.alone, l.row = true, true
	}
	if l.row {
		l.rows++
	} else {
		l.rows = 0
	}
	s.startText()
	return true
}

// block ends the block before and the containers that the line does not continue.
func (s *scanner) block() {
	s.line.depth, s.line.paragraph = s.line.matched, false
	s.blockEnd()
}

// startText leaves the prefix for the line's text.
func (s *scanner) startText() {
	l := &s.line
	if !l.lazy() {
		l.depth = l.matched
	}
	l.paragraph = !l.alone
	l.textStart = s.offset
	s.zone, s.resume = max(zoneText, s.resume), zonePrefix
}

// blockEnd ends the block before, and everything open in it.
func (s *scanner) blockEnd() {
	s.resume = zonePrefix
	s.claim.blockEnd()
}

// A ruling is a line that consists of one of -, *, _ and = only.
type ruling struct {
	size      int
	parts     bool // a thematic break: three or more of -, * or _
	underline bool // below a paragraph it makes the paragraph a heading
}

// rule reads a line that begins with one of -, *, _ and =. The verdict is no if it
// contains anything else.
func rule(b []byte, final bool) (ruling, verdict) {
	const enough = 80 // bytes after which such a line is recognised
	mark, count, spaced := b[0], 0, false
	size := 0
	for size < len(b) && size < enough && b[size] != '\n' {
		switch c := b[size]; c {
		case mark:
			spaced = spaced || size > count
			count++
		case ' ', '\t', '\r':
		default:
			return ruling{}, no
		}
		size++
	}
	if size == len(b) && size < enough && !final {
		return ruling{}, more
	}
	return ruling{size, count >= 3 && mark != '=', !spaced && (mark == '-' || mark == '=')}, yes
}

// heading reports whether a line begins with one to six "#" and a space.
func heading(b []byte, final bool) verdict {
	n := 0
	for n < len(b) && b[n] == '#' {
		n++
		if n > 6 {
			return no
		}
	}
	switch {
	case n < len(b) && bytes.IndexByte([]byte(" \t\r\n"), b[n]) < 0:
		return no
	case n == len(b) && !final:
		return more
	default:
		return yes
	}
}

// listItem takes the mark of a list item, if there is one. Inside a paragraph only 1
// begins a list, and only with text.
func (s *scanner) listItem(final bool) (done bool, v verdict) {
	l, b := &s.line, s.rest()
	n, v := listMarker(b, final)
	if v != yes {
		return false, v
	}
	if l.paragraph && l.matched == l.depth && (isDigit(b[0]) && (n != 2 || b[0] != '1') || b[n] == '\n') || l.matched == maxContainers {
		return false, no
	}
	s.block()
	l.push(container{bare: true, width: int8(l.indent() + n + 1)}) // at most 3 + 10 + 1
	l.col += n
	l.base = l.col + 1
	if b[n] == '\n' {
		l.base = l.col
	} else {
		l.item = true
	}
	s.skip(n)
	return true, yes
}

// listMarker measures -, *, +, 1. or 1) with white space after it.
func listMarker(b []byte, final bool) (int, verdict) {
	n := 0
	for n < len(b) && n < 9 && isDigit(b[n]) {
		n++
	}
	switch {
	case n == 0:
		n = 1
	case n >= len(b):
		return 0, undecided(final)
	case b[n] == '.' || b[n] == ')':
		n++
	default:
		return 0, no
	}
	if n >= len(b) {
		return 0, undecided(final)
	}
	if bytes.IndexByte([]byte(" \t\r\n"), b[n]) >= 0 {
		return n, yes
	}
	return 0, no
}

func undecided(final bool) verdict {
	if final {
		return no
	}
	return more
}

// fenceStart handles a line that begins with backticks or tildes: three open a
// fence.
func (s *scanner) fenceStart(final bool) bool {
	b := s.rest()
	run := 1
	for run < len(b) && run < 3 && b[run] == b[0] {
		run++
	}
	if run < 3 {
		if run == len(b) && !final {
			return false
		}
		s.startText()
		return true
	}
	s.block()
	s.line.fenced = true
	s.zone, s.fenceBy, s.run, s.fence, s.info = zoneFenceRun, b[0], 0, 0, true
	return true
}

// verbatim scans fenced and indented code. fence is 0 until the length of an opening
// fence is known.
func (s *scanner) verbatim() bool {
	c := s.buf[s.at]
	switch s.zone {
	case zoneIndented, zoneFence:
		return s.verbatimLine()
	case zoneFenceRun:
		switch {
		case c == s.fenceBy:
			s.run++
			s.skip(1)
		case s.fence == 0:
			s.fence = s.run
			s.zone = zoneFence
		case s.run >= s.fence:
			s.zone = zoneFenceTail
		default:
			s.zone = zoneFence
		}
	case zoneFenceTail:
		switch c {
		case ' ', '\t', '\r':
			s.skip(1)
		case '\n':
			s.skip(1)
			s.line.reset()
			s.zone, s.line.fenced = zonePrefix, false
		default:
			s.zone = zoneFence
		}
	}
	return true
}

// verbatimLine skips to the end of a line of code. A backtick on the line that
// opened a fence of backticks turns it into inline code, as in CommonMark.
func (s *scanner) verbatimLine() bool {
	b := s.rest()
	for i, c := range b {
		if c == '`' && s.info && s.fenceBy == '`' {
			s.skip(i)
			s.line.textStart = s.offset
			s.line.fenced, s.line.paragraph = false, true
			s.info = false
			s.zone, s.run = zoneCodeTicks, 0
			return true
		}
		if c != '\n' {
			continue
		}
		s.skip(i + 1)
		s.line.reset()
		s.info = false
		s.zone = zonePrefix
		return true
	}
	s.skip(len(b))
	return true
}

// code scans inline code. It ends at a run of backticks as long as the opening one,
// or with its block.
func (s *scanner) code() bool {
	c := s.buf[s.at]
	switch {
	case s.zone == zoneCode && c != '`' && c != '\n':
		b := s.rest()
		n := bytes.IndexAny(b, "`\n")
		if n < 0 {
			n = len(b)
		}
		s.literal(n)
	case s.zone == zoneCode && c == '`':
		s.zone, s.run = zoneCodeTicks, 0
	case c == '`':
		s.run++
		s.literal(1)
	case s.zone == zoneTicks:
		s.zone, s.fence = zoneCode, s.run
	case s.zone == zoneCodeTicks && s.run == s.fence:
		s.zone = zoneText
	case s.zone == zoneCodeTicks:
		s.zone = zoneCode
	default:
		s.softBreak()
	}
	return true
}

// softBreak takes a line break inside an inline zone. The zone continues on the next
// line, unless that line is blank or begins another block, which the prefix decides,
// or unless this line was a block by itself.
func (s *scanner) softBreak() {
	zone := s.zone
	if s.line.alone {
		zone = zonePrefix
	}
	s.newline()
	s.resume = zone
}
