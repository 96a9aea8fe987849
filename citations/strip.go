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
