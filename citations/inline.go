package citations

import "bytes"

// escape is "\": an escaped character, math, or a marker as some models
// escape it: \[1\].
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
		if b[1] < 0x80 { // of a rune only the first byte may be taken here
			s.text(1)
		}
	}
	return true
}

// lone is a special byte at the end of the undecided ones.
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
	if len(b) > 2 && !isDigit(b[2]) && b[2] != ' ' {
		s.zone = zoneMathBracket
		s.literal(2)
		return true
	}
	return s.mark(final, 2)
}

// dollar opens math in "$$", and in "$" before neither a digit nor a space.
func (s *scanner) dollar(final bool) bool {
	b := s.rest()
	if len(b) < 2 {
		return s.lone(final)
	}
	switch c := b[1]; {
	case c == '$':
		s.zone = zoneMathBlock
		s.literal(2)
	case isDigit(c) || c == ' ' || c == '\n' || c == '\t':
		s.text(1)
	default:
		s.zone = zoneMath
		s.literal(1)
	}
	return true
}

// math scans to the end of a formula; one that stays open ends with its block,
// a single dollar's with its line.
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

// link scans what belongs to a link and is no text: its destination, the label
// of a reference, a definition, a bare URL.
func (s *scanner) link() bool {
	c := s.buf[s.at]
	switch s.zone {
	case zoneDestination:
		if c == ')' && s.depth == 0 {
			s.literal(1)
			s.zone = zoneText
			return true
		}
		s.parenthesis(c)
	case zoneLabel:
		if c == ']' {
			s.literal(1)
			s.zone = zoneText
			return true
		}
	case zoneURL:
		if c == ')' && s.depth == 0 || bytes.IndexByte([]byte(" \t<>\""), c) >= 0 {
			s.zone = zoneText
			return true
		}
		s.parenthesis(c)
	}
	if c == '\n' {
		s.zone = zoneText
		return true
	}
	s.literal(1)
	return true
}

func (s *scanner) parenthesis(c byte) {
	switch {
	case c == '(':
		s.depth++
	case c == ')' && s.depth > 0:
		s.depth--
	}
}

// angle is "<": a tag when a letter or "/" follows.
func (s *scanner) angle(final bool) bool {
	b := s.rest()
	if len(b) < 2 {
		return s.lone(final)
	}
	if !isLetter(b[1]) && b[1] != '/' {
		s.text(1)
		return true
	}
	s.tag = append(s.tag[:0], b[1]|0x20)
	s.zone = zoneTagName
	s.literal(2)
	return true
}

// literalElements are the HTML elements whose content is no text.
var literalElements = [...]string{"code", "pre", "kbd", "samp", "script", "style", "math"}

// maxTagName bounds the names that are remembered; no literal element's is longer.
const maxTagName = 12

// html scans tags and the content of literal elements. What turns out to be no
// tag is text again from there on.
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
			s.zone, s.depth = zoneURL, 0 // an autolink: <https://…>
		default:
			s.zone = zoneTag
		}
	case zoneTag:
		s.inTag(c)
	case zoneAttribute:
		switch c {
		case s.quote:
			s.zone = zoneTag
			s.literal(1)
		case '\n':
			s.softBreak()
		default:
			s.literal(1)
		}
	case zoneLiteral:
		s.inElement(c)
	}
	return true
}

// inTag scans between attributes.
func (s *scanner) inTag(c byte) {
	switch {
	case c == '>':
		s.literal(1)
		s.zone = zoneText
		for _, name := range literalElements {
			if string(s.tag) == name {
				s.element = append(append(s.element[:0], "</"...), name...)
				s.zone, s.run = zoneLiteral, 0
			}
		}
	case c == '"' || c == '\'':
		s.quote = c
		s.zone = zoneAttribute
		s.literal(1)
	case c == '\n':
		s.softBreak()
	case isWordByte(c) || bytes.IndexByte([]byte(" \t\r/=-:.@"), c) >= 0:
		s.literal(1)
	default:
		s.zone = zoneText // "a < b [1]": no tag
	}
}

// inElement looks for the end tag of a literal element; run counts how much of
// it stands before.
func (s *scanner) inElement(c byte) {
	lower := c
	if c >= 'A' && c <= 'Z' {
		lower |= 0x20
	}
	switch {
	case s.run == len(s.element) && !isWordByte(c):
		s.tag = append(s.tag[:0], '/')
		s.zone = zoneTag
		return
	case s.run < len(s.element) && lower == s.element[s.run]:
		s.run++
	case c == '<':
		s.run = 1
	default:
		s.run = 0
	}
	if c == '\n' && string(s.element) == "</code" {
		s.softBreak()
		return
	}
	s.literal(1)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
