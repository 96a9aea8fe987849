package pdf

import (
	"strconv"
	"strings"
	"unicode"
)

// paging says how a text may name its page.
type paging int

const (
	pagingNone paging = iota
	pagingOnly        // "12", "xii", "Page 12", "12 / 90" and nothing else
	pagingSaid        // it begins or ends with "Page 12", "Page 12 of 90"
)

// pageWords call a number a page's, and ofWords come before the number of pages.
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

// maxPagingWords is how long a text may be that is searched for its page.
const maxPagingWords = 40

// readPaging finds the number of the page that a text names.
func readPaging(text string) (int, paging) {
	fields := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "/", " / ")))
	var words []string
	for _, f := range fields {
		if f = strings.TrimFunc(f, func(r rune) bool { return r != '/' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }); f != "" {
			words = append(words, f)
		}
	}
	if len(words) > maxPagingWords {
		return 0, pagingNone
	}
	if n, used, _ := pagingAt(words); used > 0 && used == len(words) {
		return n, pagingOnly
	}
	for i := range words {
		n, used, said := pagingAt(words[i:])
		if said && (i == 0 || i+used == len(words)) {
			return n, pagingSaid
		}
	}
	return 0, pagingNone
}

// pagingAt reads the page that words begin with: how many of them name it, and
// whether one says that it is a page.
func pagingAt(words []string) (n, used int, said bool) {
	if len(words) > 1 && pageWords[words[0]] {
		said, used = true, 1
	}
	if used == len(words) {
		return 0, 0, false
	}
	n, ok := pageOf(words[used])
	if !ok {
		return 0, 0, false
	}
	used++
	if len(words) > used+1 && ofWords[words[used]] {
		if all, ok := pageOf(words[used+1]); ok && all >= n {
			used += 2
		}
	}
	if !said && len(words) > used && pageWords[words[used]] && words[used] != "s" {
		said, used = true, used+1 // "12. oldal"
	}
	return n, used, said
}

// pageOf reads a page's number, in digits or Roman ones.
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
