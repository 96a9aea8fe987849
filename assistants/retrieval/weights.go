package retrieval

import (
	"regexp"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A glossary is an index that knows which terms its collections contain. An index
// behind a network need not implement it: it would cost a round trip per question.
type glossary interface {
	Knows(tenant assistants.TenantID, collections []assistants.CollectionID, term string) bool
}

// knownTerms returns the terms of a search. A word that no passage contains is
// replaced by words it may mean that passages do contain: a long word that the
// reader made up would otherwise have the largest weight.
func (w *run) knownTerms(a subquery) []string {
	index, ok := w.search.(glossary)
	if !ok {
		return a.terms
	}
	return lexical.AskedTerms(a.text, a.terms, func(term string) bool { return index.Knows(w.q.Tenant, w.q.Collections, term) })
}

// acronym matches an abbreviation in capitals. A name with a number is none: what it
// stands for is what the question is about.
var acronym = regexp.MustCompile(`\b(?:\p{Lu}{2,6}|FY ?\d\d)\b`)

// fewestBeside is how many other terms a question with an unknown acronym needs.
const fewestBeside = 2

// withoutUnknownAcronyms returns a plan without the acronyms that no passage contains. ok
// reports whether there are some, and passages contain all other terms. A question of
// which passages lack more is about something else.
func (w *run) withoutUnknownAcronyms(p plan) (fewer plan, ok bool) {
	index, isGlossary := w.search.(glossary)
	if !isGlossary {
		return p, false
	}
	knows := func(term string) bool { return index.Knows(w.q.Tenant, w.q.Collections, term) }
	fewer = p
	fewer.list = slices.Clone(p.list)
	for i := range fewer.list {
		a := &fewer.list[i]
		short := lexical.QueryTerms(strings.Join(acronym.FindAllString(a.text, -1), " "))
		left := slices.DeleteFunc(slices.Clone(a.terms), func(term string) bool { return slices.Contains(short, term) && !knows(term) })
		unknown := slices.ContainsFunc(left, func(term string) bool { return !knows(term) })
		if len(left) < len(a.terms) && len(left) >= fewestBeside && !unknown {
			a.terms, ok = left, true
		}
	}
	return fewer, ok
}

// shareKnown returns the share of the terms that passages contain, whole or in
// parts, 0–1. It is half when the index is not a glossary.
func (w *run) shareKnown(terms []string) float64 {
	index, ok := w.search.(glossary)
	if !ok {
		return 0.5
	}
	if len(terms) == 0 {
		return 1
	}
	knows := func(term string) bool { return index.Knows(w.q.Tenant, w.q.Collections, term) }
	found := 0
	for _, term := range terms {
		if knows(term) || lexical.Parts(term, knows) != nil {
			found++
		}
	}
	return float64(found) / float64(len(terms))
}

// minNumberWeight is the least weight of words for a question with a number that the
// documents contain, unless the setting is 0. Embedding models hardly distinguish
// numbers, such as those of two invoices. If the index is not a glossary, the weight
// stays as it is.
const minNumberWeight = 0.6

// namesNumber reports whether one of the terms is a number, or a name with a number,
// that passages contain. Shorter numbers and years are too common to count.
func (w *run) namesNumber(terms []string) bool {
	index, ok := w.search.(glossary)
	return ok && slices.ContainsFunc(terms, func(term string) bool {
		return len(term) >= 3 && strings.ContainsAny(term, "0123456789") && !(isNumber(term) && isYear(term)) && index.Knows(w.q.Tenant, w.q.Collections, term)
	})
}

// weighNumbers gives the words of a search at least that weight, if one of them is such a number.
func (w *run) weighNumbers(s *assistants.Search) {
	if s.TextWeight > 0 && w.namesNumber(s.Terms) {
		s.TextWeight = max(s.TextWeight, minNumberWeight)
	}
}

// weigh puts the vector of a question into a search, adapted to the documents, and
// shares the score's weight between the vector and the words.
func (w *run) weigh(s *assistants.Search, v assistants.QueryVector, calibration assistants.Calibration, terms func() []string) {
	text := w.q.TextWeight
	if v.Adapt != nil {
		share := w.shareKnown(terms())
		v = v.Adapt(share)
		// Words that no passage has would only lower every passage's score. A vector
		// that adapts knows what they mean in the language of the passages.
		if share == 0 && text < 1 {
			text = 0
		}
	}
	trust := min(max(v.Trust, 0), 1)
	s.Space, s.Vector, s.Calibration = v.Space, v.Vector, v.Calibration(calibration)
	s.TextWeight = text + (1-text)*(1-trust)
}
