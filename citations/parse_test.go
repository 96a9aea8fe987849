package citations

import (
	"slices"
	"strings"
	"testing"

	"footnote/citations/formattest"
)

// opens reports whether the scanner calls a parser for a text with this beginning.
func opens(text string) bool {
	for _, opening := range []string{"[", `\[`, "【", "［"} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return false
}

// checkParsing parses every prefix of a text. A proper prefix is either undecided or
// decided like the whole text.
func checkParsing(t *testing.T, text string) {
	t.Helper()
	want, verdict := parseMarker([]byte(text), true, nil)
	if verdict == more {
		t.Fatalf("%q is undecided to its end", text)
	}
	if verdict == yes && (want.size > maxMarkerBytes || want.size > len(text) || len(want.numbers) == 0) {
		t.Fatalf("%q: a marker %+v", text, want)
	}
	for _, n := range want.numbers {
		if verdict == yes && (n < 1 || n > maxNumber) {
			t.Fatalf("%q: the number %d", text, n)
		}
	}
	for i := range len(text) {
		if !opens(text[:i]) {
			continue
		}
		got, v := parseMarker([]byte(text[:i]), false, nil)
		if v == more && i <= maxMarkerBytes {
			continue
		}
		if v != verdict || v == yes && (got.size != want.size || !slices.Equal(got.numbers, want.numbers)) {
			t.Fatalf("%q: %v %+v after %d bytes, %v %+v in the end", text, v, got, i, verdict, want)
		}
	}
}

func TestAMarkerIsDecidedOnce(t *testing.T) {
	for _, c := range formattest.Cases(t, "FORMAT.md", formattest.Markers...) {
		for i := range c.Text {
			if opens(c.Text[i:]) {
				checkParsing(t, c.Text[i:])
			}
		}
	}
	long := strings.Repeat("1, ", 200)
	for _, text := range []string{"[" + long, "[" + strings.Repeat(" ", 300) + "1]", "[" + strings.Repeat("9", 1<<20), "【1†" + strings.Repeat("x", 300) + "】"} {
		if _, v := parseMarker([]byte(text), false, nil); v != no {
			t.Errorf("%.40q… is not given up", text)
		}
	}
}

func FuzzAMarkerIsDecidedOnce(f *testing.F) {
	for _, c := range formattest.Cases(f, "FORMAT.md", formattest.Markers...) {
		if i := strings.IndexAny(c.Text, `[\【［`); i >= 0 {
			f.Add(c.Text[i:])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !opens(text) {
			text = "[" + text
		}
		checkParsing(t, text[:min(len(text), 2*maxMarkerBytes)])
	})
}
