package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

// Bounds of what is no heading.
const (
	sentenceWords = 3 // the most words of a title with a full stop at its end
	leastPhone    = 5 // digits of a telephone number
	leastDates    = 2 // dates with a part of the text below them, for dates to be headings

	beyondLabels = 0.15 // the least distance of a name of columns from the table's left edge, in widths of the table
	offMiddle    = 0.08 // the least distance between the middles of the two, in widths of the table
	offPage      = 0.05 // the least distance from the middle of the page's text, in its widths
	mostOver     = 8    // the most blocks from a name of columns to their table
	nextToLine   = 1.0  // the largest gap to what comes next, in sizes of the type
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

// isCells reports whether a line has three cells of a table or more, with wide gaps between them. A title
// may have one gap behind its number and one before the remark that it is continued.
func (l textLine) isCells() bool {
	parts := l.parts()
	if len(parts) <= 2 {
		return false
	}
	if _, continued := extract.WithoutContinued("x " + parts[len(parts)-1]); continued {
		parts = parts[:len(parts)-1]
	}
	return len(parts) > 2
}

// overColumns reports whether the first of some blocks names columns of the table that comes next, or
// begins such a name: it stands close over the table and right of its labels, and so does all that is
// between the two.
func overColumns(blocks []textBlock, page *pageLayout) bool {
	if !blocks[0].mayName() {
		return false
	}
	i, last := 1, blocks[0].box()
	for ; i < min(len(blocks), 1+mostOver); i++ {
		next := blocks[i].box()
		if next.height() < 0 { // nothing of it is shown
			continue
		}
		if next.top < last.top || next.top-last.bottom > nextToLine*shown(blocks[0].lines)[0].size {
			return false
		}
		if blocks[i].kind == extract.BlockTable {
			break
		}
		if last = next; !blocks[i].mayName() {
			return false
		}
	}
	if i >= len(blocks) || blocks[i].kind != extract.BlockTable {
		return false
	}
	table, text := blocks[i].box(), page.frame()
	return !slices.ContainsFunc(blocks[:i], func(b textBlock) bool {
		return len(shown(b.lines)) > 0 && (!b.box().rightOfLabels(table, text.box) || text.alignsText(b.box().left))
	})
}

// mayName reports whether a block may be the name of a column: a few words that run from left to right.
func (b *textBlock) mayName() bool {
	lines := shown(b.lines)
	return b.kind == "" && !b.item && len(lines) > 0 && len(lines) <= maxHeadingLines && !isSentence(lines) && !slices.ContainsFunc(lines, isRightToLeftLine)
}

// rightOfLabels reports whether a box over a table begins right of its labels and is over its columns. One in the middle of the table or of the page's text may be a title.
func (b box) rightOfLabels(table, page box) bool {
	middle := b.left + b.width()/2
	return b.left > table.left+beyondLabels*table.width() && middle < table.right &&
		math.Abs(middle-table.left-table.width()/2) > offMiddle*table.width() && math.Abs(middle-page.left-page.width()/2) > offPage*page.width()
}

// A pageFrame is where a page's text is.
type pageFrame struct {
	box       box
	sentences []float64 // the left edges of blocks that end with a sentence
}

// frame returns where the page's text is, without running lines. It looks once, so these must be known.
func (l *pageLayout) frame() *pageFrame {
	if l.framed != nil {
		return l.framed
	}
	f := &pageFrame{box: noBox}
	l.framed = f
	for i := range l.blocks {
		b := &l.blocks[i]
		at := b.box()
		f.box = f.box.union(at)
		if b.kind == "" && isSentence(shown(b.lines)) {
			f.sentences = append(f.sentences, at.left)
		}
	}
	slices.Sort(f.sentences)
	return f
}

// alignsText reports whether sentences begin at this distance from the page's left: a title over them may, too.
func (f *pageFrame) alignsText(left float64) bool {
	i, _ := slices.BinarySearch(f.sentences, left-alignedWithin)
	return i < len(f.sentences) && f.sentences[i] <= left+alignedWithin
}

// box returns the box around a block's lines that are shown.
func (b *textBlock) box() box {
	all := noBox
	for _, l := range shown(b.lines) {
		all = all.union(l.box)
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
