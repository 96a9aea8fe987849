package lexical

import "unicode/utf8"

// A Term is a term of a text and the half-open range of bytes it was made from.
// Several terms may come from one word, and ranges may overlap.
type Term struct {
	Text       string
	Start, End int
}

// maxWord bounds a word in bytes. Longer ones, such as keys and encoded pictures, are
// cut.
const maxWord = 64

// kind is what a word consists of.
type kind int

const (
	kindWord   kind = iota // letters, possibly with digits after them
	kindNumber             // a number in normal form
	kindRun                // characters of a script without spaces
)

// A word is a stretch of text between boundaries, before stemming. The text of
// a run is as it stands in the document; other texts are folded.
type word struct {
	text       string
	start, end int
	kind       kind
	script     script
}

// cut shortens a word to maxWord bytes, between characters.
func cut(s string) string {
	if len(s) <= maxWord {
		return s
	}
	n := maxWord
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
