package pdf

import (
	"fmt"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
)

// cells sets the rows of a table.
func (s *sheet) cells(y float64, bold int, rows ...[]string) {
	for i, row := range rows {
		for c, cell := range row {
			s.set(50+110*float64(c), y+14*float64(i), cell, 10, i < bold)
		}
	}
}

// tablesOf are the tables of a document: what heads each, and its lines.
func tablesOf(doc extract.Document) []string {
	var out []string
	for _, b := range doc.Blocks {
		if b.Kind == extract.BlockTable {
			rows := len(strings.FieldsFunc(doc.Text[b.Start:b.End], func(r rune) bool { return r == '\n' }))
			out = append(out, fmt.Sprintf("%q of %d rows", doc.Text[b.Start:max(b.Start, b.HeaderEnd)], rows))
		}
	}
	return out
}

func TestTheFirstRowOfATableIsItsHeader(t *testing.T) {
	for _, c := range []struct {
		name string
		bold int
		rows [][]string
		want string
	}{
		{"words above numbers", 0, [][]string{{"Article", "Mass (kg)", "Price", "Remark"}, {"Bolt M1", "0.13", "3.50", "bin 7"}, {"Bolt M2", "0.26", "6.50 EUR", "bin 14"}, {"Bolt M3", "0.39", "€ 9.50", "bin 21"}},
			`"Article | Mass (kg) | Price | Remark" of 4 rows`},
		{"bold type", 1, [][]string{{"Name", "Town"}, {"Ada", "Rome"}, {"Bo", "Oslo"}}, `"Name | Town" of 3 rows`},
		{"two rows in bold type", 2, [][]string{{"Who", "Where"}, {"Name", "Town"}, {"Ada", "Rome"}, {"Bo", "Oslo"}}, `"Who | Where\nName | Town" of 4 rows`},
		{"a title and the columns", 0, [][]string{{"Tariff"}, {"Article", "Mass", "Price"}, {"Bolt M1", "0.13", "3.50"}, {"Bolt M2", "0.26", "6.50"}, {"Bolt M3", "0.39", "9.50"}},
			`"Tariff\nArticle | Mass | Price" of 5 rows`},
		{"years beside a name", 0, [][]string{{"Founded", "1922", "1921"}, {"Cash", "12", "11"}, {"Debt", "14", "13"}, {"Tax", "4", "3"}}, `"" of 4 rows`},
		{"contents in bold type", 2, [][]string{{"Contents", "Page"}, {"Licence", "1"}, {"Needs", "2"}, {"Use", "3"}, {"Index", "4"}}, `"" of 5 rows`},
		{"bold type alone", 3, [][]string{{"Name", "Town"}, {"Ada", "Rome"}, {"Bo", "Oslo"}}, `"" of 3 rows`},
		{"words alone", 0, [][]string{{"Ada", "Rome", "tea"}, {"Bo", "Oslo", "milk"}, {"Cy", "Bonn", "rum"}}, `"" of 3 rows`},
		{"numbers alone", 0, [][]string{{"Ada", "1", "2"}, {"Bo", "3", "4"}, {"Cy", "5", "6"}}, `"" of 3 rows`},
		{"a form", 0, [][]string{{"Employee", "Ana Costa"}, {"Base pay", "2,310.00"}, {"Tax class", "1"}, {"Holidays", "10"}}, `"" of 4 rows`},
		{"a price list", 0, [][]string{{"Thing", "Price"}, {"Pen", "2.00"}, {"Ink", "7.00"}, {"Pad", "3.50"}, {"Cap", "9.00"}}, `"Thing | Price" of 5 rows`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s sheet
			s.cells(100, c.bold, c.rows...)
			if got := tablesOf(read(t, &s)); len(got) != 1 || got[0] != c.want {
				t.Errorf("tables %q, want %s", got, c.want)
			}
		})
	}
}

func bolts(from, to int) [][]string {
	var out [][]string
	for i := from; i <= to; i++ {
		out = append(out, []string{fmt.Sprint("Bolt M", i), fmt.Sprintf("0.%02d", i), fmt.Sprintf("%d.50", i)})
	}
	return out
}

func TestATableGoesOnOverTheEndOfAPage(t *testing.T) {
	head := []string{"Article", "Mass", "Price"}
	for _, c := range []struct {
		name  string
		pages []*sheet
		want  []string
	}{
		{"without its header", pages(3, func(i int, s *sheet) {
			rows := bolts(10*i, 10*i+9)
			if i == 0 {
				rows = append([][]string{head}, rows...)
			}
			s.cells(100, 0, rows...)
		}), []string{`"Article | Mass | Price" of 31 rows`}},
		{"below a running head", pages(3, func(i int, s *sheet) {
			s.line(50, 40, "Tariff of bolts")
			rows := bolts(10*i, 10*i+9)
			if i == 0 {
				rows = append([][]string{head}, rows...)
			}
			s.cells(100, 0, rows...)
			s.line(50, 400, fmt.Sprint("Page ", i+1))
		}), []string{`"Article | Mass | Price" of 31 rows`}},
		{"with its header again", pages(2, func(i int, s *sheet) { s.cells(100, 0, append([][]string{head}, bolts(10*i, 10*i+9)...)...) }),
			[]string{`"Article | Mass | Price" of 11 rows`, `"Article | Mass | Price" of 11 rows`}},
		{"but not over a text", pages(2, func(i int, s *sheet) {
			rows := bolts(10*i, 10*i+9)
			if i == 0 {
				rows = append([][]string{head}, rows...)
			} else {
				s.line(50, 60, "The other bolts are these, which are much better:")
			}
			s.cells(100, 0, rows...)
		}), []string{`"Article | Mass | Price" of 11 rows`, `"" of 10 rows`}},
		{"but not with other columns", pages(2, func(i int, s *sheet) {
			if i == 0 {
				s.cells(100, 0, append([][]string{head}, bolts(0, 9)...)...)
				return
			}
			s.cells(100, 0, []string{"Ada", "Rome"}, []string{"Bo", "Oslo"}, []string{"Cy", "Bonn"})
		}), []string{`"Article | Mass | Price" of 11 rows`, `"" of 3 rows`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := read(t, c.pages...)
			if got := tablesOf(doc); strings.Join(got, "; ") != strings.Join(c.want, "; ") {
				t.Errorf("tables %q, want %q\n%s", got, c.want, doc.Text)
			}
		})
	}
}
