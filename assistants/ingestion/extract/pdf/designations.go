package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// designated are the words with which documents number their parts, in lower case.
var designated = map[string]bool{
	"note": true, "item": true, "article": true, "section": true, "chapter": true, "part": true, "appendix": true, "annex": true, "schedule": true, "clause": true,
	"artikel": true, "abschnitt": true, "kapitel": true, "teil": true, "anhang": true, "anlage": true, "§": true,
	"chapitre": true, "annexe": true, "partie": true, "articolo": true, "capitolo": true, "allegato": true, "artículo": true, "capítulo": true, "anexo": true,
}

// Bounds of a line that designates a part.
const (
	longestDesignation = 100 // characters
	leastDesignations  = 2   // parts that are designated alike: one alone may be a reference
	leastBelow         = 60  // characters of the text below it
)

// A designation is how the title of a part begins: "NOTE 2 — LEASES".
type designation struct{ word, number string }

// designation returns how a block numbers the part whose title it is. ok is false if it is no such title.
func (b *textBlock) designation() (d designation, ok bool) {
	lines := shown(b.lines)
	if b.kind != "" || b.item || len(lines) == 0 || len(lines) > maxHeadingLines || lines[len(lines)-1].leadsToPage() || isSentence(lines) {
		return designation{}, false
	}
	words := strings.Fields(textOf(lines))
	length := 0
	for _, w := range words {
		length += utf8.RuneCountInString(w) + 1
	}
	if len(words) < 3 || length > longestDesignation || strings.ContainsAny(words[len(words)-1][len(words[len(words)-1])-1:], ".,:;?") {
		return designation{}, false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	d = designation{strings.ToLower(words[0]), strings.Trim(words[1], ".:()–—-")}
	if unicode.IsLower(first) || !designated[d.word] || !isPartNumber(d.number) {
		return designation{}, false
	}
	if slices.ContainsFunc(words[2:], func(w string) bool { return designated[strings.ToLower(w)] }) {
		return designation{}, false // two titles, or a reference
	}
	if (d.word == "§" || d.word == "artikel") && len(words) == 3 && isLaw(words[2]) {
		return designation{}, false
	}
	return d, isPartName(words[2:])
}

// isPartName reports whether words after a number name the part: they begin with a capital letter.
func isPartName(words []string) bool {
	for _, w := range words {
		if letters := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }); letters != "" {
			first, _ := utf8.DecodeRuneInString(letters)
			return !unicode.IsLower(first) && !lawParts[strings.ToLower(letters)]
		}
	}
	return false
}

// isLaw reports whether a word is the short name of a law: "BUrlG", "BGB".
func isLaw(word string) bool {
	const longest = 8
	capitals := 0
	for _, r := range word {
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals > 1 && utf8.RuneCountInString(word) <= longest
}

// lawParts are the parts of a section that a reference names.
var lawParts = map[string]bool{"abs": true, "absatz": true, "satz": true, "nr": true}

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

// addDesignated adds the titles that number the parts of a document to its headings, whatever their type is. Text is
// below them, or a heading: titles that follow each other are a list, such as a table of contents.
func addDesignated(pages []pageLayout, body float64, sizes map[*textBlock]float64) {
	found := make(map[*textBlock]designation)
	parts := make(map[string]map[string]bool)
	for i := range pages {
		var above, title *textBlock // with text; title is one that may be a heading
		var last designation        // that of above
		for j := range pages[i].blocks {
			b := &pages[i].blocks[j]
			if len(shown(b.lines)) == 0 {
				continue
			}
			if title != nil && !b.isBelowTitle(sizes) {
				delete(found, title)
			}
			title = nil
			d, ok := b.designation()
			if ok && (above == nil || last.word != d.word) && !b.isFoot() && !b.isAddress() {
				title, found[b] = b, d
			}
			above, last = b, d
		}
		delete(found, title) // nothing is below it
	}
	for _, d := range found {
		if parts[d.word] == nil {
			parts[d.word] = make(map[string]bool)
		}
		parts[d.word][d.number] = true
	}
	for b, d := range found {
		if _, known := sizes[b]; !known && len(parts[d.word]) >= leastDesignations {
			sizes[b] = math.Round(body*2) / 2
		}
	}
}

// isBelowTitle reports whether a block may stand below the title of a part: a heading, a table or text of some length.
func (b *textBlock) isBelowTitle(sizes map[*textBlock]float64) bool {
	if _, heading := sizes[b]; heading || b.kind != "" {
		_, listed := b.designation()
		return !listed
	}
	length := 0
	for _, l := range shown(b.lines) {
		length += len(l.chars)
	}
	return length >= leastBelow
}
