package citations

import (
	"strings"
	"sync"
)

// StripMarkers takes every marker out of a text, whatever its number, with the
// space before it, or after it at the start of a line. Code, links and all else
// that is no marker stays byte for byte.
func StripMarkers(text string) string { return withoutMarkers(text, false) }

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
