package lexical

import "strings"

// Bounds of compounds and their parts, in letters.
const (
	leastCompound = 8
	leastPart     = 4
	// A compound of a question that no passage contains may be shorter
	// ("uhrzeit"). A first part needs leastAlone letters to be searched alone.
	leastAsked = 7
	leastHead  = 3
	leastAlone = 5
)

// linking are the letters that German puts between the parts of a compound.
var linking = []string{"", "s", "n", "en", "es", "er", "e", "ns"}

// separable are the separable prefixes of German verbs.
var separable = strings.Fields(wordLists["german separable prefixes"])

// Parts splits a compound: "spendengeld" into "spend" and "geld", "nachinstalli" into
// "installi". It returns the terms of two known parts, as equal in length as possible,
// or else the known term after a prefix; nil if the term cannot be split. known
// reports which other terms exist.
func Parts(term string, known func(term string) bool) []string {
	if len(term) < leastCompound || !isLetters(term) {
		return nil
	}
	if both := halves(term, leastPart, known); both != nil {
		return both
	}
	for _, prefix := range separable {
		if rest, ok := strings.CutPrefix(term, prefix); ok && len(rest) >= leastPart && known(rest) {
			return []string{rest}
		}
	}
	return nil
}

// AskedParts splits a compound of a question that no passage contains: as [Parts]
// does, else with a first part of three letters ("uhrzeit"), else it returns the
// longest known first part alone ("version" of "versionssprung").
func AskedParts(term string, known func(term string) bool) []string {
	if parts := Parts(term, known); parts != nil || len(term) < leastAsked || !isLetters(term) {
		return parts
	}
	if both := halves(term, leastHead, known); both != nil {
		return both
	}
	for i := len(term) - leastHead; i >= leastAlone; i-- {
		if head, ok := headOf(term[:i], leastAlone, known); ok {
			return []string{head}
		}
	}
	return nil
}

// halves returns the two known parts of a compound that are most equal in length.
func halves(term string, least int, known func(string) bool) []string {
	var best []string
	most := 0
	for i := least; i <= len(term)-leastPart; i++ {
		tail := term[i:] // a stem, as the whole is
		if min(i, len(tail)) <= most || functionWords[tail] || !known(tail) {
			continue
		}
		if head, ok := headOf(term[:i], least, known); ok {
			best, most = []string{head, tail}, min(i, len(tail))
		}
	}
	return best
}

// headOf returns the known stem of a compound's first part, which may end with linking
// letters. least bounds its length without them.
func headOf(text string, least int, known func(string) bool) (stem string, ok bool) {
	for _, link := range linking {
		word, ok := strings.CutSuffix(text, link)
		if !ok || len(word) < least || functionWords[word] {
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
