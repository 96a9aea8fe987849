package retrieval

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A thesaurus finds the phrases of synonyms in a text. It is a tree of their words, with a
// branch for the stems of either language.
type thesaurus struct {
	number uint64   // each thesaurus has its own
	lines  []string // that it was made from
	next   map[step]int
	to     [][]string // by node: what the phrase that ends there may stand for
	// written are the only forms, by node, in which a phrase is looked for; none for a node:
	// in every form.
	written map[int][]string
}

// A step leads from a node to the next one by a word.
type step struct {
	node int
	word string
}

// The roots of the branches.
const (
	byEnglish = iota
	byGerman
	branches
)

func wordOn(branch int, w lexical.PhraseWord) string {
	if branch == byGerman {
		return w.German
	}
	return w.English
}

var thesaurusNumbers atomic.Uint64

// newThesaurus reads lines of synonyms. Lines that cannot be read are left out: the API
// refuses them, so they come from another version.
func newThesaurus(lines []string) *thesaurus {
	t := &thesaurus{number: thesaurusNumbers.Add(1), lines: lines, next: map[step]int{}, to: make([][]string, branches)}
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
			to := slices.DeleteFunc(slices.Clone(s.To), func(to string) bool { return to == from })
			for branch := range branches {
				t.add(branch, words, to)
			}
		}
	}
	return t
}

// add adds a phrase and returns its node.
func (t *thesaurus) add(branch int, words []lexical.PhraseWord, to []string) (node int) {
	node = branch
	for _, w := range words {
		s := step{node, wordOn(branch, w)}
		node = t.next[s]
		if node == 0 {
			node = len(t.to)
			t.next[s] = node
			t.to = append(t.to, nil)
		}
	}
	t.to[node] = joined(t.to[node], to)
	return node
}

// joined returns both lists without repetitions, up to the largest number of phrases that
// one phrase may stand for.
func joined(list, more []string) []string {
	if len(list) == 0 && len(more) <= assistants.MaxSynonymPhrases {
		return more
	}
	list = slices.Clip(list)
	for _, to := range more {
		if len(list) >= assistants.MaxSynonymPhrases {
			break
		}
		if !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// longest returns the number of words of the longest phrase that words of a text begin with,
// and what it may stand for.
func (t *thesaurus) longest(text string, words []lexical.PhraseWord) (n int, to []string) {
	for branch := range branches {
		node := branch
		for i, w := range words {
			if node = t.next[step{node, wordOn(branch, w)}]; node == 0 {
				break
			}
			switch here := t.to[node]; {
			case len(here) == 0 || i+1 < n || !t.isForm(node, text[words[0].Start:w.End]):
			case i+1 > n:
				n, to = i+1, here
			default:
				to = joined(to, here)
			}
		}
	}
	return n, to
}

// isForm reports whether a phrase is written as the one of a node may be. It may be a plural.
func (t *thesaurus) isForm(node int, phrase string) bool {
	forms := t.written[node]
	return forms == nil || slices.Contains(forms, phrase) || slices.Contains(forms, strings.TrimSuffix(phrase, "s"))
}

// size estimates the bytes that a thesaurus takes.
func (t *thesaurus) size() int {
	n := 128 * len(t.next)
	for _, line := range t.lines {
		n += 2 * len(line)
	}
	for _, to := range t.to {
		n += 16 * len(to)
	}
	return n
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
	t.putSized(key, made, made.size())
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
