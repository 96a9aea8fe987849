package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// A question often says which document it is about: "the 2019 report of Corvane: …". Those words
// stand in the document's name, its profile or its opening, and they find the document. Among
// its passages they say little, and they drown the rest of the question, because the title page has
// all of them. So the document is searched once more without them.

const (
	// openingLength is how much of a document's text is its opening, in bytes.
	openingLength = 400
	// firstPassages is how many passages are read for it. The first quarter of them has it, so that
	// the opening of a short document is not all of it.
	firstPassages = 16
	// maxOpenings is the largest number of documents whose openings are read.
	maxOpenings = 4
	// leastRest is how many terms the rest of a question needs. Fewer do not say what is asked.
	leastRest = 2
	// wholeShare is the share of a passage's score that the whole question has. The rest of
	// the question has the other share.
	wholeShare = 0.3
)

// searchWithin searches the documents that a question is about once more, for the rest of it: those
// that it chose, and that of the best match. out is what the whole question found.
func (w *run) searchWithin(ctx context.Context, s assistants.Search, a subquery, t spaceSet, n narrowing, out *findings) error {
	s.MinScore = 0
	documents := n.alone
	if len(documents) > maxOpenings {
		many := s
		many.Documents = documents
		dropTerms(&many, n.named)
		if err := w.searchMore(ctx, many, out); err != nil {
			return err
		}
		documents = nil
	}
	chosen := len(documents) > 0
	if len(out.matches) > 0 && len(a.terms) > leastRest {
		if best := out.matches[0].DocumentID; !slices.Contains(documents, best) {
			documents = append(slices.Clone(documents), best)
			slices.Sort(documents)
		}
	}
	if len(documents) == 0 {
		return nil
	}
	names, err := w.namingTerms(ctx, n, documents, out.matches)
	if err != nil {
		return err
	}
	s.Documents = documents
	if rest, ok := a.without(names); ok {
		out.naming, out.rests = common(a.terms, names), []string{rest}
		if err := w.reduce(ctx, &s, rest, names, t, out); err != nil {
			return err
		}
	} else if !chosen {
		return nil
	}
	return w.searchMore(ctx, s, out)
}

// searchMore adds what a search finds in its documents to what was found.
func (w *run) searchMore(ctx context.Context, s assistants.Search, out *findings) error {
	if len(s.Terms) == 0 && len(s.Vector) == 0 {
		return nil
	}
	within, err := w.ask(ctx, s)
	if err == nil {
		out.matches = blend(out.matches, within, s.Documents, w.q.Threshold)
	}
	return err
}

// noteRests adds to the trace what of a plan was searched for within documents.
func (w *run) noteRests(p plan, all findings) {
	w.trace.Queries = append(p.texts(), all.rests...)
	w.trace.Naming = slices.Compact(slices.Sorted(slices.Values(all.naming)))
}

// reduce makes a search one for the rest of a question.
func (w *run) reduce(ctx context.Context, s *assistants.Search, rest string, names map[string]bool, t spaceSet, out *findings) error {
	dropTerms(s, names)
	if len(s.Vector) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, shareOfTime(ctx))
	defer cancel()
	v, err := w.embed(bounded, rest)
	if err == nil {
		if calibration, ok, _ := t.calibration(v.Space); ok {
			w.weigh(s, v, calibration, func() []string { return s.Terms })
			w.weighNumbers(s)
		}
		return nil
	}
	w.log.Warn("a question could not be embedded without the words that name its document; it is compared as a whole", "error", err)
	out.degraded = true
	return ctx.Err()
}

// dropTerms leaves terms out of a search.
func dropTerms(s *assistants.Search, names map[string]bool) {
	s.Terms = without(s.Terms, names)
	var wordings [][]string
	for _, terms := range s.Wordings {
		if rest := without(terms, names); len(rest) > 0 {
			wordings = append(wordings, rest)
		}
	}
	s.Wordings = wordings
}

// shareOfTime returns the part of the time left that the vector of the rest may take.
func shareOfTime(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return embedBudget
	}
	return time.Until(deadline) / 2
}

// without returns the terms of a list that are not among some.
func without(terms []string, names map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return names[term] })
}

// common returns the terms of a list that are among some.
func common(terms []string, names map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return !names[term] })
}

// without returns the text of a question without the words that name documents. ok reports
// whether it has such words, and others that say what is asked.
func (a subquery) without(names map[string]bool) (rest string, ok bool) {
	if left := len(without(a.terms, names)); left < leastRest || left == len(a.terms) {
		return a.text, false
	}
	terms, end := lexical.Terms(a.text), 0
	var words []string
	for word := range strings.FieldsSeq(a.text) {
		end += strings.Index(a.text[end:], word) + len(word)
		isNaming, asks := false, false
		for ; len(terms) > 0 && terms[0].Start < end; terms = terms[1:] {
			if term := terms[0].Text; slices.Contains(a.terms, term) {
				isNaming, asks = isNaming || names[term], asks || !names[term]
			}
		}
		if asks || !isNaming {
			words = append(words, word)
		}
	}
	return strings.Join(words, " "), true
}

// namingTerms returns the terms that name documents: those of a question that chose them, and
// those of their names, profiles and openings. Years are none: in a document that has several, they
// say which column is asked for.
func (w *run) namingTerms(ctx context.Context, n narrowing, documents []assistants.DocumentID, found []assistants.Match) (map[string]bool, error) {
	names := map[string]bool{}
	for term := range n.named {
		names[term] = true
	}
	for _, d := range documents {
		terms, err := w.termsOf(ctx, n, d, found)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			if !isNumber(term) || !isYear(term) {
				names[term] = true
			}
		}
	}
	return names, nil
}

// termsOf returns the terms of a document's name, profile and opening, none if no passage of it
// was found.
func (w *run) termsOf(ctx context.Context, n narrowing, d assistants.DocumentID, found []assistants.Match) ([]string, error) {
	i := slices.IndexFunc(found, func(m assistants.Match) bool { return m.DocumentID == d })
	if i < 0 {
		return nil, nil
	}
	var name assistants.DocumentName
	if n.called != nil {
		name, _ = n.called(d)
	}
	key := make(cacheKey, 0, 64)
	key.texts(string(d))
	key.numbers(float64(found[i].Version), float64(name.Revision))
	if known, ok := w.openings.get(key); ok {
		return known, nil
	}
	var chunks []assistants.Chunk
	err := w.stage(StageFetch, func() (err error) {
		chunks, err = w.store.Passages(ctx, w.q.Tenant, []assistants.PassageRange{{Document: d, Version: found[i].Version, Last: firstPassages - 1}})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the opening of a document: %w", err)
	}
	texts := append(slices.Clone(name.Profile.Subjects), name.Profile.Title, strings.ReplaceAll(withoutExtension(name.Name), "_", " "), openingOf(chunks))
	terms := distinctTerms(strings.Join(texts, "\n"))
	if len(chunks) > 0 { // otherwise the document was replaced just now
		w.openings.put(key, terms)
	}
	return terms, nil
}

// openingOf returns the opening of a document with these first passages.
func openingOf(chunks []assistants.Chunk) string {
	slices.SortFunc(chunks, func(a, b assistants.Chunk) int { return cmp.Compare(a.Index, b.Index) })
	var text string
	for _, c := range chunks[:len(chunks)/4] {
		if text += c.Text + "\n"; len(text) > openingLength {
			text = strings.ToValidUTF8(text[:openingLength], "")
			if space := strings.LastIndexAny(text, " \n"); space > 0 {
				text = text[:space] // no part of a word
			}
			return text
		}
	}
	return text
}

// distinctTerms returns the terms of a text in order, each once.
func distinctTerms(text string) []string {
	var terms []string
	lexical.EachTerm(text, func(t lexical.Term) { terms = append(terms, strings.Clone(t.Text)) })
	slices.Sort(terms)
	return slices.Compact(terms)
}

// blend joins what a question found with what its rest found in some documents. The best passage
// of these keeps the score that it had, so that they stay where they were among
// others. What was found before stays found.
func blend(found, within []assistants.Match, documents []assistants.DocumentID, threshold float64) []assistants.Match {
	if len(within) == 0 || within[0].Score <= 0 {
		return found
	}
	before := map[assistants.ChunkID]float64{}
	best := 0.0
	for _, m := range found {
		if slices.Contains(documents, m.DocumentID) {
			before[m.ChunkID] = m.Score
			best = max(best, m.Score)
		}
	}
	if best == 0 {
		best = within[0].Score
	}
	scale, top := best/within[0].Score, 0.0
	rest := make(map[assistants.ChunkID]float64, len(within))
	all := make([]assistants.Match, 0, len(found)+len(within))
	for _, m := range within {
		rest[m.ChunkID] = m.Score * scale
		if _, ok := before[m.ChunkID]; !ok {
			all = append(all, m)
		}
	}
	blended := func(m assistants.Match) float64 {
		return wholeShare*before[m.ChunkID] + (1-wholeShare)*rest[m.ChunkID]
	}
	all = append(all, found...)
	for _, m := range all {
		if slices.Contains(documents, m.DocumentID) {
			top = max(top, blended(m))
		}
	}
	for i, m := range all {
		if slices.Contains(documents, m.DocumentID) {
			all[i].Score = max(blended(m)*best/top, min(before[m.ChunkID], threshold))
		}
	}
	slices.SortStableFunc(all, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
