package qdrant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"footnote/assistants"
	"footnote/storage/vector"
)

// maxAttempts is the number of times that a search repeats because documents changed
// meanwhile.
const maxAttempts = 100

// Search returns the best matches, with the rules and errors of
// embedded.Index.Search.
func (x *Index) Search(ctx context.Context, q assistants.Search) (assistants.Found, error) {
	if len(q.Vector) > 0 {
		if err := vector.CheckVector(q.Space, q.Vector); err != nil {
			return assistants.Found{}, fmt.Errorf("index: search: %w", err)
		}
	}
	bounded, cancel, err := x.begin(ctx)
	if err != nil {
		return assistants.Found{}, x.wrap(ctx, "search", err)
	}
	defer cancel()
	if err := x.errLost(); err != nil {
		return assistants.Found{}, x.wrap(ctx, "search", err)
	}
	if len(q.Collections) == 0 || q.Documents != nil && len(q.Documents) == 0 {
		return assistants.Found{}, nil
	}
	r := newSearchRun(x, q)
	var found assistants.Found
	for range maxAttempts {
		done, err := r.run(bounded)
		if err != nil {
			return assistants.Found{}, x.wrap(ctx, "search", err)
		}
		if done {
			found.Matches, found.Text, found.Vector = r.matches(), r.textTime, r.vectorTime
			return found, nil
		}
	}
	return found, x.wrap(ctx, "search", fmt.Errorf("%w: the documents change faster than they are read", assistants.ErrUnavailable))
}

// A searchRun is one search. The results of one attempt are dropped before the
// next.
type searchRun struct {
	x                *Index
	q                assistants.Search
	terms            []string // of all wordings
	limit            int      // matches to return
	candidates       int      // candidates of each search
	extra            int      // further candidates to request
	mayHaveMore      bool     // there may be more candidates than were requested
	unnamed          int      // candidates that no head names
	collectionFilter *qdrant.Filter
	documentFilter   *qdrant.Filter // all, restricted to the documents asked for
	startClock       uint64         // start of this attempt, in the clock of the head memory
	heads            map[assistants.DocumentID]head

	mu         sync.Mutex
	plans      []vector.Plan // of the wordings
	found      map[position]*candidate
	vectorTime time.Duration
	textTime   time.Duration
}

// A position is the place of a chunk in a generation.
type position struct {
	generation string
	place      int
}

// A candidate is a chunk with what is known about it so far.
type candidate struct {
	position
	document assistants.DocumentID
	chunk    assistants.ChunkID // "" until its words were read
	index    int
	words    vector.Scored // its words' scores
	vectors  string        // generation of its vector; "" if none was seen
	cosine   float64
}

func newSearchRun(x *Index, q assistants.Search) *searchRun {
	r := &searchRun{x: x, q: q, limit: min(max(q.Limit, 1), assistants.MaxMatches)}
	r.terms = distinct(slices.Concat(r.wordings()...))
	r.candidates = r.limit
	if len(r.terms) > 0 && len(q.Vector) > 0 {
		r.candidates = max(r.candidates, vector.MinCandidates)
	}
	must := []*qdrant.Condition{
		qdrant.NewMatchKeyword(fieldTenant, string(q.Tenant)),
		qdrant.NewMatchKeywords(fieldCollection, collectionsOf(q.Collections)...),
	}
	r.collectionFilter, r.documentFilter = &qdrant.Filter{Must: must}, &qdrant.Filter{Must: must}
	if q.Documents != nil {
		ids := make([]string, len(q.Documents))
		for i, id := range q.Documents {
			ids[i] = string(id)
		}
		r.documentFilter = &qdrant.Filter{Must: append(slices.Clone(must), qdrant.NewMatchKeywords(fieldDocument, ids...))}
	}
	return r
}

// distinct returns the terms without repetitions.
func distinct(terms []string) []string {
	var out []string
	for _, t := range terms {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// wordings are the terms of each wording of the question.
func (r *searchRun) wordings() [][]string { return append([][]string{r.q.Terms}, r.q.Wordings...) }

// run makes one attempt. done is false if the attempt must be repeated, because
// documents changed meanwhile or their heads were not known before.
func (r *searchRun) run(ctx context.Context) (done bool, err error) {
	r.found, r.plans, r.startClock = map[position]*candidate{}, nil, r.x.heads.now()
	r.mayHaveMore, r.unnamed = false, 0
	g, groupCtx := errgroup.WithContext(ctx)
	if len(r.terms) > 0 {
		g.Go(timed(&r.textTime, func() error { return r.searchWords(groupCtx) }))
	}
	if len(r.q.Vector) > 0 {
		g.Go(timed(&r.vectorTime, func() error { return r.searchMeaning(groupCtx) }))
	}
	if err := g.Wait(); err != nil {
		return false, err
	}
	unchanged, err := r.confirm(ctx)
	if err != nil || !unchanged || r.crowded() {
		return false, err
	}
	changed, err := r.readMissing(ctx)
	if err != nil || !changed {
		return err == nil, err
	}
	return r.confirm(ctx)
}

// Points that no head names belong to a version that is being written, or whose
// writing was interrupted. They take the places of candidates.
const (
	spare    = 20     // candidates that are always requested in addition
	maxExtra = 10_000 // the most candidates that are requested in addition
)

// crowded reports whether points that no head names may have displaced candidates,
// and requests more for the next attempt.
func (r *searchRun) crowded() bool {
	if !r.mayHaveMore || r.unnamed <= r.extra+spare || r.extra >= maxExtra {
		return false
	}
	r.extra = min(2*r.unnamed, maxExtra)
	return true
}

// timed returns fn for a goroutine of its own: it measures the time, and a panic is an error.
func timed(took *time.Duration, fn func() error) func() error {
	return func() (err error) {
		defer assistants.CatchPanic(&err)
		start := time.Now()
		defer func() { *took += time.Since(start) }()
		return fn()
	}
}

// searchWords weighs the terms and finds candidates by them.
func (r *searchRun) searchWords(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	counts := make([]uint64, len(r.terms))
	for i, term := range r.terms {
		g.Go(func() (err error) {
			defer assistants.CatchPanic(&err)
			counts[i], err = r.x.client.Count(ctx, &qdrant.CountPoints{CollectionName: r.x.wordsCollection(), Exact: qdrant.PtrOf(true), Filter: &qdrant.Filter{
				Must: append(slices.Clone(r.collectionFilter.Must), qdrant.NewMatchInt(fieldTerms, int64(termNumber(term)))),
			}})
			return err
		})
	}
	var chunks, total uint64
	g.Go(func() (err error) {
		defer assistants.CatchPanic(&err)
		hits, err := r.x.client.Facet(ctx, &qdrant.FacetCounts{
			CollectionName: r.x.wordsCollection(), Key: fieldLength, Filter: r.collectionFilter, Limit: qdrant.PtrOf(uint64(vector.MaxText)),
			// Not exact: otherwise the server counts each length separately, hundreds of
			// times.
		})
		for _, h := range hits {
			if length := h.GetValue().GetIntegerValue(); length > 0 {
				chunks += h.GetCount()
				total += h.GetCount() * uint64(length)
			}
		}
		return err
	})
	var points []*qdrant.ScoredPoint
	limit := 2*r.candidates + spare + r.extra // more than needed, because the server's order differs slightly
	g.Go(func() (err error) {
		defer assistants.CatchPanic(&err)
		points, err = r.worded(ctx, limit)
		return err
	})
	if err := g.Wait(); err != nil || chunks == 0 {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, terms := range r.wordings() {
		terms = distinct(terms)
		r.plans = append(r.plans, vector.NewPlan(terms, func(i int) int { return int(counts[slices.Index(r.terms, terms[i])]) }, int(chunks), int(total)))
	}
	r.mayHaveMore = r.mayHaveMore || len(points) >= limit
	for _, p := range points {
		r.readWords(p.GetPayload(), p.GetVectors())
	}
	return nil
}

// worded returns the points that have most of the terms.
func (r *searchRun) worded(ctx context.Context, limit int) ([]*qdrant.ScoredPoint, error) {
	indices := make([]uint32, 0, len(r.terms))
	for _, t := range r.terms {
		if n := termNumber(t); !slices.Contains(indices, n) {
			indices = append(indices, n)
		}
	}
	values := slices.Repeat([]float32{1}, len(indices))
	return r.x.client.Query(ctx, &qdrant.QueryPoints{
		CollectionName: r.x.wordsCollection(), Query: qdrant.NewQuerySparse(indices, values), Using: qdrant.PtrOf(vectorText), Filter: r.documentFilter,
		Limit: qdrant.PtrOf(uint64(limit)), WithPayload: chunkPayload, WithVectors: qdrant.NewWithVectorsInclude(vectorText),
	})
}

// chunkPayload are the fields that are read of a point with words.
var chunkPayload = qdrant.NewWithPayloadInclude(fieldTenant, fieldCollection, fieldDocument, fieldGeneration, fieldPlace, fieldChunk, fieldIndex, fieldLength)

// readWords adds a point with words as a candidate, or completes one.
func (r *searchRun) readWords(payload map[string]*qdrant.Value, vectors *qdrant.VectorsOutput) {
	c := r.candidateAt(payload)
	if c == nil {
		return
	}
	c.chunk = assistants.ChunkID(payload[fieldChunk].GetStringValue())
	c.index = int(payload[fieldIndex].GetIntegerValue())
	length := int(payload[fieldLength].GetIntegerValue())
	sparse := vectors.GetVectors().GetVectors()[vectorText].GetSparse()
	halves := make(map[uint32]uint32, len(r.terms))
	for i, n := range sparse.GetIndices() {
		halves[n] = halvesOf(sparse.GetValues()[i], length)
	}
	c.words = vector.Scored{}
	for _, p := range r.plans {
		sum := 0.0
		for _, w := range p.Weights {
			if h := halves[termNumber(w.Term)]; h > 0 {
				sum += p.Part(w.Gain, h, uint32(length))
			}
		}
		c.words.Word(p, vector.Rounded(sum))
	}
}

// candidateAt returns the candidate of a point. It rejects points of other tenants or
// collections, even if the server returned them.
func (r *searchRun) candidateAt(payload map[string]*qdrant.Value) *candidate {
	if payload[fieldTenant].GetStringValue() != string(r.q.Tenant) ||
		!slices.Contains(r.q.Collections, assistants.CollectionID(payload[fieldCollection].GetStringValue())) {
		r.x.log.Error("the index server answered with a passage that was not asked for; it is dropped", "security", true,
			"point_tenant", payload[fieldTenant].GetStringValue(), "document", payload[fieldDocument].GetStringValue())
		return nil
	}
	at := position{payload[fieldGeneration].GetStringValue(), int(payload[fieldPlace].GetIntegerValue())}
	c := r.found[at]
	if c == nil {
		c = &candidate{position: at, document: assistants.DocumentID(payload[fieldDocument].GetStringValue())}
		r.found[at] = c
	}
	return c
}

// searchMeaning finds candidates by the question's vector.
func (r *searchRun) searchMeaning(ctx context.Context) error {
	limit := r.candidates + spare + r.extra
	points, err := r.searchVectors(ctx, r.documentFilter, limit)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mayHaveMore = r.mayHaveMore || len(points) >= limit
	r.readVectors(points)
	return nil
}

func (r *searchRun) readVectors(points []*qdrant.ScoredPoint) {
	for _, p := range points {
		if c := r.candidateAt(p.GetPayload()); c != nil {
			c.vectors, c.cosine = p.GetPayload()[fieldVectors].GetStringValue(), float64(p.GetScore())
		}
	}
}

// searchVectors finds the vectors nearest to the question's.
func (r *searchRun) searchVectors(ctx context.Context, f *qdrant.Filter, limit int) ([]*qdrant.ScoredPoint, error) {
	exists, err := r.x.hasSpace(ctx, r.q.Space)
	if err != nil || !exists {
		return nil, err
	}
	return r.x.client.Query(ctx, &qdrant.QueryPoints{
		CollectionName: r.x.spaceCollection(r.q.Space), Query: qdrant.NewQueryDense(r.q.Vector), Using: qdrant.PtrOf(vectorDense),
		Filter: f, Limit: qdrant.PtrOf(uint64(limit)), WithPayload: qdrant.NewWithPayload(true),
	})
}

// hasSpace reports whether the server has vectors of a space.
func (x *Index) hasSpace(ctx context.Context, s assistants.Space) (bool, error) {
	x.mu.Lock()
	known := x.spaces[s]
	x.mu.Unlock()
	if known {
		return true, nil
	}
	exists, err := x.client.CollectionExists(ctx, x.spaceCollection(s))
	if err != nil || !exists {
		return false, err
	}
	return true, x.prepareSpace(ctx, s)
}

// confirm reads the heads of the candidates' documents and drops candidates that
// they do not name. It reports whether all heads are unchanged since before the
// attempt, so that the results of each document are complete.
func (r *searchRun) confirm(ctx context.Context) (unchanged bool, err error) {
	ids := map[assistants.DocumentID]bool{}
	for _, c := range r.found {
		ids[c.document] = true
	}
	if r.heads, err = r.x.readHeads(ctx, slices.Collect(maps.Keys(ids))); err != nil {
		return false, err
	}
	unchanged = true
	for id := range ids {
		h, ok := r.heads[id]
		if !ok {
			r.x.heads.forget(id)
			continue
		}
		if before, known := r.x.heads.ifUnchangedSince(id, r.startClock); !known || !before.same(h) {
			unchanged = false
		}
		r.x.heads.put(h)
	}
	for at, c := range r.found {
		h, ok := r.heads[c.document]
		if !ok || c.generation != h.generation {
			delete(r.found, at)
			r.unnamed++
			continue
		}
		if c.vectors != "" && c.vectors != h.vectors[r.q.Space] {
			c.vectors, c.cosine = "", 0
		}
	}
	return unchanged, nil
}

// readMissing reads the words of candidates that were found by meaning, and the
// cosines of those found by words. changed is false if nothing was missing.
func (r *searchRun) readMissing(ctx context.Context) (changed bool, err error) {
	var wordless, vectorless []*qdrant.PointId
	for _, c := range r.found {
		if c.chunk == "" {
			wordless = append(wordless, placeID(c.generation, c.place))
		}
		if g := r.heads[c.document].vectors[r.q.Space]; len(r.q.Vector) > 0 && g != "" && c.vectors == "" {
			vectorless = append(vectorless, placeID(g, c.place))
		}
	}
	if len(wordless) > 0 {
		points, err := r.x.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: r.x.wordsCollection(), Ids: wordless, WithPayload: chunkPayload, WithVectors: qdrant.NewWithVectorsInclude(vectorText),
		})
		if err != nil {
			return true, err
		}
		for _, p := range points {
			r.readWords(p.GetPayload(), p.GetVectors())
		}
	}
	if len(vectorless) > 0 {
		f := &qdrant.Filter{Must: append(slices.Clone(r.collectionFilter.Must), qdrant.NewHasID(vectorless...))}
		points, err := r.searchVectors(ctx, f, len(vectorless))
		if err != nil {
			return true, err
		}
		r.readVectors(points)
	}
	return len(wordless)+len(vectorless) > 0, nil
}

// matches returns the best candidates.
func (r *searchRun) matches() []assistants.Match {
	var scored []vector.Scored
	for _, c := range r.found {
		if c.chunk == "" {
			continue
		}
		s := c.words
		s.Index, s.Place = c.index, c.place
		s.ChunkID, s.DocumentID, s.Version, s.Cosine = c.chunk, c.document, r.heads[c.document].version, c.cosine
		if s.Score = r.q.Score(s.TextScore, s.Cosine, c.vectors != ""); s.Score > 0 && s.Score >= r.q.MinScore-vector.Grain {
			scored = append(scored, s)
		}
	}
	return vector.Best(scored, r.limit)
}
