package lexical

import "strings"

// Bounds of compounds and their parts, in letters.
const (
	leastCompound = 8
	leastPart     = 4
)

// linking are what German puts between the parts of a compound.
var linking = []string{"", "s", "n", "en", "es", "er", "e", "ns"}

// separable are what German verbs begin with and, in other sentences, do without.
var separable = strings.Fields(`
zusammen herunter hinunter heraus hinaus herein hinein hinzu weiter wieder nach mit ein aus an ab auf um vor zu her hin weg bei los fest uber unter durch
`)

// Parts takes a compound apart: "spendengeld" is about "spend" and "geld", and
// "nachinstalli" about "installi". It returns the terms of the parts, two that
// share the word as evenly as may be or else what follows a prefix, if they are
// known; nil: it cannot be taken apart. term is a term of a document or a
// question, known says which other terms there are.
func Parts(term string, known func(term string) bool) []string {
	if len(term) < leastCompound || !isLetters(term) {
		return nil
	}
	var best []string
	most := 0
	for i := leastPart; i <= len(term)-leastPart; i++ {
		tail := term[i:] // a stem, as the whole is
		if min(i, len(tail)) <= most || functionWords[tail] || !known(tail) {
			continue
		}
		if head, ok := headOf(term[:i], known); ok {
			best, most = []string{head, tail}, min(i, len(tail))
		}
	}
	if best != nil {
		return best
	}
	for _, prefix := range separable {
		if rest, ok := strings.CutPrefix(term, prefix); ok && len(rest) >= leastPart && known(rest) {
			return []string{rest}
		}
	}
	return nil
}

// headOf is the known stem of a compound's first part, which may end with what
// links it to the next.
func headOf(text string, known func(string) bool) (stem string, ok bool) {
	for _, link := range linking {
		word, ok := strings.CutSuffix(text, link)
		if !ok || len(word) < leastPart || functionWords[word] {
			continue
		}
		if stem := stemWith(stemmers[languageGerman], umlauts(word)); known(stem) {
			return stem, true
		}
	}
	return "", false
}

func isLetters(term string) bool {
	for i := range len(term) {
		if term[i] < 'a' || term[i] > 'z' {
			return false
		}
	}
	return true
}
