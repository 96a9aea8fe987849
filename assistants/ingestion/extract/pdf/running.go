package pdf

import (
	"math"
	"slices"
	"strings"
)

const (
	marginLines  = 4   // the most running rows at the top, and at the bottom, of a page
	runningSpan  = 6   // pages before and after, in which a running line must recur
	runningTimes = 3   // on how many pages it must be there, its own included
	runningShare = 4   // one page in so many must have a row at that height
	runningApart = 1.6 // least distance from the text, in line steps
	emptyPage    = 10  // least distance of header and footer on a page without text, in line steps
)

// A marginRow has the lines on one baseline near the top or bottom of a page.
type marginRow struct {
	lines    []*textLine
	page     int
	baseline float64
	parts    []marginPart
	foot     bool // it is at the bottom
	near     bool // the row is no further from the text than lines are from each other
	sole     bool // the page has only margin rows, any of which may be its text
	place    *runningPlace
	runs     bool // it is a running line
}

// A marginPart is a part of a margin row with wide gaps on both sides.
type marginPart struct {
	text string
	key  string // its words in lower case
	pageNumber
}

// A runningPlace is a height at which many pages have a row.
type runningPlace struct {
	offsets map[int][]int    // pages, ascending, by the difference of page number and page
	texts   map[string][]int // pages, ascending, by the words of a part
	usual   bool             // most pages have a row there
}

// markRunning finds running headers, footers and page numbers. They are left out of
// the text, because they would match every question and would cut sentences apart.
// Nothing else may be removed. So a running line stands apart from the text at the
// edge of its page, in no larger type than the text's unless it is at the bottom, at the same height on several
// pages nearby, where it has the same words, or the page's number. If its words
// occur nowhere else, the first line with them is kept.
func markRunning(pages []pageLayout, titles []string) {
	body, bold := bodyType(pages)
	step := usualStep(pages)
	var groups [][]*marginRow
	for i := range pages {
		groups = append(groups, pages[i].marginGroups(i, step, func(r *marginRow) bool {
			return !slices.ContainsFunc(r.lines, func(l *textLine) bool {
				return l.size > 1.1*body && !r.foot || l.bold && !bold && !r.numbered() && !r.foot
			})
		})...)
	}
	var rows []*marginRow
	for _, g := range groups {
		rows = append(rows, g...)
	}
	findPlaces(rows)
	numbering := make(map[int][]int) // numbered pages, by the difference of page number and page
	for _, r := range rows {
		if d, ok := r.pageNumber(); ok {
			r.runs = true
			numbering[d] = append(numbering[d], r.page)
		}
	}
	heads := newKnownWords()
	for _, r := range rows {
		r.ask(heads)
	}
	heads.readHeads(pages, body, bold)
	var found []*marginRow
	for _, g := range groups {
		for _, r := range g {
			r.runs = r.runs || r.repeats(heads) || r.barePageNumber(numbering)
		}
		// Rows of a group are all running lines or none is.
		if slices.ContainsFunc(g, func(r *marginRow) bool { return !r.runs }) {
			continue
		}
		for _, r := range g {
			r.mark(true)
			found = append(found, r)
		}
	}
	found = append(found, markNumbering(pages, body)...)
	markRunningHeads(pages, body, bold)
	markStamps(pages)
	keepFirst(pages, found, titles)
}

func (r *marginRow) mark(running bool) {
	for _, l := range r.lines {
		l.running = running
	}
}

// usualStep returns the usual distance between lines of the document.
func usualStep(pages []pageLayout) float64 {
	var steps []float64
	for i := range pages {
		steps = append(steps, stepsOf(pages[i].rowsDown(i))...)
	}
	return lowerThird(steps)
}

func stepsOf(rows []*marginRow) []float64 {
	var out []float64
	for i := 1; i < len(rows); i++ {
		out = append(out, rows[i].baseline-rows[i-1].baseline)
	}
	return out
}

// rowsDown returns the rows of a page from top to bottom, without rotated text.
func (l *pageLayout) rowsDown(page int) []*marginRow {
	var lines []*textLine
	l.lines(func(_ *textBlock, line *textLine) {
		if !line.rotated && len(line.chars) > 0 {
			lines = append(lines, line)
		}
	})
	slices.SortStableFunc(lines, func(a, b *textLine) int { return compareFloat(a.baseline, b.baseline) })
	var out []*marginRow
	for _, line := range lines {
		if n := len(out); n > 0 && line.baseline-out[n-1].baseline < 2 {
			out[n-1].lines = append(out[n-1].lines, line)
			continue
		}
		out = append(out, &marginRow{lines: []*textLine{line}, page: page, baseline: line.baseline})
	}
	return out
}

// marginGroups returns the rows at the top of a page, and those at its bottom, that are
// separated from the rest and for which fits returns true.
func (l *pageLayout) marginGroups(page int, step float64, fits func(*marginRow) bool) [][]*marginRow {
	rows := l.rowsDown(page)
	head, above := firstGap(len(rows), step, func(i int) float64 { return rows[i].baseline - rows[i-1].baseline })
	foot, below := firstGap(len(rows), step, func(i int) float64 { return rows[len(rows)-i].baseline - rows[len(rows)-i-1].baseline })
	if len(rows) == 1 {
		head, above = 1, math.Inf(1)
	}
	own := step
	if steps := stepsOf(rows); len(steps) >= 3 {
		own = max(step, lowerThird(steps))
	}
	var out [][]*marginRow
	for i, group := range [2][]*marginRow{rows[:head], rows[len(rows)-foot:]} {
		for _, r := range group {
			r.foot = i == 1
			r.near = [2]float64{above, below}[i] <= runningApart*own
			r.sole = head+foot == len(rows) && above < emptyPage*step
			if r.length() > longestRunning {
				group = nil
				break
			}
			if r.identify(); !fits(r) {
				group = nil
				break
			}
		}
		if len(group) > 0 {
			out = append(out, group)
		}
	}
	return out
}

// longestRunning is the most characters of a running line.
const longestRunning = 300

func (r *marginRow) length() (n int) {
	for _, l := range r.lines {
		n += len(l.chars)
	}
	return n
}

// firstGap returns how many of n rows, from the edge inwards, precede the first wide
// gap, and how wide it is.
func firstGap(n int, step float64, gap func(i int) float64) (int, float64) {
	for i := 1; i <= min(marginLines, n-1); i++ {
		if g := gap(i); g > runningApart*step {
			return i, g
		}
	}
	return 0, 0
}

// lowerThird returns the distance that a third of the distances are below.
func lowerThird(steps []float64) float64 {
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/3]
}

// identify divides a row into its parts.
func (r *marginRow) identify() {
	slices.SortStableFunc(r.lines, func(a, b *textLine) int { return compareFloat(a.box.left, b.box.left) })
	for _, l := range r.lines {
		for _, text := range l.parts() {
			p := marginPart{text: text, key: strings.Join(strings.Fields(strings.ToLower(text)), " ")}
			p.pageNumber = parsePaging(text)
			r.parts = append(r.parts, p)
		}
	}
}

// parts returns the texts of a line between wide gaps or cell marks.
func (l *textLine) parts() []string {
	return l.split(func(g glyph) bool { return g.index == wideSpace || g == glyph{'|', -1} })
}

// split divides a line at some of its characters.
func (l *textLine) split(at func(glyph) bool) []string {
	var out []string
	add := func(chars []glyph) {
		if text := strings.TrimSpace(textLine{chars: chars}.text()); text != "" {
			out = append(out, text)
		}
	}
	from := 0
	for i, g := range l.chars {
		if at(g) {
			add(l.chars[from:i])
			from = i + 1
		}
	}
	add(l.chars[from:])
	return out
}

// numbered reports whether a part of the row is only a page number.
func (r *marginRow) numbered() bool {
	return slices.ContainsFunc(r.parts, func(m marginPart) bool { return m.paged == pagingAlone })
}

// findPlaces sets the place of each row, by the rows at its height on other pages.
func findPlaces(rows []*marginRow) {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b *marginRow) int { return compareFloat(a.baseline, b.baseline) })
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to].baseline-sorted[from].baseline <= 2 {
			to++
		}
		newPlace(sorted[from:to])
		from = to
	}
}

func newPlace(rows []*marginRow) {
	p := &runningPlace{offsets: make(map[int][]int), texts: make(map[string][]int)}
	slices.SortStableFunc(rows, func(a, b *marginRow) int { return a.page - b.page })
	count, last, first := 0, -1, -1
	for _, r := range rows {
		if r.near || r.sole {
			continue // they may be lines of a form
		}
		if first < 0 {
			first = r.page
		}
		if r.page != last {
			count++
			last = r.page
		}
		for _, m := range r.parts {
			if m.paged != pagingNone {
				p.offsets[m.n-r.page] = appendPage(p.offsets[m.n-r.page], r.page)
			}
			p.texts[m.key] = appendPage(p.texts[m.key], r.page)
		}
	}
	span := last - first + 1
	if count < runningTimes || count*runningShare < span {
		return
	}
	p.usual = 2*count >= span
	for _, r := range rows {
		r.place = p
	}
}

func appendPage(pages []int, page int) []int {
	if n := len(pages); n > 0 && pages[n-1] == page {
		return pages
	}
	return append(pages, page)
}

// nearby returns how many of the pages are close to a page.
func nearby(pages []int, page int) int {
	from, _ := slices.BinarySearch(pages, page-runningSpan)
	to, _ := slices.BinarySearch(pages, page+runningSpan+1)
	return to - from
}

// pageNumber returns the difference of the row's page number and its page, if pages
// nearby have the same difference.
func (r *marginRow) pageNumber() (int, bool) {
	if r.place == nil {
		return 0, false
	}
	for i, m := range r.parts {
		if m.paged == pagingNone || m.paged == pagingAlone && i > 0 && i+1 < len(r.parts) {
			continue
		}
		if d := m.n - r.page; nearby(r.place.offsets[d], r.page) >= runningTimes {
			return d, true
		}
	}
	return 0, false
}

// barePageNumber reports whether the row is only a page number that continues the
// numbering of the pages nearby, at any height.
func (r *marginRow) barePageNumber(numbering map[int][]int) bool {
	return len(r.parts) == 1 && r.parts[0].paged == pagingAlone && nearby(numbering[r.parts[0].n-r.page], r.page) > 0
}

// repeats reports whether each part of the row recurs on pages nearby. At a height where
// most pages have a row, a part may also repeat headings of the text.
func (r *marginRow) repeats(heads *knownWords) bool {
	if r.place == nil || r.sole {
		return false
	}
	for _, m := range r.parts {
		if nearby(r.place.texts[m.key], r.page) < runningTimes && !(r.place.usual && isPhrase(m.text) && heads.containsAll(m.pieces())) {
			return false
		}
	}
	return len(r.parts) > 0
}
