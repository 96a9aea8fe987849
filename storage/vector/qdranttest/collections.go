package qdranttest

import (
	"context"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A collection is its schema and its points. The server's lock guards it.
type collection struct {
	dense   map[string]*qdrant.VectorParams
	sparse  map[string]*qdrant.SparseVectorParams
	indexes map[string]qdrant.FieldType
	points  map[string]*point

	// Caches, which are made when needed and cleared by every write.
	postings    map[string]map[string][]string // by keyword field and value: keys of points
	occurrences map[string]*occurrences        // by sparse vector
}

// occurrences counts the points that have a sparse vector, and those that have each of
// its indices.
type occurrences struct {
	points  float64
	byIndex map[uint32]float64
}

// clearCaches must be called after every write.
func (c *collection) clearCaches() { c.postings, c.occurrences = nil, nil }

// candidateKeys are the keys of the points that a filter may match: those that its
// first condition selects, or all. The selection makes suites with thousands of
// searches fast.
func (c *collection) candidateKeys(f *qdrant.Filter) []string {
	field, value := "", ""
	if must := f.GetMust(); len(must) > 0 {
		field, value = must[0].GetField().GetKey(), must[0].GetField().GetMatch().GetKeyword()
	}
	if value == "" {
		field = "" // all
	}
	if c.postings == nil {
		c.postings = map[string]map[string][]string{}
	}
	if c.postings[field] == nil {
		byValue := map[string][]string{}
		for k, p := range c.points {
			if field == "" {
				byValue[""] = append(byValue[""], k)
				continue
			}
			for _, v := range values(p.payload[field]) {
				byValue[v.GetStringValue()] = append(byValue[v.GetStringValue()], k)
			}
		}
		c.postings[field] = byValue
	}
	return c.postings[field][value]
}

// countOccurrences counts a sparse vector's indices.
func (c *collection) countOccurrences(using string) *occurrences {
	if known := c.occurrences[using]; known != nil {
		return known
	}
	o := &occurrences{byIndex: map[uint32]float64{}}
	for _, p := range c.points {
		if v := p.sparse[using]; v != nil {
			o.points++
			for _, i := range v.GetIndices() {
				o.byIndex[i]++
			}
		}
	}
	if c.occurrences == nil {
		c.occurrences = map[string]*occurrences{}
	}
	c.occurrences[using] = o
	return o
}

type point struct {
	id      *qdrant.PointId
	payload map[string]*qdrant.Value
	dense   map[string][]float32
	sparse  map[string]*qdrant.SparseVector
}

// collectionsService is the gRPC service for collections. It is a type of its own,
// because the service for points has methods of the same names.
type collectionsService struct {
	qdrant.UnimplementedCollectionsServer
	server *Server
}

func (s *Server) collection(name string) (*collection, error) {
	c := s.collections[name]
	if c == nil {
		return nil, status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
	}
	return c, nil
}

// Create implements the service.
func (s collectionsService) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	name := r.GetCollectionName()
	if name == "" || len(name) > 255 {
		return nil, invalid("collection name must have 1 to 255 characters")
	}
	if s.server.collections[name] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", name)
	}
	c := &collection{
		dense: map[string]*qdrant.VectorParams{}, sparse: map[string]*qdrant.SparseVectorParams{},
		indexes: map[string]qdrant.FieldType{}, points: map[string]*point{},
	}
	if r.GetVectorsConfig().GetParams() != nil {
		return nil, invalid("only named vectors are used here")
	}
	for name, p := range r.GetVectorsConfig().GetParamsMap().GetMap() {
		if name == "" || p.GetSize() < 1 || p.GetSize() > 65536 || p.GetDistance() != qdrant.Distance_Dot {
			return nil, invalid("vector %q: %v", name, p)
		}
		c.dense[name] = p
	}
	for name, p := range r.GetSparseVectorsConfig().GetMap() {
		if c.dense[name] != nil {
			return nil, invalid("vector name %q is there twice", name)
		}
		c.sparse[name] = p
	}
	s.server.collections[name] = c
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

// CollectionExists implements the service.
func (s collectionsService) CollectionExists(_ context.Context, r *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: s.server.collections[r.GetCollectionName()] != nil}}, nil
}

// List implements the service.
func (s collectionsService) List(context.Context, *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	out := &qdrant.ListCollectionsResponse{}
	for name := range s.server.collections {
		out.Collections = append(out.Collections, &qdrant.CollectionDescription{Name: name})
	}
	return out, nil
}

// CreateFieldIndex implements the service.
func (s *Server) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	c, err := s.writable(r.GetCollectionName(), r.Wait)
	if err != nil {
		return nil, err
	}
	kind := r.GetFieldType()
	switch params := r.GetFieldIndexParams(); {
	case r.GetFieldName() == "":
		return nil, invalid("a field must be named")
	case kind == qdrant.FieldType_FieldTypeKeyword && params != nil && params.GetKeywordIndexParams() == nil,
		kind == qdrant.FieldType_FieldTypeInteger && params != nil && params.GetIntegerIndexParams() == nil:
		return nil, invalid("the parameters are not those of a %s index", kind)
	case kind == qdrant.FieldType_FieldTypeInteger && params != nil && !params.GetIntegerIndexParams().GetLookup():
		return nil, invalid("an integer index without lookup finds no value")
	case kind != qdrant.FieldType_FieldTypeKeyword && kind != qdrant.FieldType_FieldTypeInteger:
		return nil, invalid("index of kind %s", kind)
	}
	c.indexes[r.GetFieldName()] = kind
	return done(), nil
}

func done() *qdrant.PointsOperationResponse {
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}
}

// writable returns the collection for a write. A write without wait is an error.
func (s *Server) writable(name string, wait *bool) (*collection, error) {
	if wait == nil || !*wait {
		return nil, invalid("a write that is not waited for proves nothing")
	}
	return s.collection(name)
}
