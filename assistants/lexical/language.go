package lexical

import "strings"

// A language is one by whose rules words are stemmed and whose function words
// are known.
type language int

const (
	languageEnglish language = iota
	languageGerman
	languageFrench
	languageItalian
	languageSpanish
	languagePortuguese
	languageDutch
	languages
)

// A tally counts for each language how much of a text's small words is its own.
type tally [languages]float64

// smallWords tells by a folded word how much it speaks for which language. A word
// of several languages speaks for each of them so much less, and one that may be
// the subject of another language ("large") less than one that joins words.
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

// best is the language that most speaks for, English if none or several do.
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

// A tongues is a set of languages.
type tongues uint8

func (s tongues) has(l language) bool { return s&(1<<l) != 0 }

const everyTongue = tongues(1<<languages - 1)

// enoughSmall is how many small words it takes to tell the language of a text.
const enoughSmall = 3

// written tells the languages that a document's text is written in: the one that
// most speaks for, and each that half as much speaks for. Of a caption, a name or
// a table, where nothing tells, they are all of them.
func (t tally) written() tongues {
	l, _ := t.best()
	if t[l] < enoughSmall {
		return everyTongue
	}
	var s tongues
	for other := range languages {
		if t[other] >= t[l]/2 {
			s |= 1 << other
		}
	}
	return s
}

// detect tells the language of a question from its small words and, when they
// do not decide, from the shape of its words.
func detect(ws []word) language {
	l, alone := tallyOf(ws).best()
	if alone {
		return l
	}
	for _, w := range ws {
		if w.kind == kindWord && looksGerman(w.text) {
			return languageGerman
		}
	}
	return l
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
