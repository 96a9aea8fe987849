package pdf

import (
	"fmt"
	"slices"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// Reports have bookmarks for their chapters. The last one here has the notes of eight pages.
func TestWhereBookmarksAreSparseHeadingsAreReadByTheirType(t *testing.T) {
	pages := []typesetPage{
		{"# Our business", "", "The shops are in the north of the town.", "", "# Seasons", "", "The summer is the best of them."},
		{"# Notes to the statements", "", "The notes belong to the statements."},
	}
	for i := range 8 {
		pages = append(pages, typesetPage{fmt.Sprintf("# Note %d. Debt of plant %c", i+1, 'A'+i), "", fmt.Sprintf("The bank lent plant %d money.", i+1)})
	}
	doc := extracttest.MustExtract(t, "a.pdf", typesetWith([]string{"Our business", "Notes to the statements"}, pages...))
	if len(doc.Headings) != 10 || doc.Headings[0].Level != 1 || doc.Headings[1].Level != 1 || doc.Headings[2].Level != 2 {
		t.Errorf("headings %+v", doc.Headings)
	}
	for text, want := range map[string]string{
		"The summer":            "Our business", // its bookmarks are close
		"The notes belong":      "Notes to the statements",
		"The bank lent plant 5": "Note 5. Debt of plant E",
	} {
		if got := titleAt(t, doc, text); got != want {
			t.Errorf("the title at %q is %q, want %q", text, got, want)
		}
	}
}

func TestHeadingsAreBelowTheBookmarksBeforeThem(t *testing.T) {
	for name, test := range map[string]struct{ marked, typed, want []extract.Heading }{
		"no bookmarks":             {nil, []extract.Heading{{Start: 3, Level: 2, Title: "Debt"}}, []extract.Heading{{Start: 3, Level: 2, Title: "Debt"}}},
		"nothing by type":          {[]extract.Heading{{Start: 3, Level: 2, Title: "Notes"}}, nil, []extract.Heading{{Start: 3, Level: 2, Title: "Notes"}}},
		"above the first bookmark": {[]extract.Heading{{Start: 8, Level: 1, Title: "Notes"}}, []extract.Heading{{Start: 3, Level: 2, Title: "To our owners"}}, []extract.Heading{{Start: 3, Level: 2, Title: "To our owners"}, {Start: 8, Level: 1, Title: "Notes"}}},
		"the bookmark's own title": {
			[]extract.Heading{{Start: 0, Level: 3, Title: "Notes"}},
			[]extract.Heading{{Start: 2, Level: 1, Title: "NOTES"}, {Start: 9, Level: 2, Title: "Debt"}},
			[]extract.Heading{{Start: 0, Level: 3, Title: "Notes"}, {Start: 9, Level: 5, Title: "Debt"}},
		},
		"its title on each page": {
			[]extract.Heading{{Start: 0, Level: 1, Title: "Note 2. Policies"}},
			[]extract.Heading{{Start: 0, Level: 1, Title: "NOTE 2:- POLICIES"}, {Start: 5, Level: 2, Title: "Taxes"}, {Start: 9, Level: 1, Title: "NOTE 2:- POLICIES (Cont.)"}},
			[]extract.Heading{{Start: 0, Level: 1, Title: "Note 2. Policies"}, {Start: 5, Level: 3, Title: "Taxes"}},
		},
		"another title at its place": {
			[]extract.Heading{{Start: 4, Level: 1, Title: "Item 8"}},
			[]extract.Heading{{Start: 4, Level: 1, Title: "Item 8. Statements"}, {Start: 9, Level: 1, Title: "Debt"}},
			[]extract.Heading{{Start: 4, Level: 1, Title: "Item 8"}, {Start: 9, Level: 2, Title: "Debt"}},
		},
		"larger type stands beside": {
			[]extract.Heading{{Start: 0, Level: 2, Title: "Notes"}},
			[]extract.Heading{{Start: 0, Level: 3, Title: "Notes"}, {Start: 5, Level: 4, Title: "Debt"}, {Start: 9, Level: 1, Title: "To our owners"}},
			[]extract.Heading{{Start: 0, Level: 2, Title: "Notes"}, {Start: 5, Level: 4, Title: "Debt"}, {Start: 9, Level: 2, Title: "To our owners"}},
		},
		"the next number stands beside": {
			[]extract.Heading{{Start: 0, Level: 2, Title: "3. Notes"}},
			[]extract.Heading{{Start: 2, Level: 2, Title: "Debt"}, {Start: 5, Level: 2, Title: "4. Owners"}, {Start: 9, Level: 2, Title: "Rights"}},
			[]extract.Heading{{Start: 0, Level: 2, Title: "3. Notes"}, {Start: 2, Level: 3, Title: "Debt"}, {Start: 5, Level: 2, Title: "4. Owners"}, {Start: 9, Level: 3, Title: "Rights"}},
		},
		"numbers of its own are below": {
			[]extract.Heading{{Start: 0, Level: 2, Title: "(1) Notes"}},
			[]extract.Heading{{Start: 5, Level: 2, Title: "(1) Debt"}, {Start: 9, Level: 2, Title: "(2) Leases"}},
			[]extract.Heading{{Start: 0, Level: 2, Title: "(1) Notes"}, {Start: 5, Level: 3, Title: "(1) Debt"}, {Start: 9, Level: 3, Title: "(2) Leases"}},
		},
		"large type that stands alone": {
			[]extract.Heading{{Start: 0, Level: 1, Title: "Risks"}},
			[]extract.Heading{{Start: 2, Level: 3, Title: "Markets"}, {Start: 5, Level: 2, Title: "Days"}, {Start: 9, Level: 3, Title: "Rates"}},
			[]extract.Heading{{Start: 0, Level: 1, Title: "Risks"}, {Start: 2, Level: 3, Title: "Markets"}, {Start: 5, Level: 3, Title: "Days"}, {Start: 9, Level: 3, Title: "Rates"}},
		},
		"a title above the place of its bookmark": {
			[]extract.Heading{{Start: 0, Level: 1, Title: "Item 6"}, {Start: 60, Level: 1, Title: "Item 7. Our year and its results"}},
			[]extract.Heading{{Start: 20, Level: 2, Title: "OUR YEAR AND"}, {Start: 40, Level: 2, Title: "ITS RESULTS"}},
			[]extract.Heading{{Start: 0, Level: 1, Title: "Item 6"}, {Start: 60, Level: 1, Title: "Item 7. Our year and its results"}},
		},
		"each below its own": {
			[]extract.Heading{{Start: 0, Level: 1, Title: "Risks"}, {Start: 10, Level: 2, Title: "Notes"}},
			[]extract.Heading{{Start: 5, Level: 2, Title: "Markets"}, {Start: 15, Level: 3, Title: "Debt"}},
			[]extract.Heading{{Start: 0, Level: 1, Title: "Risks"}, {Start: 5, Level: 2, Title: "Markets"}, {Start: 10, Level: 2, Title: "Notes"}, {Start: 15, Level: 3, Title: "Debt"}},
		},
	} {
		if got := belowBookmarks(test.marked, test.typed); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// Pages that were printed from a website may all have a bookmark for their link to the contents.
func TestATitleOfManyBookmarksNamesNoPart(t *testing.T) {
	var pages []typesetPage
	var bookmarks []string
	for i := range 9 {
		pages = append(pages, typesetPage{"Table of Contents", "", fmt.Sprintf("# Note %d. Debt of plant %c", i+1, 'A'+i), "", fmt.Sprintf("The bank lent plant %d money.", i+1)})
		bookmarks = append(bookmarks, "Table of Contents")
	}
	doc := extracttest.MustExtract(t, "a.pdf", typesetWith(bookmarks, pages...))
	if got := titleAt(t, doc, "The bank lent plant 5"); got != "Note 5. Debt of plant E" {
		t.Errorf("title %q of headings %+v", got, doc.Headings)
	}
}

// The next bookmark is far if more than five pages are between the two.
func TestWhichPagesHaveSparseBookmarks(t *testing.T) {
	pages := make([]pageLayout, 24)
	headings := make(map[*textBlock]int)
	for i := range pages {
		pages[i].blocks = make([]textBlock, 1)
		headings[&pages[i].blocks[0]] = 1
	}
	keepSparse(headings, pages, []int{7, 10, 10, 16, 17, 19})
	var left []int
	for i := range pages {
		if headings[&pages[i].blocks[0]] > 0 {
			left = append(left, i)
		}
	}
	if want := []int{10, 11, 12, 13, 14, 15}; !slices.Equal(left, want) {
		t.Errorf("headings are left on the pages %v, want %v", left, want)
	}
}

func TestBookmarksThatAreAlike(t *testing.T) {
	many := func(title string, n, step int) []bookmark {
		var out []bookmark
		for i := range n {
			out = append(out, bookmark{title: title, page: i * step})
		}
		return out
	}
	chapters := func(n int) []bookmark {
		var out []bookmark
		for i := range n {
			out = append(out, bookmark{title: fmt.Sprint("Chapter ", i), page: i})
		}
		return out
	}
	for name, test := range map[string]struct {
		outline []bookmark
		left    int
	}{
		"on each page":        {slices.Concat(many("Contents", 8, 1), chapters(4)), 4},
		"on every other page": {slices.Concat(many("Contents", 8, 2), chapters(4)), 4},
		"to one page":         {slices.Concat(many("Contents", 8, 0), chapters(4)), 4},
		"too few":             {slices.Concat(many("Contents", 7, 1), chapters(4)), 11},
		"a small share":       {slices.Concat(many("Contents", 8, 1), chapters(24)), 32},
		"one in each chapter": {slices.Concat(many("Exercises", 8, 3), chapters(4)), 12},
	} {
		if got := dropAlike(test.outline); len(got) != test.left {
			t.Errorf("%s: %d are left, want %d", name, len(got), test.left)
		}
	}
}
