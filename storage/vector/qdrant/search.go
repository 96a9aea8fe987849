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

// maxLooks is the number of times that a search repeats because documents changed
// meanwhile.
const maxLooks = 100

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
	if len(q.Collections) == 0 || q.Documents != nil && len(q.Documents) == 0 {
		return assistants.Found{}, nil
	}
	l := newLook(x, q)
	var found assistants.Found
	for range maxLooks {
		done, err := l.run(bounded)
		if err != nil {
			return assistants.Found{}, x.wrap(ctx, "search", err)
		}
		if done {
			found.Matches, found.Text, found.Vector = l.matches(), l.textTime, l.vectorTime
			return found, nil
		}
	}
	return found, x.wrap(ctx, "search", fmt.Errorf("%w: the documents change faster than they are read", assistants.ErrUnavailable))
}

// A look is a running search. The results of one attempt are dropped before the
// next.
type look struct {
	x     *Index
	q     assistants.Search
	terms []string
	limit int  // matches to return
	most  int  // candidates of each search
	more  int  // further candidates to request
	full  bool // there may be more candidates than were requested
	gone  int  // candidates that no head names
	all   *qdrant.Filter
	only  *qdrant.Filter // all, restricted to the documents asked for
	began uint64         // start of this attempt, in the clock of the head memory
	heads map[assistants.DocumentID]head

	mu         sync.Mutex
	plan       vector.Plan
	found      map[spot]*seen
	vectorTime time.Duration
	textTime   time.Duration
}

// A spot is the position of a chunk in a generation.
type spot struct {
	generation string
	place      int
}

// A seen is a candidate with what is known about it so far.
type seen struct {
	spot
	document assistants.DocumentID
	chunk    assistants.ChunkID // "" until its words were read
	index    int
	sum      float64
	vectors  string // generation of its vector; "" if none was seen
	cosine   float64
}

func newLook(x *Index, q assistants.Search) *look {
	l := &look{x: x, q: q, limit: min(max(q.Limit, 1), assistants.MaxMatches)}
	for _, t := range q.Terms {
		if !slices.Contains(l.terms, t) {
			l.terms = append(l.terms, t)
		}
	}
	l.most = l.limit
	if len(l.terms) > 0 && len(q.Vector) > 0 {
		l.most = max(l.most, vector.MinCandidates)
	}
	must := []*qdrant.Condition{
		qdrant.NewMatchKeyword(fieldTenant, string(q.Tenant)),
		qdrant.NewMatchKeywords(fieldCollection, collectionsOf(q.Collections)...),
	}
	l.all, l.only = &qdrant.Filter{Must: must}, &qdrant.Filter{Must: must}
	if q.Documents != nil {
		ids := make([]string, len(q.Documents))
		for i, id := range q.Documents {
			ids[i] = string(id)
		}
		l.only = &qdrant.Filter{Must: append(slices.Clone(must), qdrant.NewMatchKeywords(fieldDocument, ids...))}
	}
	return l
}

// run makes one attempt. done is false if it must be repeated, because documents
// changed meanwhile or were not known before.
func (l *look) run(ctx context.Context) (done bool, err error) {
	l.found, l.plan, l.began = map[spot]*seen{}, vector.Plan{}, l.x.heads.now()
	l.full, l.gone = false, 0
	g, both := errgroup.WithContext(ctx)
	if len(l.terms) > 0 {
		g.Go(timed(&l.textTime, func() error { return l.words(both) }))
	}
	if len(l.q.Vector) > 0 {
		g.Go(timed(&l.vectorTime, func() error { return l.meanings(both) }))
	}
	if err := g.Wait(); err != nil {
		return false, err
	}
	unchanged, err := l.confirm(ctx)
	if err != nil || !unchanged || l.crowded() {
		return false, err
	}
	asked, err := l.complete(ctx)
	if err != nil || !asked {
		return err == nil, err
	}
	return l.confirm(ctx)
}

// Points that no head names belong to a version that is being written, or whose
// writing was interrupted. They take the places of candidates.
const (
	spare    = 20     // candidates that are always requested in addition
	mostMore = 10_000 // the most candidates that are requested in addition
)

// crowded reports whether points that no head names may have displaced candidates,
// and requests more for the next attempt.
func (l *look) crowded() bool {
	if !l.full || l.gone <= l.more+spare || l.more >= mostMore {
		return false
	}
	l.more = min(2*l.gone, mostMore)
	return true
}

func timed(took *time.Duration, fn func() error) func() error {
	return func() error {
		start := time.Now()
		defer func() { *took += time.Since(start) }()
		return fn()
	}
}

// words weighs the terms and finds candidates by them.
func (l *look) words(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	counts := make([]uint64, len(l.terms))
	for i, term := range l.terms {
		g.Go(func() (err error) {
			counts[i], err = l.x.client.Count(ctx, &qdrant.CountPoints{CollectionName: l.x.wordsCollection(), Exact: qdrant.PtrOf(true), Filter: &qdrant.Filter{
				Must: append(slices.Clone(l.all.Must), qdrant.NewMatchInt(fieldTerms, int64(termNumber(term)))),
			}})
			return err
		})
	}
	var chunks, total uint64
	g.Go(func() error {
		hits, err := l.x.client.Facet(ctx, &qdrant.FacetCounts{
			CollectionName: l.x.wordsCollection(), Key: fieldLength, Filter: l.all, Limit: qdrant.PtrOf(uint64(vector.MaxText)),
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
	g.Go(func() (err error) {
		indices := make([]uint32, 0, len(l.terms))
		for _, t := range l.terms {
			if n := termNumber(t); !slices.Contains(indices, n) {
				indices = append(indices, n)
			}
		}
		values := slices.Repeat([]float32{1}, len(indices))
		limit := 2*l.most + spare + l.more
		points, err = l.x.client.Query(ctx, &qdrant.QueryPoints{
			CollectionName: l.x.wordsCollection(), Query: qdrant.NewQuerySparse(indices, values), Using: qdrant.PtrOf(vectorText), Filter: l.only,
			// More than needed, because the server's order differs slightly.
			Limit: qdrant.PtrOf(uint64(limit)), WithPayload: chunkPayload, WithVectors: qdrant.NewWithVectorsInclude(vectorText),
		})
		return err
	})
	if err := g.Wait(); err != nil || chunks == 0 {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.plan = vector.NewPlan(l.terms, func(i int) int { return int(counts[i]) }, int(chunks), int(total))
	l.full = l.full || len(points) >= 2*l.most+spare+l.more
	for _, p := range points {
		l.readWords(p.GetPayload(), p.GetVectors())
	}
	return nil
}

// chunkPayload are the fields that are read of a point with words.
var chunkPayload = qdrant.NewWithPayloadInclude(fieldTenant, fieldCollection, fieldDocument, fieldGeneration, fieldPlace, fieldChunk, fieldIndex, fieldLength)

// readWords adds a point with words as a candidate, or completes one.
func (l *look) readWords(payload map[string]*qdrant.Value, vectors *qdrant.VectorsOutput) {
	c := l.candidate(payload)
	if c == nil {
		return
	}
	c.chunk = assistants.ChunkID(payload[fieldChunk].GetStringValue())
	c.index = int(payload[fieldIndex].GetIntegerValue())
	length := int(payload[fieldLength].GetIntegerValue())
	sparse := vectors.GetVectors().GetVectors()[vectorText].GetSparse()
	halves := make(map[uint32]uint32, len(l.terms))
	for i, n := range sparse.GetIndices() {
		halves[n] = halvesOf(sparse.GetValues()[i], length)
	}
	sum := 0.0
	for _, w := range l.plan.Weights {
		if h := halves[termNumber(w.Term)]; h > 0 {
			sum += l.plan.Part(w.Gain, h, uint32(length))
		}
	}
	c.sum = vector.Rounded(sum)
}

// candidate returns the candidate of a point. It rejects points of other tenants or
// collections, even if the server returned them.
func (l *look) candidate(payload map[string]*qdrant.Value) *seen {
	if payload[fieldTenant].GetStringValue() != string(l.q.Tenant) ||
		!slices.Contains(l.q.Collections, assistants.CollectionID(payload[fieldCollection].GetStringValue())) {
		l.x.log.Error("the index server answered with a passage that was not asked for; it is dropped", "security", true,
			"point_tenant", payload[fieldTenant].GetStringValue(), "document", payload[fieldDocument].GetStringValue())
		return nil
	}
	at := spot{payload[fieldGeneration].GetStringValue(), int(payload[fieldPlace].GetIntegerValue())}
	c := l.found[at]
	if c == nil {
		c = &seen{spot: at, document: assistants.DocumentID(payload[fieldDocument].GetStringValue())}
		l.found[at] = c
	}
	return c
}

// meanings finds candidates by the question's vector.
func (l *look) meanings(ctx context.Context) error {
	limit := l.most + spare + l.more
	points, err := l.near(ctx, l.only, limit)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = l.full || len(points) >= limit
	l.readVectors(points)
	return nil
}

func (l *look) readVectors(points []*qdrant.ScoredPoint) {
	for _, p := range points {
		if c := l.candidate(p.GetPayload()); c != nil {
			c.vectors, c.cosine = p.GetPayload()[fieldVectors].GetStringValue(), float64(p.GetScore())
		}
	}
}

// near finds the vectors nearest to the question's.
func (l *look) near(ctx context.Context, f *qdrant.Filter, limit int) ([]*qdrant.ScoredPoint, error) {
	there, err := l.x.hasSpace(ctx, l.q.Space)
	if err != nil || !there {
		return nil, err
	}
	return l.x.client.Query(ctx, &qdrant.QueryPoints{
		CollectionName: l.x.spaceCollection(l.q.Space), Query: qdrant.NewQueryDense(l.q.Vector), Using: qdrant.PtrOf(vectorDense),
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
	there, err := x.client.CollectionExists(ctx, x.spaceCollection(s))
	if err != nil || !there {
		return false, err
	}
	return true, x.prepareSpace(ctx, s)
}

// confirm reads the heads of the candidates' documents and drops candidates that
// they do not name. It reports whether all heads are unchanged since before the
// attempt, so that the results of each document are complete.
func (l *look) confirm(ctx context.Context) (unchanged bool, err error) {
	ids := map[assistants.DocumentID]bool{}
	for _, c := range l.found {
		ids[c.document] = true
	}
	if l.heads, err = l.x.readHeads(ctx, slices.Collect(maps.Keys(ids))); err != nil {
		return false, err
	}
	unchanged = true
	for id := range ids {
		h, ok := l.heads[id]
		if !ok {
			l.x.heads.forget(id)
			continue
		}
		if before, known := l.x.heads.before(id, l.began); !known || !before.same(h) {
			unchanged = false
		}
		l.x.heads.put(h)
	}
	for at, c := range l.found {
		h, ok := l.heads[c.document]
		if !ok || c.generation != h.generation {
			delete(l.found, at)
			l.gone++
			continue
		}
		if c.vectors != "" && c.vectors != h.vectors[l.q.Space] {
			c.vectors, c.cosine = "", 0
		}
	}
	return unchanged, nil
}

// complete reads what is missing: the words of candidates that were found by
// meaning, and the cosines of those found by words.
func (l *look) complete(ctx context.Context) (asked bool, err error) {
	var wordless, vectorless []*qdrant.PointId
	for _, c := range l.found {
		if c.chunk == "" {
			wordless = append(wordless, placeID(c.generation, c.place))
		}
		if g := l.heads[c.document].vectors[l.q.Space]; len(l.q.Vector) > 0 && g != "" && c.vectors == "" {
			vectorless = append(vectorless, placeID(g, c.place))
		}
	}
	if len(wordless) > 0 {
		points, err := l.x.client.Get(ctx, &qdrant.GetPoints{
			CollectionName: l.x.wordsCollection(), Ids: wordless, WithPayload: chunkPayload, WithVectors: qdrant.NewWithVectorsInclude(vectorText),
		})
		if err != nil {
			return true, err
		}
		for _, p := range points {
			l.readWords(p.GetPayload(), p.GetVectors())
		}
	}
	if len(vectorless) > 0 {
		f := &qdrant.Filter{Must: append(slices.Clone(l.all.Must), qdrant.NewHasID(vectorless...))}
		points, err := l.near(ctx, f, len(vectorless))
		if err != nil {
			return true, err
		}
		l.readVectors(points)
	}
	return len(wordless)+len(vectorless) > 0, nil
}

// matches returns the best candidates.
func (l *look) matches() []assistants.Match {
	var all []vector.Scored
	for _, c := range l.found {
		if c.chunk == "" {
			continue
		}
		j := vector.Scored{Sum: c.sum, Index: c.index, Place: c.place}
		j.ChunkID, j.DocumentID, j.Version, j.Cosine = c.chunk, c.document, l.heads[c.document].version, c.cosine
		if c.sum > 0 {
			j.TextScore = min(1, c.sum/l.plan.Sum)
		}
		if j.Score = l.q.Score(j.TextScore, j.Cosine, c.vectors != ""); j.Score > 0 && j.Score >= l.q.MinScore-vector.Grain {
			all = append(all, j)
		}
	}
	return vector.Best(all, l.limit)
}
