package qdrant

import (
	"context"
	"errors"

	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
)

// A Reader reads the vectors of an index on a server. It changes nothing there.
type Reader struct {
	x     *Index
	empty bool // there is no index
}

// OpenReader opens the index on a server for reading. The error wraps ErrUnavailable,
// or ErrConflict for the index of another installation.
func OpenReader(ctx context.Context, opt Options) (_ *Reader, err error) {
	x, err := Open(opt)
	if err != nil {
		return nil, err
	}
	owner := ""
	exists, err := x.client.CollectionExists(ctx, x.headsCollection())
	if err == nil && exists {
		owner, err = x.owner(ctx)
	}
	if err == nil {
		err = x.checkOwner(owner)
	}
	if err != nil {
		return nil, errors.Join(x.wrap(ctx, "open", err), x.Close())
	}
	return &Reader{x, !exists}, nil
}

// Vectors returns the vectors of a document's version in a space, in the order of
// [Index.Apply]. There are none if the index lacks one of them. The error wraps
// ErrUnavailable.
func (r *Reader) Vectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space) ([][]float32, error) {
	if r.empty {
		return nil, nil
	}
	ctx, end, err := r.x.enter(ctx)
	if err != nil {
		return nil, r.x.wrap(ctx, "vectors", err)
	}
	defer end()
	found, err := r.x.vectorsOf(ctx, id, version, space)
	return found, r.x.wrap(ctx, "vectors", err)
}

// Close ends the connections.
func (r *Reader) Close() error { return r.x.Close() }

func (x *Index) vectorsOf(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space) ([][]float32, error) {
	heads, err := x.readHeads(ctx, []assistants.DocumentID{id})
	if err != nil {
		return nil, err
	}
	h := heads[id]
	generation, ok := h.vectors[space]
	if !ok || h.version != version {
		return nil, nil
	}
	has, err := x.hasSpace(ctx, space)
	if err != nil || !has {
		return nil, err
	}
	out, n := make([][]float32, h.points), 0
	var offset *qdrant.PointId
	for {
		page, next, err := x.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
			CollectionName: x.spaceCollection(space), Offset: offset, Limit: qdrant.PtrOf(uint32(max(1, min(pointsAtOnce, floatsAtOnce/space.Dimensions)))),
			Filter:      &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldVectors, generation)}},
			WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectorsInclude(vectorDense),
		})
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			place := int(p.GetPayload()[fieldPlace].GetIntegerValue())
			v := p.GetVectors().GetVectors().GetVectors()[vectorDense].GetDense().GetData()
			if place >= 0 && place < len(out) && out[place] == nil && len(v) == space.Dimensions {
				out[place] = v
				n++
			}
		}
		if next == nil {
			break
		}
		offset = next
	}
	if n < len(out) {
		return nil, nil
	}
	return out, nil
}
