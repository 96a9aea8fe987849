package lexical

import (
	"strings"
	"testing"
)

// The texts below are those on which a careless reading takes time in the
// square of the length: about a minute each at this size, so that the test would run
// into its time limit.
func TestHostileTextIsReadInLinearTime(t *testing.T) {
	const size = 256 << 10
	texts := []string{strings.Repeat(".", size) + "a", strings.Repeat(" ", size) + "a."}
	for _, unit := range []string{
		"a", "\r", "\u2028", "a b\n", ".....a", "(a", "A.       ", "1.\u0301", "\u0301", "1,", "ue", "有", "か\u3099", "กี่", "\xff", "ich zuruck ", "ich meldest an, ",
	} {
		texts = append(texts, strings.Repeat(unit, size/len(unit)))
	}
	for _, text := range texts {
		Terms(text)
		AskedTerms(text, QueryTerms(text), func(string) bool { return true })
		Sentences(text)
	}
}
