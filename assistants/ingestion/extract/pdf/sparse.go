package pdf

import (
	"slices"

	"footnote/assistants/ingestion/extract"
)

// Bookmarks often name the chapters of a report only: "Financial statements" for sixty pages of notes.
// There headings are read by their type, too, and stand below the bookmark.

// sparsePages is how many pages may be between a bookmark and the next one before they are sparse.
const sparsePages = 5

// markedPages returns the pages to which bookmarks lead, from 0 and in order.
func markedPages(outline []bookmark, pages int) []int {
	var marked []int
	for _, m := range outline {
		if m.leadsTo(pages) {
			marked = append(marked, m.page)
		}
	}
	slices.Sort(marked)
	return marked
}

// keepSparse leaves the headings of the pages from a bookmark up to the next one, if that is far. The text
// begins and ends as if with a bookmark.
func keepSparse(headings map[*textBlock]int, pages []pageLayout, marked []int) {
	from := 0
	for _, to := range append(slices.Clone(marked), len(pages)) {
		for i := from; to-from <= sparsePages && i < to; i++ {
			for j := range pages[i].blocks {
				delete(headings, &pages[i].blocks[j])
			}
		}
		from = to
	}
}

// belowBookmarks puts headings that were read by their type below those of the bookmarks before them.
func belowBookmarks(marked, typed []extract.Heading) []extract.Heading {
	out := make([]extract.Heading, 0, len(marked)+len(typed))
	for _, m := range marked {
		n, _ := slices.BinarySearchFunc(typed, m.Start, func(h extract.Heading, start int) int { return h.Start - start })
		out = append(below(out, typed[:n]), m)
		typed = typed[n:]
	}
	return below(out, typed)
}

// below adds headings below the last one, which is a bookmark's. One in larger type than the bookmark's
// title stands beside it. The title itself is not added again.
func below(out, typed []extract.Heading) []extract.Heading {
	if len(out) == 0 || len(typed) == 0 {
		return append(out, typed...)
	}
	m := out[len(out)-1]
	isTitle := func(h extract.Heading) bool { return h.Start == m.Start || squeeze(h.Title) == squeeze(m.Title) }
	top := slices.MinFunc(typed, func(a, b extract.Heading) int { return a.Level - b.Level }).Level
	if i := slices.IndexFunc(typed, isTitle); i >= 0 {
		top = typed[i].Level
	}
	for _, h := range typed {
		if !isTitle(h) {
			h.Level = m.Level + max(0, h.Level+1-top)
			out = append(out, h)
		}
	}
	return out
}
