package citations

import "bytes"

// A line is what is known of the line being scanned and of those before it.
type line struct {
	indent     int  // columns of white space before the first character, inside its containers
	quotes     int  // of ">" before it
	textStart  int  // offset of the first character after the prefix; -1 while in the prefix
	list       int  // content column of the list item the lines belong to, 0: none
	afterBlank bool // the line before was blank, or there is none
	started    bool // some line came before
	fenceQuote int  // depth of quotes the open fence stands in
	alone      bool // a heading or a table's row: a block by itself
	row        bool // a table's row
	rows       int  // of the table so far, this one included
}

// reset begins a new line.
func (l *line) reset() {
	l.indent, l.quotes, l.textStart, l.alone, l.row = 0, 0, -1, false, false
	if !l.started {
		l.afterBlank, l.started = true, true
	}
}

// blankSoFar reports whether nothing but the prefix stands before pos.
func (l *line) blankSoFar(pos int) bool { return l.textStart == pos && l.indent < 4 }

// prefix scans the start of a line: white space, quote and list markers, and
// what begins there.
func (s *scanner) prefix(final bool) bool {
	b := s.rest()
	switch c := b[0]; {
	case c == ' ':
		s.line.indent++
		s.skip(1)
		return true
	case c == '\t':
		s.line.indent += 4 - s.line.indent%4
		s.skip(1)
		return true
	case c == '\r':
		s.skip(1)
		return true
	case c == '\n':
		s.line.afterBlank = true
		s.blockEnd()
		s.skip(1)
		s.line.reset()
		return true
	case c == '>':
		s.line.quotes++
		s.line.indent, s.line.list = 0, 0
		s.blockEnd()
		s.skip(1)
		return true
	case s.line.indent >= 4+s.line.list && s.line.afterBlank:
		s.blockEnd()
		s.zone = zoneIndented
		return true
	case c == '`' || c == '~':
		return s.fenceStart(final)
	case c == '-' || c == '*' || c == '+' || c >= '0' && c <= '9':
		n, v := listMarker(b, final)
		if v == more {
			return false
		}
		if v == yes {
			s.blockEnd()
			s.line.list = s.line.indent + n
			s.line.indent += n
			s.skip(n)
			return true
		}
	case c == '#' || c == '|':
		s.blockEnd()
		s.line.alone, s.line.row = true, c == '|'
	}
	if s.line.row {
		s.line.rows++
	} else {
		s.line.rows = 0
	}
	if s.line.indent == 0 && s.line.afterBlank {
		s.line.list = 0
	}
	s.startText()
	return true
}

// startText leaves the prefix for the line's text.
func (s *scanner) startText() {
	s.line.afterBlank = false
	s.line.textStart = s.offset
	s.zone, s.resume = max(zoneText, s.resume), zonePrefix
}

// blockEnd ends the block before: what was open in it ends, too.
func (s *scanner) blockEnd() {
	s.resume = zonePrefix
	s.claim.blockEnd()
}

// listMarker measures "- ", "* ", "+ ", "1. " or "1) " with the space.
func listMarker(b []byte, final bool) (int, verdict) {
	n := 0
	for n < len(b) && n < 9 && b[n] >= '0' && b[n] <= '9' {
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
	if b[n] == ' ' || b[n] == '\t' {
		return n + 1, yes
	}
	return 0, no
}

func undecided(final bool) verdict {
	if final {
		return no
	}
	return more
}

// fenceStart is a line that begins with backticks or tildes: three open a fence.
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
	s.blockEnd()
	s.line.afterBlank = false
	s.line.fenceQuote = s.line.quotes
	s.zone, s.fenceBy, s.run, s.fence, s.info = zoneFenceRun, b[0], 0, 0, true
	s.resume = zonePrefix
	return true
}

// block scans fenced and indented code. While a fence is opened, fence is 0
// until its length is known.
func (s *scanner) block() bool {
	c := s.buf[s.at]
	switch s.zone {
	case zoneIndented, zoneFence:
		return s.blockLine()
	case zoneFencePrefix:
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			s.skip(1)
		case c == '>' && s.line.quotes < s.line.fenceQuote:
			s.line.quotes++
			s.skip(1)
		case s.line.quotes < s.line.fenceQuote:
			// The quote ended, and the fence inside it: the line is text.
			s.zone, s.fence = zonePrefix, 0
		case c == s.fenceBy:
			s.zone, s.run = zoneFenceRun, 0
		default:
			s.zone = zoneFence
		}
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
			s.zone, s.fence = zonePrefix, 0
		default:
			s.zone = zoneFence
		}
	}
	return true
}

// blockLine skips to the end of a line of code. A backtick on the line that
// opened a fence of backticks makes it inline code instead (CommonMark).
func (s *scanner) blockLine() bool {
	b := s.rest()
	for i, c := range b {
		if c == '`' && s.info && s.fenceBy == '`' {
			s.skip(i)
			s.line.textStart = s.offset
			s.info = false
			s.zone, s.run = zoneCodeTicks, 0
			return true
		}
		if c != '\n' {
			continue
		}
		s.skip(i + 1)
		s.line.reset()
		if s.zone == zoneIndented {
			s.line.afterBlank = true // the next indented line goes on with the code
			s.zone = zonePrefix
		} else {
			s.info = false
			s.zone = zoneFencePrefix
		}
		return true
	}
	s.skip(len(b))
	return true
}

// code scans inline code: it ends at as many backticks as opened it, or with its block.
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

// softBreak takes a line break inside an inline zone: the zone goes on in the
// next line unless that is blank or begins another block, which the prefix finds out.
func (s *scanner) softBreak() {
	zone := s.zone
	s.newline()
	s.resume = zone
}
