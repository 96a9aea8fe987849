package citations

import "bytes"

// escape handles "\": an escaped character, math, or a marker as some models escape
// it, \[1\].
func (s *scanner) escape(final bool) bool {
	b := s.rest()
	if len(b) < 2 {
		return s.lone(final)
	}
	switch b[1] {
	case '[':
		return s.escapedBracket(final)
	case '(':
		if len(b) < 3 && !final {
			return false
		}
		if len(b) > 2 && !isDigit(b[2]) {
			s.zone = zoneMathParen
		}
		s.literal(2)
	case '\n':
		s.text(1) // a hard break; the line's end follows
	default:
		s.text(1)
		if b[1] < 0x80 { // only the first byte of a rune can be taken here
			s.text(1)
		}
	}
	return true
}

// lone handles a special byte at the end of the undecided bytes.
func (s *scanner) lone(final bool) bool {
	if !final {
		return false
	}
	s.text(1)
	return true
}

func (s *scanner) escapedBracket(final bool) bool {
	b := s.rest()
	if len(b) < 3 && !final {
		return false
	}
	math := len(b) > 2 && !isDigit(b[2])
	if math && b[2] == ' ' { // \[ 1 \] is a marker, too
		m, v := parseMarker(b, final, s.numbers)
		s.numbers = m.numbers
		if v == more {
			return false
		}
		math = v == no
	}
	if math {
		s.zone = zoneMathBracket
		s.literal(2)
		return true
	}
	return s.mark(final, 2)
}

// dollar opens math at "$$", and at "$" before neither a digit, a space nor two letters; "5$"
// is money, and "$AAPL" a name.
func (s *scanner) dollar(final bool) bool {
	b := s.rest()
	if len(b) < 2 {
		return s.lone(final)
	}
	c := b[1]
	if len(b) < 3 && !final && isLetter(c) {
		return false
	}
	switch {
	case c == '$':
		s.zone = zoneMathBlock
		s.literal(2)
	case len(b) > 2 && isLetter(c) && isLetter(b[2]):
		s.text(1)
	case isDigit(c) || c == ' ' || c == '\n' || c == '\t' || isDigit(s.before(1)):
		s.text(1)
	default:
		s.zone = zoneMath
		s.literal(1)
	}
	return true
}

// math scans to the end of a formula. An unclosed formula ends with its block, and
// one after a single dollar with its line.
func (s *scanner) math(final bool) bool {
	b := s.rest()
	var closing string
	switch s.zone {
	case zoneMath:
		closing = "$"
	case zoneMathBlock:
		closing = "$$"
	case zoneMathParen:
		closing = `\)`
	default:
		closing = `\]`
	}
	switch {
	case bytes.HasPrefix(b, []byte(closing)):
		s.literal(len(closing))
		s.zone = zoneText
	case len(b) < len(closing) && !final && closing[:len(b)] == string(b):
		return false
	case b[0] == '\n' && s.zone == zoneMath:
		s.zone = zoneText
	case b[0] == '\n':
		s.softBreak()
	default:
		s.literal(1)
	}
	return true
}

// Parts of a link's destination.
const (
	destinationBegins = iota
	inDestination
	behindDestination // after white space: a title may follow
)

// openDestination enters the "(…)" of a link; its "(" is the last of n bytes.
func (s *scanner) openDestination(n int) {
	s.literal(n)
	s.zone, s.depth, s.run = zoneDestination, 0, destinationBegins
}

// openURL enters a URL whose scheme ends after n bytes. closing is ">" in angle
// brackets, else 0.
func (s *scanner) openURL(n int, closing byte) {
	s.literal(n)
	s.zone, s.depth, s.run, s.quote = zoneURL, 0, 0, closing
}

// link scans parts of a link that are not text: its destination, the label of a
// reference, a definition, a URL. None of them continues on the next line.
func (s *scanner) link() bool {
	c := s.buf[s.at]
	over := c == '\n'
	switch {
	case over:
	case s.zone == zoneDestination:
		over = s.destination(c)
	case s.zone == zoneTitle:
		if c == s.quote && s.before(1) != '\\' {
			s.zone, s.run = zoneDestination, behindDestination
		}
	case s.zone == zoneLabel:
		if c == ']' {
			s.literal(1)
			over = true
		}
	case s.zone == zoneURL:
		over = s.urlEnds(c)
	}
	if over {
		s.zone = zoneText
		return true
	}
	s.literal(1)
	return true
}

// destination reads a byte of a link's destination. It returns true if the byte is
// text, because the destination has ended, or because a space shows that there is
// none.
func (s *scanner) destination(c byte) bool {
	escaped := s.before(1) == '\\'
	switch {
	case c == ')' && s.depth == 0 && !escaped:
		s.literal(1)
		return true
	case c == ' ' || c == '\t':
		if s.run == inDestination {
			s.run = behindDestination
		}
	case s.run == behindDestination:
		if c != '"' && c != '\'' && c != '(' {
			return true
		}
		if s.quote = c; c == '(' {
			s.quote = ')'
		}
		s.zone = zoneTitle
	case s.run == destinationBegins && c == '<':
		s.zone, s.quote = zoneTitle, '>'
	default:
		if s.run = inDestination; !escaped {
			s.depth = nested(s.depth, c, '(', ')')
		}
	}
	return false
}

// urlEnds reports whether a byte cannot belong to a URL. In prose a URL ends before
// a bracket that it did not open, before a marker after punctuation, and before
// characters of scripts that continue without a space.
func (s *scanner) urlEnds(c byte) bool {
	switch {
	case s.quote == '>':
		return c == ' ' || c == '\t' || c == '<' || c == '>'
	case c >= firstWide || bytes.IndexByte([]byte(" \t\r<>\"`|\\"), c) >= 0,
		c == ')' && s.depth == 0,
		c == ']' && s.run == 0,
		c == '[' && bytes.IndexByte([]byte(".,;:!*~'"), s.before(1)) >= 0:
		return true
	}
	s.depth = nested(s.depth, c, '(', ')')
	s.run = nested(s.run, c, '[', ']')
	return false
}

// firstWide is the least first byte of the characters from U+2000: punctuation,
// and scripts that need no spaces.
const firstWide = 0xE2

// nested returns the depth of brackets after c.
func nested(depth int, c, opening, closing byte) int {
	switch {
	case c == opening:
		return depth + 1
	case c == closing && depth > 0:
		return depth - 1
	default:
		return depth
	}
}

// asides are HTML constructs other than tags, with their closers.
var asides = [...]struct{ opening, closing string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}}

// angle handles "<": a tag if a letter or "/" follows, a comment, or text.
func (s *scanner) angle(final bool) bool {
	b := s.rest()
	if len(b) < 2 {
		return s.lone(final)
	}
	switch c := b[1]; {
	case c == '!':
		for _, a := range asides {
			if n := min(len(b), len(a.opening)); string(b[:n]) == a.opening[:n] {
				if n < len(a.opening) {
					return s.lone(final)
				}
				s.openAside(n, a.closing)
				return true
			}
		}
	case c == '?':
		if len(b) < 3 {
			return s.lone(final)
		}
		if isLetter(b[2]) {
			s.openAside(2, "?>")
			return true
		}
	case isLetter(c) || c == '/':
		s.tag = append(s.tag[:0], c|0x20)
		s.zone = zoneTagName
		s.literal(2)
		return true
	}
	s.text(1)
	return true
}

// openAside enters a comment or similar. One at the start of a line continues over
// blank lines.
func (s *scanner) openAside(n int, closing string) {
	s.across = s.line.blankSoFar(s.offset)
	s.literal(n)
	s.zone, s.element = zoneAside, append(s.element[:0], closing...)
}

// literalElements are the HTML elements whose content is not text. Those in the
// second half end with their block, like inline code.
var literalElements = [...]string{"pre", "script", "style", "textarea", "code", "kbd", "samp", "math"}

const blockElements = 4 // of literalElements

// maxTagName bounds the tag names that are kept; it exceeds every literal element's.
const maxTagName = 12

// html scans tags, comments and the content of literal elements. If something turns
// out not to be a tag, it is text from there on.
func (s *scanner) html() bool {
	c := s.buf[s.at]
	switch s.zone {
	case zoneTagName:
		switch {
		case isLetter(c) || isDigit(c) || c == '-':
			if len(s.tag) < maxTagName {
				s.tag = append(s.tag, c|0x20)
			}
			s.literal(1)
		case c == ':':
			s.openURL(1, '>')
		default:
			s.zone, s.run = zoneTag, betweenAttributes
		}
	case zoneTag:
		s.scanTag(c)
	case zoneAttribute:
		switch c {
		case s.quote:
			s.zone, s.run = zoneTag, betweenAttributes
			s.literal(1)
		case '\n':
			s.softBreak()
		default:
			s.literal(1)
		}
	case zoneLiteral:
		s.scanLiteralElement(c)
	case zoneAside:
		s.scanComment(c)
	}
	return true
}

// Positions inside a tag.
const (
	betweenAttributes = iota
	inName            // of an attribute, or behind it
	beforeValue       // after "="
	inValue           // without quotation marks
)

// scanTag scans a tag, except quoted values.
func (s *scanner) scanTag(c byte) {
	space := isBlank(c)
	switch {
	case c == '>':
		s.literal(1)
		s.closeTag()
		return
	case c == '\n':
		s.softBreak()
		return
	case s.run == beforeValue && (c == '"' || c == '\''):
		s.quote = c
		s.zone = zoneAttribute
	case space:
		if s.run == inValue {
			s.run = betweenAttributes
		}
	case s.run >= beforeValue && bytes.IndexByte([]byte("\"'=<`"), c) < 0:
		s.run = inValue
	case s.run == inName && c == '=':
		s.run = beforeValue
	case isWordByte(c) || c == ':' || c == '@' || c == '.' || c == '-':
		s.run = inName
	case c == '/':
	default:
		s.zone = zoneText // not a tag: "a < b [1]"
		return
	}
	s.literal(1)
}

// closeTag leaves a tag for text, or for the content of a literal element.
func (s *scanner) closeTag() {
	s.zone = zoneText
	for i, name := range literalElements {
		if string(s.tag) == name {
			s.element = append(append(s.element[:0], "</"...), name...)
			s.zone, s.run = zoneLiteral, 0
			s.across = i < blockElements
		}
	}
}

// scanLiteralElement looks for the end tag of a literal element; run counts the bytes of it
// that were found.
func (s *scanner) scanLiteralElement(c byte) {
	lower := c
	if c >= 'A' && c <= 'Z' {
		lower |= 0x20
	}
	switch {
	case s.run == len(s.element) && !isWordByte(c):
		s.tag = append(s.tag[:0], '/')
		s.zone, s.run = zoneTag, betweenAttributes
		return
	case s.run < len(s.element) && lower == s.element[s.run]:
		s.run++
	case c == '<':
		s.run = 1
	default:
		s.run = 0
	}
	s.hidden(c)
}

// scanComment looks for the end of a comment.
func (s *scanner) scanComment(c byte) {
	n := len(s.element)
	if c == '>' && s.before(1) == s.element[n-2] && (n < 3 || s.before(2) == s.element[n-3]) {
		s.literal(1)
		s.zone = zoneText
		return
	}
	s.hidden(c)
}

// hidden takes a byte that is not shown. Its block may end it.
func (s *scanner) hidden(c byte) {
	if c == '\n' && !s.across {
		s.softBreak()
		return
	}
	s.literal(1)
}
