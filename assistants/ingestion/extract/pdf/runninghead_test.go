package pdf

import (
	"fmt"
	"strings"
	"testing"
)

// The name of a town and of a part of the document are set above its pages in bold and larger
// type. They stay once, and in the path, but not above the text of each page.
func TestAHeadOfSeveralLinesRuns(t *testing.T) {
	doc := read(t, pages(6, func(i int, s *sheet) {
		s.set(50, 40, "Town of Fir", 15, true)
		s.set(50, 60, "Notes to the Accounts", 12, true)
		s.line(50, 76, "(in thousands of dollars)")
		if i > 0 {
			s.set(50, 110, fmt.Sprintf("%d. Subject %c", i, 'A'+i), 10, true)
		}
		s.column(50, 130, prose(string(rune('a'+i)), 10)...)
	})...)
	for i, page := range pageTexts(doc) {
		want := "(in thousands of dollars)"
		switch i {
		case 0:
			want = "Town of Fir\n\nNotes to the Accounts\n\n" + want
		default:
			want += fmt.Sprintf("\n\n%d. Subject %c", i, 'A'+i)
		}
		if want += "\n\n" + strings.Join(prose(string(rune('a'+i)), 10), " "); page != want {
			t.Errorf("page %d\n%s\nwant\n%s", i+1, page, want)
		}
	}
	if got := titleAt(t, doc, "f09 goes on"); got != "5. Subject F" {
		t.Errorf("the last page's title is %q", got)
	}
}

func TestHeadingsThatRecurStay(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(i int, s *sheet)
		want string
		n    int
	}{
		"on every other page": {func(i int, s *sheet) {
			s.set(50, 40, []string{"What we do", fmt.Sprintf("Office %c", 'A'+i)}[i%2], 15, true)
		}, "What we do", 4},
		"on three pages": {func(i int, s *sheet) {
			if i < 3 {
				s.set(50, 40, "What we do", 15, true)
			}
		}, "What we do", 3},
		"below another title": {func(i int, s *sheet) {
			s.set(50, 40, fmt.Sprintf("Office %c", 'A'+i), 15, true)
			s.set(50, 60, "What we do", 12, true)
		}, "What we do", 8},
		"above a table's columns": {func(i int, s *sheet) {
			s.cells(40, 1, append([][]string{{"Article", "Mass", "Price"}}, bolts(4*i, 4*i+3)...)...)
		}, "Article", 8},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, pages(8, func(i int, s *sheet) {
				test.set(i, s)
				s.column(50, 130, prose(string(rune('a'+i)), 10)...)
			})...)
			if n := strings.Count(doc.Text, test.want); n != test.n {
				t.Errorf("%q stands %d times in the text, want %d:\n%s", test.want, n, test.n, doc.Text)
			}
		})
	}
}

func TestPagesInARow(t *testing.T) {
	pages := []int{0, 1, 2, 5, 7, 8, 9, 10}
	for page, want := range map[int]int{0: 3, 1: 3, 2: 3, 3: 0, 5: 1, 6: 0, 7: 4, 8: 4, 10: 4, 11: 0} {
		if got := pagesInARow(pages, page); got != want {
			t.Errorf("%d pages around page %d, want %d", got, page, want)
		}
	}
}
