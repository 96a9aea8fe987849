package lexical

import (
	"strings"
	"testing"
)

// The texts below are those on which a careless reading takes time in the
// square of the length: hours at this size, so that the test would not end.
func TestHostileTextIsReadInLinearTime(t *testing.T) {
	const size = 128 << 10
	texts := []string{strings.Repeat(".", size) + "a", strings.Repeat(" ", size) + "a."}
	for _, unit := range []string{
		"a", " ", "\n", "\r", "\f", "\u2028", "a\u2028", "\r a", "a b\n", "A\n", "- ", "1.", "1,", "1. ", "A. ", ".....a", ".\"", "(a",
		"\u0301", "a\u0301", "1.\u0301", "a\u200d.", "a'", "a_", "😀", "\U0001F1E9", "有", "は", "か\u3099", "กี่", "\u1100", "ﷺ", "\xff",
		"ue", "\u05d0\"", "A.       ", "a:", "ﾞ",
	} {
		texts = append(texts, strings.Repeat(unit, size/len(unit)))
	}
	for _, text := range texts {
		Terms(text)
		QueryTerms(text)
		Sentences(text)
	}
}
