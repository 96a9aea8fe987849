package pdf

import (
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
