package cli

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPartsOfATextAreTheTextAndKnowTheirLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.SampledFrom([]string{"A sentence of some words.", "", "```go", "```", "````", "~~~", "é", strings.Repeat("long ", 700)})).Draw(t, "rows")
		text := strings.Join(rows, "\n")
		joined := ""
		for _, p := range paragraphsOf(text) {
			if p.line != 1+strings.Count(joined, "\n") {
				t.Fatalf("a part of %q is said to begin in line %d", text, p.line)
			}
			joined += p.text
		}
		if joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
		for _, p := range partsOf(text) {
			if at := strings.Split(text, "\n")[p.line-1]; !strings.HasPrefix(p.text, at) {
				t.Fatalf("the part %q does not begin with line %d, %q", p.text, p.line, at)
			}
		}
	})
}

func TestALongTextIsCutBetweenParagraphsButNotInCode(t *testing.T) {
	long := strings.Repeat("Words and words. ", 150) + "\n"
	text := long + "\n```\n" + long + "\n" + long + "```\n\n" + long
	var got []int
	for _, p := range partsOf(text) {
		got = append(got, p.line)
	}
	if len(got) != 3 || got[0] != 1 || got[1] != 3 || got[2] != 9 {
		t.Errorf("parts begin in lines %v", got)
	}
}
