package pdf

import (
	"fmt"
	"slices"
	"testing"
)

// Titles that number the parts of a document are headings, in whatever type they are, if there are several.
func TestTitlesWithTheNumberOfTheirPartAreHeadings(t *testing.T) {
	for name, test := range map[string]struct{ lines, want []string }{
		"notes":            {[]string{"NOTE 1 — LEASES", "NOTE 2 — EARNINGS PER SHARE"}, []string{"1 NOTE 1 — LEASES", "1 NOTE 2 — EARNINGS PER SHARE"}},
		"with letters":     {[]string{"Item 1A. Risk Factors", "Item 5. Other Information"}, []string{"1 Item 1A. Risk Factors", "1 Item 5. Other Information"}},
		"in German":        {[]string{"§ 3 Kündigung", "§ 4 Gerichtsstand"}, []string{"1 § 3 Kündigung", "1 § 4 Gerichtsstand"}},
		"Roman numbers":    {[]string{"Article IV: Term of this Plan", "Article V: Law"}, []string{"1 Article IV: Term of this Plan", "1 Article V: Law"}},
		"beside bold ones": {[]string{"Note 1 Leases", "*Terms of leases", "Note 2 Debt"}, []string{"1 Note 1 Leases", "1 Terms of leases", "1 Note 2 Debt"}},
		"in bold type":     {[]string{"*Note 1 Leases", "*Terms of leases", "*Note 2 Debt"}, []string{"1 Note 1 Leases", "1 Terms of leases", "1 Note 2 Debt"}},
		"only one":         {[]string{"Note 1 Leases", "Leases again"}, nil},
		"sentences":        {[]string{"Section 3 applies to leases", "Section 4 applies to debt"}, nil},
		"references":       {[]string{"§ 3 BUrlG", "§ 622 BGB"}, nil},
		"with a colon":     {[]string{"Section 4 Employees may claim:", "Section 5 Managers may claim:"}, nil},
		"two in one":       {[]string{"Schedule 1 Services Schedule 2 Fees", "Schedule 3 Times Schedule 4 Places"}, nil},
		"no titles":        {[]string{"Note 1", "Note 2"}, nil},
		"no numbers":       {[]string{"Note the Leases", "Note the Debt"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			for i, line := range test.lines {
				y := 60 + 100*float64(i)
				bold := line[0] == '*'
				if bold {
					line = line[1:]
				}
				s.set(50, y, line, 10, bold)
				s.column(50, y+26, prose(string(rune('a'+i)), 5)...)
			}
			var got []string
			for _, h := range read(t, &s).Headings {
				got = append(got, fmt.Sprint(h.Level, " ", h.Title))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
		})
	}
}

// Such titles one below the other are a list of what follows, and no headings.
func TestAListOfNumberedTitlesHasNoHeadings(t *testing.T) {
	var s sheet
	for i, line := range []string{"Note 1 Leases", "Note 2 Debt", "Note 3 Taxes"} {
		s.line(50, 60+30*float64(i), line)
	}
	s.column(50, 180, prose("a", 5)...)
	for i, line := range []string{"Note 1 Leases", "Note 2 Debt"} {
		y := 280 + 100*float64(i)
		s.line(50, y, line)
		s.column(50, y+26, prose(string(rune('b'+i)), 5)...)
	}
	s.line(50, 480, "Part I Finance")
	s.line(50, 510, "Item 1. Statements")
	s.line(50, 540, "Part II Others")
	s.line(50, 570, "Item 1. Controls")
	doc := read(t, &s)
	if len(doc.Headings) != 2 || doc.Headings[0].Start < 100 {
		t.Errorf("headings %+v in %s", doc.Headings, doc.Text)
	}
}

// A document with an outline of numbers keeps it, and the titles of its schedules are no headings that break it.
func TestNumberedPartsDoNotBreakAnOutline(t *testing.T) {
	var s sheet
	s.set(50, 40, "Service agreement", 16, true)
	for i, line := range []string{"1 Means and Ways", "1.1 Prices of the Work", "1.2 Term and End", "2 Law of the Place"} {
		y := 80 + 100*float64(i)
		s.line(50, y, line)
		s.column(50, y+26, prose(string(rune('a'+i)), 5)...)
	}
	before := len(read(t, &s).Headings)
	for i, line := range []string{"Schedule 1 Services", "Schedule 2 Fees"} {
		y := 500 + 100*float64(i)
		s.line(50, y, line)
		s.column(50, y+26, prose(string(rune('f'+i)), 5)...)
	}
	doc := read(t, &s)
	if len(doc.Headings) < before || before < 5 {
		t.Errorf("%d headings, %d without the schedules: %+v", len(doc.Headings), before, doc.Headings)
	}
}
