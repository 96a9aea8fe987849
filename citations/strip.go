package citations

import (
	"strings"
	"sync"
)

// StripMarkers removes every marker from a text, whatever its number, with the space
// before it, or after it at the start of a line, and with what it leaves empty: brackets,
// emphasis or a tag around it, and what joins it to another marker. Everything else stays byte
// for byte, including code and links. The scanner finds no marker in the result.
func StripMarkers(text string) string {
	stripped := withoutMarkers(text, false)
	if len(stripped) == len(text) {
		return text
	}
	// Text on both sides of a removed marker may form a new one: [[1] 2]. Round
	// brackets prevent that.
	return withoutMarkers(stripped, true)
}

// StripAnswer removes the markers from an answer in an earlier turn, and the list of
// sources of the markdown format at its end, so that old numbers never meet new
// sources.
func StripAnswer(text string) string { return StripMarkers(WithoutList(text)) }

// listHeading begins the list of sources after an answer.
const listHeading = "\n\n**Sources**\n\n"

// WithoutList cuts off the list of sources at the end of an answer, in exactly the
// form in which it is written, except for white space that clients trim.
func WithoutList(text string) string {
	body := strings.TrimRight(text, " \t\r\n")
	list, found := strings.CutPrefix(body, strings.TrimLeft(listHeading, "\n"))
	start := 0
	if strings.Contains(body, listHeading) { // asked first, because it is much faster
		at := strings.LastIndex(body, listHeading)
		start, list, found = at, body[at+len(listHeading):], true
	}
	if !found {
		return text
	}
	last, delimiter := 0, byte('.')
	for line := range strings.SplitSeq(list, "\n") {
		number, by, entry := listItem(line)
		if last > 0 && number > last+1 { // a gap, where another list begins
			delimiter ^= '.' ^ ')'
		}
		if number <= last || by != delimiter || !isListEntry(entry) {
			return text
		}
		last = number
	}
	return text[:start]
}

// listItem splits "12. entry"; the number is 0 if the line is not a list item.
func listItem(line string) (number int, delimiter byte, entry string) {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 3 || line[0] == '0' || len(line) < digits+3 || line[digits+1] != ' ' {
		return 0, 0, ""
	}
	for _, c := range []byte(line[:digits]) {
		number = number*10 + int(c-'0')
	}
	return number, line[digits], line[digits+2:]
}

// isListEntry reports whether an entry is a name, or a linked name.
func isListEntry(entry string) bool {
	if name, linked := strings.CutPrefix(entry, "["); linked {
		name, url, _ := strings.Cut(name, "](")
		url, closed := strings.CutSuffix(url, ")")
		return closed && name != "" && url != "" && !strings.ContainsAny(name, "[]") && !strings.ContainsAny(url, " ()<>")
	}
	return !strings.ContainsAny(entry, "[]")
}

// withoutMarkers removes the markers from a text or, if rounded, writes them with
// round brackets: (1).
func withoutMarkers(text string, rounded bool) string {
	// One character at a time: strings.ContainsAny is slow for text that is not ASCII.
	if !strings.Contains(text, "[") && !strings.Contains(text, "【") && !strings.Contains(text, "［") {
		return text
	}
	st := strippers.Get().(*stripper)
	defer strippers.Put(st)
	st.rounded = rounded
	return st.strip(text)
}

// A stripper removes markers from one text after another.
type stripper struct {
	scan    scanner
	text    string
	rounded bool // write removed markers in round brackets
	out     strings.Builder
	kept    int // of text, up to here
}

var strippers = sync.Pool{New: func() any { return new(stripper) }}

func (st *stripper) strip(text string) string {
	st.text, st.kept = text, 0
	defer func() { st.text, st.out = "", strings.Builder{} }()
	marked := false
	st.scan.begin(UnitByte, func(f found) (*mark, bool) { marked = true; return st.round(f) })
	st.scan.claim.off = true
	if !st.rounded {
		st.scan.edit = func(match) []byte { return nil }
		st.scan.ruler.edits, st.scan.ruler.strip = true, true
	}
	st.scan.write(text)
	st.scan.finish()
	switch {
	case !marked:
		return text
	case !st.rounded:
		return st.scan.ruler.drain(true)
	}
	st.out.WriteString(text[st.kept:])
	return st.out.String()
}

// round writes a marker with round brackets.
func (st *stripper) round(f found) (m *mark, cites bool) {
	if st.rounded {
		start, end := f.start.at, f.end.at
		st.out.WriteString(st.text[st.kept:start])
		st.out.WriteString("(" + strings.Trim(st.text[start:end], `[]【】［］\^ `) + ")")
		st.kept = end
	}
	return nil, false
}
