// Package retrieval turns a question and the conversation before it into ranked
// passages. It asks whether the question needs documents at all (gate), completes
// one that depends on earlier turns (follow-up), finds other wordings (rewrite),
// makes a vector of each (embed), searches the index by words, those of its synonyms and
// meaning, searches the documents that it is about for the rest of the question (within),
// prefers those that it names (identity), merges the results, puts superseded documents
// behind those that replace them, fetches the passages from the store, shows repetitions
// once, lets a model reorder the passages (rerank) and adds the passages around them
// (neighbours).
//
// It obeys one rule: what it returns exists and may be seen. A match whose passage
// the store does not have, for this tenant and these collections, is never
// returned. All order is by [assistants.Search.Score], which means the same on any
// corpus, unless a model has scored the passages itself.
//
// Three of the stages ask a language model, if there is one and the assistant's
// settings enable them. If one fails, the result stays as it was. The package knows
// index, store, embedder and model through its interfaces, and imports no storage,
// HTTP or model library.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"footnote/assistants"
)

// Budget bounds how long a retrieval takes, without the stages that ask a model.
const Budget = 2 * time.Second

// embedBudget is the part of it for embedding the question, so that time is left to
// search for its words.
const embedBudget = 1400 * time.Millisecond

// Stages of a retrieval, as named in a [Trace].
const (
	StageGate      = "gate"      // the model says whether documents are needed
	StageRewrite   = "rewrite"   // the model rewords the question
	StageFilter    = "filter"    // documents that labels and tags select
	StageEmbed     = "embed"     // vectors of the questions
	StageText      = "text"      // search for words
	StageVector    = "vector"    // search for meaning
	StageFetch     = "fetch"     // passages from the store
	StageRerank    = "rerank"    // the model puts the passages in order
	StageNeighbors = "neighbors" // passages around the hits
)

// A Searcher is an index.
type Searcher interface {
	// Search returns matches by descending score. Unknown collections, terms and
	// spaces are not errors. The error wraps ErrUnavailable when the index cannot
	// answer, or is that of ctx.
	Search(ctx context.Context, q assistants.Search) (assistants.Found, error)
}

// A Store fetches passages. Its errors wrap ErrUnavailable when the database
// cannot answer, or are that of ctx. It has four methods because every step of a
// retrieval, from the choice of documents to the neighbours of a passage, reads the
// same database: no implementation has only some of them.
type Store interface {
	// Hits resolves matches to chunks with their documents, in order. Matches
	// without a chunk, document or collection are left out.
	Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error)
	// FilterDocuments returns the documents that a filter selects.
	FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error)
	// Holdings reports whether collections have documents, and whether one of them
	// can be searched.
	Holdings(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) (documents, searchable bool, err error)
	// Passages returns the chunks in the given ranges that exist, in no order.
	Passages(ctx context.Context, tenant assistants.TenantID, ranges []assistants.PassageRange) ([]assistants.Chunk, error)
}

// An Embedder makes vectors of questions.
type Embedder interface {
	// EmbedQuery returns the vector of a question. ErrNoEmbedder means that no
	// embedder is configured; any other error, that the vector cannot be made now.
	EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error)
}

// Spaces looks up the spaces that collections are embedded in.
type Spaces interface {
	// Collections returns those of the named collections that exist, in no order.
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
}

// Options are the parts that a Retriever may do without.
type Options struct {
	Embedder Embedder     // nil: there is none
	Spaces   Spaces       // nil: all vectors of the index may be compared
	Names    Names        // nil: questions do not choose among documents
	Log      *slog.Logger // nil: slog.Default()
}

// A Result is the hits of a query in order, and how they came about.
type Result struct {
	Hits []assistants.Hit
	// Question is the question, completed by what it leans on.
	Question string
	// Unneeded says that the gate decided that the question needs no documents, so
	// nothing was searched.
	Unneeded bool
	// Unsure says that the hits are only near the threshold. A query that is a part of a Whole has
	// them, because another part may have one with it.
	Unsure bool
	Trace  Trace
}

// A Trace is what a retrieval did.
type Trace struct {
	Queries    []string              // the texts that were searched for; none when there was nothing to search
	Synonyms   []Addition            // what synonyms added to them
	Naming     []string              // terms of the question that only name the document it is about
	Mode       assistants.SearchMode // the mode that really ran
	Duration   time.Duration
	Stages     map[string]time.Duration // by stage
	Cached     bool                     // the index was not asked
	Skipped    map[string]string        // stages that were wanted and did not run, and why
	Warnings   []string                 // for the caller, in sentences
	Alike      []string                 // names of the documents found that look alike and fit alike, if the query is a part of a whole
	Generation uint64                   // of the index, 0: it does not count
	Gone       int                      // matches without a passage
	Repeated   int                      // passages left out because a better one says the same
}

// A Retriever answers queries. It is safe for concurrent use.
type Retriever struct {
	search    Searcher
	store     Store
	embedder  Embedder
	spaces    Spaces
	names     Names
	log       *slog.Logger
	cache     searchCache
	plans     recent[plan]
	openings  recent[[]string] // the terms of documents' openings
	nameLists nameLists
	thesauri  thesauri
	now       func() time.Time
	budget    time.Duration
}

// New returns a Retriever that searches s and fetches passages from store.
func New(s Searcher, store Store, opt Options) *Retriever {
	r := &Retriever{search: s, store: store, embedder: opt.Embedder, spaces: opt.Spaces, names: opt.Names, log: opt.Log, nameLists: newNameLists(), now: time.Now, budget: Budget}
	if r.embedder == nil {
		r.embedder = noEmbedder{}
	}
	if r.log == nil {
		r.log = slog.Default()
	}
	return r
}

type noEmbedder struct{}

func (noEmbedder) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	return assistants.QueryVector{}, assistants.ErrNoEmbedder
}

// A run is one retrieval at work.
type run struct {
	*Retriever
	q        Query
	least    float64 // score of a hit; the best one needs the threshold
	question string  // completed by what it leans on
	synonyms []*thesaurus
	learned  *thesaurus // the abbreviations that the documents define; nil: none
	mu       sync.Mutex // guards trace: searches run in parallel
	trace    *Trace
}

// Retrieve returns the best passages for a query. The trace is filled in also
// when an error is returned. The error wraps ErrUnavailable when the index, the
// store or, where it matters, the embedder cannot answer within the budget. It is
// ctx's error when the caller gave up.
func (r *Retriever) Retrieve(ctx context.Context, q Query) (Result, error) {
	start := r.now()
	long := len(q.Text) > MaxQueryBytes
	q.Text = clip(q.Text)
	q.TopK = min(max(q.TopK, 1), assistants.MaxMatches)
	res := Result{Question: q.Text, Trace: Trace{Mode: assistants.SearchFullText, Stages: map[string]time.Duration{}}}
	w := &run{Retriever: r, q: q, least: q.Threshold, trace: &res.Trace}
	if q.Lenient {
		w.least *= furtherShare
	}
	err := w.retrieve(ctx, &res)
	res.Trace.Duration = r.now().Sub(start)
	if err != nil {
		res.Hits = nil
		return res, classify(ctx, err)
	}
	if long && len(res.Trace.Queries) > 0 {
		w.warn(warnClipped)
	}
	return res, nil
}

// classify distinguishes a search that took too long from a caller who gave up.
func classify(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("retrieval: %w: %w", assistants.ErrUnavailable, err)
	}
	return fmt.Errorf("retrieval: %w", err)
}

func (w *run) retrieve(ctx context.Context, res *Result) error {
	plan := w.planOf(w.q.Text, w.q.Before)
	if plan.empty() || len(w.q.Collections) == 0 {
		return nil
	}
	res.Question, w.question = plan.question, plan.question
	if w.gated(ctx) {
		res.Unneeded = true
		return ctx.Err()
	}
	w.rewrite(ctx, &plan)
	if err := ctx.Err(); err != nil {
		return err
	}
	hits, err := w.find(ctx, plan)
	if err != nil {
		return err
	}
	res.Unsure = !slices.ContainsFunc(hits, func(h assistants.Hit) bool { return h.Score >= w.q.Threshold })
	if len(hits) == 0 {
		w.explainNothing(ctx)
	}
	hits = w.rerank(ctx, plan.question, hits)
	if w.q.Keep > 0 && len(hits) > w.q.Keep {
		hits = hits[:w.q.Keep]
	}
	res.Hits = w.withNeighbors(ctx, hits)
	return ctx.Err()
}

// explainNothing warns if nothing was found because there is nothing to search.
func (w *run) explainNothing(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, w.budget)
	defer cancel()
	documents, searchable, err := w.store.Holdings(ctx, w.q.Tenant, w.q.Collections)
	switch {
	case err != nil: // the answer says that nothing was found, which is true
		w.log.Warn("could not find out whether an assistant has documents", "error", err)
	case !documents:
		w.warn(warnNoDocuments)
	case !searchable:
		w.warn(warnNoneRead)
	}
}

// find searches and fetches, within the budget.
func (w *run) find(ctx context.Context, plan plan) ([]assistants.Hit, error) {
	ctx, cancel := context.WithTimeout(ctx, w.budget)
	defer cancel()
	documents, err := w.filter(ctx)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	w.trace.Queries = plan.texts()
	if documents != nil && len(documents) == 0 {
		return nil, nil
	}
	for attempt := 0; ; attempt++ {
		matches, err := w.searchAll(ctx, plan, documents)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		var hits []assistants.Hit
		var gone []assistants.Match
		err = w.stage(StageFetch, func() (err error) {
			hits, gone, err = w.fetch(ctx, matches)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("fetch passages: %w", err)
		}
		// A document replaced between search and fetch has other chunks now;
		// one more search finds them. Matches that are gone after that are left out.
		if len(gone) == 0 || attempt > 0 {
			w.trace.Gone = len(gone)
			w.report(ctx, gone)
			return hits, nil
		}
	}
}

// filter returns the documents that may be searched, nil for all.
func (w *run) filter(ctx context.Context) (documents []assistants.DocumentID, err error) {
	if w.q.Filter.IsZero() {
		return nil, nil
	}
	err = w.stage(StageFilter, func() error {
		documents, err = w.store.FilterDocuments(ctx, w.q.Tenant, w.q.Collections, w.q.Filter)
		return err
	})
	if documents == nil {
		documents = []assistants.DocumentID{}
	}
	return documents, err
}

// stage runs fn and adds its time to the trace.
func (w *run) stage(name string, fn func() error) error {
	start := w.now()
	err := fn()
	w.mu.Lock()
	w.trace.Stages[name] += w.now().Sub(start)
	w.mu.Unlock()
	return err
}

// noteDuration adds to the trace how long a stage took. Of searches that run in
// parallel the longest counts.
func (w *run) noteDuration(name string, d time.Duration) {
	w.mu.Lock()
	w.trace.Stages[name] = max(w.trace.Stages[name], d)
	w.mu.Unlock()
}

// skip records why a stage that was wanted did not run.
func (w *run) skip(stage, why string) {
	if w.trace.Skipped == nil {
		w.trace.Skipped = map[string]string{}
	}
	w.trace.Skipped[stage] = why
}
