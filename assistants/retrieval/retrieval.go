// Package retrieval turns a question into ranked passages: it cuts the question
// to a bounded length, finds its terms, searches the index, drops what lies
// under the threshold, fetches the passages from the store and drops repetition.
//
// It obeys one rule: what it returns exists. A match whose passage the store
// no longer has is never returned. It knows the index and the store only through
// the two interfaces below, and imports no storage, HTTP or model library.
// Searching by meaning will be another stage beside the one for words.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/assistants/lexical"
)

// MaxQueryBytes is how much of a question is searched for.
const MaxQueryBytes = 8 << 10

// Budget is how long a retrieval may take.
const Budget = 2 * time.Second

// Stages of a retrieval, as named in a [Trace].
const (
	StageText  = "text"  // search for words
	StageFetch = "fetch" // passages from the store
)

// A Searcher is an index.
type Searcher interface {
	// Search returns matches by descending score. Unknown collections, terms and
	// spaces are no error. The error wraps ErrUnavailable when the index cannot
	// answer, or is that of ctx.
	Search(ctx context.Context, q assistants.Search) (assistants.Found, error)
}

// A Hydrator fetches passages; every assistants.Store is one.
type Hydrator interface {
	// Hits resolves matches to chunks with their documents, in order. Matches
	// without a chunk, document or collection are left out.
	Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error)
}

// A Query is what is asked of a [Retriever].
type Query struct {
	Tenant      assistants.TenantID
	Collections []assistants.CollectionID // no others are searched
	Text        string                    // the question; of a longer one than MaxQueryBytes the beginning and the end count
	TopK        int                       // clamped to 1–assistants.MaxMatches
	Threshold   float64                   // least score of a hit
	Mode        assistants.SearchMode     // the mode wished for; Trace.Mode is the one that ran
}

// A Result is the hits of a query by descending score, and how they came about.
type Result struct {
	Hits  []assistants.Hit
	Trace Trace
}

// A Trace tells what a retrieval did.
type Trace struct {
	Queries  []string              // the texts that were searched for; none when there was nothing to search
	Mode     assistants.SearchMode // the mode that really ran
	Duration time.Duration
	Stages   map[string]time.Duration // by stage
}

// A Retriever answers queries. It is safe for concurrent use.
type Retriever struct {
	search Searcher
	store  Hydrator
	now    func() time.Time
	budget time.Duration
}

// New returns a Retriever that searches s and fetches passages from h.
func New(s Searcher, h Hydrator) *Retriever {
	return &Retriever{search: s, store: h, now: time.Now, budget: Budget}
}

// Retrieve returns the best passages for a query. The trace is filled in also
// when an error is returned. The error wraps ErrUnavailable when the index or
// the store cannot answer within the budget, and is that of ctx when the caller
// gave up.
func (r *Retriever) Retrieve(ctx context.Context, q Query) (Result, error) {
	start := r.now()
	res := Result{Trace: Trace{Mode: assistants.SearchFullText, Stages: map[string]time.Duration{}}}
	bounded, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	hits, err := r.run(bounded, q, &res.Trace)
	res.Trace.Duration = r.now().Sub(start)
	if err != nil {
		return res, classify(ctx, err)
	}
	res.Hits = hits
	return res, nil
}

// classify tells the caller's own end from a search that took too long.
func classify(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("retrieval: %w: %w", assistants.ErrUnavailable, err)
	}
	return fmt.Errorf("retrieval: %w", err)
}

func (r *Retriever) run(ctx context.Context, q Query, trace *Trace) ([]assistants.Hit, error) {
	text := clip(q.Text)
	terms := lexical.QueryTerms(text)
	if len(terms) == 0 || len(q.Collections) == 0 {
		return nil, nil
	}
	trace.Queries = []string{text}
	q.TopK = min(max(q.TopK, 1), assistants.MaxMatches)
	search := assistants.Search{
		Tenant: q.Tenant, Collections: q.Collections, Terms: terms,
		// Repetitions are dropped later, so more than TopK may be needed.
		Limit: assistants.MaxMatches, MinScore: q.Threshold,
	}
	for attempt := 0; ; attempt++ {
		var found assistants.Found
		err := r.stage(trace, StageText, func() (err error) {
			found, err = r.search.Search(ctx, search)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		var hits []assistants.Hit
		var gone bool
		err = r.stage(trace, StageFetch, func() (err error) {
			hits, gone, err = r.fetch(ctx, q, found.Matches)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("fetch passages: %w", err)
		}
		// A document replaced between search and fetch has other chunks now;
		// one more search finds them. Whatever is gone then stays out.
		if !gone || attempt > 0 {
			return hits, nil
		}
	}
}

// stage runs fn and adds its time to the trace.
func (r *Retriever) stage(trace *Trace, name string, fn func() error) error {
	start := r.now()
	err := fn()
	trace.Stages[name] += r.now().Sub(start)
	return err
}

// fetch resolves the best matches to at most TopK hits of distinct text; gone
// tells that the store lacks some of them. It asks for no more passages than
// needed: again only when too few were left of the first ones.
func (r *Retriever) fetch(ctx context.Context, q Query, matches []assistants.Match) (hits []assistants.Hit, gone bool, err error) {
	for len(matches) > 0 && matches[len(matches)-1].Score < q.Threshold {
		matches = matches[:len(matches)-1]
	}
	seen := map[string]bool{}
	for len(matches) > 0 && len(hits) < q.TopK {
		batch := matches[:min(q.TopK, len(matches))]
		matches = matches[len(batch):]
		found, err := r.store.Hits(ctx, q.Tenant, q.Collections, batch)
		if err != nil {
			return nil, false, err
		}
		gone = gone || len(found) < len(batch)
		for _, h := range found {
			// The same passage again, from another file or an overlap, costs
			// prompt and tells nothing.
			if !seen[h.Chunk.Text] && len(hits) < q.TopK {
				seen[h.Chunk.Text] = true
				hits = append(hits, h)
			}
		}
	}
	return hits, gone, nil
}

// clip cuts a question to MaxQueryBytes, between characters. The beginning and
// the end stay: people ask before or after what they paste.
func clip(text string) string {
	if len(text) <= MaxQueryBytes {
		return text
	}
	const half = MaxQueryBytes / 2
	head, tail := half, len(text)-half+1
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "\n" + text[tail:]
}
