package retrieval

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Documents define abbreviations: "free cash flow (FCF)". A question with one of the two is
// searched with the other, too.

// maxMeanings is how many meanings of an abbreviation are searched for: those that most
// documents define.
const maxMeanings = 3

// A definition is an abbreviation with its meaning.
type definition struct {
	line    string // as a synonym
	short   string // as it is written
	meaning string // as stems
}

// definitionsOf returns the abbreviations of a profile.
func definitionsOf(p assistants.Profile) []definition {
	var all []definition
	for _, line := range p.Abbreviations {
		s, err := assistants.ParseAbbreviation(line)
		if err != nil {
			continue // it comes from another version
		}
		var stems []string
		for _, w := range lexical.PhraseWords(s.From[1]) {
			stems = append(stems, w.English)
		}
		all = append(all, definition{line, s.From[0], strings.Join(stems, " ")})
	}
	return all
}

// abbreviationsIn returns the abbreviations that documents define, as lines of synonyms, those
// that most of them define first. Spellings of one meaning count as one.
func abbreviationsIn(documents []named) []string {
	type meaning struct{ short, stems string }
	type count struct {
		line      string
		short     string
		documents int
	}
	counts := map[meaning]*count{}
	for i := range documents {
		for _, d := range documents[i].defines {
			c := counts[meaning{d.short, d.meaning}]
			if c == nil {
				c = &count{line: d.line, short: d.short}
				counts[meaning{d.short, d.meaning}] = c
			}
			c.line = min(c.line, d.line)
			c.documents++
		}
	}
	all := make([]*count, 0, len(counts))
	for _, c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *count) int {
		return cmp.Or(cmp.Compare(b.documents, a.documents), cmp.Compare(a.line, b.line))
	})
	var lines []string
	meanings := map[string]int{}
	for _, c := range all {
		if meanings[c.short]++; meanings[c.short] <= maxMeanings && len(lines) < assistants.MaxSynonyms {
			lines = append(lines, c.line)
		}
	}
	return lines
}

// learn takes the abbreviations that the documents define; those of the index before stay if
// nothing has changed.
func (x *nameIndex) learn(before *nameIndex) {
	lines := abbreviationsIn(x.documents)
	switch {
	case len(lines) == 0:
	case before.learned != nil && slices.Equal(before.learned.lines, lines):
		x.learned = before.learned
	default:
		x.learned = newAbbreviations(lines)
	}
}

// abbreviations returns the abbreviations that the documents define, nil for none. permitted
// are those that may be searched, nil for all: what others define is not shown. kept has
// what was made before for the same documents.
func (x *nameIndex) abbreviations(permitted []assistants.DocumentID, kept *thesauri) *thesaurus {
	if permitted == nil || x.learned == nil {
		return x.learned
	}
	h := sha256.New()
	for _, id := range permitted {
		h.Write([]byte(id))
		h.Write([]byte{0})
	}
	key := make(cacheKey, 0, 64)
	key.texts("abbreviations")
	key.numbers(float64(x.number))
	key = h.Sum(key)
	if known, ok := kept.get(key); ok {
		return known
	}
	var of []named
	for _, id := range permitted {
		if i, ok := x.places[id]; ok && len(x.documents[i].defines) > 0 {
			of = append(of, x.documents[i])
		}
	}
	made := newAbbreviations(abbreviationsIn(of))
	kept.putSized(key, made, made.size())
	return made
}

// newAbbreviations makes a thesaurus of abbreviations. They must be written as they are
// defined: CAR is no car.
func newAbbreviations(lines []string) *thesaurus {
	t := newThesaurus(nil)
	t.lines, t.written = lines, map[int][]string{}
	for _, line := range lines {
		s, err := assistants.ParseAbbreviation(line)
		if err != nil {
			continue
		}
		short, meaning := s.From[0], s.From[1]
		for branch := range branches {
			node := t.add(branch, lexical.PhraseWords(short), []string{meaning})
			t.written[node] = append(t.written[node], short)
			t.add(branch, lexical.PhraseWords(meaning), []string{short})
		}
	}
	return t
}
