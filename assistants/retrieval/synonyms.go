package retrieval

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Synonyms reword a question: "capex" becomes "purchases of property, plant and
// equipment". Passages are searched for by the words of every wording, and the best one
// counts.

// maxWordings is the largest number of wordings that synonyms add to a question.
const maxWordings = 8

// A thesaurus finds the phrases of synonyms in a text.
type thesaurus struct {
	number  uint64   // tells it from all others
	lines   []string // that it was made from
	english map[string][]*entry
	german  map[string][]*entry
}

// An entry is a phrase of a question and what it may stand for.
type entry struct {
	words []lexical.PhraseWord
	to    []string
}

var thesaurusNumbers atomic.Uint64

// newThesaurus reads lines of synonyms. Lines that cannot be read are left out: the API
// refuses them, so they come from another version.
func newThesaurus(lines []string) *thesaurus {
	t := &thesaurus{number: thesaurusNumbers.Add(1), lines: lines, english: map[string][]*entry{}, german: map[string][]*entry{}}
	entries := map[string]*entry{}
	for _, line := range lines {
		s, err := assistants.ParseSynonym(line)
		if err != nil {
			continue
		}
		for _, from := range s.From {
			words := lexical.PhraseWords(from)
			if len(words) == 0 {
				continue // it would be found everywhere
			}
			key := strings.Builder{}
			for _, w := range words {
				key.WriteString(w.English + " ")
			}
			e := entries[key.String()]
			if e == nil {
				e = &entry{words: words}
				entries[key.String()] = e
				t.english[words[0].English] = append(t.english[words[0].English], e)
				t.german[words[0].German] = append(t.german[words[0].German], e)
			}
			for _, to := range s.To {
				if to != from && !slices.Contains(e.to, to) {
					e.to = append(e.to, to)
				}
			}
		}
	}
	return t
}

// A swap is a part of a question that has synonyms.
type swap struct {
	start, end int // in bytes
	to         []string
}

// find returns the phrases in the words of a text. They may overlap.
func (t *thesaurus) find(words []lexical.PhraseWord) (found []swap) {
	for i, w := range words {
		entries := t.english[w.English]
		for _, e := range t.german[w.German] {
			if !slices.Contains(entries, e) {
				entries = append(slices.Clip(entries), e)
			}
		}
		for _, e := range entries {
			if e.begins(words[i:]) {
				found = append(found, swap{w.Start, words[i+len(e.words)-1].End, e.to})
			}
		}
	}
	return found
}

// begins reports whether words begin with the phrase.
func (e *entry) begins(words []lexical.PhraseWord) bool {
	if len(words) < len(e.words) {
		return false
	}
	english, german := true, true
	for i, w := range e.words {
		english = english && w.English == words[i].English
		german = german && w.German == words[i].German
	}
	return english || german
}

// thesauri keeps what was made of lines, by their hash.
type thesauri struct{ recent[*thesaurus] }

func (t *thesauri) of(lines []string) *thesaurus {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, line := range lines {
		h.WriteString(line)
		h.WriteByte('\n')
	}
	key := h.Sum(nil)
	if known, ok := t.get(key); ok && slices.Equal(known.lines, lines) {
		return known
	}
	made := newThesaurus(lines)
	t.put(key, made)
	return made
}

// thesauriOf returns the synonyms of a query and of the collections that it searches.
func (w *run) thesauriOf(t spaceSet) []*thesaurus {
	var all []*thesaurus
	if len(w.q.Synonyms) > 0 {
		all = append(all, w.thesauri.of(w.q.Synonyms))
	}
	for _, c := range t.collections {
		if len(c.Synonyms) > 0 {
			all = append(all, w.thesauri.of(c.Synonyms))
		}
	}
	for _, name := range w.q.Packs {
		if pack := packs()[name]; pack != nil {
			all = append(all, pack)
		}
	}
	return all
}

// swapsIn returns the phrases in a text that have synonyms, in order. Of phrases that
// overlap the longest stays.
func swapsIn(text string, all []*thesaurus) (swaps []swap) {
	if len(all) == 0 {
		return nil
	}
	words := lexical.PhraseWords(text)
	var found []swap
	for _, t := range all {
		found = append(found, t.find(words)...)
	}
	slices.SortStableFunc(found, func(a, b swap) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
	for _, s := range found {
		i := slices.IndexFunc(swaps, func(o swap) bool { return s.start < o.end && o.start < s.end })
		switch {
		case i < 0:
			swaps = append(swaps, s)
		case swaps[i].start == s.start && swaps[i].end == s.end:
			swaps[i].to = append(slices.Clip(swaps[i].to), s.to...)
		}
	}
	slices.SortFunc(swaps, func(a, b swap) int { return cmp.Compare(a.start, b.start) })
	return swaps
}

// An Addition is a phrase of a question and what was searched for in its place, too.
type Addition struct {
	Phrase string   `json:"phrase"`
	Added  []string `json:"added"`
}

// Worded returns a question in the words of the documents: with the first addition in
// place of each phrase.
func (t Trace) Worded(question string) string {
	for _, s := range t.Synonyms {
		question = strings.Replace(question, s.Phrase, s.Added[0], 1)
	}
	return question
}

// reworded returns other wordings of a subquery, and what they replace. usable says
// whether terms that a wording brings can find anything.
func (a subquery) reworded(swaps []swap, usable func(terms []string) bool) (list []subquery, added []Addition) {
	texts := []string{""}
	end := 0
	for _, s := range swaps {
		phrase := a.text[s.start:s.end]
		options := []string{phrase}
		for _, to := range s.to {
			brought := slices.DeleteFunc(lexical.QueryTerms(a.text[:s.start]+to+a.text[s.end:]), func(term string) bool { return slices.Contains(a.terms, term) })
			if len(brought) > 0 && usable(brought) && !slices.Contains(options, to) {
				options = append(options, to)
			}
		}
		if len(options) > 1 {
			added = append(added, Addition{phrase, options[1:]})
		}
		var longer []string
		for _, option := range options {
			for _, text := range texts {
				if len(longer) <= maxWordings {
					longer = append(longer, text+a.text[end:s.start]+option)
				}
			}
		}
		texts, end = longer, s.end
	}
	for _, text := range texts[1:] { // the first one is the question
		text += a.text[end:]
		list = append(list, subquery{text: text, terms: lexical.QueryTerms(text)})
	}
	return list, added
}

// addWordings adds the wordings of a subquery to a search, and notes them.
func (w *run) addWordings(s *assistants.Search, a subquery) {
	swaps := swapsIn(a.text, w.synonyms)
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
