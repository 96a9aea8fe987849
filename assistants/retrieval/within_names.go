package retrieval

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/lexical"
)

// A document is often named by whom it is about: "the Supply Agreement between Corvane and Ostrava Paper
// Mills". Not all of these words stand in its name or its opening. They are in one phrase
// with words that do, and have capital letters.

// leastNaming is how many words of a phrase must name the document for the others to do so, too.
const leastNaming = 2

// joining are small words inside of phrases that name something.
var joining = lexical.Set("between and of the & entre et de du des la le les y e di del della tra fra")

// A spokenWord is a word of a question as it stands there.
type spokenWord struct {
	text    string
	terms   []string // that the question is searched by
	capital bool     // it has a capital letter that does not begin a sentence
}

// isOf reports whether a word has terms, and all of them are among some.
func (w spokenWord) isOf(some map[string]bool) bool {
	return len(w.terms) > 0 && len(without(w.terms, some)) == 0
}

// words returns the words of a question.
func (a subquery) words() []spokenWord {
	terms, end, begins := lexical.Terms(a.text), 0, true
	var words []spokenWord
	for text := range strings.FieldsSeq(a.text) {
		end += strings.Index(a.text[end:], text) + len(text)
		w := spokenWord{text: text}
		for ; len(terms) > 0 && terms[0].Start < end; terms = terms[1:] {
			if term := terms[0].Text; slices.Contains(a.terms, term) {
				w.terms = append(w.terms, term)
			}
		}
		letters := strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, first := range letters {
			w.capital = unicode.IsUpper(first) && !begins
			break
		}
		begins = strings.ContainsRune(".?!:", rune(text[len(text)-1]))
		words = append(words, w)
	}
	return words
}

// withNames returns the terms that name documents, and those of words with capital letters in the
// same phrase. In German all nouns have capital letters, and in a title all words, so these say nothing.
func (a subquery) withNames(naming map[string]bool) map[string]bool {
	words := a.words()
	capitals := 0
	for _, w := range words {
		if w.capital {
			capitals++
		}
	}
	if len(a.terms) < sayingMuch || 4*capitals > 3*len(words) || lexical.Language(a.text) == "de" {
		return naming
	}
	all := maps.Clone(naming)
	for start := 0; start < len(words); {
		end, known := start, 0
		for ; end < len(words); end++ {
			w := words[end]
			isKnown := w.isOf(naming)
			joins := end > start && len(w.terms) == 0 && joining[strings.ToLower(w.text)]
			if !isKnown && !w.capital && !joins {
				break
			}
			if isKnown {
				known++
			}
		}
		if known >= leastNaming {
			for _, w := range words[start:end] {
				for _, term := range w.terms {
					all[term] = true
				}
			}
		}
		start = max(end, start+1)
	}
	return all
}
