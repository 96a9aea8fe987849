package citations

import (
	"strings"
	"sync"
)

// StripMarkers takes every marker out of a text, whatever its number, with the
// space before it, or after it at the start of a line. Code, links and all else
// that is no marker stays byte for byte; the scanner finds no marker in the result.
func StripMarkers(text string) string {
	stripped := withoutMarkers(text, false)
	if len(stripped) == len(text) {
		return text
	}
	// What stood around a marker may read as one, now that it is together:
	// [[1] 2]. Round brackets keep it apart for good.
	return withoutMarkers(stripped, true)
}

// StripAnswer takes the markers out of an answer that comes back in a
// conversation, and the list of sources that ends it in the markdown format, so
// that old numbers never meet new sources.
func StripAnswer(text string) string { return StripMarkers(withoutList(text)) }

// listHeading begins the list of sources behind an answer.
const listHeading = "\n\n**Sources**\n\n"

// withoutList cuts off the list of sources with which an answer ends, in
// exactly the form in which it is written; what clients trim at the ends of a
// message may be missing.
func withoutList(text string) string {
	body := strings.TrimRight(text, " \t\r\n")
	list, found := strings.CutPrefix(body, strings.TrimLeft(listHeading, "\n"))
	start := 0
	if at := strings.LastIndex(body, listHeading); at >= 0 {
		start, list, found = at, body[at+len(listHeading):], true
	}
	if !found {
		return text
	}
	last, delimiter := 0, byte('.')
	for line := range strings.SplitSeq(list, "\n") {
		number, by, entry := listItem(line)
		if last > 0 && number > last+1 { // a gap: Markdown counts by itself, so another list begins
			delimiter ^= '.' ^ ')'
		}
		if number <= last || by != delimiter || !isListEntry(entry) {
			return text
		}
		last = number
	}
	return text[:start]
}

// listItem takes "12. entry" apart; the number is 0 when the line is none.
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

// isListEntry reports whether an entry is a name, or a name that links.
func isListEntry(entry string) bool {
	if name, linked := strings.CutPrefix(entry, "["); linked {
		name, url, _ := strings.Cut(name, "](")
		url, closed := strings.CutSuffix(url, ")")
		return closed && name != "" && url != "" && !strings.ContainsAny(name, "[]") && !strings.ContainsAny(url, " ()<>")
	}
	return !strings.ContainsAny(entry, "[]")
}

// withoutMarkers takes the markers out of a text or, rounded, writes them with
// round brackets: (1).
func withoutMarkers(text string, rounded bool) string {
	// One at a time: strings.ContainsAny is slow for what is not ASCII.
	if !strings.Contains(text, "[") && !strings.Contains(text, "【") && !strings.Contains(text, "［") {
		return text
	}
	st := strippers.Get().(*stripper)
	defer strippers.Put(st)
	st.rounded = rounded
	return st.strip(text)
}

// A stripper takes markers out of one text after another.
type stripper struct {
	scan          scanner
	text          string
	rounded       bool // write what is taken out in round brackets
	out           strings.Builder
	kept          int  // of text, up to here
	fromLineStart bool // what was taken out last began a line
}

var strippers = sync.Pool{New: func() any { return new(stripper) }}

func (st *stripper) strip(text string) string {
	st.text, st.kept, st.fromLineStart = text, 0, true
	defer func() { st.text, st.out = "", strings.Builder{} }()
	st.scan.begin(UnitByte, st.drop)
	st.scan.claim.off = true
	st.scan.write(text)
	st.scan.finish()
	if st.kept == 0 {
		return text
	}
	st.out.WriteString(text[st.kept:])
	return st.out.String()
}

// drop leaves a marker out.
func (st *stripper) drop(f found) (m *mark, cites bool) {
	start, end := f.start.at, f.end.at
	if st.rounded {
		st.out.WriteString(st.text[st.kept:start])
		st.out.WriteString("(" + strings.Trim(st.text[start:end], `[]【】［］\^ `) + ")")
		st.kept = end
		return nil, false
	}
	lineStart := start == 0 || st.text[start-1] == '\n' || start == st.kept && st.fromLineStart
	st.fromLineStart = lineStart
	switch {
	case !lineStart && st.text[start-1] == ' ':
		start--
	case lineStart && end < len(st.text) && st.text[end] == ' ':
		end++
	}
	if st.out.Cap() == 0 {
		st.out.Grow(len(st.text))
	}
	if start > st.kept {
		st.out.WriteString(st.text[st.kept:start])
	}
	st.kept = max(st.kept, end)
	return nil, false
}
