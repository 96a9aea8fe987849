package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberMarks are the marks that may stand inside a number.
const numberMarks = ".,'’٫٬．，"

// A group is the digits between two marks of a number.
type group struct {
	digits     string
	mark       rune // the mark before the group
	start, end int
}

// eachNumber yields a number without its grouping marks, or the parts of a date, a
// version, an address or a list, which only look like one number.
func eachNumber(s string, offset int, yield func(word)) {
	groups := splitNumber(s)
	for i := range groups {
		groups[i].start += offset
		groups[i].end += offset
	}
	if len(groups) == 0 {
		return
	}
	last := groups[len(groups)-1]
	if text, ok := joinNumber(groups); ok {
		yield(word{text: cut(text), start: groups[0].start, end: last.end, kind: kindNumber})
		return
	}
	for _, g := range groups {
		yield(word{text: cut(trimZeros(g.digits)), start: g.start, end: g.end, kind: kindNumber})
	}
}

func splitNumber(s string) []group {
	var groups []group
	var mark rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsDigit(r) {
			mark = plainMark(r)
			i += size
			continue
		}
		j := i
		for j < len(s) {
			r, size := utf8.DecodeRuneInString(s[j:])
			if !unicode.IsDigit(r) {
				break
			}
			j += size
		}
		groups = append(groups, group{digits: fold(s[i:j]), mark: mark, start: i, end: j})
		i = j
	}
	return groups
}

func plainMark(r rune) rune {
	switch r {
	case '٫', '．':
		return '.'
	case '٬', '，':
		return ','
	case '’':
		return '\''
	}
	return r
}

// joinNumber reads groups of digits as one number: grouped by thousands, with
// decimals, or both. The lengths of the groups decide which mark is which.
func joinNumber(groups []group) (string, bool) {
	first := trimZeros(groups[0].digits)
	rest := groups[1:]
	if len(rest) == 0 {
		return first, true
	}
	grouping := rest[0].mark
	thousands := len(groups[0].digits) <= 3 && first != "0"
	n := 0 // groups that continue the whole part
	for n < len(rest) && thousands && rest[n].mark == grouping && len(rest[n].digits) == 3 {
		n++
	}
	var b strings.Builder
	b.WriteString(first)
	for _, g := range rest[:n] {
		b.WriteString(g.digits)
	}
	switch {
	case n == len(rest):
	case n == len(rest)-1 && (n == 0 || rest[n].mark != grouping) && rest[n].mark != '\'':
		b.WriteByte('.')
		b.WriteString(rest[n].digits)
	default:
		return "", false
	}
	return b.String(), true
}

func trimZeros(digits string) string {
	if s := strings.TrimLeft(digits, "0"); s != "" {
		return s
	}
	return "0"
}
