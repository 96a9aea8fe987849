package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
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
	page  int     // from 0; -1: it leads nowhere
	at    float64 // height on the page, as a baseline's; NaN: unknown
}

// leadsTo reports whether a bookmark has a title and leads to one of so many pages.
func (m bookmark) leadsTo(pages int) bool { return m.page >= 0 && m.page < pages && m.title != "" }

// outline reads the bookmarks in order. It returns none if there are too many, or if
// they form a cycle.
func (f pdfFile) outline() []bookmark {
	var out []bookmark
	if !f.bookmarks(0, 1, &out) {
		return nil
	}
	return out
}

// bookmarks collects the bookmarks below parent; 0 is the outline itself. It returns
// false if there are too many.
func (f pdfFile) bookmarks(parent uint64, level int, out *[]bookmark) bool {
	at, err := f.call("FPDFBookmark_GetFirstChild", f.doc, parent)
	if err != nil || at == 0 {
		return true // without an outline, only headings are missing
	}
	if level > maxBookmarkDepth {
		return false
	}
	for at != 0 {
		if len(*out) >= maxBookmarks {
			return false
		}
		*out = append(*out, f.bookmark(at, level))
		if !f.bookmarks(at, level+1, out) {
			return false
		}
		if at, err = f.call("FPDFBookmark_GetNextSibling", f.doc, at); err != nil {
			return true
		}
	}
	return true
}

func (f pdfFile) bookmark(at uint64, level int) bookmark {
	m := bookmark{level: level, page: -1, at: math.NaN()}
	if n, err := f.integer("FPDFBookmark_GetTitle", at, uint64(f.scratch), scratchSize); err == nil && n > 2 {
		m.title = cleanTitle(f.utf16Text(n))
	}
	dest, err := f.call("FPDFBookmark_GetDest", f.doc, at)
	if err == nil && dest == 0 {
		var action uint64
		if action, err = f.call("FPDFBookmark_GetAction", at); err == nil && action != 0 {
			dest, err = f.call("FPDFAction_GetDest", f.doc, action)
		}
	}
	if err != nil || dest == 0 {
		return m
	}
	if page, err := f.integer("FPDFDest_GetDestPageIndex", f.doc, dest); err == nil {
		m.page = page
	}
	// Which of x, y and zoom are given; then x, y and zoom.
	ok, err := f.integer("FPDFDest_GetLocationInPage", dest, f.scratchAddress(0), f.scratchAddress(1), f.scratchAddress(2), f.scratchAddress(3), f.scratchAddress(4), f.scratchAddress(5))
	if hasY, _ := f.module.Memory().ReadUint32Le(uint32(f.scratchAddress(1))); err == nil && ok != 0 && hasY != 0 {
		y, _ := f.module.Memory().ReadFloat32Le(uint32(f.scratchAddress(4)))
		m.at = -float64(y)
	}
	return m
}

// outlineHeadings turns the outline into headings. A bookmark names a page and often a
// height on it. Its heading starts at the nearest line with its words, else at the first
// line below the height, else at the start of the page.
func outlineHeadings(doc extract.Document, outline []bookmark, lines [][]placedLine) []extract.Heading {
	var out []extract.Heading
	searched := make(map[int]int)      // by page: number of lines up to the last bookmark's
	squeezed := make(map[int][]string) // by page: the lines' letters and digits
	for _, m := range outline {
		if !m.leadsTo(len(doc.Pages)) {
			continue
		}
		start := doc.Pages[m.page].Start
		if _, ok := squeezed[m.page]; !ok {
			squeezed[m.page] = squeezeLines(lines[m.page])
		}
		if i := findHeading(lines[m.page], squeezed[m.page], searched[m.page], m); i >= 0 {
			start = lines[m.page][i].start
			searched[m.page] = i + 1
		}
		out = append(out, extract.Heading{Start: start, Level: m.level, Title: m.title})
	}
	// Outlines need not be in the order of the text.
	slices.SortStableFunc(out, func(a, b extract.Heading) int { return a.Start - b.Start })
	return out
}

func squeezeLines(lines []placedLine) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = squeeze(l.text)
	}
	return out
}

// findHeading returns the index of the line that a bookmark leads to, or -1.
func findHeading(lines []placedLine, squeezed []string, from int, m bookmark) int {
	best, distance := -1, math.Inf(1)
	want := squeeze(m.title)
	for i, l := range lines {
		if !holdsTitle(squeezed[i], want) {
			continue
		}
		d := float64(i - from) // without a height, the next line counts
		if i < from {
			d = 1e6 + float64(from-i)
		}
		if !math.IsNaN(m.at) {
			d = math.Abs(l.baseline - m.at)
		}
		if d < distance {
			best, distance = i, d
		}
	}
	if best >= 0 || math.IsNaN(m.at) {
		return best
	}
	for i, l := range lines {
		if d := l.baseline - m.at; d >= 0 && d < distance {
			best, distance = i, d
		}
	}
	return best
}

// holdsTitle reports whether a line has a title, as "3.1 Leave" has "Leave", or is the
// beginning of a title of several lines.
func holdsTitle(have, want string) bool {
	return want != "" && (have == want || strings.HasSuffix(have, want) && len(have) <= len(want)+16 ||
		strings.HasPrefix(want, have) && len(have) >= 8 && 2*len(have) >= len(want))
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

const (
	maxHeadingLines  = 3
	maxHeadingLength = 200 // characters
	maxSizes         = 6   // of type, each of which is a level

	largeType = 1.15 // times the size of the text: a title even if it is not bold
)

// typeHeadings finds the headings of a document without bookmarks by their
// font: larger than the text's, or bold on lines of their own. A larger font is a
// higher level.
func typeHeadings(pages []pageLayout) map[*textBlock]int {
	body, bold := bodyType(pages)
	sizes := make(map[*textBlock]float64)
	for i := range pages {
		for j := range pages[i].blocks {
			b := &pages[i].blocks[j]
			if size, ok := b.headingSize(body, bold); ok && !b.isAddress() && !b.isFoot() && !(size < largeType*body && overColumns(pages[i].blocks[j:], &pages[i])) {
				sizes[b] = size
			}
		}
	}
	dropLoneDates(pages, sizes)
	levels := levelsOf(sizes)
	if !numberTitles(pages, levels) {
		addDesignated(pages, body, sizes)
		levels = levelsOf(sizes)
		nestNumbered(pages, levels)
	}
	return levels
}

// levelsOf returns the levels of headings by their sizes.
func levelsOf(sizes map[*textBlock]float64) map[*textBlock]int {
	var steps []float64
	for _, s := range sizes {
		if !slices.Contains(steps, s) {
			steps = append(steps, s)
		}
	}
	slices.SortFunc(steps, func(a, b float64) int { return compareFloat(b, a) })
	levels := make(map[*textBlock]int, len(sizes))
	for b, s := range sizes {
		levels[b] = min(slices.Index(steps, s)+1, maxSizes)
	}
	return levels
}

// title returns the text of a block in one line.
func (b *textBlock) title() string { return textOf(shown(b.lines)) }

// textOf joins lines with spaces.
func textOf(lines []textLine) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text()
	}
	return strings.Join(texts, " ")
}

// headingSize returns the font size of a block, rounded to half points, if the block
// looks like a heading.
func (b *textBlock) headingSize(body float64, bodyBold bool) (float64, bool) {
	lines := shown(b.lines)
	if b.kind != "" || len(lines) == 0 || len(lines) > maxHeadingLines || b.item && isBullet(lines[0].chars[0].char) {
		return 0, false
	}
	size, bold, length, letters := 0.0, true, 0, 0
	for _, l := range lines {
		size, bold = max(size, l.size), bold && l.bold
		length += len(l.chars)
		for _, g := range l.chars {
			if unicode.IsLetter(g.char) {
				letters++
			}
		}
	}
	last := lines[len(lines)-1].chars
	if lines[len(lines)-1].leadsToPage() || extract.IsUnits(lines[0].text()) {
		return 0, false
	}
	if letters < 2 || length > maxHeadingLength || !utf8.ValidRune(last[len(last)-1].char) || unicode.Is(unicode.Co, lines[0].chars[0].char) {
		return 0, false
	}
	size = math.Round(size*2) / 2
	switch {
	case size < 1.5*body && isSentence(lines):
	case size >= largeType*body:
		return size, true
	case bold && !bodyBold && size >= 0.95*body && !strings.ContainsRune(".,;", last[len(last)-1].char) && !slices.ContainsFunc(lines, textLine.isCells):
		return max(size, math.Round(body*2)/2), true
	}
	return 0, false
}

// hasLeader reports whether dots lead from one part of a line to another.
func (l textLine) hasLeader() bool { return slices.Contains(l.chars, glyph{'…', -1}) }

// leadsToPage reports whether a line is an entry of a table of contents: dots or a wide gap
// lead from its title to a page number.
func (l textLine) leadsToPage() bool {
	if l.hasLeader() {
		return true
	}
	parts := l.parts()
	return len(parts) > 1 && isNumeral(parts[len(parts)-1])
}

// bodyType returns the font size of most characters, and whether most are bold.
func bodyType(pages []pageLayout) (size float64, bold bool) {
	count := make(map[int]int)
	bolds, all, best := 0, 0, 0
	for i := range pages {
		pages[i].lines(func(_ *textBlock, l *textLine) {
			k := int(math.Round(l.size * 2))
			count[k] += len(l.chars)
			all += len(l.chars)
			if l.bold {
				bolds += len(l.chars)
			}
		})
	}
	for k, n := range count {
		if n > count[best] || n == count[best] && k < best {
			best = k
		}
	}
	return float64(best) / 2, 2*bolds > all
}
