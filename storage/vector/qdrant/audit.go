package qdrant

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
	"footnote/storage/vector"
)

// Versions returns the version of each document in the index, and the spaces in
// which all of its points have vectors. The server may have lost points, so Versions
// counts them. It omits a document that lacks points, and a space in which the
// document lacks vectors, so that reconciliation applies them again. It removes points
// that no document names.
func (x *Index) Versions(ctx context.Context) (map[assistants.DocumentID]assistants.Indexed, error) {
	ctx, end, err := x.enter(ctx) // without a bound: it takes time in proportion to the documents
	if err != nil {
		return nil, x.wrap(ctx, "versions", err)
	}
	defer end()
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = x.prepare(bounded)
	if err == nil {
		err = x.claim(bounded) // two installations may have claimed the collections at the same moment
	}
	if err != nil {
		return nil, x.wrap(ctx, "versions", err)
	}
	return x.versions(ctx, true)
}

// Inspect returns what [Index.Versions] does of the index on a server, and changes
// nothing there. The error wraps ErrUnavailable, or ErrConflict for the index of
// another installation.
func Inspect(ctx context.Context, opt Options) (_ map[assistants.DocumentID]assistants.Indexed, err error) {
	x, err := Open(opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for _, name := range []string{x.headsCollection(), x.wordsCollection()} {
		counts, err := x.client.CollectionExists(ctx, name)
		if err != nil || !counts {
			return nil, x.wrap(ctx, "inspect", err)
		}
	}
	owner, err := x.owner(ctx)
	if err == nil {
		err = x.checkOwner(owner)
	}
	if err != nil {
		return nil, x.wrap(ctx, "inspect", err)
	}
	return x.versions(ctx, false)
}

func (x *Index) versions(ctx context.Context, tidy bool) (map[assistants.DocumentID]assistants.Indexed, error) {
	a := audit{x: x, tidy: tidy, heads: map[assistants.DocumentID]head{}, changed: map[assistants.DocumentID]bool{}}
	err := x.eachHead(ctx, func(h head) { a.heads[h.document] = h })
	if err == nil {
		err = a.check(ctx)
	}
	if err != nil {
		return nil, x.wrap(ctx, "versions", err)
	}
	out := make(map[assistants.DocumentID]assistants.Indexed, len(a.heads))
	for id, h := range a.heads {
		out[id] = assistants.Indexed{Version: h.version, Spaces: slices.SortedFunc(maps.Keys(h.vectors), vector.CompareSpaces)}
	}
	return out, nil
}

// An audit compares heads with the points that they name.
type audit struct {
	x       *Index
	tidy    bool // points that no document names are removed
	heads   map[assistants.DocumentID]head
	changed map[assistants.DocumentID]bool // changed during the audit
}

func (a *audit) check(ctx context.Context) error {
	counts, err := a.counts(ctx, a.x.wordsCollection(), fieldGeneration)
	if err != nil {
		return err
	}
	if err := a.reread(ctx, func(h head) bool { return counts[h.generation] < h.points }); err != nil {
		return err
	}
	named, spaces := map[string]bool{}, map[assistants.Space]bool{}
	for id, h := range a.heads {
		named[h.generation] = true
		for s := range h.vectors {
			spaces[s] = true
		}
		if counts[h.generation] < h.points && !a.changed[id] {
			delete(a.heads, id)
		}
	}
	if err := a.removeStrays(ctx, a.x.wordsCollection(), fieldGeneration, counts, named); err != nil {
		return err
	}
	for s := range spaces {
		if err := a.checkSpace(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) checkSpace(ctx context.Context, s assistants.Space) error {
	has, err := a.x.hasSpace(ctx, s)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	if has {
		if counts, err = a.counts(ctx, a.x.spaceCollection(s), fieldVectors); err != nil {
			return err
		}
	}
	lacks := func(h head) bool {
		g, ok := h.vectors[s]
		return ok && counts[g] < h.points
	}
	if err := a.reread(ctx, lacks); err != nil {
		return err
	}
	named := map[string]bool{}
	for id, h := range a.heads {
		if g, ok := h.vectors[s]; ok {
			named[g] = true
		}
		if lacks(h) && !a.changed[id] {
			delete(h.vectors, s)
		}
	}
	if !has {
		return nil
	}
	return a.removeStrays(ctx, a.x.spaceCollection(s), fieldVectors, counts, named)
}

// maxGenerations is the number of generations that one count distinguishes.
const maxGenerations = 10_000_000

// reread reads the heads of documents that seem to lack points again: a document
// that changed meanwhile has other points.
func (a *audit) reread(ctx context.Context, lacks func(head) bool) error {
	var ids []assistants.DocumentID
	for id, h := range a.heads {
		if lacks(h) && !a.changed[id] {
			ids = append(ids, id)
		}
	}
	for part := range slices.Chunk(ids, scrollLimit) {
		now, err := a.x.readHeads(ctx, part)
		if err != nil {
			return err
		}
		for id, h := range now {
			if !h.same(a.heads[id]) {
				a.heads[id], a.changed[id] = h, true
			}
		}
	}
	return nil
}

// counts returns the number of points of each generation in a collection. An exact
// count is not needed: the server counts a point twice while it moves it, and an
// exact count would cost it one query for each generation.
func (a *audit) counts(ctx context.Context, collection, field string) (map[string]int, error) {
	hits, err := a.x.client.Facet(ctx, &qdrant.FacetCounts{CollectionName: collection, Key: field, Limit: qdrant.PtrOf(uint64(maxGenerations))})
	if err != nil {
		return nil, fmt.Errorf("count the points of each document: %w", err)
	}
	out := make(map[string]int, len(hits))
	for _, h := range hits {
		out[h.GetValue().GetStringValue()] = int(h.GetCount())
	}
	return out, nil
}

// strayAge is the age from which a generation without a head counts as abandoned.
// Writing a document takes less, even if the clocks differ a little.
const strayAge = 30 * time.Minute

// removeStrays removes the points of generations that no head names.
func (a *audit) removeStrays(ctx context.Context, collection, field string, counts map[string]int, named map[string]bool) error {
	if !a.tidy {
		return nil
	}
	var strays []string
	for g := range counts {
		id, err := ulid.Parse(g)
		if !named[g] && (err != nil || time.Since(ulid.Time(id.Time())) > strayAge) {
			strays = append(strays, g)
		}
	}
	for part := range slices.Chunk(strays, pointsAtOnce) {
		f := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeywords(field, part...)}}
		if err := a.x.delete(ctx, collection, qdrant.NewPointsSelectorFilter(f)); err != nil {
			return err
		}
	}
	if len(strays) > 0 {
		a.x.log.Info("points of no document were removed from the index", "generations", len(strays))
	}
	return nil
}

// Sample returns at most n of the vectors that a tenant's collection has in a space,
// at random. The error wraps ErrUnavailable.
func (x *Index) Sample(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, space assistants.Space, n int) ([][]float32, error) {
	bounded, cancel, err := x.begin(ctx)
	if err != nil {
		return nil, x.wrap(ctx, "sample", err)
	}
	defer cancel()
	counts, err := x.hasSpace(bounded, space)
	if err != nil || !counts || n < 1 {
		return nil, x.wrap(ctx, "sample", err)
	}
	points, err := x.client.Query(bounded, &qdrant.QueryPoints{
		CollectionName: x.spaceCollection(space), Query: qdrant.NewQuerySample(qdrant.Sample_Random), Using: qdrant.PtrOf(vectorDense),
		Filter: &qdrant.Filter{Must: []*qdrant.Condition{
			qdrant.NewMatchKeyword(fieldTenant, string(tenant)), qdrant.NewMatchKeyword(fieldCollection, string(collection)),
		}},
		Limit: qdrant.PtrOf(uint64(n)), WithVectors: qdrant.NewWithVectorsInclude(vectorDense),
	})
	if err != nil {
		return nil, x.wrap(ctx, "sample", err)
	}
	out := make([][]float32, 0, len(points))
	for _, p := range points {
		if v := p.GetVectors().GetVectors().GetVectors()[vectorDense].GetDense().GetData(); len(v) > 0 {
			out = append(out, v)
		}
	}
	return out, nil
}
