package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// designated are the words with which documents number their parts, in lower case.
var designated = map[string]bool{
	"note": true, "item": true, "article": true, "section": true, "chapter": true, "part": true, "appendix": true, "annex": true, "schedule": true, "exhibit": true, "clause": true,
	"artikel": true, "abschnitt": true, "kapitel": true, "teil": true, "anhang": true, "anlage": true, "§": true,
	"chapitre": true, "annexe": true, "partie": true, "articolo": true, "capitolo": true, "allegato": true, "artículo": true, "capítulo": true, "anexo": true,
}

// Bounds of a line that designates a part.
const (
	longestDesignation = 100 // characters
	leastDesignations  = 2   // parts that are designated alike: one alone may be a reference
)

// A designation is how the title of a part begins: "NOTE 2 — LEASES".
type designation struct{ word, number string }

// designation returns how a block numbers the part whose title it is. ok is false if it is no such title.
func (b *textBlock) designation() (d designation, ok bool) {
	lines := shown(b.lines)
	if b.kind != "" || b.item || len(lines) == 0 || len(lines) > maxHeadingLines || lines[len(lines)-1].leadsToPage() || isSentence(lines) {
		return designation{}, false
	}
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.text())
	}
	words := strings.Fields(strings.Join(texts, " "))
	length := 0
	for _, w := range words {
		length += utf8.RuneCountInString(w) + 1
	}
	if len(words) < 3 || length > longestDesignation || strings.HasSuffix(words[len(words)-1], ".") || strings.HasSuffix(words[len(words)-1], ",") {
		return designation{}, false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	d = designation{strings.ToLower(words[0]), strings.Trim(words[1], ".:()–—-")}
	if unicode.IsLower(first) || !designated[d.word] || !isPartNumber(d.number) {
		return designation{}, false
	}
	// What follows is a title: it begins with a capital letter. A sentence about the part has a verb there.
	title := strings.TrimLeftFunc(strings.Join(words[2:], " "), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	letter, _ := utf8.DecodeRuneInString(title)
	if title == "" || unicode.IsLower(letter) {
		return designation{}, false
	}
	return d, true
}

// isPartNumber reports whether a word is the number of a part: "2", "1A", "4.2", "IV", "B".
func isPartNumber(word string) bool {
	if word == "" || len(word) > 6 {
		return false
	}
	if word[0] >= '0' && word[0] <= '9' {
		return true
	}
	return len(word) == 1 && word[0] >= 'A' && word[0] <= 'Z' || strings.Trim(word, "IVXLC") == ""
}

// addDesignated adds the titles that number the parts of a document to its headings, although their
// type is the text's. They are above headings in bold type of the text's size. Titles that follow each other are a
// list, such as a table of contents.
func addDesignated(pages []pageLayout, body float64, sizes map[*textBlock]float64) {
	found := make(map[*textBlock]designation)
	parts := make(map[string]map[string]bool)
	for i := range pages {
		var last *textBlock // with text
		word := ""          // with which that begins
		for j := range pages[i].blocks {
			b := &pages[i].blocks[j]
			if len(shown(b.lines)) == 0 {
				continue
			}
			d, ok := b.designation()
			if ok && d.word != word {
				found[b] = d
			} else if ok {
				delete(found, last)
			}
			last, word = b, d.word
		}
	}
	for _, d := range found {
		if parts[d.word] == nil {
			parts[d.word] = make(map[string]bool)
		}
		parts[d.word][d.number] = true
	}
	for b, d := range found {
		if len(parts[d.word]) >= leastDesignations {
			sizes[b] = max(sizes[b], math.Round(body*2)/2+0.25)
		}
	}
}
