package lexical

import "strings"

// A tally counts, for each language, how many of a text's small words it has.
type tally [languages]float64

// smallWords maps folded words to what they count for each language. A word of
// several languages counts less for each. A word that may be a noun in another
// language ("large") counts less than a function word.
var smallWords = func() map[string]tally {
	out := map[string]tally{}
	add := func(words map[string]bool, l language, worth float64) {
		for w := range words {
			t := out[w]
			t[l] = worth
			out[w] = t
		}
	}
	for l := range languages {
		add(askingWords[l], l, 0.5)
		add(functionIn[l], l, 1)
	}
	for w, t := range out {
		sum, most := 0.0, 0.0
		for _, worth := range t {
			sum, most = sum+worth, max(most, worth)
		}
		for l := range t {
			t[l] *= most / sum
		}
		out[w] = t
	}
	return out
}()

// tallyOf counts the small words of a text.
func tallyOf(ws []word) (t tally) {
	for _, w := range ws {
		if w.kind != kindWord {
			continue
		}
		if of, ok := smallWords[w.text]; ok {
			for l, n := range of {
				t[l] += n
			}
		}
	}
	return t
}

// best returns the language that counts most; English if none does. alone is false
// if several count the same.
func (t tally) best() (l language, alone bool) {
	alone = t[l] > 0
	for other := languageEnglish + 1; other < languages; other++ {
		switch {
		case t[other] > t[l]:
			l, alone = other, true
		case t[other] == t[l]:
			alone = false
		}
	}
	return l, alone
}

// enoughSmall is how many small words decide the language of a text.
const enoughSmall = 3

// languages returns the languages of a document's text: the one that counts most,
// and each that counts at least half as much. For a caption, a name or a table
// without small words it returns all of them.
func (t tally) languages() languageSet {
	l, _ := t.best()
	if t[l] < enoughSmall {
		return allLanguages
	}
	var s languageSet
	for other := range languages {
		if t[other] >= t[l]/2 {
			s |= 1 << other
		}
	}
	return s
}

// detect returns the language of a question, decided by its small words or, if they
// do not decide, by the endings of its words. isShown is false if neither does.
func detect(ws []word) (l language, isShown bool) {
	l, alone := tallyOf(ws).best()
	if alone {
		return l, true
	}
	for _, w := range ws {
		if w.kind == kindWord && looksGerman(w.text) {
			return languageGerman, true
		}
	}
	return l, false
}

// looksGerman reports whether a folded word has an ending that English lacks.
func looksGerman(word string) bool {
	for _, suffix := range germanSuffixes {
		if len(word) > len(suffix)+2 && strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}
