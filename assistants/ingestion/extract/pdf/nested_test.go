package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

func TestNumbersOfTitles(t *testing.T) {
	for title, want := range map[string]struct {
		kind   string
		number []int
	}{
		"Note 5. Debt":               {"note", []int{5}},
		"NOTE 12 — LEASES":           {"note", []int{12}},
		"Item 1A. Risk factors":      {"item", []int{1, 1}},
		"PART IV":                    {"part", []int{4}},
		"Part XL Exhibits":           {"part", []int{40}},
		"Appendix C Forms":           {"appendix", []int{3}},
		"§ 4.2 Kündigung":            {"§", []int{4, 2}},
		"5. Debt":                    {"#.", []int{5}},
		"5 Debt":                     {"#", []int{5}},
		"(5) Debt":                   {"(#)", []int{5}},
		"3.1 Leases":                 {"#.#", []int{3, 1}},
		"3.1.2. Leases":              {"#.#.#.", []int{3, 1, 2}},
		"12. – Élan":                 {"#.", []int{12}},
		"2022 Acquisitions":          {},
		"5. of May":                  {},
		"31 December 2022":           {},
		"+5 Debt":                    {},
		"5.":                         {},
		"Note":                       {},
		"Note to the reader":         {},
		"Note 2A3 Debt":              {},
		"Partners 5":                 {},
		"1.2.3.4.5.6.7 Long numbers": {},
		"":                           {},
	} {
		got, ok := numberOf(title)
		if ok != (want.kind != "") || ok && (got.kind != want.kind || !slices.Equal(got.number, want.number)) {
			t.Errorf("%q: %+v, %v", title, got, ok)
		}
	}
}

// nested returns the headings of a document of one page, as "##title".
func nested(doc extract.Document) []string {
	var out []string
	for _, h := range doc.Headings {
		out = append(out, strings.Repeat("#", h.Level)+h.Title)
	}
	return out
}

func TestTitlesAreBelowTheNumbersAroundThem(t *testing.T) {
	const text = "The bank lent the plant money in May."
	for name, test := range map[string]struct{ titles, want []string }{
		"parts of notes":             {[]string{"Our year", "Note 1. Debt", "Covenants", "Note 2. Leases", "Note 3. Staff", "Signatures"}, []string{"#Our year", "#Note 1. Debt", "##Covenants", "#Note 2. Leases", "#Note 3. Staff", "#Signatures"}},
		"two numbers are no run":     {[]string{"1. Debt", "Covenants", "2. Leases"}, []string{"#1. Debt", "#Covenants", "#2. Leases"}},
		"notes within items":         {[]string{"Item 1. Trade", "Item 2. Statements", "Note 1. Debt", "Terms", "Note 2. Leases", "Note 3. Staff", "Item 3. Exhibits"}, []string{"#Item 1. Trade", "#Item 2. Statements", "##Note 1. Debt", "###Terms", "##Note 2. Leases", "##Note 3. Staff", "#Item 3. Exhibits"}},
		"numbers within numbers":     {[]string{"1. Debt", "1.1 Banks", "1.2 Bonds", "2. Leases", "2.1 Shops", "Oslo", "2.2 Plants", "3. Staff"}, []string{"#1. Debt", "##1.1 Banks", "##1.2 Bonds", "#2. Leases", "##2.1 Shops", "###Oslo", "##2.2 Plants", "#3. Staff"}},
		"lists in parts":             {[]string{"Note 1. Debt", "(1) Banks", "(2) Bonds", "Note 2. Leases", "Shops", "(1) Oslo", "(2) Rome", "Note 3. Staff"}, []string{"#Note 1. Debt", "##(1) Banks", "##(2) Bonds", "#Note 2. Leases", "##Shops", "##(1) Oslo", "##(2) Rome", "#Note 3. Staff"}},
		"a part goes on":             {[]string{"Note 1. Debt", "Banks", "Note 1. Debt (continued)", "Bonds", "Note 2. Leases", "Note 3. Staff"}, []string{"#Note 1. Debt", "##Banks", "#Note 1. Debt (continued)", "##Bonds", "#Note 2. Leases", "#Note 3. Staff"}},
		"one is not found":           {[]string{"1. Debt", "Banks", "3. Staff", "Pay", "4. Tax", "5. Rent"}, []string{"#1. Debt", "#Banks", "#3. Staff", "##Pay", "#4. Tax", "#5. Rent"}},
		"another part of the number": {[]string{"1. Debt", "2. Leases", "Shops", "2. Oslo", "3. Staff"}, []string{"#1. Debt", "#2. Leases", "#Shops", "#2. Oslo", "#3. Staff"}},
		"a chapter between":          {[]string{"1.1 Debt", "1.2 Leases", "1.3 Tax", "Methods", "2.1 Staff", "2.2 Rent"}, []string{"#1.1 Debt", "#1.2 Leases", "#1.3 Tax", "#Methods", "#2.1 Staff", "#2.2 Rent"}},
		"numbers without a name":     {[]string{"Chapter 1", "Debt", "Chapter 2", "Leases", "Chapter 3", "Staff"}, []string{"#Chapter 1", "#Debt", "#Chapter 2", "#Leases", "#Chapter 3", "#Staff"}},
		"a larger part":              {[]string{"Item 1. Trade", "Item 2. Risks", "Part II", "Item 3. Owners", "Rights", "Item 4. Exhibits"}, []string{"#Item 1. Trade", "#Item 2. Risks", "#Part II", "#Item 3. Owners", "##Rights", "#Item 4. Exhibits"}},
		"letters":                    {[]string{"Appendix G Debt", "Appendix H Leases", "Shops", "Appendix I Staff", "Pay", "Appendix J Tax"}, []string{"#Appendix G Debt", "#Appendix H Leases", "##Shops", "#Appendix I Staff", "##Pay", "#Appendix J Tax"}},
		"numbers out of order":       {[]string{"7. Debt", "Banks", "2. Leases", "9. Staff", "4. Tax"}, []string{"#7. Debt", "#Banks", "#2. Leases", "#9. Staff", "#4. Tax"}},
		"the numbers begin again":    {[]string{"1. Debt", "2. Leases", "The daughter", "1. Debt", "Banks", "2. Leases"}, []string{"#1. Debt", "#2. Leases", "#The daughter", "#1. Debt", "##Banks", "#2. Leases"}},
		"beside appendices of parts": {[]string{"1. Debt", "2. Leases", "3. Staff", "Appendix A Banks", "Oslo", "Appendix B Shops", "Appendix C Forms"}, []string{"#1. Debt", "#2. Leases", "#3. Staff", "#Appendix A Banks", "##Oslo", "#Appendix B Shops", "#Appendix C Forms"}},
	} {
		t.Run(name, func(t *testing.T) {
			var page typesetPage
			for _, title := range test.titles {
				page = append(page, "#"+title, "", text, text, text, "")
			}
			if got := nested(extracttest.MustExtract(t, "a.pdf", typeset(page))); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Titles may be numbered in any number of ways.
func TestOnlyTheFirstWaysToNumberTitlesCount(t *testing.T) {
	var blocks []*textBlock
	levels := make(map[*textBlock]int)
	for i := range 64 {
		for n := range 3 {
			s := new(sheet)
			s.line(60, 100, strings.Repeat("(", i%8)+fmt.Sprint(n+1)+strings.Repeat(")", i/8)+" Debt")
			page := arrange(s.words, 0, nil)
			blocks = append(blocks, &page.blocks[0])
			levels[&page.blocks[0]] = 1
		}
	}
	if runs, _ := numberedRuns(blocks, levels); len(runs[1]) != mostRuns {
		t.Errorf("%d runs", len(runs[1]))
	}
}
