package pdf

import (
	"slices"
	"strings"
	"testing"
)

// Titles in the middle of the page, ends of paragraphs and headings of other tables stand where
// a table's gutter is free. They are no rows of it.
func TestATableIsReadByItselfAmongTitlesAndParagraphs(t *testing.T) {
	var s sheet
	s.column(44, 60, "The following pages show how much the group has sold in all of its regions this year and", "in the years before.")
	s.set(150, 100, "Balance Sheets", 11, true)
	s.line(140, 114, "(in millions)")
	for i, row := range [][]string{{"At the end of", "2023", "2022"}, {"Cash", "12.5", "11.0"}, {"Inventories", "8.0", "7.5"}} {
		for c, cell := range row {
			s.line(50+190*float64(c), 130+14*float64(i), cell)
		}
	}
	s.set(44, 176, "Maturities of Debt", 11, true)
	for i, row := range [][]string{{"Year", "Amount"}, {"2024", "3.5"}, {"2025", "4.5"}} {
		s.line(50, 192+14*float64(i), row[0])
		s.line(430, 192+14*float64(i), row[1])
	}
	s.column(44, 240, "These debts are paid back from the cash that the group earns, and the rest is paid in shares", "at the end of each year.")
	doc := read(t, &s)
	if got := tablesOf(doc); len(got) != 2 {
		t.Fatalf("tables %q in %q", got, doc.Text)
	}
	for _, want := range []string{
		"in the years before.\n\nBalance Sheets\n\n(in millions)\n\nAt the end of | 2023 | 2022\nCash | 12.5 | 11.0\nInventories | 8.0 | 7.5\n\nMaturities of Debt\n\nYear | Amount\n2024 | 3.5\n2025 | 4.5\n\nThese debts",
	} {
		if !strings.Contains(doc.Text, want) {
			t.Errorf("no %q in %q", want, doc.Text)
		}
	}
}

// Units and the entries of a table of contents are no headings, however they are set.
func TestUnitsAndContentsAreNoHeadings(t *testing.T) {
	var s sheet
	s.set(44, 60, "Results", 14, true)
	s.set(44, 80, "Letter to the shareholders . . . . . . . 3", 10, true)
	s.set(44, 94, "(in millions, except per share amounts)", 10, true)
	s.column(44, 120, "The following pages show how much the group has sold in all of its regions this year and", "in the years before.")
	var titles []string
	for _, h := range read(t, &s).Headings {
		titles = append(titles, h.Title)
	}
	if !slices.Equal(titles, []string{"Results"}) {
		t.Errorf("headings %q", titles)
	}
}
