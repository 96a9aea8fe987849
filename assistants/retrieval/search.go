package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"footnote/assistants"
)

// Warnings for the caller.
const (
	warnClipped     = "The question is longer than 8 KiB, so the documents were searched for its beginning and its end only."
	warnEmbedder    = "The question could not be compared by meaning; the documents were searched for its words only."
	warnSpace       = "The documents were embedded with another model than the one set up now, so they were searched for words only; they have to be embedded anew."
	warnPartly      = "Some collections were embedded with another model than the one set up now; these were searched for words only."
	warnNoDocuments = "This assistant has no documents yet."
	warnNoneRead    = "None of this assistant's documents can be searched yet; their status says why."
	warnMissing     = "Left out, because they are not there any more: %d of the collections this assistant reads."
)

// TellsOfNothing reports whether a warning says that there is nothing to search. One who
// searches several collections one by one passes it on only if it is true of all of them.
func TellsOfNothing(warning string) bool {
	return warning == warnNoDocuments || warning == warnNoneRead
}

// A spaceSet is the spaces that the collections of a query are embedded in.
type spaceSet struct {
	known       bool // the other fields are known
	embedded    bool // some collection holds vectors
	collections []assistants.Collection
}

// spacesOf asks for the spaces of the collections.
func (w *run) spacesOf(ctx context.Context) (spaceSet, error) {
	if w.spaces == nil {
		return spaceSet{embedded: true}, nil
	}
	found, err := w.spaces.Collections(ctx, w.q.Tenant, w.q.Collections)
	if err != nil {
		return spaceSet{}, err
	}
	// In the order of the query: the assistant's own space and calibration go first.
	slices.SortFunc(found, func(a, b assistants.Collection) int {
		return cmp.Compare(slices.Index(w.q.Collections, a.ID), slices.Index(w.q.Collections, b.ID))
	})
	if missing := len(w.q.Collections) - len(found); missing > 0 {
		w.warn(fmt.Sprintf(warnMissing, missing))
	}
	t := spaceSet{known: true, collections: found}
	for _, c := range found {
		t.embedded = t.embedded || !c.Space.IsZero()
	}
	return t, nil
}

// calibration returns the calibration of a space. ok reports whether a collection
// has vectors in it, whole whether none has vectors in another space.
func (t spaceSet) calibration(s assistants.Space) (c assistants.Calibration, ok, whole bool) {
	if !t.known {
		return usual, true, true
	}
	whole = true
	for _, coll := range t.collections {
		switch {
		case coll.Space == s && !ok:
			c, ok = coll.Calibration, true
		case !coll.Space.IsZero() && coll.Space != s:
			whole = false
		}
	}
	if ok && c == (assistants.Calibration{}) {
		c = usual
	}
	return c, ok, whole
}

// usual is the calibration of a model that was not measured.
var usual = assistants.Calibration{Low: 0.1, High: 0.7}

func (w *run) warn(sentence string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.trace.Warnings, sentence) {
		w.trace.Warnings = append(w.trace.Warnings, sentence)
	}
}

// searchAll returns what the searches of a plan find, or found before.
func (w *run) searchAll(ctx context.Context, p plan, documents []assistants.DocumentID) ([]assistants.Match, error) {
	t, err := w.spacesOf(ctx)
	if err != nil {
		return nil, err
	}
	w.synonyms = w.thesauriOf(t)
	generation := w.generation()
	w.trace.Generation = generation
	among, err := w.scopeOf(ctx, documents)
	if err != nil {
		return nil, err
	}
	key := w.cacheKey(p, t, documents, among)
	if known, ok := w.cache.get(key, generation); ok && generation > 0 {
		w.trace.Cached, w.trace.Mode, w.trace.Synonyms, w.trace.Alike = true, known.mode, slices.Clone(known.synonyms), slices.Clone(known.alike)
		w.noteRests(p, known)
		for _, sentence := range known.warnings {
			w.warn(sentence)
		}
		return known.matches, nil
	}
	which, fresh, err := w.identify(ctx, p.question, among)
	if err != nil {
		return nil, err
	}
	all, err := w.searchPlan(ctx, p, t, documents, which)
	if err == nil && !w.isAnswered(all.matches) {
		if fewer, ok := w.withoutUnknownAcronyms(p); ok {
			p = fewer
			all, err = w.searchPlan(ctx, p, t, documents, which)
		}
	}
	if err == nil && w.q.Whole == nil && !w.isAnswered(all.matches) {
		all.matches, all.full = nil, false
	}
	if err == nil && w.q.PerDocument > 0 {
		all, err = w.withOthers(ctx, all, documents, func(others []assistants.DocumentID) (findings, error) {
			return w.searchPlan(ctx, p, t, others, which)
		})
	}
	if err != nil {
		return nil, err
	}
	all.degraded = all.degraded || !fresh
	w.warnOfLookAlikes(which, all.matches)
	w.warnOfUnmentioned(which, p.question, among)
	w.noteRests(p, all)
	w.trace.Mode, all.warnings, all.synonyms, all.alike = all.mode, slices.Clone(w.trace.Warnings), slices.Clone(w.trace.Synonyms), slices.Clone(w.trace.Alike)
	if !all.degraded {
		w.cache.put(key, generation, all)
	}
	return all.matches, nil
}

// furtherShare is the share of the threshold that further passages need, once one has it.
const furtherShare = 0.8

// isAnswered reports whether one of the matches has the threshold: the documents have something
// about the question.
func (w *run) isAnswered(matches []assistants.Match) bool {
	return slices.ContainsFunc(matches, func(m assistants.Match) bool { return m.Score >= w.q.Threshold })
}

// searchPlan runs the searches of a plan in parallel and merges what they find.
func (w *run) searchPlan(ctx context.Context, p plan, t spaceSet, documents []assistants.DocumentID, which choice) (findings, error) {
	alone := which.chosen(documents)
	asks := p.list
	type outcome struct {
		found findings
		err   error
	}
	outcomes := make([]outcome, len(asks))
	var wg sync.WaitGroup
	for i := range asks {
		work := func() {
			s := w.searchFor(documents, len(asks) > 1)
			outcomes[i].found, outcomes[i].err = w.searchOne(ctx, s, asks[i], t, narrowing{which, alone})
		}
		if i == len(asks)-1 {
			work() // the last one runs in this goroutine
		} else {
			wg.Go(work)
		}
	}
	wg.Wait()
	all := findings{mode: assistants.SearchFullText}
	lists := make([][]assistants.Match, len(asks))
	for i, o := range outcomes {
		if o.err != nil {
			return all, o.err
		}
		lists[i] = o.found.matches
		all.degraded = all.degraded || o.found.degraded
		all.naming, all.rests = append(all.naming, o.found.naming...), append(all.rests, o.found.rests...)
		all.full = all.full || o.found.full
		if o.found.mode != assistants.SearchFullText {
			all.mode = o.found.mode
		}
	}
	weighed := which.weigh(p.merge(lists, w.least), w.least)
	isAnswered := w.isAnswered(weighed)
	all.matches = which.demote(weighed, w.least)
	if isAnswered { // if only by documents that another one was put in front of
		all.matches = raised(all.matches, w.q.Threshold)
	}
	return all, nil
}

// searchFor returns a search in documents, nil for all. If a plan has several, the
// threshold applies to the merged score only.
func (w *run) searchFor(documents []assistants.DocumentID, several bool) assistants.Search {
	s := assistants.Search{
		Tenant: w.q.Tenant, Collections: w.q.Collections, Documents: documents, TextWeight: w.q.TextWeight,
		// Repetitions are dropped later, so more than TopK may be needed.
		Limit: assistants.MaxMatches, MinScore: w.least,
	}
	if several {
		s.MinScore = 0
	}
	return s
}

// searchOne runs one search of a plan, and once more in the documents that the question is
// about: many others may have passages that are alike. A panic is an error, because the searches
// of a plan run in goroutines of their own.
func (w *run) searchOne(ctx context.Context, s assistants.Search, a subquery, t spaceSet, n narrowing) (out findings, err error) {
	defer assistants.CatchPanic(&err)
	out = findings{mode: assistants.SearchFullText}
	terms := sync.OnceValue(func() []string { return w.knownTerms(a) })
	if w.q.Mode != assistants.SearchFullText {
		degraded, err := w.addVector(ctx, &s, a.text, terms, t)
		if err != nil {
			return out, err
		}
		out.degraded = degraded
	}
	if w.q.Mode != assistants.SearchVector {
		s.Terms = terms()
		if a.whole != nil {
			s.Wordings = append(s.Wordings, w.knownTerms(subquery{text: w.q.Text, terms: a.whole}))
		}
		w.addWordings(&s, a)
		w.weighNumbers(&s)
	}
	if len(s.Vector) > 0 {
		out.mode = w.q.Mode
	}
	if len(s.Vector) == 0 && len(s.Terms) == 0 {
		return out, nil
	}
	if out.matches, err = w.ask(ctx, s); err == nil {
		out.full = len(out.matches) >= assistants.MaxMatches
		if !w.q.Undivided {
			err = w.searchWithin(ctx, s, a, t, n, &out)
		}
	}
	return out, err
}

// ask asks the index.
func (w *run) ask(ctx context.Context, s assistants.Search) ([]assistants.Match, error) {
	start := w.now()
	found, err := w.search.Search(ctx, s)
	if err != nil {
		return nil, err
	}
	if whole := w.now().Sub(start); found.Text+found.Vector == 0 {
		found.Text = whole // the index does not measure its parts
	}
	if len(s.Terms) > 0 {
		w.noteDuration(StageText, found.Text)
	}
	if len(s.Vector) > 0 {
		w.noteDuration(StageVector, found.Vector)
	}
	return found.Matches, nil
}

// addVector embeds a text and adds the vector to a search, if the index has vectors
// to compare it with. degraded reports that the vector is missing because embedding
// failed.
func (w *run) addVector(ctx context.Context, s *assistants.Search, text string, terms func() []string, t spaceSet) (degraded bool, err error) {
	only := w.q.Mode == assistants.SearchVector
	if !t.embedded && !only {
		return false, nil
	}
	v, err := w.embed(ctx, text)
	if errors.Is(err, assistants.ErrNoEmbedder) && !only {
		return false, nil // no embedder is set up, so words are all there is
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return true, ctx.Err()
	case only || w.q.Strict:
		return true, fmt.Errorf("embed the question: %w: %w", assistants.ErrUnavailable, err)
	default:
		w.log.Warn("a question could not be embedded; only its words are searched for", "error", err)
		w.warn(warnEmbedder)
		return true, nil
	}
	calibration, ok, whole := t.calibration(v.Space)
	switch {
	case !t.embedded:
		return false, nil // nothing is embedded yet
	case !ok && only:
		return false, fmt.Errorf("embed the question: %w: %w", assistants.ErrUnavailable, assistants.ErrSpaceMismatch)
	case !ok:
		w.warn(warnSpace)
		return false, nil
	case !whole:
		w.warn(warnPartly)
	}
	w.weigh(s, v, calibration, terms)
	return false, nil
}

// embed makes the vector of a text.
func (w *run) embed(ctx context.Context, text string) (assistants.QueryVector, error) {
	start := w.now()
	bounded, cancel := context.WithTimeout(ctx, min(embedBudget, w.budget*7/10))
	defer cancel()
	v, err := w.embedder.EmbedQuery(bounded, text)
	if !errors.Is(err, assistants.ErrNoEmbedder) {
		w.noteDuration(StageEmbed, w.now().Sub(start))
	}
	return v, err
}

// report logs matches that have no passage. A document that exists, but not in
// these collections of this tenant, should never have been found.
func (w *run) report(ctx context.Context, gone []assistants.Match) {
	if len(gone) == 0 {
		return
	}
	ids := make([]assistants.DocumentID, 0, len(gone))
	for _, m := range gone {
		if !slices.Contains(ids, m.DocumentID) {
			ids = append(ids, m.DocumentID)
		}
	}
	foreign := []assistants.DocumentID{}
	if s, ok := w.store.(owners); ok {
		found, err := s.ForeignDocuments(ctx, w.q.Tenant, w.q.Collections, ids)
		if err != nil {
			w.log.Warn("the owners of the passages that the index answered with could not be looked up", "error", err)
		}
		foreign = found
	}
	if len(foreign) > 0 {
		w.log.Error("security: the index answered with passages that this search may not see; they were dropped",
			"tenant", w.q.Tenant, "collections", w.q.Collections, "documents", foreign)
	}
	if len(foreign) < len(ids) {
		w.log.Info("the index answered with passages that are not stored; they were dropped", "matches", len(gone), "generation", w.trace.Generation)
	}
}

// owners distinguishes documents of other tenants from deleted ones.
type owners interface {
	// ForeignDocuments returns those of the documents that exist outside of a
	// tenant's collections.
	ForeignDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, ids []assistants.DocumentID) ([]assistants.DocumentID, error)
}

// generation returns the number of changes of the index and of what its documents are
// called, 0 if the index does not count them.
func (r *Retriever) generation() uint64 {
	c, ok := r.search.(interface{ Generation() uint64 })
	if !ok {
		return 0
	}
	generation := c.Generation()
	// Both numbers only grow, so their sum changes with each of them.
	if d, ok := r.names.(interface{ Descriptions() uint64 }); ok && generation > 0 {
		generation += d.Descriptions()
	}
	return generation
}
