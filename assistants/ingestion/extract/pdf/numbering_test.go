package pdf

import (
	"fmt"
	"strings"
	"testing"
)

// Few pages, or numbers close to the text, show no running lines. Numbers of pages are left out
// where nothing else can be meant.
func TestNumbersOfPagesAreLeftOutWhereTheyAreCertain(t *testing.T) {
	for name, test := range map[string]struct {
		pages int
		y     float64
		foot  func(i int) [2]string // at the left, at the right
		want  func(i int) string    // what stays of the foot
	}{
		"of all pages":            {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("Page %d of 2", i+1)} }, nil},
		"of one page":             {1, 700, func(int) [2]string { return [2]string{"Page 1 of 1"} }, nil},
		"with a name":             {3, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("Page %d of 3", i+1), "Red remark"} }, func(i int) string { return [3]string{"Page 1 of 3 Red remark"}[i] }},
		"in a line with a name":   {3, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("The remark, page %d of 3", i+1)} }, func(i int) string { return [3]string{"The remark, page 1 of 3"}[i] }},
		"with other words":        {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("Page %d of 2", i+1), fmt.Sprint("Item ", i)} }, func(i int) string { return fmt.Sprintf("Page %d of 2 Item %d", i+1, i) }},
		"of other pages":          {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("Page %d of 2", 2-i)} }, func(i int) string { return fmt.Sprintf("Page %d of 2", 2-i) }},
		"of a part of a document": {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("Page %d of 12", i+5)} }, nil},
		"of a part, on one page":  {2, 700, func(i int) [2]string { return [2]string{[2]string{"Page 5 of 12", ""}[i]} }, func(i int) string { return [2]string{"Page 5 of 12", ""}[i] }},
		"without a word":          {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("%d/2", i+1)} }, nil},
		"dates":                   {2, 700, func(i int) [2]string { return [2]string{fmt.Sprintf("%d/12", i+5)} }, func(i int) string { return fmt.Sprintf("%d/12", i+5) }},
		"years":                   {3, 163, func(i int) [2]string { return [2]string{"", fmt.Sprint(i + 2019)} }, func(i int) string { return fmt.Sprint(i + 2019) }},
		"numbers of questions":    {3, 163, func(i int) [2]string { return [2]string{"", fmt.Sprintf("%d.", i+4)} }, func(i int) string { return fmt.Sprintf("%d.", i+4) }},
		"a share":                 {2, 700, func(i int) [2]string { return [2]string{[2]string{"1/2", ""}[i]} }, func(i int) string { return [2]string{"1/2", ""}[i] }},
		"near the text":           {3, 163, func(i int) [2]string { return [2]string{"", fmt.Sprint(i + 4)} }, nil},
		"on some pages":           {3, 163, func(i int) [2]string { return [2]string{"", [3]string{"4", "", "6"}[i]} }, func(i int) string { return [3]string{"4", "", "6"}[i] }},
		"that do not count on":    {3, 163, func(i int) [2]string { return [2]string{"", fmt.Sprint(2*i + 4)} }, func(i int) string { return fmt.Sprint(2*i + 4) }},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, pages(test.pages, func(i int, s *sheet) {
				body(i, s)
				foot := test.foot(i)
				s.line(50, test.y, foot[0])
				s.line(140, test.y, foot[1])
			})...)
			for i, page := range pageTexts(doc) {
				want := bodyText(i)
				if test.want != nil && test.want(i) != "" {
					want += "\n\n" + test.want(i)
				}
				if page != want {
					t.Errorf("page %d\n%s\nwant\n%s", i+1, page, want)
				}
			}
		})
	}
}

// Chapters and poems that have a page each are numbered, too.
func TestNumbersInLargerTypeAreKept(t *testing.T) {
	for size, kept := range map[float64]bool{10: false, 20: true} {
		doc := read(t, pages(3, func(i int, s *sheet) {
			s.set(50, 80, fmt.Sprint(i+1), size, false)
			s.column(50, 100, prose(string(rune('a'+i)), 20)...)
		})...)
		for i, page := range pageTexts(doc) {
			if got := strings.HasPrefix(page, fmt.Sprint(i+1)); got != kept {
				t.Errorf("type of %v: the number of page %d is kept: %v", size, i+1, got)
			}
		}
	}
}

// A line in the middle of a page is a part of its text, whatever it says.
func TestANumberInTheTextIsKept(t *testing.T) {
	s := &sheet{}
	s.column(50, 60, prose("red", 6)...)
	s.line(50, 160, "Page 1 of 1")
	s.column(50, 190, prose("blue", 6)...)
	if doc := read(t, s); !strings.Contains(doc.Text, "Page 1 of 1") {
		t.Errorf("text %q", doc.Text)
	}
}
