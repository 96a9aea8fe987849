package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Abbreviations, folded, without their last dot.
var (
	// alwaysContinue are followed by what they introduce, however it is spelt.
	alwaysContinue = Set(wordLists["abbreviations before something"])
	// mayEnd end a sentence when the next word has a capital.
	mayEnd = Set(wordLists["abbreviations at the end"])
)

// continues reports whether a sentence continues after a single dot. before is the
// sentence up to the dot, next the text after the dot and its space.
func continues(before, next string) bool {
	word := lastWord(before)
	if word == "" {
		return false
	}
	folded := strings.TrimLeft(fold(word), "(\"'“„")
	first, _ := utf8.DecodeRuneInString(next)
	switch {
	case alwaysContinue[folded] && !(folded == "no" && !unicode.IsDigit(first)) && !isNameLetter(word):
		return true
	case mayEnd[folded]:
		return !unicode.IsUpper(first) && scriptOf(first) == scriptSpaced
	case isInitial(word):
		// "J. Smith", "John F. Kennedy", but "vitamin C. The".
		previous := lastWord(strings.TrimSuffix(before, word))
		r, _ := utf8.DecodeRuneInString(previous)
		return word != "I" && (previous == "" || unicode.IsUpper(r))
	case isDigits(word):
		// "1. Open the door" at the start of an item; "3. Oktober".
		if strings.TrimSpace(strings.TrimSuffix(before, word)) == "" {
			return true
		}
		next = firstWord(next)
		return len(word) <= 2 && (Month(next) != 0 || ShortMonth(next) != 0)
	}
	return false
}

// isNameLetter reports whether a word is a small letter that usually names a thing
// ("plan s."). Only its capital is an abbreviation ("S. 4", page 4 in German).
func isNameLetter(word string) bool { return word == "s" || word == "v" }

func isInitial(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && unicode.IsUpper(r)
}

func isDigits(word string) bool {
	for i := 0; i < len(word); i++ {
		if word[i] < '0' || word[i] > '9' {
			return false
		}
	}
	return word != ""
}

// maxAbbreviation bounds how far back a dot's word is looked for, so that text
// without spaces is still read in linear time.
const maxAbbreviation = 24

// lastWord is the end of s after its last white space, "" if that is longer
// than any abbreviation.
func lastWord(s string) string {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	tail := s[max(0, len(s)-maxAbbreviation):]
	if i := strings.LastIndexFunc(tail, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(tail[i:])
		return tail[i+size:]
	}
	if len(tail) < len(s) {
		return ""
	}
	return s
}

func firstWord(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}
