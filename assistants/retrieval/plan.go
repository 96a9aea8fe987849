package retrieval

import (
	"cmp"
	"slices"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// An ask is one search: a text for its meaning and terms for its words. Searches
// of one group are one wording, in which each has its share.
type ask struct {
	text  string
	terms []string
	group int
	share float64
}

// A plan is what a question is searched by: one or more wordings.
type plan struct {
	question string // the question, completed
	list     []ask
	groups   int
}

// planOf makes a plan of a question and what was said before.
func planOf(question string, before []Turn) plan {
	p := plan{question: question}
	own := ask{text: question, terms: lexical.QueryTerms(question), share: 1}
	context, lean := leaningOn(question, own.terms, before)
	if lean > 0 {
		whole := ask{text: context.text + "\n" + question, terms: context.terms, share: lean}
		own.share = 1 - lean
		p.list = append(p.list, whole)
		if lean >= 1 {
			p.question = whole.text
		}
	}
	if own.share > 0 && len(own.terms) > 0 {
		p.list = append(p.list, own)
	}
	if len(p.list) == 1 {
		p.list[0].share = 1
	}
	p.groups = min(1, len(p.list))
	return p
}

// add adds another wording.
func (p *plan) add(text string) {
	terms := lexical.QueryTerms(text)
	if len(terms) == 0 || slices.ContainsFunc(p.list, func(a ask) bool { return a.text == text }) {
		return
	}
	p.list = append(p.list, ask{text: text, terms: terms, group: p.groups, share: 1})
	p.groups++
}

func (p plan) empty() bool { return len(p.list) == 0 }
func (p plan) asks() []ask { return p.list }

// texts are what is searched for.
func (p plan) texts() []string {
	texts := make([]string, len(p.list))
	for i, a := range p.list {
		texts[i] = a.text
	}
	return texts
}

// merge puts the matches of the asks together: within a wording a passage has
// the sum of its scores by their shares, of several wordings the best.
func (p plan) merge(lists [][]assistants.Match, threshold float64) []assistants.Match {
	if len(lists) == 1 {
		return slices.DeleteFunc(lists[0], func(m assistants.Match) bool { return m.Score < threshold })
	}
	type weighed struct {
		match assistants.Match
		sums  []float64
	}
	known := map[assistants.ChunkID]*weighed{}
	var order []*weighed
	latest := map[assistants.DocumentID]int{}
	for _, list := range lists {
		for _, m := range list {
			latest[m.DocumentID] = max(latest[m.DocumentID], m.Version)
		}
	}
	for i, list := range lists {
		for _, m := range list {
			if m.Version < latest[m.DocumentID] {
				continue // the document was replaced between two of the searches
			}
			w, ok := known[m.ChunkID]
			if !ok {
				w = &weighed{m, make([]float64, p.groups)}
				known[m.ChunkID] = w
				order = append(order, w)
			}
			w.sums[p.list[i].group] += p.list[i].share * m.Score
			w.match.TextScore, w.match.Cosine = max(w.match.TextScore, m.TextScore), max(w.match.Cosine, m.Cosine)
		}
	}
	merged := make([]assistants.Match, 0, len(order))
	for _, w := range order {
		w.match.Score = min(1, slices.Max(w.sums))
		if w.match.Score >= threshold {
			merged = append(merged, w.match)
		}
	}
	slices.SortStableFunc(merged, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
	return merged
}
