package pdf

import (
	"slices"
	"strings"

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

// keepSparse leaves the headings of the pages from a bookmark up to the next one, if that is far. Contents and
// title pages come before the first bookmark.
func keepSparse(headings map[*textBlock]int, pages []pageLayout, marked []int) {
	from := 0
	for k, to := range append(slices.Clone(marked), len(pages)) {
		for i := from; (k == 0 || to-from <= sparsePages) && i < to; i++ {
			for j := range pages[i].blocks {
				delete(headings, &pages[i].blocks[j])
			}
		}
		from = to
	}
}

// leastLetters is how many letters of a bookmark's title make a part of it known.
const leastLetters = 8

// belowBookmarks puts headings that were read by their type below those of the bookmarks before them. A bookmark
// may lead to the lines below its title: what it says itself is not added.
func belowBookmarks(marked, typed []extract.Heading) []extract.Heading {
	out := make([]extract.Heading, 0, len(marked)+len(typed))
	for _, m := range marked {
		n, _ := slices.BinarySearchFunc(typed, m.Start, func(h extract.Heading, start int) int { return h.Start - start })
		own, title := n, squeeze(m.Title)
		for ; own > 0; own-- {
			if line := squeeze(typed[own-1].Title); len(line) < leastLetters || !strings.Contains(title, line) {
				break
			}
		}
		out = append(below(out, typed[:own]), m)
		typed = typed[n:]
	}
	return below(out, typed)
}

// below adds headings below the last one, which is a bookmark's. A heading in larger type than the bookmark's
// title gets its level, and so does one with the next number. The title itself is not added again.
func below(out, typed []extract.Heading) []extract.Heading {
	if len(out) == 0 || len(typed) == 0 {
		return append(out, typed...)
	}
	m := out[len(out)-1]
	isTitle := func(h extract.Heading) bool {
		own, _ := extract.WithoutContinued(h.Title)
		return h.Start == m.Start || squeeze(own) == squeeze(m.Title)
	}
	top := slices.MinFunc(typed, func(a, b extract.Heading) int { return a.Level - b.Level }).Level
	if i := slices.IndexFunc(typed, isTitle); i >= 0 {
		top = typed[i].Level
	}
	number, numbered := numberOf(m.Title)
	of := make(map[int]int) // headings by level
	for _, h := range typed {
		of[h.Level]++
	}
	last := 0
	for _, h := range typed {
		if isTitle(h) {
			continue
		}
		if of[h.Level] == 1 && top <= h.Level && h.Level < last {
			h.Level = last // large type that stands alone is no title of what follows
		}
		last = h.Level
		h.Level = m.Level + max(0, h.Level+1-top)
		if n, ok := numberOf(h.Title); ok && numbered && n.kind == number.kind {
			if numbered = follows(number.number, n.number); numbered {
				h.Level, number = m.Level, n
			}
		}
		out = append(out, h)
	}
	return out
}
