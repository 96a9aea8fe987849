package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a half-open range of bytes of a text.
type Span struct{ Start, End int }

// Sentences splits a text into sentences, without the white space around them.
// The spans are in order, do not overlap, begin and end between characters, and
// what lies outside of them is white space.
//
// A sentence ends at a terminal mark (not that of an abbreviation, an initial,
// a decimal or an ordinal), at a blank line, and at a line that begins or ends
// an item: list items, table rows, headings, lines much shorter than the
// others of their paragraph. Lines that were merely wrapped stay together.
func Sentences(text string) []Span {
	var out []Span
	for start := 0; start < len(text); {
		end := blockEnd(text, start)
		out = appendSentences(out, text, start, end)
		start = end
	}
	return out
}

// blockEnd is the end of the paragraph that starts at i: after the next blank
// line, form feed or paragraph separator, else the end of the text.
func blockEnd(text string, i int) int {
	blank := false // nothing since the last line break
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\f', r == '\v', r == '\u2029':
			return i
		case r == '\r' && strings.HasPrefix(text[i:], "\n"): // counts with the line feed
		case isLineBreak(r):
			if blank {
				return i
			}
			blank = true
		case r != ' ' && r != '\t':
			blank = false
		}
	}
	return i
}

func isLineBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' }

// appendSentences splits the paragraph [start, end) of text.
func appendSentences(out []Span, text string, start, end int) []Span {
	longest := longestLine(text[start:end])
	from := start
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(text[i:end])
		next, ends := i+size, false
		switch {
		case isLineBreak(r):
			ends = breaksLine(text, from, i, end, longest)
		case isTerminal(r):
			next, ends = terminalEnd(text, from, i, end)
		}
		if ends {
			out = appendTrimmed(out, text, from, next)
			from = next
		}
		i = next
	}
	return appendTrimmed(out, text, from, end)
}

func appendTrimmed(out []Span, text string, start, end int) []Span {
	s := text[start:end]
	left := strings.TrimLeftFunc(s, unicode.IsSpace)
	start += len(s) - len(left)
	end = start + len(strings.TrimRightFunc(left, unicode.IsSpace))
	if start == end {
		return out
	}
	return append(out, Span{start, end})
}

// longestLine is the length in bytes of the longest line of a paragraph.
func longestLine(s string) int {
	longest := 0
	for line := range strings.FieldsFuncSeq(s, isLineBreak) {
		longest = max(longest, len(strings.TrimSpace(line)))
	}
	return longest
}

// wrapped is the length in bytes below which no line counts as full: lines are not
// wrapped that early.
const wrapped = 40

// maxGap is how many bytes after a possible end of a sentence are examined.
const maxGap = 128

// breaksLine reports whether the line break at i ends the sentence that began
// at from.
func breaksLine(text string, from, i, end, longest int) bool {
	line := strings.TrimSpace(text[from+max(0, strings.LastIndexFunc(text[from:i], isLineBreak)) : i])
	rest := text[i:min(end, i+maxGap)]
	next := strings.TrimLeft(rest, " \t\r\n\u2028")
	if line == "" || next == "" {
		return false
	}
	if startsItem(next) || line[0] == '#' || line[0] == '|' {
		return true
	}
	r, _ := utf8.DecodeRuneInString(next)
	if !unicode.IsUpper(r) && !unicode.IsDigit(r) && scriptOf(r) == scriptSpaced {
		return false
	}
	return len(line) < wrapped || len(line)*5 < longest*3
}

// startsItem reports whether a line begins with the mark of a list item, a
// heading or a table row.
func startsItem(line string) bool {
	r, size := utf8.DecodeRuneInString(line)
	rest := line[size:]
	switch {
	case r == '#' || r == '|' || r == '•' || r == '◦' || r == '▪' || r == '‣' || r == '·':
		return true
	case r == '-' || r == '*' || r == '+' || r == '–':
		return strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")
	case r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '(':
		n := 1
		for n < len(line) && n < 4 && isAlphanumeric(line[n]) {
			n++
		}
		if r >= 'a' && n > 1 {
			return false // "it. Then" is no item, "a) Then" is
		}
		return n+1 < len(line) && (line[n] == ')' || line[n] == '.' && r != '(') && line[n+1] == ' '
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// isTerminal reports whether r may end a sentence.
func isTerminal(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '｡', '؟', '۔', '।', '॥', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

// standsAlone reports whether a terminal mark ends a sentence without a space
// after it, as in scripts that have no spaces.
func standsAlone(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '।', '॥':
		return true
	}
	return false
}

// terminalEnd is where a terminal mark at i ends with the marks, quotes and
// brackets that follow it, and whether the sentence that began at from ends
// there too.
func terminalEnd(text string, from, i, end int) (j int, ends bool) {
	alone, onlyDot, j := false, true, i
	for j < end {
		r, size := utf8.DecodeRuneInString(text[j:end])
		if !isTerminal(r) {
			break
		}
		alone = alone || standsAlone(r)
		onlyDot = onlyDot && r == '.'
		j += size
	}
	single := onlyDot && j == i+1
	for j < end {
		r, size := utf8.DecodeRuneInString(text[j:end])
		if !strings.ContainsRune("\"'”’»›)]}」』）］】", r) {
			break
		}
		j += size
	}
	if j == end || alone {
		return j, true
	}
	r, _ := utf8.DecodeRuneInString(text[j:end])
	if !unicode.IsSpace(r) {
		return j, false
	}
	next := strings.TrimLeftFunc(text[j:min(end, j+maxGap)], unicode.IsSpace)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, "\"'“‘„«»‹›([*_"))
	if unicode.IsLower(first) && !startsItem(next) {
		return j, false
	}
	return j, !(single && continues(text[from:i], next))
}
