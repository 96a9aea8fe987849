package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// Bookmarks beyond these bounds are not read: the tree of a hostile PDF may
// be endless.
const (
	maxBookmarks     = 5000
	maxBookmarkDepth = 16
)

// A bookmark is an entry of a PDF's outline.
type bookmark struct {
	title string
	level int
	page  int // from 0; -1: it leads nowhere
}

// headings turns the outline into headings. A bookmark names a page; its
// heading starts at the line of that page that holds the bookmark's words, or
// where there is none at the page's start.
func (f pdfFile) headings(doc Document) []Heading {
	var out []Heading
	searched := make(map[int]int) // by page: how far it was searched
	for _, m := range f.outline() {
		if m.page < 0 || m.page >= len(doc.Pages) || m.title == "" {
			continue
		}
		page := doc.Pages[m.page]
		from := min(max(page.Start, searched[m.page]), page.End)
		start := from
		if at := findLine(doc.Text[from:page.End], m.title); at >= 0 {
			start = from + at
			searched[m.page] = lineAfter(doc.Text, start)
			if runningHead(doc.Text[page.Start:start]) {
				start = page.Start
			}
		}
		out = append(out, Heading{Start: start, Level: m.level, Title: m.title})
	}
	// Outlines need not be in the order of the text.
	slices.SortStableFunc(out, func(a, b Heading) int { return a.Start - b.Start })
	return out
}

// outline reads the bookmarks in their order. GetBookmarks alone finds the
// pages (FPDFBookmark_GetDest of go-pdfium 1.18.0 calls FPDFBookmark_Find), but
// runs for ever on a circle; so the tree is measured first.
func (f pdfFile) outline() []bookmark {
	if f.measure(nil, 1, 0) > maxBookmarks {
		return nil
	}
	tree, err := f.pdf.GetBookmarks(&requests.GetBookmarks{Document: f.doc})
	if err != nil {
		return nil // a broken outline costs the headings, not the text
	}
	var out []bookmark
	var collect func(entries []responses.GetBookmarksBookmark, level int)
	collect = func(entries []responses.GetBookmarksBookmark, level int) {
		for _, e := range entries {
			title := strings.ToValidUTF8(strings.TrimRight(e.Title, "\x00"), "")
			m := bookmark{title: strings.Join(strings.Fields(normalise(title)), " "), level: level, page: -1}
			if e.DestInfo != nil {
				m.page = e.DestInfo.PageIndex
			}
			out = append(out, m)
			collect(e.Children, level+1)
		}
	}
	collect(tree.Bookmarks, 1)
	return out
}

// measure counts the bookmarks under parent, nil being the outline itself, on
// top of seen; it stops beyond the bounds.
func (f pdfFile) measure(parent *references.FPDF_BOOKMARK, level, seen int) int {
	first, err := f.pdf.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: f.doc, Bookmark: parent})
	if err != nil || first.Bookmark == nil {
		return seen
	}
	if level > maxBookmarkDepth {
		return maxBookmarks + 1
	}
	for at := *first.Bookmark; seen <= maxBookmarks; {
		seen = f.measure(&at, level+1, seen+1)
		next, err := f.pdf.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: f.doc, Bookmark: at})
		if err != nil || next.Bookmark == nil {
			break
		}
		at = *next.Bookmark
	}
	return seen
}

// runningHead reports whether text, which stands above a page's first heading,
// is no more than what is printed on top of every page. It then belongs to the
// section it heads, not to the one before.
func runningHead(text string) bool {
	return len(text) <= 160 && strings.Count(text, "\n") <= 3
}

func lineAfter(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// findLine finds the line of text that a title stands on: the first that ends
// with it, as "3.1 Leave" ends with "Leave", or begins with it. It compares
// letters and digits only. The result is the offset of the line's start, or -1.
func findLine(text, title string) int {
	want := squeeze(title)
	if want == "" {
		return -1
	}
	at := 0
	for line := range strings.Lines(text) {
		have := squeeze(line)
		if have == want || strings.HasSuffix(have, want) && len(have) <= len(want)+16 ||
			strings.HasPrefix(want, have) && len(have) >= 8 && 2*len(have) >= len(want) {
			return at
		}
		at += len(line)
	}
	return -1
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
