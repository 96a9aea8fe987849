package pdf

import (
	"math"
	"slices"
	"sort"

	"footnote/assistants/ingestion/extract"
)

// Bounds of running heads in the type of headings.
const (
	leastRun = 4 // on how many pages in a row they must be
	headRows = 6 // the most rows of a head

	formShare = 3 // one row in so many of a form is on the next page, too
)

// markRunningHeads finds running heads of several lines, some of them in bold or larger type, such
// as the name of a company, the title of a part of the document, and a period. A heading may
// well recur at the top of pages, so such lines must be on several pages in a row. A title
// below them stays, and so do units and periods, which the amounts on the page need. Rows
// of a table stay, because a table names its columns on each page. The first of equal heads
// stays, too: it is the heading of what follows.
func markRunningHeads(pages []pageLayout, body float64, bold bool) {
	heads := make([][]*marginRow, len(pages))
	var rows []*marginRow
	for i := range pages {
		heads[i] = pages[i].topRows(i)
		rows = append(rows, heads[i]...)
	}
	findPlaces(rows)
	runs := make([][]*marginRow, len(pages))
	for i, head := range heads {
		loud := false
		for _, r := range head {
			if r.runsOn() {
				if !r.begins() {
					runs[i] = append(runs[i], r)
				}
				loud = loud || slices.ContainsFunc(r.lines, func(l *textLine) bool { return l.size > 1.1*body || l.bold && !bold })
			} else if !r.isUnits() {
				break
			}
		}
		if !loud {
			runs[i] = nil
		}
	}
	var found []*marginRow
	for i, head := range runs {
		if len(head) > 0 && !isForm(pages, runs, i) {
			found = append(found, head...)
		}
	}
	for _, r := range found {
		r.mark(true)
	}
}

// isForm reports whether a page is like the ones before and after it in more than its head: in the
// labels of a form, whose title is no running head.
func isForm(pages []pageLayout, heads [][]*marginRow, page int) bool {
	type label struct {
		text string
		at   int
	}
	labels := make(map[label]bool)
	for _, i := range [2]int{page - 1, page + 1} {
		if i >= 0 && i < len(pages) {
			for _, r := range pages[i].rowsDown(i) {
				for at := -1; at <= 1; at++ {
					labels[label{r.lines[0].label(), int(math.Round(r.baseline)) + at}] = true
				}
			}
		}
	}
	all, known := 0, 0
	for _, r := range pages[page].rowsDown(page) {
		if r.identify(); r.lines[0].running || r.isUnits() || slices.ContainsFunc(heads[page], func(h *marginRow) bool { return h.baseline == r.baseline }) {
			continue
		}
		if all++; labels[label{r.lines[0].label(), int(math.Round(r.baseline))}] {
			known++
		}
	}
	return formShare*known >= all && known > 0
}

// label returns the first cell of a line.
func (l *textLine) label() string {
	if parts := l.parts(); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// topRows returns the first rows of a page that are not running lines, up to a table's.
func (l *pageLayout) topRows(page int) []*marginRow {
	inTable := make(map[*textLine]bool)
	l.lines(func(b *textBlock, line *textLine) { inTable[line] = b.kind == extract.BlockTable })
	var out []*marginRow
	for _, r := range l.rowsDown(page) {
		if len(out) == headRows || r.length() > longestRunning || slices.ContainsFunc(r.lines, func(l *textLine) bool { return inTable[l] }) {
			break
		}
		if !r.lines[0].running {
			r.identify()
			out = append(out, r)
		}
	}
	return out
}

// runsOn reports whether each part of the row is on several pages in a row, this one included.
func (r *marginRow) runsOn() bool {
	if r.place == nil || r.isUnits() || len(r.parts) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.parts, func(m marginPart) bool { return pagesInARow(r.place.texts[m.key], r.page) < leastRun })
}

// begins reports whether the row is not on the page before.
func (r *marginRow) begins() bool {
	return slices.ContainsFunc(r.parts, func(m marginPart) bool {
		_, before := slices.BinarySearch(r.place.texts[m.key], r.page-1)
		return !before
	})
}

func (r *marginRow) isUnits() bool {
	return !slices.ContainsFunc(r.parts, func(m marginPart) bool { return !extract.IsUnits(m.text) })
}

// pagesInARow returns how many of the pages, which are ascending, follow each other around one of them.
func pagesInARow(pages []int, page int) int {
	at, ok := slices.BinarySearch(pages, page)
	if !ok {
		return 0
	}
	// In a row, each page is as far from its place among the pages as the others are.
	apart := page - at
	from := sort.Search(at, func(i int) bool { return pages[i]-i >= apart })
	return sort.Search(len(pages), func(i int) bool { return pages[i]-i > apart }) - from
}
