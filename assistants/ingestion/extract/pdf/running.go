package pdf

import (
	"math"
	"slices"
	"strings"
)

const (
	marginLines  = 4   // rows of a page's top and of its bottom that may be running ones
	runningSpan  = 6   // pages around one among which its running lines occur again
	runningTimes = 3   // how often they do, itself included
	runningShare = 4   // one of so many pages has something at the height of a running line
	runningApart = 1.6 // how far it stands from the text, in steps from line to line
	emptyPage    = 10  // how far header and footer of a page without text are apart, in steps
)

// A marginRow is what stands on one baseline near a page's top or bottom.
type marginRow struct {
	lines    []*textLine
	page     int
	baseline float64
	parts    []marginPart
	near     bool // the page's lines are as far from each other as the row is from them
	sole     bool // the page has nothing but margins: either may be its text
	place    *runningPlace
	runs     bool
}

// A marginPart is words of a margin's row with much room on either side.
type marginPart struct {
	text   string
	key    string // its words in lower case
	number int    // the page's, if it is one
	paged  paging
}

// A runningPlace is a height where rows of many pages stand.
type runningPlace struct {
	offsets map[int][]int    // by distance of the number from the page: pages, ascending
	texts   map[string][]int // by a part's words: pages, ascending
	usual   bool             // most pages have something there
}

// markRunning finds running headers, footers and page numbers. They are left out of
// the text, because they would match every question and would cut sentences apart.
// Nothing else may be removed. So a running line stands apart from the text at the
// edge of its page, in no larger type than the text's, at the same height on several
// pages nearby, where it has the same words, or the page's number. If its words
// occur nowhere else, the first line with them is kept.
func markRunning(pages []pageLayout, titles []string) {
	body, bold := bodyType(pages)
	step := usualStep(pages)
	var groups [][]*marginRow
	for i := range pages {
		groups = append(groups, pages[i].marginGroups(i, step, func(r *marginRow) bool {
			return !slices.ContainsFunc(r.lines, func(l *textLine) bool {
				return l.size > 1.1*body || l.bold && !bold && !r.numbered()
			})
		})...)
	}
	var rows []*marginRow
	for _, g := range groups {
		rows = append(rows, g...)
	}
	findPlaces(rows)
	numbering := make(map[int][]int) // by distance from the page: pages that have their number
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
		// What stands together is of one kind.
		if slices.ContainsFunc(g, func(r *marginRow) bool { return !r.runs }) {
			continue
		}
		for _, r := range g {
			r.mark(true)
			found = append(found, r)
		}
	}
	keepFirst(pages, found, titles)
}

func (r *marginRow) mark(running bool) {
	for _, l := range r.lines {
		l.running = running
	}
}

// usualStep is how far lines of the document stand from each other.
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

// rowsDown are the rows of a page from top to bottom, without what stands askew.
func (l *pageLayout) rowsDown(page int) []*marginRow {
	var lines []*textLine
	l.lines(func(_ *textBlock, line *textLine) {
		if !line.askew && len(line.chars) > 0 {
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

// marginGroups are the rows at a page's top, and those at its bottom, that
// stand apart from the rest and are all in a fitting type.
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

// longestRunning is how many characters a running line has at most; what is
// longer need not be compared with anything.
const longestRunning = 300

func (r *marginRow) length() (n int) {
	for _, l := range r.lines {
		n += len(l.chars)
	}
	return n
}

// firstGap is how many of n rows stand before the first wide gap, from the
// edge inwards, and how wide it is.
func firstGap(n int, step float64, gap func(i int) float64) (int, float64) {
	for i := 1; i <= min(marginLines, n-1); i++ {
		if g := gap(i); g > runningApart*step {
			return i, g
		}
	}
	return 0, 0
}

// lowerThird is what a third of the distances are below.
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
			p.number, p.paged = readPaging(text)
			r.parts = append(r.parts, p)
		}
	}
}

// parts are the words of a line between wide gaps, or cells.
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

// numbered reports whether a part of the row is a number and nothing else.
func (r *marginRow) numbered() bool {
	return slices.ContainsFunc(r.parts, func(m marginPart) bool { return m.paged == pagingAlone })
}

// findPlaces sets for each row which rows stand at its height on other pages.
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
			continue // lines of a form, for instance: they prove nothing
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
				p.offsets[m.number-r.page] = appendPage(p.offsets[m.number-r.page], r.page)
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

// nearby counts the pages around one.
func nearby(pages []int, page int) int {
	from, _ := slices.BinarySearch(pages, page-runningSpan)
	to, _ := slices.BinarySearch(pages, page+runningSpan+1)
	return to - from
}

// pageNumber reports how far the row's number is from its page, if it counts
// with the pages nearby.
func (r *marginRow) pageNumber() (int, bool) {
	if r.place == nil {
		return 0, false
	}
	for i, m := range r.parts {
		if m.paged == pagingNone || m.paged == pagingAlone && i > 0 && i+1 < len(r.parts) {
			continue
		}
		if d := m.number - r.page; nearby(r.place.offsets[d], r.page) >= runningTimes {
			return d, true
		}
	}
	return 0, false
}

// barePageNumber reports whether the row is its page's number and nothing
// else, as pages nearby are numbered, be it at another height.
func (r *marginRow) barePageNumber(numbering map[int][]int) bool {
	return len(r.parts) == 1 && r.parts[0].paged == pagingAlone && nearby(numbering[r.parts[0].number-r.page], r.page) > 0
}

// repeats reports whether the row is one of several that have its words, part
// by part. Where most pages have a row, it may also repeat headings of the text.
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
