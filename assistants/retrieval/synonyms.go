package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Synonyms reword a question: "capex" becomes "purchases of property, plant and
// equipment". Passages are searched for by the words of every wording, and the best one
// counts.

// Bounds of what synonyms add to a question.
const (
	maxWordings = 8
	maxSwaps    = 8
	// besideSwap is how many words before and after a swap are read to find its language.
	besideSwap = 8
)

// A swap is a phrase of a question that has synonyms, wherever it stands.
type swap struct {
	places  []extent
	context extent // the first place with the words before and after it
	to      []string
}

// An extent is a part of a text, in bytes.
type extent struct{ start, end int }

func (p extent) of(text string) string { return text[p.start:p.end] }

// A stretch is a part of a text, in words.
type stretch struct {
	first, n int
	to       []string
}

// swapsIn returns the first phrases in a text that have synonyms, in order: first those that
// people have set, then those that were learned. Of phrases that overlap the longest stays.
func swapsIn(text string, set []*thesaurus, learned *thesaurus) []swap {
	if len(set) == 0 && learned == nil {
		return nil
	}
	words := lexical.PhraseWords(text)
	taken := make([]bool, len(words))
	found := apart(text, words, set, taken)
	if learned != nil {
		found = append(found, apart(text, words, []*thesaurus{learned}, taken)...)
	}
	placeOf := func(first, n int) extent { return extent{words[first].Start, words[first+n-1].End} }
	var swaps []swap
	var same [][]lexical.PhraseWord // by swap: the words of the phrase
	for _, s := range found {
		phrase := words[s.first : s.first+s.n]
		i := slices.IndexFunc(same, func(other []lexical.PhraseWord) bool {
			return slices.EqualFunc(phrase, other, func(a, b lexical.PhraseWord) bool { return a.English == b.English })
		})
		switch {
		case i >= 0:
			swaps[i].places = append(swaps[i].places, placeOf(s.first, s.n))
		case len(swaps) < maxSwaps:
			from, to := max(0, s.first-besideSwap), min(len(words), s.first+s.n+besideSwap)
			swaps = append(swaps, swap{[]extent{placeOf(s.first, s.n)}, placeOf(from, to-from), s.to})
			same = append(same, phrase)
		}
	}
	return swaps
}

// apart returns the phrases in the words of a text that do not overlap and are not taken, in
// order, and takes their words.
func apart(text string, words []lexical.PhraseWord, all []*thesaurus, taken []bool) (kept []stretch) {
	var found []stretch
	for i := range words {
		s := stretch{first: i}
		for _, t := range all {
			switch n, to := t.longest(text, words[i:]); {
			case n > s.n:
				s.n, s.to = n, to
			case n > 0 && n == s.n:
				s.to = joined(s.to, to)
			}
		}
		if s.n > 0 {
			found = append(found, s)
		}
	}
	length := func(s stretch) int { return words[s.first+s.n-1].End - words[s.first].Start }
	slices.SortStableFunc(found, func(a, b stretch) int { return cmp.Compare(length(b), length(a)) })
	for _, s := range found {
		if part := taken[s.first : s.first+s.n]; !slices.Contains(part, true) {
			for i := range part {
				part[i] = true
			}
			kept = append(kept, s)
		}
	}
	slices.SortFunc(kept, func(a, b stretch) int { return cmp.Compare(a.first, b.first) })
	return kept
}

// An Addition is a phrase of a question and what was searched for in its place, too.
type Addition struct {
	Phrase string   `json:"phrase"`
	Added  []string `json:"added"`
}

// reworded returns other wordings of a subquery, and what they replace. usable says
// whether terms that a wording brings can find anything.
func (a subquery) reworded(swaps []swap, usable func(terms []string) bool) (list []subquery, added []Addition) {
	choices := [][]string{nil} // by swap: what stands in its places, "" for the phrase itself
	for _, s := range swaps {
		options := append([]string{""}, a.optionsOf(s, usable)...)
		if len(options) > 1 {
			added = append(added, Addition{s.places[0].of(a.text), options[1:]})
		}
		var longer [][]string
		for _, option := range options {
			for _, choice := range choices {
				if len(longer) <= maxWordings {
					longer = append(longer, append(slices.Clip(choice), option))
				}
			}
		}
		choices = longer
	}
	for _, choice := range choices[1:] { // the first one is the question
		text := a.with(swaps, choice)
		list = append(list, subquery{text: text, terms: lexical.QueryTerms(text)})
	}
	return list, added
}

// optionsOf returns what may stand in place of a phrase and brings terms.
func (a subquery) optionsOf(s swap, usable func(terms []string) bool) (options []string) {
	phrase := s.places[0]
	before, after := a.text[s.context.start:phrase.start], a.text[phrase.end:s.context.end]
	there := append(lexical.QueryTerms(s.context.of(a.text)), a.terms...)
	for _, to := range s.to {
		brought := slices.DeleteFunc(lexical.QueryTerms(before+to+after), func(term string) bool { return slices.Contains(there, term) })
		if len(brought) > 0 && usable(brought) && to != phrase.of(a.text) {
			options = append(options, to)
		}
	}
	return options
}

// with returns the text with the choices in the places of the swaps.
func (a subquery) with(swaps []swap, choice []string) string {
	type edit struct {
		extent
		text string
	}
	var edits []edit
	for i, s := range swaps {
		for _, p := range s.places {
			if choice[i] != "" {
				edits = append(edits, edit{p, choice[i]})
			}
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	end := 0
	for _, e := range edits {
		b.WriteString(a.text[end:e.start])
		b.WriteString(e.text)
		end = e.end
	}
	b.WriteString(a.text[end:])
	return b.String()
}

// addWordings adds the wordings of a subquery to a search, and notes them.
func (w *run) addWordings(s *assistants.Search, a subquery) {
	swaps := swapsIn(a.text, w.synonyms, w.learned)
	if len(swaps) == 0 {
		return
	}
	usable := func([]string) bool { return true }
	if index, ok := w.search.(glossary); ok {
		usable = func(terms []string) bool {
			return !slices.ContainsFunc(terms, func(term string) bool { return !index.Knows(w.q.Tenant, w.q.Collections, term) })
		}
	}
	list, added := a.reworded(swaps, usable)
	for _, other := range list {
		s.Wordings = append(s.Wordings, w.knownTerms(other))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, addition := range added {
		if !slices.ContainsFunc(w.trace.Synonyms, func(known Addition) bool { return known.Phrase == addition.Phrase }) {
			w.trace.Synonyms = append(w.trace.Synonyms, addition)
		}
	}
}
