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
	// firstPassages is how many passages are read for it. The first quarter of them has it. A document
	// with fewer is short.
	firstPassages = 16
	// leastPassages is how many passages a document needs to be searched for the rest. In a shorter one
	// there is little to choose from.
	leastPassages = 4
	// maxOpenings is the largest number of documents whose openings are read.
	maxOpenings = 4
	// leastRest is how many terms the rest of a question needs. Fewer do not say what is asked,
	// unless the question chose its document by name, or says much: "approved" is all that is left
	// of "How is vacation approved?" in a document about vacation.
	leastRest = 2
	// sayingMuch is how many terms a question has that says much.
	sayingMuch = 4
	// wholeShare is the share of a passage's score that the whole question has. The rest of
	// the question has the other share.
	wholeShare = 0.3
	// soon is how long the vector of a question may take for that of the rest to be made, too.
	soon = 500 * time.Millisecond
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
		if err := w.searchMore(ctx, many, out, documents); err != nil {
			return err
		}
		documents = nil
	}
	var groups [][]assistants.DocumentID
	chosen, least := len(documents) > 0, leastRest
	if chosen {
		groups = append(groups, documents)
	}
	if chosen || len(a.terms) >= sayingMuch {
		least = 1
	}
	if best := n.bestOf(out.matches, w.least); best != "" && len(a.terms) > least && !slices.Contains(documents, best) {
		groups = append(groups, []assistants.DocumentID{best})
		documents = slices.Sorted(slices.Values(slices.Concat(groups...)))
	}
	if len(documents) == 0 {
		return nil
	}
	var names map[string]bool
	var words []spokenWord
	if len(a.terms) > least {
		words = a.words()
		var err error
		if names, err = w.namingTerms(ctx, n, documents, out.matches); err != nil {
			return err
		}
		if all := a.withNames(words, names); len(without(a.terms, all)) >= least {
			names = all
		}
	}
	s.Documents = documents
	if rest, ok := a.rest(words, names, least); ok {
		out.naming = shared(a.terms, names)
		if rest != a.text {
			out.rests = []string{rest}
		}
		degraded, err := w.reduce(ctx, &s, a, names, rest, t)
		if err != nil {
			return err
		}
		out.degraded = out.degraded || degraded
	} else if !chosen {
		return nil
	}
	return w.searchMore(ctx, s, out, groups...)
}

// bestOf returns the document of the best match that has a threshold, "" for none. Where another
// document is wanted in front of it, that one is meant.
func (c choice) bestOf(matches []assistants.Match, threshold float64) assistants.DocumentID {
	var best assistants.DocumentID
	most := 0.0
	for _, m := range matches {
		if score := m.Score * c.worth(m.DocumentID); m.Score >= threshold && score > most {
			best, most = m.DocumentID, score
		}
	}
	if best != "" && c.inFront != nil {
		return cmp.Or(c.inFront(best), best)
	}
	return best
}

// searchMore adds what a search finds in groups of documents to what was found. Which group comes
// first is what the whole question says; in a group it is what the search says.
func (w *run) searchMore(ctx context.Context, s assistants.Search, out *findings, groups ...[]assistants.DocumentID) error {
	within, err := w.ask(ctx, s)
	if err != nil {
		return err
	}
	for _, documents := range groups {
		isOther := func(m assistants.Match) bool { return !slices.Contains(documents, m.DocumentID) }
		out.matches = blend(out.matches, slices.DeleteFunc(slices.Clone(within), isOther), documents, w.least)
	}
	return nil
}

// noteRests adds to the trace what of a plan was searched for within documents.
func (w *run) noteRests(p plan, all findings) {
	w.trace.Queries = append(p.texts(), all.rests...)
	w.trace.Naming = slices.Compact(slices.Sorted(slices.Values(all.naming)))
}

// reduce makes a search one for the rest of a question. If the vector of the question took long,
// that of the rest would, too, so the question is compared as a whole. degraded reports that it is
// because embedding the rest failed.
func (w *run) reduce(ctx context.Context, s *assistants.Search, a subquery, names map[string]bool, rest string, t spaceSet) (degraded bool, err error) {
	dropTerms(s, names)
	if len(s.Vector) == 0 || rest == a.text {
		return false, nil
	}
	if deadline, ok := ctx.Deadline(); ok && w.budget-time.Until(deadline) > soon {
		return false, nil
	}
	bounded, cancel := context.WithTimeout(ctx, 2*soon)
	defer cancel()
	v, err := w.embed(bounded, rest)
	if err == nil {
		if calibration, ok, _ := t.calibration(v.Space); ok {
			w.weigh(s, v, calibration, func() []string { return without(w.knownTerms(a), names) })
			w.weighNumbers(s)
		}
		return false, nil
	}
	w.log.Warn("a question could not be embedded without the words that name its document; it is compared as a whole", "error", err)
	return true, ctx.Err()
}

// dropTerms leaves terms out of a search, unless no others are there.
func dropTerms(s *assistants.Search, names map[string]bool) {
	if rest := without(s.Terms, names); len(rest) > 0 {
		s.Terms = rest
	}
	var wordings [][]string
	for _, terms := range s.Wordings {
		if rest := without(terms, names); len(rest) > 0 {
			wordings = append(wordings, rest)
		}
	}
	s.Wordings = wordings
}

// without returns the terms of a list that are not among some.
func without(terms []string, names map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return names[term] })
}

// shared returns the terms of a list that are among some.
func shared(terms []string, names map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return !names[term] })
}

// rest returns the text of a question without the words that name documents. ok reports
// whether it has such words, and at least so many others that say what is asked.
func (a subquery) rest(words []spokenWord, names map[string]bool, least int) (rest string, ok bool) {
	if left := len(without(a.terms, names)); left < least || left == len(a.terms) {
		return a.text, false
	}
	var asking []string
	for i, word := range words {
		joins := joining[strings.ToLower(word.text)] && i > 0 && words[i-1].isOf(names) && i+1 < len(words) && words[i+1].isOf(names)
		if !joins && !word.isOf(names) {
			asking = append(asking, word.text)
		}
	}
	return strings.Join(asking, " "), true
}

// namingTerms returns the terms that name documents: those of their names, profiles and
// openings. Years are none: in a document that has several, they say which column is asked for.
func (w *run) namingTerms(ctx context.Context, n narrowing, documents []assistants.DocumentID, found []assistants.Match) (map[string]bool, error) {
	names := map[string]bool{}
	var unknown []assistants.PassageRange
	add := func(terms []string) {
		for _, term := range terms {
			if !isNumber(term) || !isYear(term) {
				names[term] = true
			}
		}
	}
	for _, d := range documents {
		if i := slices.IndexFunc(found, func(m assistants.Match) bool { return m.DocumentID == d }); i >= 0 {
			if known, ok := w.openings.get(n.openingKey(d, found[i].Version)); ok {
				add(known)
			} else {
				unknown = append(unknown, assistants.PassageRange{Document: d, Version: found[i].Version, Last: firstPassages - 1})
			}
		}
	}
	if len(unknown) == 0 {
		return names, nil
	}
	var chunks []assistants.Chunk
	err := w.stage(StageFetch, func() (err error) {
		chunks, err = w.store.Passages(ctx, w.q.Tenant, unknown)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the openings of documents: %w", err)
	}
	for _, r := range unknown {
		first := slices.DeleteFunc(slices.Clone(chunks), func(c assistants.Chunk) bool { return c.DocumentID != r.Document })
		if len(first) == 0 {
			continue // the document was replaced just now
		}
		var terms []string
		if len(first) >= leastPassages {
			name := n.name(r.Document)
			terms = distinctTerms(strings.Join(append(slices.Clone(name.Profile.Subjects), name.Profile.Title, strings.ReplaceAll(withoutExtension(name.Name), "_", " "), openingOf(first)), "\n"))
		}
		w.openings.put(n.openingKey(r.Document, r.Version), terms)
		add(terms)
	}
	return names, nil
}

// name returns what is known of a document's name.
func (n narrowing) name(d assistants.DocumentID) assistants.DocumentName {
	if n.nameOf == nil {
		return assistants.DocumentName{}
	}
	return n.nameOf(d)
}

// openingKey is what the terms that name a document depend on.
func (n narrowing) openingKey(d assistants.DocumentID, version int) cacheKey {
	key := make(cacheKey, 0, 64)
	key.texts(string(d))
	key.numbers(float64(version), float64(n.name(d).Revision))
	return key
}

// openingOf returns the opening of a document with these first passages. Of a short document it
// is only what is above the first sentence, because its answers begin right there.
func openingOf(chunks []assistants.Chunk) string {
	slices.SortFunc(chunks, func(a, b assistants.Chunk) int { return cmp.Compare(a.Index, b.Index) })
	isShort := len(chunks) < firstPassages
	var text string
	for _, c := range chunks[:len(chunks)/4] {
		for line := range strings.Lines(c.Text) {
			if isShort && endsTitle(line) {
				return text
			}
			if text += strings.TrimSuffix(line, "\n") + "\n"; len(text) > openingLength {
				text = strings.ToValidUTF8(text[:openingLength], "")
				if space := strings.LastIndexAny(text, " \n"); space > 0 {
					text = text[:space] // no part of a word
				}
				return text
			}
		}
	}
	return text
}

// endsTitle reports whether a line is no more of a title: a sentence, the heading of a section, or
// too long for one.
func endsTitle(line string) bool {
	line = strings.TrimSpace(line)
	words := len(strings.Fields(line))
	isSentence := words >= 4 && strings.ContainsRune(".?!", rune(line[len(line)-1]))
	return isSentence || words >= 20 || strings.HasPrefix(line, "##")
}

// distinctTerms returns the terms of a text, each once.
func distinctTerms(text string) []string {
	var terms []string
	lexical.EachTerm(text, func(t lexical.Term) { terms = append(terms, strings.Clone(t.Text)) })
	slices.Sort(terms)
	return slices.Compact(terms)
}

// blend joins what a question found with what its rest found in some documents. The best passage
// of these keeps the score that it had, so that they stay where they were among
// others. What was found before stays found, and what neither search finds is not.
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
		if len(found) > 0 {
			best = min(best, found[0].Score)
		}
	}
	scale, top := best/within[0].Score, 0.0
	rest := make(map[assistants.ChunkID]float64, len(within))
	all := make([]assistants.Match, 0, len(found)+len(within))
	for _, m := range within {
		rest[m.ChunkID] = m.Score * scale
		if _, ok := before[m.ChunkID]; !ok && m.Score >= threshold {
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
		if slices.Contains(documents, m.DocumentID) && top > 0 {
			all[i].Score = max(blended(m)*best/top, min(before[m.ChunkID], threshold))
		}
	}
	slices.SortStableFunc(all, func(a, b assistants.Match) int { return cmp.Compare(b.Score, a.Score) })
	return all
}
