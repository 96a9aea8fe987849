package retrieval

import (
	"maps"
	"regexp"
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

// abbreviated matches an abbreviation in a name, such as "Dr." and "Inc.".
var abbreviated = regexp.MustCompile(`^\p{Lu}\p{L}{0,3}\.,?$`)

// A spokenWord is a word of a question as it stands there.
type spokenWord struct {
	text    string
	terms   []string // that the question is searched by
	capital bool     // it has a capital letter that does not begin a sentence
	ends    bool     // a comma, the end of a sentence or of a line is behind it
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
		w := spokenWord{text: text, ends: strings.ContainsRune(".?!:,;", rune(text[len(text)-1])) || strings.HasPrefix(a.text[end:], "\n")}
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
		if abbreviated.MatchString(text) {
			w.ends = false
		}
		begins = w.ends && !strings.ContainsAny(text[len(text)-1:], ",;")
		words = append(words, w)
	}
	return words
}

// withNames returns the terms that name documents, and those of words with capital letters in the
// same phrase. In German all nouns have capital letters, and in a title all words, so these say nothing.
func (a subquery) withNames(words []spokenWord, naming map[string]bool) map[string]bool {
	if len(naming) < leastNaming || len(a.terms) < sayingMuch {
		return naming
	}
	if language, _ := lexical.QuestionLanguage(a.text); language == "de" || isTitle(words) {
		return naming
	}
	all := maps.Clone(naming)
	for len(words) > 0 {
		phrase := words[:max(phraseLength(words, naming), 1)]
		words = words[len(phrase):]
		known := 0
		for _, w := range phrase {
			if w.isOf(naming) {
				known++
			}
		}
		if known < leastNaming {
			continue
		}
		for _, w := range phrase {
			for _, term := range w.terms {
				all[term] = true
			}
		}
	}
	return all
}

// phraseLength returns how many words at the beginning are one phrase: those with a capital letter and
// those that name a document, with small words between them. "The Liability of the Supply Agreement" is
// no phrase, but "the Supply Agreement of Corvane" is one: a small word joins a name to what comes before.
func phraseLength(words []spokenWord, naming map[string]bool) int {
	known := false
	for i, w := range words {
		isKnown := w.isOf(naming)
		joins := known && len(w.terms) == 0 && joining[strings.ToLower(w.text)]
		if !isKnown && !w.capital && !joins {
			return i
		}
		if known = known || isKnown; w.ends {
			return i + 1
		}
	}
	return len(words)
}

// isTitle reports whether words are written as in a title: all that a question is searched by have
// capital letters, but for its first word and numbers.
func isTitle(words []spokenWord) bool {
	return !slices.ContainsFunc(words[1:], func(w spokenWord) bool {
		return !w.capital && len(w.terms) > 0 && strings.ContainsFunc(w.text, unicode.IsLower)
	})
}
