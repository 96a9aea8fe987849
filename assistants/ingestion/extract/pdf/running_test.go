package pdf

import (
	"fmt"
	"strings"
	"testing"
)

// pages sets up n pages, from 0.
func pages(n int, set func(i int, s *sheet)) []*sheet {
	var out []*sheet
	for i := range n {
		s := &sheet{}
		set(i, s)
		out = append(out, s)
	}
	return out
}

// said is a line of text that stands on one page only.
func said(i, line int) string {
	return fmt.Sprintf("The %s remark of line %d is about", []string{"red", "green", "blue", "white", "black", "grey", "brown", "pink"}[i], line)
}

func body(i int, s *sheet) {
	s.column(50, 100, said(i, 1), said(i, 2), said(i, 3), said(i, 4), said(i, 5))
}

func bodyText(i int) string {
	return strings.Join([]string{said(i, 1), said(i, 2), said(i, 3), said(i, 4), said(i, 5)}, " ")
}

// Pages that are much alike keep all that they say.
func TestTextThatOnlyLooksLikeARunningLineStays(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages []*sheet
		want  func(i int) string
	}{
		{"a plan of two pages", pages(2, func(i int, s *sheet) {
			s.set(50, 60, fmt.Sprint("Week ", i+1), 18, true)
			body(i, s)
		}), func(i int) string { return fmt.Sprintf("Week %d\n\n%s", i+1, bodyText(i)) }},
		{"a contract of articles", pages(6, func(i int, s *sheet) {
			s.set(50, 60, fmt.Sprint("Article ", i+1), 10, true)
			body(i, s)
		}), func(i int) string { return fmt.Sprintf("Article %d\n\n%s", i+1, bodyText(i)) }},
		{"lessons in plain type", pages(6, func(i int, s *sheet) {
			s.line(50, 60, fmt.Sprint("Lesson ", i+1))
			body(i, s)
		}), func(i int) string { return fmt.Sprintf("Lesson %d\n\n%s", i+1, bodyText(i)) }},
		{"a title on every page", pages(3, func(i int, s *sheet) {
			s.set(50, 60, "Oslo Budget 2026", 14, true)
			body(i, s)
		}), func(i int) string { return "Oslo Budget 2026\n\n" + bodyText(i) }},
		{"payslips", pages(6, func(i int, s *sheet) {
			s.set(50, 60, "Payslip March 2026", 14, true)
			for row, cells := range [][2]string{{"Employee", said(i, 1)}, {"Holidays left", fmt.Sprint(10 + i)}, {"Payment date", "2026-03-25"}, {"Bank", "Sparebank 1"}} {
				s.line(50, 100+20*float64(row), cells[0])
				s.line(190, 100+20*float64(row), cells[1])
			}
		}), func(i int) string {
			return fmt.Sprintf("Payslip March 2026\n\nEmployee | %s\nHolidays left | %d\nPayment date | 2026-03-25\nBank | Sparebank 1", said(i, 1), 10+i)
		}},
		{"lines that begin and end each page", pages(6, func(i int, s *sheet) {
			s.column(50, 60, "This text describes the surroundings", said(i, 1), said(i, 2), "and the weather of an average week.")
		}), func(i int) string {
			return fmt.Sprintf("This text describes the surroundings %s %s and the weather of an average week.", said(i, 1), said(i, 2))
		}},
		{"a line of two pages", pages(2, func(i int, s *sheet) {
			s.line(50, 40, "Travel Handbook")
			body(i, s)
			s.line(200, 700, fmt.Sprint(i+1))
		}), func(i int) string { return fmt.Sprintf("Travel Handbook\n\n%s\n\n%d", bodyText(i), i+1) }},
		{"totals that grow by one", pages(6, func(i int, s *sheet) {
			body(i, s)
			s.line(50, 300, fmt.Sprintf("Total due: %d EUR", i+1))
		}), func(i int) string { return fmt.Sprintf("%s\n\nTotal due: %d EUR", bodyText(i), i+1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, page := range pageTexts(read(t, c.pages...)) {
				if want := c.want(i); page != want {
					t.Errorf("page %d\n%s\nwant\n%s", i+1, page, want)
				}
			}
		})
	}
}

// Heads name chapter and section, which change; they repeat headings.
func TestHeadsThatChangeWithTheChapterAreLeftOut(t *testing.T) {
	chapters := []string{"Journeys by train", "Journeys by plane", "Hotels and food"}
	for _, c := range []struct {
		name string
		head func(i int, s *sheet)
	}{
		{"beside the page's number", func(i int, s *sheet) {
			s.line(50, 40, fmt.Sprintf("CHAPTER %d. %s", i/3+1, strings.ToUpper(chapters[i/3])))
			s.line(400, 40, fmt.Sprint(i+21))
		}},
		{"behind the page's number, in bold type", func(i int, s *sheet) {
			s.set(50, 40, fmt.Sprint(i+21), 10, true)
			s.set(300, 40, chapters[i/3], 10, true)
		}},
		{"without number", func(i int, s *sheet) { s.line(50, 40, chapters[i/3]) }},
		{"shortened", func(i int, s *sheet) {
			s.line(50, 40, strings.ToUpper(fmt.Sprint(i/3+1, ". ", strings.Join(strings.Fields(chapters[i/3])[:2], " "), "…")))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := read(t, pages(9, func(i int, s *sheet) {
				if i%3 == 0 {
					s.set(50, 60, fmt.Sprintf("Chapter %d", i/3+1), 12, true)
					s.set(50, 80, chapters[i/3], 18, true)
				} else {
					c.head(i, s)
				}
				body(i%8, s)
			})...)
			for i, page := range pageTexts(doc) {
				want := bodyText(i % 8)
				if i%3 == 0 {
					want = fmt.Sprintf("Chapter %d\n\n%s\n\n%s", i/3+1, chapters[i/3], want)
				}
				if page != want {
					t.Errorf("page %d\n%s\nwant\n%s", i+1, page, want)
				}
			}
		})
	}
}

// What is stamped on the bottom of each page is no heading of the text on the next one, whatever
// its type. Its first line stays.
func TestALargeFooterIsNoHeading(t *testing.T) {
	for _, size := range []float64{10, 12, 16} {
		doc := read(t, pages(8, func(i int, s *sheet) {
			body(i, s)
			s.set(50, 300, "Source: Ardal Quarry, register 1999", size, false)
		})...)
		for i, page := range pageTexts(doc) {
			want := bodyText(i)
			if i == 0 {
				want += "\n\nSource: Ardal Quarry, register 1999"
			}
			if page != want {
				t.Errorf("size %g, page %d\n%s\nwant\n%s", size, i+1, page, want)
			}
		}
		if len(doc.Headings) > 0 {
			t.Errorf("size %g: headings %v", size, doc.Headings)
		}
	}
}

// What a running line says, and nothing else of the document, stays once.
func TestTheFirstOfARunningLineStays(t *testing.T) {
	doc := read(t, pages(8, func(i int, s *sheet) {
		s.line(50, 40, "Ardal Quarry Manual, ISO 9001")
		body(i, s)
		s.line(50, 300, fmt.Sprintf("Page %d of 8, confidential", i+1))
	})...)
	for i, page := range pageTexts(doc) {
		want := bodyText(i)
		if i == 0 {
			want = "Ardal Quarry Manual, ISO 9001\n\n" + want + "\n\nPage 1 of 8, confidential"
		}
		if page != want {
			t.Errorf("page %d\n%s\nwant\n%s", i+1, page, want)
		}
	}
}

func TestNumbersOfPagesAreRecognised(t *testing.T) {
	for _, c := range []struct {
		text   string
		number int
		paged  paging
	}{
		{"12", 12, pagingAlone}, {"- 12 -", 12, pagingAlone}, {"xiv", 14, pagingAlone}, {"Page 12", 12, pagingAlone}, {"12 / 90", 12, pagingAlone},
		{"12/90", 12, pagingAlone}, {"Seite 3 von 12", 3, pagingAlone}, {"Página 3 de 12", 3, pagingAlone}, {"S. 7", 7, pagingAlone}, {"12. oldal", 12, pagingAlone},
		{"Page 1 of 6 — confidential", 1, pagingLabelled}, {"Revision C, page 4", 4, pagingLabelled},
		{"Week 3", 0, pagingNone}, {"Lesson 3 of 12", 0, pagingNone}, {"2026-03-25", 0, pagingNone}, {"10.5", 0, pagingNone}, {"7 kinds", 0, pagingNone},
		{"see page 3 and others", 0, pagingNone}, {"", 0, pagingNone}, {"page", 0, pagingNone}, {"/", 0, pagingNone},
	} {
		if p := parsePaging(c.text); p.n != c.number || p.paged != c.paged {
			t.Errorf("%q: %d, %d; want %d, %d", c.text, p.n, p.paged, c.number, c.paged)
		}
	}
}

// A line that is as long as a book runs nowhere, and is compared with nothing:
// joining its letters piece by piece would take minutes.
func TestALineWithoutEndIsNoRunningLine(t *testing.T) {
	endless := strings.Repeat("a.", 150_000)
	doc := read(t, pages(3, func(i int, s *sheet) {
		s.line(50, 60, endless)
		body(i, s)
	})...)
	if n := strings.Count(doc.Text, "a.a.a"); n < 3 {
		t.Errorf("%d of the lines are left", n)
	}
}
