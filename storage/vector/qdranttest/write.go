package qdranttest

import (
	"context"
	"maps"
	"math"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
)

// key returns the key of a point in the map of points. Its id must be a UUID.
func key(id *qdrant.PointId) (string, error) {
	u, err := uuid.Parse(id.GetUuid())
	if err != nil {
		return "", invalid("point id %v is no UUID", id)
	}
	return u.String(), nil
}

// Upsert implements the service.
func (s *Server) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	c, err := s.writable(r.GetCollectionName(), r.Wait)
	if err != nil {
		return nil, err
	}
	if len(r.GetPoints()) == 0 {
		return nil, invalid("no points")
	}
	fresh := map[string]*point{}
	for _, p := range r.GetPoints() {
		k, err := key(p.GetId())
		if err != nil {
			return nil, err
		}
		if fresh[k], err = c.newPoint(p); err != nil {
			return nil, err
		}
	}
	maps.Copy(c.points, fresh)
	c.clearCaches()
	return done(), nil
}

// newPoint makes a point, and checks it against the schema.
func (c *collection) newPoint(p *qdrant.PointStruct) (*point, error) {
	out := &point{id: p.GetId(), payload: p.GetPayload(), dense: map[string][]float32{}, sparse: map[string]*qdrant.SparseVector{}}
	if p.GetVectors() == nil || p.GetVectors().GetVector() != nil {
		return nil, invalid("only named vectors are used here")
	}
	for name, v := range p.GetVectors().GetVectors().GetVectors() {
		switch {
		case v.GetDense() != nil && c.dense[name] != nil:
			data := v.GetDense().GetData()
			if want := c.dense[name].GetSize(); uint64(len(data)) != want {
				return nil, invalid("Vector dimension error: expected dim: %d, got %d", want, len(data))
			}
			for _, x := range data {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return nil, invalid("vector %q has values that are no numbers", name)
				}
			}
			out.dense[name] = data
		case v.GetSparse() != nil && c.sparse[name] != nil:
			if err := checkSparse(v.GetSparse()); err != nil {
				return nil, err
			}
			out.sparse[name] = v.GetSparse()
		default:
			return nil, invalid("Not existing vector name error: %s", name)
		}
	}
	return out, nil
}

func checkSparse(v *qdrant.SparseVector) error {
	if len(v.GetIndices()) != len(v.GetValues()) {
		return invalid("%d indices and %d values", len(v.GetIndices()), len(v.GetValues()))
	}
	seen := map[uint32]bool{}
	for _, i := range v.GetIndices() {
		if seen[i] {
			return invalid("indices: must be unique")
		}
		seen[i] = true
	}
	return nil
}

// selected returns the keys of the points that a selector selects.
func (c *collection) selected(which *qdrant.PointsSelector) ([]string, error) {
	if ids := which.GetPoints().GetIds(); ids != nil {
		var out []string
		for _, id := range ids {
			k, err := key(id)
			if err != nil {
				return nil, err
			}
			if c.points[k] != nil {
				out = append(out, k)
			}
		}
		return out, nil
	}
	f := which.GetFilter()
	if f == nil || len(f.GetMust())+len(f.GetMustNot()) == 0 {
		return nil, invalid("a write must say which points it means")
	}
	return c.matching(f)
}

// Delete implements the service.
func (s *Server) Delete(_ context.Context, r *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	c, err := s.writable(r.GetCollectionName(), r.Wait)
	if err != nil {
		return nil, err
	}
	keys, err := c.selected(r.GetPoints())
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		delete(c.points, k)
	}
	c.clearCaches()
	return done(), nil
}

// SetPayload implements the service.
func (s *Server) SetPayload(_ context.Context, r *qdrant.SetPayloadPoints) (*qdrant.PointsOperationResponse, error) {
	return s.changePayload(r.GetCollectionName(), r.Wait, r.GetPointsSelector(), func(payload map[string]*qdrant.Value) {
		maps.Copy(payload, r.GetPayload())
	})
}

// DeletePayload implements the service.
func (s *Server) DeletePayload(_ context.Context, r *qdrant.DeletePayloadPoints) (*qdrant.PointsOperationResponse, error) {
	if len(r.GetKeys()) == 0 {
		return nil, invalid("no keys")
	}
	return s.changePayload(r.GetCollectionName(), r.Wait, r.GetPointsSelector(), func(payload map[string]*qdrant.Value) {
		for _, name := range r.GetKeys() {
			delete(payload, name)
		}
	})
}

// changePayload changes copies, since answers may still be on their way out.
func (s *Server) changePayload(name string, wait *bool, which *qdrant.PointsSelector, change func(map[string]*qdrant.Value)) (*qdrant.PointsOperationResponse, error) {
	c, err := s.writable(name, wait)
	if err != nil {
		return nil, err
	}
	keys, err := c.selected(which)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		old := c.points[k]
		payload := map[string]*qdrant.Value{}
		maps.Copy(payload, old.payload)
		change(payload)
		c.points[k] = &point{id: old.id, payload: payload, dense: old.dense, sparse: old.sparse}
	}
	c.clearCaches()
	return done(), nil
}
