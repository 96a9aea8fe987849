package pdf

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// A typesetPage has lines in Helvetica of 10 points, 16 apart, and headings, which begin with
// "#", of 14. Cells are separated by "|". Behind "^" is a raised mark of 6 points.
type typesetPage []string

// typeset makes a PDF of pages.
func typeset(pages ...typesetPage) []byte { return typesetWith(nil, pages...) }

// typesetWith makes a PDF with a bookmark for each of the first pages.
func typesetWith(bookmarks []string, pages ...typesetPage) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	out.WriteString("%PDF-1.4\n")
	outline := 4 + 2*len(pages)
	object("<</Type/Catalog/Pages 2 0 R/Outlines %d 0 R>>", outline)
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(pages))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i, page := range pages {
		var text strings.Builder
		for row, line := range page {
			size := 10
			if bigger, ok := strings.CutPrefix(line, "#"); ok {
				line, size = bigger, 14
			}
			for column, cell := range strings.Split(line, "|") {
				cell, mark, marked := strings.Cut(strings.NewReplacer("(", `\(`, ")", `\)`).Replace(strings.TrimSpace(cell)), "^")
				fmt.Fprintf(&text, "BT /F1 %d Tf 1 0 0 1 %d %d Tm (%s) Tj", size, 60+160*column, 780-16*row, cell)
				if marked {
					fmt.Fprintf(&text, " /F1 6 Tf 3 Ts (%s) Tj 0 Ts", mark)
				}
				text.WriteString(" ET\n")
			}
		}
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*i)
		object("<</Length %d>>stream\n%sendstream", text.Len(), text.String())
	}
	object("<</First %d 0 R/Last %d 0 R/Count %d>>", outline+1, outline+len(bookmarks), len(bookmarks))
	for i, title := range bookmarks {
		next := ""
		if i+1 < len(bookmarks) {
			next = fmt.Sprintf("/Next %d 0 R", outline+i+2)
		}
		object("<</Title(%s)/Parent %d 0 R/Dest[%d 0 R/Fit]%s>>", title, outline, 4+2*i, next)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return out.Bytes()
}

// titleAt returns the title in force where a text begins.
func titleAt(t *testing.T, doc extract.Document, text string) string {
	t.Helper()
	at := strings.Index(doc.Text, text)
	if at < 0 {
		t.Fatalf("no %q in %q", text, doc.Text)
	}
	title := ""
	for _, h := range doc.Headings {
		if h.Start <= at {
			title = h.Title
		}
	}
	return title
}

func TestTitlesOfTypesetTables(t *testing.T) {
	sales := typesetPage{"Sales by region", "", "Millions", "", "Region|2023|2022", "North|12.5|11.0", "South|8.0|7.5", "West|3.0|2.5"}
	onSales := func(more ...string) typesetPage { return slices.Concat(sales, more) }
	for name, test := range map[string]struct {
		pages []typesetPage
		at    map[string]string // the title where a text begins
	}{
		"a scale is no title":      {[]typesetPage{sales}, map[string]string{"North": "Sales by region"}},
		"notes keep it":            {[]typesetPage{onSales("", "(1) without the shops")}, map[string]string{"(1)": "Sales by region"}},
		"the next page's text":     {[]typesetPage{sales, {"The shops are listed elsewhere."}}, map[string]string{"West": "Sales by region", "The shops": ""}},
		"text after a note":        {[]typesetPage{onSales("", "(1) without the shops"), {"The shops are listed elsewhere."}}, map[string]string{"(1)": "Sales by region", "The shops": ""}},
		"a table under other text": {[]typesetPage{sales, {"The staff is counted at the end of the year, in these places:", "", "Rome|12|Ada", "Oslo|10|Bo", "Bonn|7|Cy"}}, map[string]string{"The staff": "", "Oslo": ""}},
		"it goes on":               {[]typesetPage{sales, {"East|4.0|3.5", "Isles|1.0|0.5", "Coast|2.0|1.5"}}, map[string]string{"Isles": "Sales by region"}},
		"it goes on, with units":   {[]typesetPage{sales, {"(in millions)", "", "East|4.0|3.5", "Isles|1.0|0.5", "Coast|2.0|1.5"}}, map[string]string{"Isles": "Sales by region"}},
		"contents are no part":     {[]typesetPage{sales, {"1 Needs ............|3", "2 Use ............|8", "3 Care ............|12"}}, map[string]string{"2 Use": ""}},
		"a statement's heading": {[]typesetPage{append(typesetPage{"# Balance sheet"}, onSales("", "The notes are a part of it.")[1:]...), {"The auditor has been paid."}},
			map[string]string{"West": "Balance sheet", "The notes": "Balance sheet", "The auditor": ""}},
		"a section's heading": {[]typesetPage{append(typesetPage{"# Our places"}, sales[1:]...), {"The shops are listed elsewhere."}},
			map[string]string{"West": "Our places", "The shops": "Our places"}},
		"prices are no contents": {[]typesetPage{{"Prices of bolts", "", "Bolt ............|3.50", "Nut ............|0.80", "Pin ............|12.00"}}, map[string]string{"Nut": "Prices of bolts"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := extracttest.MustExtract(t, "a.pdf", typeset(test.pages...))
			for text, want := range test.at {
				if got := titleAt(t, doc, text); got != want {
					t.Errorf("the title at %q is %q, want %q; headings %+v in\n%s", text, got, want, doc.Headings, doc.Text)
				}
			}
		})
	}
}

// Bookmarks that are titles of the text are its headings. Names of the files that were put together
// are not, and hide no headings.
func TestBookmarksAreHeadingsIfTheTextHasThem(t *testing.T) {
	pages := []typesetPage{{"# Our places", "", "The shops are in the north of the town."}, {"# Our staff", "", "The people are from everywhere."}}
	for name, test := range map[string]struct {
		bookmarks []string
		want      [2]string
	}{
		"none":           {nil, [2]string{"Our places", "Our staff"}},
		"names of files": {[]string{"Binder1", "Report 2019 - FINAL"}, [2]string{"Our places", "Our staff"}},
		"titles":         {[]string{"Our places", "The people"}, [2]string{"Our places", "The people"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := extracttest.MustExtract(t, "a.pdf", typesetWith(test.bookmarks, pages...))
			if got := [2]string{titleAt(t, doc, "The shops"), titleAt(t, doc, "are from")}; got != test.want {
				t.Errorf("titles %q, want %q; headings %+v", got, test.want, doc.Headings)
			}
		})
	}
}

// A text without headings keeps its bookmarks.
func TestBookmarksOfATextWithoutHeadings(t *testing.T) {
	doc := extracttest.MustExtract(t, "a.pdf", typesetWith([]string{"North", "South"}, typesetPage{"The shops are open."}, typesetPage{"The people are at work."}))
	if got := titleAt(t, doc, "The people"); got != "South" {
		t.Errorf("title %q of headings %+v", got, doc.Headings)
	}
}

// A bookmark may begin with a text about a picture, or be one, where the others are titles.
func TestBookmarksThatArePicturesTexts(t *testing.T) {
	const goal = "Goal 7: Open the shops on time"
	for name, test := range map[string]struct {
		bookmark string
		page     typesetPage
		others   int // bookmarks that are titles
		want     string
	}{
		"before the title":         {"Manual of the shop Opening " + goal, typesetPage{goal, "", "The shops are open."}, 11, goal},
		"before a title of lines":  {"Manual of the shop Opening " + goal, typesetPage{"Goal 7: Open the", "shops on time", "", "The shops are open."}, 11, goal},
		"without a title":          {"A picture: how many people came to the shops in the years 2012 to 2016", typesetPage{"The shops are open.", "See the years 2012 and 2016."}, 11, "Part 11"},
		"a chapter's number":       {"Chapter 3: Open the shops", typesetPage{"Open the shops", "", "The shops are open."}, 11, "Chapter 3: Open the shops"},
		"another language":         {"Combien de gens sont venus aux magasins dans le nord du pays en 2012 et 2016", typesetPage{"The shops are open.", "See the years 2012 and 2016."}, 11, "Combien de gens sont venus aux magasins dans le nord du pays en 2012 et 2016"},
		"a title of other letters": {"Ouvrir les magasins", typesetPage{"The shops are open."}, 11, "Ouvrir les magasins"},
		"a title elsewhere":        {"The house of the many people who are at work here on time", typesetPage{"The shops are open."}, 11, "The house of the many people who are at work here on time"},
		"a page without text":      {"A picture: how many people came to the shops in the years 2012 to 2016", typesetPage{""}, 11, "A picture: how many people came to the shops in the years 2012 to 2016"},
		"among few":                {"Manual of the shop Opening " + goal, typesetPage{goal, "", "The shops are open."}, 3, "Manual of the shop Opening " + goal},
	} {
		t.Run(name, func(t *testing.T) {
			var bookmarks []string
			var pages []typesetPage
			for i := range test.others {
				title := fmt.Sprintf("Part %d", i+1)
				bookmarks = append(bookmarks, title)
				pages = append(pages, typesetPage{title, "", fmt.Sprintf("It has %d shops.", 100+i), "", "The house of the many people who are at work here on time"})
			}
			doc := extracttest.MustExtract(t, "a.pdf", typesetWith(append(bookmarks, test.bookmark), append(pages, test.page)...))
			if got := doc.Headings[len(doc.Headings)-1].Title; got != test.want {
				t.Errorf("the last heading is %q, want %q", got, test.want)
			}
		})
	}
}

// The raised mark of a footnote is no digit of the number in front of it.
func TestTheMarkOfAFootnoteIsNoDigit(t *testing.T) {
	raw := typeset(typesetPage{"Assets|31.12.2022^1|2021", "Cash|75,233|49,507", "Stock|1,289|1,243^2", "Loans|300|280"})
	doc, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: extracttest.CacheDir})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Assets | 31.12.2022 1 | 2021\nCash | 75,233 | 49,507\nStock | 1,289 | 1,243 2\nLoans | 300 | 280"
	if doc.Text != want {
		t.Errorf("%q", doc.Text)
	}
}

// A page may have hundreds of lines, and thousands of bookmarks may lead to it.
func TestTheLinesOfAPageAreSqueezedOnce(t *testing.T) {
	var lines []placedLine
	for i := range 400 {
		lines = append(lines, placedLine{start: i, text: fmt.Sprint("A line of the manual, ", i)})
	}
	doc := extract.Document{Pages: []extract.Page{{Number: 1, End: len(lines)}}}
	run := func(n int) float64 {
		var outline []bookmark
		for i := range n {
			outline = append(outline, bookmark{title: fmt.Sprint("A line of the manual, ", i), level: 1, at: math.NaN()})
		}
		return testing.AllocsPerRun(3, func() {
			got := outlineHeadings(doc, outline, [][]placedLine{lines})
			if last := got[len(got)-1]; len(got) != n || last.Start != n-1 {
				t.Errorf("%d headings of %d, the last one at %d", len(got), n, last.Start)
			}
		})
	}
	if one, four := run(25), run(100); four > 2*one {
		t.Errorf("%v allocations for 25 bookmarks, %v for 100", one, four)
	}
}
