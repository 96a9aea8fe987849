package pdf

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// Bounds of a numbered outline in the type of the text.
const (
	leastTitles = 3  // of an outline
	titleWords  = 10 // the most words of a title, without its number
	textBelow   = 80 // the fewest characters of text below a title without parts
)

// A numberedTitle is a line that may be a title of a numbered outline: "1.2 Order of work".
type numberedTitle struct {
	block  *textBlock
	number []int
	below  int // characters of text up to the next title
}

// numberTitles adds the titles of a numbered outline in the type of the text to the headings, if
// these are no more than those of a title page. Lists, references and rows of tables are numbered,
// too. So each title is alone in its paragraph, follows from the one before, and has a part or some
// text below it, and some are parts of others: 1, 1.1, 1.2, 2. It reports whether there is such an outline.
func numberTitles(pages []pageLayout, levels map[*textBlock]int) bool {
	titles, above := numberedTitles(pages, levels)
	if !areOutline(titles) {
		return false
	}
	for _, t := range titles {
		levels[t.block] = above + len(t.number)
	}
	return true
}

// numberedTitles returns the lines that may be titles, and the level of the only heading above
// them, 0 if there are several. If a heading is below one of them, it returns none.
func numberedTitles(pages []pageLayout, levels map[*textBlock]int) (titles []numberedTitle, above int) {
	headings := 0
	for i := range pages {
		blocks := pages[i].blocks
		for j := range blocks {
			b := &blocks[j]
			level, heading := levels[b]
			switch number := b.numbered(); {
			case heading && len(titles) > 0:
				return nil, 0
			case heading:
				headings++
				above = level
			case number != nil:
				titles = append(titles, numberedTitle{block: b, number: number})
			case len(titles) > 0:
				for _, l := range shown(b.lines) {
					titles[len(titles)-1].below += len(l.chars)
				}
			}
		}
	}
	if headings != 1 {
		above = 0
	}
	return titles, above
}

// areOutline reports whether titles are those of one outline.
func areOutline(titles []numberedTitle) bool {
	if len(titles) < leastTitles || !slices.Equal(titles[0].number, []int{1}) {
		return false
	}
	parts := false
	left := make(map[int]float64) // by level
	for i, t := range titles {
		line := t.block.lines[0]
		if x, ok := left[len(t.number)]; ok && math.Abs(x-line.box.left) > line.size {
			return false
		}
		left[len(t.number)] = line.box.left
		part := i+1 < len(titles) && len(titles[i+1].number) > len(t.number)
		parts = parts || part
		if i > 0 && !follows(titles[i-1].number, t.number) || !part && t.below < textBelow {
			return false
		}
	}
	return parts
}

// follows reports whether a number is the next one in an outline: the first part of the last one,
// or one more than it or than a number above it.
func follows(last, next []int) bool {
	n := len(next) - 1
	if n > len(last) || !slices.Equal(next[:n], last[:n]) {
		return false
	}
	if n == len(last) {
		return next[n] == 1
	}
	return next[n] == last[n]+1
}

// numbered returns the number of a block that is a single short line, begins with a number, and
// ends like a title; nil for others.
func (b *textBlock) numbered() []int {
	lines := shown(b.lines)
	if b.kind != "" || len(lines) != 1 || !unicode.IsDigit(lines[0].chars[0].char) || len(lines[0].chars) > maxHeadingLength || lines[0].leadsToPage() {
		return nil
	}
	mark, title, _ := strings.Cut(lines[0].text(), " ")
	title = strings.TrimSpace(title)
	var number []int
	for part := range strings.SplitSeq(strings.TrimSuffix(mark, "."), ".") {
		n, err := strconv.Atoi(part)
		if err != nil || len(part) > 2 || n < 1 {
			return nil
		}
		number = append(number, n)
	}
	first, _ := utf8.DecodeRuneInString(title)
	last, _ := utf8.DecodeLastRuneInString(title)
	words := len(strings.Fields(title))
	switch {
	case words == 0 || words > titleWords || !unicode.IsLetter(first) || unicode.IsLower(first):
		return nil
	case strings.ContainsRune(".,;:!?…。", last), extract.IsUnits(title), extract.IsDate(lines[0].text()):
		return nil
	case len(lines[0].parts()) > 2 || len(lines[0].parts()) == 2 && lines[0].parts()[0] != mark: // it is a row
		return nil
	}
	return number
}
