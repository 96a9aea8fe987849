package pdf

import (
	"slices"
	"testing"
)

// A date on a title page is no title of the text that follows. In a diary or a list of changes,
// dates are.
func TestDatesAreHeadingsWhereSeveralDivideTheText(t *testing.T) {
	for name, test := range map[string]struct {
		first []string // lines in bold type
		later []string // the same, with text below each
		want  []string
	}{
		"a title page": {[]string{"Plan of the work", "October 12, 2021"}, []string{"Methods"}, []string{"Plan of the work", "Methods"}},
		"two dates":    {[]string{"Plan of the work", "12 October 2021", "2023-12-01"}, []string{"Methods"}, []string{"Plan of the work", "Methods"}},
		"a diary":      {nil, []string{"1 May 2023", "2 May 2023", "4 May 2023"}, []string{"1 May 2023", "2 May 2023", "4 May 2023"}},
		"both":         {[]string{"Changes", "May 7, 2023"}, []string{"May 1, 2023", "May 2, 2023"}, []string{"Changes", "May 7, 2023", "May 1, 2023", "May 2, 2023"}},
	} {
		t.Run(name, func(t *testing.T) {
			title, text := &sheet{}, &sheet{}
			for i, line := range test.first {
				title.set(50, 100+40*float64(i), line, 10, true)
			}
			for i, line := range test.later {
				y := 60 + 90*float64(i)
				text.set(50, y, line, 10, true)
				text.column(50, y+20, prose(string(rune('a'+i)), 5)...)
			}
			var got []string
			for _, h := range read(t, title, text).Headings {
				got = append(got, h.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
		})
	}
}

// The minutes of several meetings have headings of their own below the date of each.
func TestDatesAboveSmallerHeadingsAreHeadings(t *testing.T) {
	page := func(date string) *sheet {
		s := &sheet{}
		s.set(50, 60, date, 14, true)
		s.set(50, 90, "Those present", 12, true)
		s.column(50, 110, prose(date, 6)...)
		return s
	}
	for name, test := range map[string]struct {
		dates, want []string
	}{
		"of several meetings": {[]string{"12 May 2023", "14 June 2023"}, []string{"12 May 2023", "Those present", "14 June 2023", "Those present"}},
		"of one":              {[]string{"12 May 2023"}, []string{"Those present"}},
	} {
		t.Run(name, func(t *testing.T) {
			var sheets []*sheet
			for _, date := range test.dates {
				sheets = append(sheets, page(date))
			}
			var got []string
			for _, h := range read(t, sheets...).Headings {
				got = append(got, h.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
		})
	}
}
