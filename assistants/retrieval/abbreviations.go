package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// Documents define abbreviations: "free cash flow (FCF)". A question with one of the two is
// searched with the other, too.

// maxMeanings is how many meanings an abbreviation may have in the documents that are
// searched. One with more says too little of what a question means.
const maxMeanings = 3

// A defined is an abbreviation with one of its meanings.
type defined struct {
	line      string
	short     string // in lower case
	meaning   string // as stems
	documents int    // that define it
}

// abbreviationsIn returns the abbreviations that documents define, as lines of synonyms. If
// there are too many, those that most documents define stay.
func abbreviationsIn(documents []named) []string {
	known := map[string]*defined{} // by line
	for i := range documents {
		for _, line := range documents[i].Profile.Abbreviations {
			if known[line] == nil {
				known[line] = newDefined(line)
			}
			known[line].documents++
		}
	}
	same := map[[2]string]*defined{} // by abbreviation and stems of the meaning
	meanings := map[string]int{}     // by abbreviation
	for _, d := range known {
		key := [2]string{d.short, d.meaning}
		first := same[key]
		if first == nil {
			meanings[d.short]++
			same[key] = d
			continue
		}
		first.documents += d.documents
		first.line = min(first.line, d.line)
	}
	var all []*defined
	for _, d := range same {
		if meanings[d.short] <= maxMeanings {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *defined) int {
		return cmp.Or(cmp.Compare(b.documents, a.documents), cmp.Compare(a.line, b.line))
	})
	lines := make([]string, min(len(all), assistants.MaxSynonyms))
	for i := range lines {
		lines[i] = all[i].line
	}
	return lines
}

func newDefined(line string) *defined {
	d := &defined{line: line, short: line}
	s, err := assistants.ParseSynonym(line)
	if err != nil || len(s.From) == 0 {
		return d
	}
	var stems []string
	for _, phrase := range s.From[1:] {
		for _, w := range lexical.PhraseWords(phrase) {
			stems = append(stems, w.English)
		}
	}
	d.short, d.meaning = strings.ToLower(s.From[0]), strings.Join(stems, " ")
	return d
}

// abbreviations returns the abbreviations that the documents define, nil for none. permitted
// are those that may be searched, nil for all: what others define is not shown.
func (x *nameIndex) abbreviations(permitted []assistants.DocumentID, t *thesauri) *thesaurus {
	if permitted == nil || x.learned == nil {
		return x.learned
	}
	var of []named
	for _, id := range permitted {
		if i, ok := x.places[id]; ok {
			of = append(of, x.documents[i])
		}
	}
	if lines := abbreviationsIn(of); len(lines) > 0 {
		return t.of(lines)
	}
	return nil
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
		x.learned = newThesaurus(lines)
	}
}
