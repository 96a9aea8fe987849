package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// Bounds of what is no heading.
const (
	sentenceWords = 3 // the most words of a title with a full stop at its end
	leastPhone    = 5 // digits of a telephone number
	leastDates    = 2 // dates with a part of the text below them, for dates to be headings
	longestMark   = 4 // characters before a wide gap that may be a bullet or "(iv)"

	beyondLabels = 0.15 // of a table's width: a name of columns begins farther right
	offMiddle    = 0.08 // of a table's width: its middle is farther from the table's
	offPage      = 0.05 // of the width of a page's text: so is it from the page's
	mostOver     = 8    // blocks from a name of columns to their table
	nextToLine   = 1.0  // times the size of the type: the largest gap to what comes next
)

// isSentence reports whether lines end with a full stop, after several words. A quotation mark or
// a bracket may close after it. An abbreviation in brackets ends no sentence.
func isSentence(lines []textLine) bool {
	text := textOf(lines)
	end := strings.TrimRight(text, closers)
	if !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "。") {
		return false
	}
	if strings.HasPrefix(text[len(end):], ")") || strings.HasPrefix(text[len(end):], "]") {
		end = end[strings.LastIndexAny(end, "([")+1:]
	}
	words := 0
	for _, w := range plainWords(end) {
		if !isNumeral(w) {
			words++
		}
	}
	return words > sentenceWords
}

// closers are marks that may stand after a sentence's full stop.
const closers = "\"'”’“»«›)]"

// isCells reports whether a line has the cells of a table, with wide gaps between them. In titles one
// may stand behind the number, and before the remark that they are continued.
func (l textLine) isCells() bool {
	parts := l.parts()
	if len(parts) < 2 {
		return false
	}
	if _, continued := extract.WithoutContinued("x " + parts[len(parts)-1]); continued {
		parts = parts[:len(parts)-1]
	}
	_, number := numberOf(strings.Join(parts[:min(len(parts), 2)], " "))
	return len(parts) > 2 || len(parts) == 2 && !number && utf8.RuneCountInString(parts[0]) > longestMark
}

// overColumns reports whether the first of some blocks names columns of the table that comes next, or
// begins such a name: it stands close over the table and neither at its left edge nor in the middle, as
// titles do. page is the box of all the page's text.
func overColumns(blocks []textBlock, page box) bool {
	if lines := shown(blocks[0].lines); len(lines) == 0 || len(lines) > maxHeadingLines || blocks[0].item || isSentence(lines) {
		return false
	}
	title, last := blocks[0].box(), blocks[0].box()
	for i := 1; i < min(len(blocks), 1+mostOver); i++ {
		next := blocks[i].box()
		switch {
		case next.height() < 0: // nothing of it is shown
			continue
		case next.top < title.top || next.top-last.bottom > nextToLine*blocks[0].lines[0].size:
			return false
		case blocks[i].item || blocks[i].kind == extract.BlockCode:
			return false
		case blocks[i].kind == extract.BlockTable:
			middle := title.left + title.width()/2
			return title.left > next.left+beyondLabels*next.width() &&
				math.Abs(middle-next.left-next.width()/2) > offMiddle*next.width() && math.Abs(middle-page.left-page.width()/2) > offPage*page.width()
		}
		last = next
	}
	return false
}

// box returns the box around a block's lines that are shown.
func (b *textBlock) box() box {
	all := noBox
	for _, l := range shown(b.lines) {
		all = all.union(l.box)
	}
	return all
}

// box returns the box around a page's text.
func (l *pageLayout) box() box {
	all := noBox
	for i := range l.blocks {
		all = all.union(l.blocks[i].box())
	}
	return all
}

// noBox is the box around nothing.
var noBox = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// isAddress reports whether a block says where something is, and no more: the number of a page
// among all pages, a telephone number, a mail address, or that of a web page.
func (b *textBlock) isAddress() bool {
	text := b.title()
	p := parsePaging(text)
	return p.paged == pagingAlone && p.total > 0 && p.word || isPhone(text) || isNetAddress(text)
}

// isFoot reports whether a block is the first of equal running footers: what stands at the bottom of
// each page is no heading of the text on the next one.
func (b *textBlock) isFoot() bool {
	return !slices.ContainsFunc(b.lines, func(l textLine) bool { return !l.foot && len(l.chars) > 0 })
}

// phoneWords are words before a telephone number. numberWords may stand with them.
var (
	phoneWords = map[string]bool{
		"tel": true, "telephone": true, "phone": true, "fax": true, "telefax": true, "mobile": true, "cell": true, "telefon": true, "telefono": true,
		"telefone": true, "mobil": true, "телефон": true, "факс": true,
	}
	numberWords = map[string]bool{"no": true, "nr": true, "number": true, "ext": true}
)

// isPhone reports whether a text is a telephone number after a word for it.
func isPhone(text string) bool {
	digits := 0
	for i, w := range plainWords(text) {
		switch letters := strings.ContainsFunc(w, unicode.IsLetter); {
		case i == 0 && !phoneWords[w], letters && !phoneWords[w] && !numberWords[w]:
			return false
		case !letters:
			digits += len(w)
		}
	}
	return digits >= leastPhone
}

// isNetAddress reports whether a text is a mail or web address, maybe after a label: "E-mail: a@b.org".
func isNetAddress(text string) bool {
	label, address := "", text
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		label, address = text[:i], text[i+1:]
	}
	if label != "" && (!strings.HasSuffix(label, ":") || len(strings.Fields(label)) > 2) {
		return false
	}
	before, after, at := strings.Cut(address, "@")
	mail := at && before != "" && strings.Contains(after, ".")
	return mail || strings.HasPrefix(address, "www.") || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// dropLoneDates takes dates from the headings, unless several of them divide the text, as in a
// diary or a list of changes. A date on a title page is no title of what follows. Nor is one that
// is directly below titles in no larger type: "Notes to the financial statements", "30 June 2022".
func dropLoneDates(pages []pageLayout, sizes map[*textBlock]float64) {
	var dates []*textBlock
	headed := 0 // dates with text, or a heading in smaller type, below them on their page
	underTitle := make(map[*textBlock]bool)
	for i := range pages {
		blocks := pages[i].blocks
		var title float64 // size of the block above, if it is a heading
		for j := range blocks {
			b := &blocks[j]
			if len(shown(b.lines)) == 0 {
				continue
			}
			above := title
			size, heading := sizes[b]
			title = size
			if !heading || !b.isDate() {
				continue
			}
			if 0 < above && above <= size {
				underTitle[b] = true
			}
			dates = append(dates, b)
			next := slices.IndexFunc(blocks[j+1:], func(b textBlock) bool { return len(shown(b.lines)) > 0 })
			if next < 0 {
				continue
			}
			if lower, heading := sizes[&blocks[j+1+next]]; !heading || lower < size {
				headed++
			}
		}
	}
	times := make(map[string]int) // of a date
	for _, b := range dates {
		times[b.title()]++
	}
	for _, b := range dates {
		if headed < leastDates || underTitle[b] && times[b.title()] > 1 {
			delete(sizes, b)
		}
	}
}

// isDate reports whether a block is a date and nothing else.
func (b *textBlock) isDate() bool {
	lines := shown(b.lines)
	return len(lines) == 1 && extract.IsDate(lines[0].text())
}
