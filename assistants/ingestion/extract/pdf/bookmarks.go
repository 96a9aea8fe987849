package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of bookmarks whose titles are not on their pages.
const (
	missingShare = 10 // one bookmark in so many may be mended, if the others are titles on their pages
	mostMissing  = 50 // the most that are mended
	leastHead    = 3  // words before the end of a title, which may be a text about a picture: "Chapter 3" is none
	leastTail    = 8  // letters of the end of a title
	tailWords    = 2  // and its words
	mostLines    = 8  // and the lines that it may be on
	leastPairs   = 8  // pairs of words of a title that may be that of no text
	pairShare    = 4  // one pair in so many is on the page of a title
	wordShare    = 4  // and one word in so many on a page in its language
)

// Bounds of a title that many bookmarks have, because each page links to the same place: "Table of Contents".
const (
	leastAlike = 8 // bookmarks
	alikeShare = 2 // more than one of so many
)

// dropAlike returns the bookmarks without those whose title names no part: that of many which lead to page
// after page. "Exercises" in each chapter is one.
func dropAlike(outline []bookmark) []bookmark {
	alike := make(map[string][]int) // pages, by title
	for _, m := range outline {
		alike[m.title] = append(alike[m.title], m.page)
	}
	for title, pages := range alike {
		all := len(pages)
		slices.Sort(pages)
		pages = slices.Compact(pages)
		if span := pages[len(pages)-1] - pages[0] + 1; all < leastAlike || all*alikeShare <= len(outline) || 2*len(pages) < span {
			delete(alike, title)
		}
	}
	return slices.DeleteFunc(outline, func(m bookmark) bool { return alike[m.title] != nil })
}

// A pageTitles has the texts of pages in which titles are looked for.
type pageTitles struct {
	pages    []pageLayout
	squeezed map[int][]string        // lines, by page
	whole    map[int]string          // these together
	rows     map[int]map[string]bool // the texts of adjacent lines
}

func (p *pageTitles) of(page int) []string {
	lines, ok := p.squeezed[page]
	if !ok {
		p.pages[page].lines(func(_ *textBlock, l *textLine) { lines = append(lines, squeeze(l.text())) })
		p.squeezed[page] = lines
	}
	return lines
}

func (p *pageTitles) textOf(page int) string {
	text, ok := p.whole[page]
	if !ok {
		text = strings.Join(p.of(page), "")
		p.whole[page] = text
	}
	return text
}

// checkOutline reports whether at least a quarter of the bookmarks are titles on the pages they lead to.
// Others are names of the files that were put together. Where nearly all are titles, it mends the
// others, which may begin with a text about a picture.
func checkOutline(outline []bookmark, pages []pageLayout) (mended []bookmark, inText bool) {
	titles := pageTitles{pages: pages, squeezed: make(map[int][]string), whole: make(map[int]string), rows: make(map[int]map[string]bool)}
	all, found := 0, 0
	var missing []int
	for i, m := range outline {
		if !m.leadsTo(len(pages)) {
			continue
		}
		all++
		lines, want := titles.of(m.page), squeeze(m.title)
		switch {
		case slices.ContainsFunc(lines, func(have string) bool { return holdsTitle(have, want) }):
			found++
		case len(lines) > 0 && len(missing) <= mostMissing && !strings.Contains(titles.textOf(m.page), want):
			missing = append(missing, i)
		}
	}
	inText = 4*found >= all
	if len(missing)*missingShare > all || len(missing) > mostMissing {
		return outline, inText
	}
	mended = slices.Clone(outline)
	for _, i := range missing {
		m := &mended[i]
		if tail := titles.tail(*m); tail != "" {
			m.title = tail
		} else if titles.lack(*m) {
			m.title = ""
		}
	}
	return mended, inText
}

// tail returns the longest end of a title that is one or more lines of its page.
func (p *pageTitles) tail(m bookmark) string {
	words, texts := strings.Fields(m.title), p.rowsOf(m.page)
	for k := 1; k+tailWords <= len(words); k++ {
		if len(plainWords(strings.Join(words[:k], " "))) < leastHead {
			continue
		}
		tail := strings.Join(words[k:], " ")
		want := squeeze(tail)
		if len(want) < leastTail {
			break
		}
		if first, _ := utf8.DecodeRuneInString(tail); !unicode.IsLower(first) && texts[want] {
			return tail
		}
	}
	return ""
}

// rowsOf returns the texts of adjacent lines of a page, up to mostLines and longestTitle.
func (p *pageTitles) rowsOf(page int) map[string]bool {
	texts, ok := p.rows[page]
	if ok {
		return texts
	}
	texts = make(map[string]bool)
	lines := p.of(page)
	for i := range lines {
		text := ""
		for j := i; j < min(i+mostLines, len(lines)) && lines[j] != "" && len(text)+len(lines[j]) <= longestTitle; j++ {
			text += lines[j]
			texts[text] = true
		}
	}
	p.rows[page] = texts
	return texts
}

// lack reports whether a title is that of no text: few of its pairs of words are on its page, though
// it is in the page's language, and it is nowhere else in the document. It may be a text about a picture.
func (p *pageTitles) lack(m bookmark) bool {
	words := plainWords(m.title)
	text := p.textOf(m.page)
	pairs, found := len(words)-1, 0
	for i := range pairs {
		if strings.Contains(text, squeeze(words[i]+words[i+1])) {
			found++
		}
	}
	if pairs < leastPairs || found*pairShare >= pairs || !p.speaks(m.page, words) {
		return false
	}
	want := squeeze(m.title)
	for i := range p.pages {
		if strings.Contains(p.textOf(i), want) {
			return false
		}
	}
	return true
}

// speaks reports whether a page has enough of some words to be in their language. The bookmarks of a
// translation may be in another one.
func (p *pageTitles) speaks(page int, words []string) bool {
	have := make(map[string]bool)
	p.pages[page].lines(func(_ *textBlock, l *textLine) {
		for _, w := range plainWords(l.text()) {
			have[w] = true
		}
	})
	found := 0
	for _, w := range words {
		if have[w] {
			found++
		}
	}
	return found*wordShare >= len(words)
}
