package retrieval

import (
	"cmp"
	"slices"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A subquery is one search of a plan: a text to embed and terms to look up. The
// subqueries of one group belong to one wording of the question; each has a share of
// its score.
type subquery struct {
	text  string
	terms []string
	whole []string // terms with those of its instructions, if it has any
	group int
	share float64
}

// A plan is the wordings of a question that are searched for.
type plan struct {
	question string // the question, completed
	list     []subquery
	groups   int
}

// planOf returns the plan of a question and the turns before it. People repeat
// questions, and finding the terms of one takes longer than looking for its plan.
func (r *Retriever) planOf(question string, before []Turn) plan {
	key := make(cacheKey, 0, 512)
	key.texts(question)
	for _, t := range before {
		key.texts(t.Role, t.Text)
	}
	if known, ok := r.plans.get(key); ok {
		return known
	}
	p := planOf(question, before)
	p.list = slices.Clip(p.list) // other wordings are added to copies
	r.plans.put(key, p)
	return p
}

// planOf makes the plan of a question and the turns before it.
func planOf(question string, before []Turn) plan {
	p := plan{question: question}
	asked := withoutInstructions(question)
	own := subquery{text: asked, terms: lexical.QueryTerms(asked), share: 1}
	if asked != question {
		own.whole = lexical.QueryTerms(question)
	}
	context, lean := leaningOn(question, own.terms, before)
	if lean > 0 {
		whole := subquery{text: context.text + "\n" + question, terms: context.terms, share: lean}
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
	if len(terms) == 0 || slices.ContainsFunc(p.list, func(a subquery) bool { return a.text == text }) {
		return
	}
	p.list = append(p.list, subquery{text: text, terms: terms, group: p.groups, share: 1})
	p.groups++
}

func (p plan) empty() bool { return len(p.list) == 0 }

// texts returns the texts of the subqueries.
func (p plan) texts() []string {
	texts := make([]string, len(p.list))
	for i, a := range p.list {
		texts[i] = a.text
	}
	return texts
}

// merge merges the matches of the subqueries. Within a wording a passage's score is
// the sum of its scores, weighted by their shares. The best wording counts.
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
