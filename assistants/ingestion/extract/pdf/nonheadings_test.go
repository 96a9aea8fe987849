package pdf

import (
	"slices"
	"testing"

	"footnote/assistants/ingestion/extract"
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

// loans writes a table below y, with its labels at the left.
func loans(s *sheet, y float64) {
	for i, row := range [][]string{{"Branch", "2031", "2030"}, {"Rome", "12.5", "11.0"}, {"Oslo", "8.0", "7.5"}, {"Bonn", "3.0", "2.5"}} {
		for j, x := range []float64{50, 300, 420} {
			s.set(x, y+13*float64(i), row[j], 10, false)
		}
	}
}

// over returns the text that stands over the columns of a table.
func over(text string, table extract.Block) string {
	if table.Over == 0 {
		return ""
	}
	return text[table.Over:table.Start]
}

// Bold names of columns, and rows of bold cells, are no headings. They are the header of the table close below.
func TestNamesOfColumnsAreNoHeadings(t *testing.T) {
	type placed struct {
		x, y float64
		text string
	}
	for name, test := range map[string]struct {
		bold   []placed
		want   []string // the headings
		header string   // what stands over the columns of the table
	}{
		"over the amounts":      {[]placed{{50, 100, "Loans by branch"}, {400, 140, "Carrying amount"}}, []string{"Loans by branch"}, "Carrying amount\n\n"},
		"a title farther off":   {[]placed{{380, 100, "Loans by branch"}, {400, 140, "Carrying amount"}}, []string{"Loans by branch"}, "Carrying amount\n\n"},
		"a title at the left":   {[]placed{{50, 140, "Loans by branch"}}, []string{"Loans by branch"}, ""},
		"a title in the middle": {[]placed{{210, 140, "Loans by branch"}}, []string{"Loans by branch"}, ""},
		"a row":                 {[]placed{{50, 60, "Loans by branch"}, {50, 100, "Lender"}, {200, 100, "Rate"}, {400, 100, "Term"}}, []string{"Loans by branch"}, ""},
		"a number apart":        {[]placed{{50, 100, "Note 5."}, {130, 100, "Loans"}}, []string{"Note 5. Loans"}, ""},
		"a bullet apart":        {[]placed{{50, 100, "iv)"}, {130, 100, "Loans"}}, []string{"iv) Loans"}, ""},
		"a title between":       {[]placed{{400, 60, "Exhibit 7"}, {50, 78, "Loans by branch"}}, []string{"Exhibit 7", "Loans by branch"}, ""},
		"right of the table":    {[]placed{{50, 60, "Loans by branch"}, {480, 140, "A note"}}, []string{"Loans by branch", "A note"}, ""},
		"a rule apart":          {[]placed{{50, 100, "Rule 12"}, {200, 100, "Loans"}}, []string{"Rule 12 Loans"}, ""},
		"aligned with text":     {[]placed{{400, 140, "Loans by branch"}}, []string{"Loans by branch"}, ""},
		"continued":             {[]placed{{50, 100, "Loans by branch"}, {300, 100, "(continued)"}}, []string{"Loans by branch (continued)"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sheet{}
			for _, p := range test.bold {
				s.set(p.x, p.y, p.text, 10, true)
			}
			loans(s, 160)
			if s.column(50, 300, prose("The bank", 8)...); name == "aligned with text" {
				s.column(400, 240, "The bank lends", "money to all.")
			}
			doc := read(t, s)
			var got []string
			for _, h := range doc.Headings {
				got = append(got, h.Title)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("headings %q, want %q", got, test.want)
			}
			if n := len(doc.Blocks); n == 0 || over(doc.Text, doc.Blocks[n-1]) != test.header {
				t.Errorf("blocks %+v of %q, want %q over the table", doc.Blocks, doc.Text, test.header)
			}
		})
	}
}

// What runs from right to left has its labels at the other side.
func TestNamesOfColumnsRunFromLeftToRight(t *testing.T) {
	for text, want := range map[string]bool{"Carrying amount": true, "שם הספר": false} {
		line := textLine{}
		for i, r := range text {
			line.chars = append(line.chars, glyph{r, int32(i)})
		}
		if b := (textBlock{lines: []textLine{line}}); b.mayName() != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
