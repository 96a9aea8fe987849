package retrieval

import (
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A glossary is an index that can tell whether a term stands in a collection. One
// behind a network need not: each question would cost a round trip more.
type glossary interface {
	Knows(tenant assistants.TenantID, collections []assistants.CollectionID, term string) bool
}

// known puts in the place of words that no passage has those that they may mean,
// if passages have those. For long words that readers make up themselves would
// weigh most of all as missing.
func (w *run) known(a ask) []string {
	index, ok := w.search.(glossary)
	if !ok {
		return a.terms
	}
	return lexical.AskedTerms(a.text, a.terms, func(term string) bool { return index.Knows(w.q.Tenant, w.q.Collections, term) })
}

// shareKnown is how many of the terms passages have, whole or in parts, 0–1: half,
// when the index cannot tell.
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

// weightOfNames is the least weight of words, if they have any, when a question
// names a number that stands in the documents. To a model one invoice is like the
// other. An index that cannot tell leaves the weight as it is.
const weightOfNames = 0.6

// names reports whether one of the terms is a number, or a name with one, that a
// passage has: of a year's length, for smaller ones stand everywhere.
func (w *run) names(terms []string) bool {
	index, ok := w.search.(glossary)
	return ok && slices.ContainsFunc(terms, func(term string) bool {
		return len(term) >= 3 && strings.ContainsAny(term, "0123456789") && index.Knows(w.q.Tenant, w.q.Collections, term)
	})
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
