package citations

import (
	"strings"
	"unicode/utf8"
)

// Most passages contain nothing that neutralize would change. This file recognises
// them in one quick pass. If in doubt, it leaves the decision to the rules.

// notable are the bytes that a rule may concern: the openers of numbers, tags and
// code, invisible characters, and everything that is not ASCII.
var notable = func() (table [256]bool) {
	for c := range table {
		table[c] = c < ' ' && c != '\t' || c >= 0x7f
	}
	for _, c := range "[<\\`~:#\n" {
		table[c] = true
	}
	return table
}()

// harmless reports whether neutralize would certainly leave the text as it is. If it
// reports false, neutralize may change the text.
func harmless(text string) bool {
	line := 0           // where it starts
	mayBeLabel := false // the line has a character of a label
	for i := 0; i < len(text); {
		c := text[i]
		if !notable[c] {
			i++
			continue
		}
		switch {
		case c == '\n':
			if mayBeLabel && labels[labelOf(text[line:i])] {
				return false
			}
			line, mayBeLabel = i+1, false
			i++
		case c == ':' || c == '#':
			mayBeLabel = true
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !ordinary(r) {
				return false
			}
			i += size
		default:
			return false
		}
	}
	return !mayBeLabel || !labels[labelOf(text[line:])]
}

// labelOf returns, in lower case, the word before a colon or number sign with which
// a line can announce something, and "" for longer lines. The line contains only
// ordinary characters.
func labelOf(line string) string {
	const around, longest = " \t:#*_>-=", len("system prompt")
	start, end := 0, len(line)
	for start < end && strings.IndexByte(around, line[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte(around, line[end-1]) >= 0 {
		end--
	}
	if end-start > longest {
		return ""
	}
	return strings.ToLower(line[start:end])
}

// ordinary reports whether r, which is not ASCII, is one of the many characters
// without a rule: letters of the large scripts and usual punctuation.
func ordinary(r rune) bool {
	switch {
	case r < 0x0300:
		return r >= 0xA0 && r != 0xAD // no soft hyphen, no controls
	case r < 0x2010:
		return r >= 0x0370 && r < 0x0530 // Greek, Cyrillic
	case r < 0x3000:
		return r < 0x2028 || r >= 0x2030 && r < 0x205F || r >= 0x20A0 && r < 0x20C0 || r >= 0x2100 && r < 0x2300
	case r < 0xE000:
		return r == 0x3001 || r == 0x3002 || r >= 0x3041 && r < 0x3097 || r >= 0x30A0 && r < 0x3100 ||
			r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4
	default:
		return r == 0xFF08 || r == 0xFF09 || r == 0xFF0C // full-width brackets of prose, comma
	}
}
