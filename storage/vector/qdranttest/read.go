package qdranttest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// Get implements the service.
func (s *Server) Get(_ context.Context, r *qdrant.GetPoints) (*qdrant.GetResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	out := &qdrant.GetResponse{}
	for _, id := range r.GetIds() {
		k, err := key(id)
		if err != nil {
			return nil, err
		}
		if p := c.points[k]; p != nil {
			out.Result = append(out.Result, newRetrievedPoint(p, r.GetWithPayload(), r.GetWithVectors()))
		}
	}
	return out, nil
}

func newRetrievedPoint(p *point, payload *qdrant.WithPayloadSelector, vectors *qdrant.WithVectorsSelector) *qdrant.RetrievedPoint {
	return &qdrant.RetrievedPoint{Id: p.id, Payload: p.selectPayload(payload), Vectors: p.vectors(vectors)}
}

func (p *point) selectPayload(which *qdrant.WithPayloadSelector) map[string]*qdrant.Value {
	if which.GetEnable() {
		return p.payload
	}
	out := map[string]*qdrant.Value{}
	for _, name := range which.GetInclude().GetFields() {
		if v := p.payload[name]; v != nil {
			out[name] = v
		}
	}
	return out
}

func (p *point) vectors(which *qdrant.WithVectorsSelector) *qdrant.VectorsOutput {
	named := map[string]*qdrant.VectorOutput{}
	for _, name := range which.GetInclude().GetNames() {
		if v, ok := p.dense[name]; ok {
			named[name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: v}}}
		}
		if v, ok := p.sparse[name]; ok {
			named[name] = &qdrant.VectorOutput{Vector: &qdrant.VectorOutput_Sparse{Sparse: v}}
		}
	}
	return &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vectors{Vectors: &qdrant.NamedVectorsOutput{Vectors: named}}}
}

// Scroll implements the service: points by id.
func (s *Server) Scroll(_ context.Context, r *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	found, err := c.matching(r.GetFilter())
	if err != nil {
		return nil, err
	}
	limit := 10
	if r.Limit != nil {
		limit = int(r.GetLimit())
	}
	from := ""
	if r.GetOffset() != nil {
		if from, err = key(r.GetOffset()); err != nil {
			return nil, err
		}
	}
	out := &qdrant.ScrollResponse{}
	slices.Sort(found)
	at, _ := slices.BinarySearch(found, from)
	for _, k := range found[at:] {
		p := c.points[k]
		if len(out.Result) == limit {
			out.NextPageOffset = p.id
			break
		}
		out.Result = append(out.Result, newRetrievedPoint(p, r.GetWithPayload(), r.GetWithVectors()))
	}
	return out, nil
}

// Count implements the service.
func (s *Server) Count(_ context.Context, r *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	found, err := c.matching(r.GetFilter())
	if err != nil {
		return nil, err
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(len(found))}}, nil
}

// Facet implements the service.
func (s *Server) Facet(_ context.Context, r *qdrant.FacetCounts) (*qdrant.FacetResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if _, ok := c.indexes[r.GetKey()]; !ok {
		return nil, invalid("Field %q is not indexed; a facet needs an index", r.GetKey())
	}
	found, err := c.matching(r.GetFilter())
	if err != nil {
		return nil, err
	}
	hits := map[string]*qdrant.FacetHit{}
	for _, k := range found {
		for _, v := range values(c.points[k].payload[r.GetKey()]) {
			h := hits[v.String()]
			if h == nil {
				h = &qdrant.FacetHit{Value: facetValue(v)}
				hits[v.String()] = h
			}
			h.Count++
		}
	}
	limit := 10
	if r.Limit != nil {
		limit = int(min(r.GetLimit(), math.MaxInt32))
	}
	list := slices.SortedFunc(maps.Values(hits), func(a, b *qdrant.FacetHit) int {
		return cmp.Or(cmp.Compare(b.GetCount(), a.GetCount()), strings.Compare(a.GetValue().String(), b.GetValue().String()))
	})
	return &qdrant.FacetResponse{Hits: list[:min(len(list), limit)]}, nil
}

func facetValue(v *qdrant.Value) *qdrant.FacetValue {
	if isInteger(v) {
		return &qdrant.FacetValue{Variant: &qdrant.FacetValue_IntegerValue{IntegerValue: v.GetIntegerValue()}}
	}
	return qdrant.NewFacetValue(v.GetStringValue())
}

// Query implements the service: dense, sparse and random.
func (s *Server) Query(_ context.Context, r *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	if len(r.GetPrefetch()) > 0 || r.Offset != nil || r.GetLookupFrom() != nil || r.ScoreThreshold != nil {
		return nil, invalid("prefetch, offset, lookup and threshold are not used here")
	}
	if len(r.GetFilter().GetMust()) < 2 {
		return nil, invalid("a search without tenant and collection")
	}
	found, err := c.matching(r.GetFilter())
	if err != nil {
		return nil, err
	}
	score, err := c.scorer(r)
	if err != nil {
		return nil, err
	}
	limit := 10
	if r.Limit != nil {
		if limit = int(r.GetLimit()); limit < 1 {
			return nil, invalid("limit must be 1 or larger")
		}
	}
	var list []*qdrant.ScoredPoint
	for _, k := range found {
		p := c.points[k]
		if value, ok := score(p); ok {
			list = append(list, &qdrant.ScoredPoint{Id: p.id, Payload: p.selectPayload(r.GetWithPayload()), Score: value, Vectors: p.vectors(r.GetWithVectors())})
		}
	}
	slices.SortFunc(list, func(a, b *qdrant.ScoredPoint) int {
		return cmp.Or(cmp.Compare(b.GetScore(), a.GetScore()), strings.Compare(a.GetId().GetUuid(), b.GetId().GetUuid()))
	})
	list = list[:min(len(list), limit)]
	if s.lie != nil {
		for i, p := range list {
			list[i] = proto.CloneOf(p)
			s.lie(list[i])
		}
	}
	return &qdrant.QueryResponse{Result: list}, nil
}

// scorer returns the function that scores a point for a query. That function returns
// false for a point that does not match.
func (c *collection) scorer(r *qdrant.QueryPoints) (func(*point) (float32, bool), error) {
	using := r.GetUsing()
	if c.dense[using] == nil && c.sparse[using] == nil {
		return nil, invalid("Not existing vector name error: %s", using)
	}
	if _, ok := r.GetQuery().GetVariant().(*qdrant.Query_Sample); ok {
		return func(p *point) (float32, bool) { return 0, true }, nil
	}
	switch v := r.GetQuery().GetNearest().GetVariant().(type) {
	case *qdrant.VectorInput_Dense:
		query := v.Dense.GetData()
		if c.dense[using] == nil || uint64(len(query)) != c.dense[using].GetSize() {
			return nil, invalid("Vector dimension error: got %d", len(query))
		}
		return func(p *point) (float32, bool) {
			sum := float32(0)
			for i, x := range p.dense[using] {
				sum += x * query[i]
			}
			return sum, p.dense[using] != nil
		}, nil
	case *qdrant.VectorInput_Sparse:
		query := &qdrant.SparseVector{Indices: v.Sparse.GetIndices(), Values: v.Sparse.GetValues()}
		if c.sparse[using] == nil {
			return nil, invalid("vector %s is not sparse", using)
		}
		if err := checkSparse(query); err != nil {
			return nil, err
		}
		return c.sparseScorer(using, query), nil
	}
	return nil, invalid("query of another kind")
}

// sparseScorer scores by the dot product; with the IDF modifier the query's
// values are multiplied by ln(1 + (N − n + 0.5)/(n + 0.5)), over the whole
// collection (https://qdrant.tech/documentation/concepts/indexing/#idf-modifier).
func (c *collection) sparseScorer(using string, query *qdrant.SparseVector) func(*point) (float32, bool) {
	weights := map[uint32]float64{}
	in := c.countOccurrences(using)
	for n, i := range query.GetIndices() {
		weights[i] = float64(query.GetValues()[n])
		if c.sparse[using].GetModifier() == qdrant.Modifier_Idf {
			weights[i] *= math.Log(1 + (in.points-in.byIndex[i]+0.5)/(in.byIndex[i]+0.5))
		}
	}
	return func(p *point) (float32, bool) {
		sum, shared := 0.0, false
		for n, i := range p.sparse[using].GetIndices() {
			if w, ok := weights[i]; ok {
				sum += w * float64(p.sparse[using].GetValues()[n])
				shared = true
			}
		}
		return float32(sum), shared
	}
}
