package retrieval

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"footnote/assistants/lexical"
)

const warnUnmentioned = "No document mentions %s."

// unnamedIn returns the words of a question that look like names and that no document is
// called by or described by: capitalised ones inside of it, or with a possessive ending.
func (x *nameIndex) unnamedIn(question string) []string {
	words, _ := wordsAsked(question)
	var unnamed []string
	for i, w := range words {
		_, size := utf8.DecodeRuneInString(w.text)
		isShort := w.text[size:] != strings.ToLower(w.text[size:]) // an abbreviation
		if !w.capital || isShort || !mayName(words[i:i+1]) {
			continue
		}
		if found, described := x.with(w.part); len(found)+len(described) == 0 && !slices.Contains(unnamed, w.text) {
			unnamed = append(unnamed, w.text)
		}
	}
	return unnamed
}

// unmentioned returns those of some words of a question that no passage has, if passages have
// all its other words: documents in another language than the question lack more of them.
// Words that synonyms stand for count as if passages had them.
func (w *run) unmentioned(unnamed []string, question string, among scope) []string {
	index, ok := w.search.(glossary)
	if !ok {
		return nil
	}
	knows := func(term string) bool { return index.Knows(w.q.Tenant, among.collections, term) }
	lacks := func(term string) bool { return !knows(term) && lexical.Parts(term, knows) == nil }
	isUnknown := func(term string) bool { return !knows(term) }
	if languageOf(question, nil) == german {
		isUnknown = lacks // any noun has a capital letter: a long one may be made of words that passages have
	}
	var words, terms []string
	for _, word := range unnamed {
		of := lexical.QueryTerms(word)
		replaced := slices.ContainsFunc(w.trace.Synonyms, func(a Addition) bool {
			return strings.Contains(strings.ToLower(a.Phrase), strings.ToLower(word))
		})
		if len(of) > 0 && !replaced && !slices.ContainsFunc(of, func(term string) bool { return !isUnknown(term) }) {
			words, terms = append(words, word), append(terms, of...)
		}
	}
	for _, term := range lexical.QueryTerms(question) {
		if !hasDigit(term) && !slices.Contains(terms, term) && lacks(term) {
			return nil
		}
	}
	return words
}

// warnOfUnmentioned warns when a question of a year is about somebody or something that no
// document mentions. The documents of that year are about others.
func (w *run) warnOfUnmentioned(c choice, question string, among scope) {
	asked := withoutInstructions(question)
	if len(c.unnamed) == 0 || !slices.ContainsFunc(piecesOf(asked), isYear) {
		return
	}
	var unnamed []string
	for _, word := range c.unnamed {
		if strings.Contains(asked, word) {
			unnamed = append(unnamed, word)
		}
	}
	if words := w.unmentioned(unnamed, asked, among); len(words) > 0 {
		w.warn(fmt.Sprintf(warnUnmentioned, strings.Join(words, " or ")))
	}
}
