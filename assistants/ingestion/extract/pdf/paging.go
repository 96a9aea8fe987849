package pdf

import (
	"strconv"
	"strings"
	"unicode"
)

// paging is how a text gives its page number.
type paging int

const (
	pagingNone     paging = iota
	pagingAlone           // the text is a page number: "12", "xii", "Page 12", "12 / 90"
	pagingLabelled        // the text begins or ends with "Page 12" or "Page 12 of 90"
)

// pageWords are words for "page". ofWords come before the total number of pages.
var (
	pageWords = map[string]bool{
		"page": true, "pages": true, "p": true, "pg": true, "seite": true, "s": true, "blatt": true, "folio": true,
		"página": true, "pagina": true, "pág": true, "pag": true, "sida": true, "sid": true, "side": true, "sivu": true,
		"strona": true, "str": true, "strana": true, "stránka": true, "stranica": true, "oldal": true, "sayfa": true,
		"страница": true, "стр": true, "с": true, "сторінка": true, "σελίδα": true, "σελ": true, "trang": true, "halaman": true,
		"pàgina": true, "lk": true, "lapa": true, "puslapis": true, "pagină": true,
	}
	ofWords = map[string]bool{
		"/": true, "of": true, "von": true, "de": true, "di": true, "sur": true, "av": true, "af": true, "van": true,
		"z": true, "ze": true, "iz": true, "od": true, "из": true, "з": true, "din": true, "dari": true, "från": true,
	}
)

// maxPagingWords is the most words of a text in which a page number is looked for.
const maxPagingWords = 40

// A pageNumber is the number of a page that a text gives.
type pageNumber struct {
	n, total int  // total: the number of all pages, 0 if the text does not give it
	word     bool // a word for "page" is with it
	paged    paging
}

// parsePaging returns the page number that a text gives.
func parsePaging(text string) pageNumber {
	fields := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "/", " / ")))
	var words []string
	for _, f := range fields {
		if f = strings.TrimFunc(f, func(r rune) bool { return r != '/' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }); f != "" {
			words = append(words, f)
		}
	}
	if len(words) > maxPagingWords {
		return pageNumber{}
	}
	if p, used := pagingAt(words); used > 0 && used == len(words) {
		p.paged = pagingAlone
		return p
	}
	for i := range words {
		p, used := pagingAt(words[i:])
		if p.word && used > 0 && (i == 0 || i+used == len(words)) {
			p.paged = pagingLabelled
			return p
		}
	}
	return pageNumber{}
}

// pagingAt parses a page number at the beginning of words. It returns how many words it used.
func pagingAt(words []string) (p pageNumber, used int) {
	if len(words) > 1 && pageWords[words[0]] {
		p.word, used = true, 1
	}
	if used == len(words) {
		return pageNumber{}, 0
	}
	n, ok := pageOf(words[used])
	if !ok {
		return pageNumber{}, 0
	}
	p.n = n
	used++
	if len(words) > used+1 && ofWords[words[used]] {
		if all, ok := pageOf(words[used+1]); ok && all >= n {
			p.total = all
			used += 2
		}
	}
	if !p.word && len(words) > used && pageWords[words[used]] && words[used] != "s" {
		p.word, used = true, used+1 // "12. oldal"
	}
	return p, used
}

// pageOf parses a page number in decimal or Roman digits.
func pageOf(word string) (int, bool) {
	if n, err := strconv.Atoi(word); err == nil && len(word) <= 5 && n >= 0 {
		return n, true
	}
	if word == "" || len(word) > 7 {
		return 0, false
	}
	total, last := 0, 0
	for i := len(word) - 1; i >= 0; i-- {
		at := strings.IndexByte("ivxlcdm", word[i])
		if at < 0 {
			return 0, false
		}
		v := [...]int{1, 5, 10, 50, 100, 500, 1000}[at]
		if v < last {
			total -= v
		} else {
			total += v
			last = v
		}
	}
	return total, true
}
