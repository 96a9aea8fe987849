package pdf

import (
	"fmt"
	"strings"
	"testing"
)

// A text along the margin of each page stands once in the text, and is no heading of the next page.
func TestAStampOnEachPageStandsOnce(t *testing.T) {
	for pages, want := range map[int]int{2: 2, 4: 1} {
		var sheets []*sheet
		for i := range pages {
			var s sheet
			s.set(50, 60, fmt.Sprintf("Part %c of it", 'A'+i), 14, true)
			s.column(50, 100, prose(fmt.Sprintf("page%d", i), 5)...)
			from := len(s.words)
			s.set(20, 400, "For internal use only", 16, true)
			for k := range s.words[from:] {
				s.words[from+k].turn = 1
			}
			sheets = append(sheets, &s)
		}
		doc := read(t, sheets...)
		if got := strings.Count(doc.Text, "For internal use only"); got != want {
			t.Errorf("%d pages: %d times in\n%s", pages, got, doc.Text)
		}
		for _, h := range doc.Headings {
			if want == 1 && strings.Contains(h.Title, "internal") {
				t.Errorf("%d pages: heading %q", pages, h.Title)
			}
		}
	}
}
