package retrieval

import (
	"math"
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

// trust is how much the vectors of a question's models are worth, each 0–1 and
// together at most 1. What they are not is left to the question's words.
type trust struct {
	first, second float64
	wordless      bool // no passage has any of the words
}

// trustOf weighs the models of a question. The first compares only what it knows:
// nine words of ten of an English question and two of three of a German one,
// which it compares hardly better than by chance; hence the power. A second one,
// which knows other languages but each less well, gets a share of what that
// leaves, and the more of it the smaller the share of the question's terms that
// passages have: then they are probably of another language, and when next to
// none is known the first has nothing to compare either, however well it knows
// the question. All of it was measured on the gold set.
func trustOf(v assistants.QueryVector, known func() float64) trust {
	t := trust{first: 1}
	if v.Fit < 1 {
		fit := max(v.Fit, 0)
		t.first = fit * fit * fit
	}
	if v.Split > 0 {
		const least, few = 0.4, 0.3
		share := known()
		t.first *= min(1, share/few)
		t.second, t.wordless = (1-t.first)*(1-(1-least)*share), share == 0
	}
	return t
}

// weightOfText is the weight of words beside what the models are trusted with.
// Words that no passage has would only make every passage look worse, to a
// second model that knows what they mean in the language of the passages.
func (t trust) weightOfText(weight float64) float64 {
	if t.wordless && weight < 1 {
		weight = 0
	}
	return weight + (1-weight)*(1-t.first-t.second)
}

// mix brings the parts of a question's vector to what each is trusted with, and
// the calibration to what cosines with the result mean. The vectors of passages
// have both parts at half their square: the cosine of a part in the passage's
// whole is that of the models by √½. It returns what it got when there is
// nothing to mix.
func (t trust) mix(v assistants.QueryVector, c assistants.Calibration) ([]float32, assistants.Calibration) {
	length := math.Hypot(t.first, t.second)
	if v.Split == 0 || length == 0 {
		return v.Vector, c
	}
	mixed := make([]float32, len(v.Vector))
	for i, x := range v.Vector {
		part := t.first
		if i >= v.Split {
			part = t.second
		}
		mixed[i] = float32(float64(x) * math.Sqrt2 * part / length)
	}
	scale := (t.first + t.second) / (math.Sqrt2 * length)
	return mixed, assistants.Calibration{Low: c.Low * scale, High: c.High * scale}
}
