package qdrant

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/oklog/ulid/v2"
	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
	"footnote/storage/vector"
)

// Sizes of requests, below the server's default limit of 32 MB.
const (
	pointsAtOnce = 200
	floatsAtOnce = 1 << 20
)

// Apply replaces the points of a document, with the rules and errors of
// embedded.Index.Apply.
func (x *Index) Apply(ctx context.Context, d assistants.Document, version int, points []assistants.Point) error {
	if err := vector.CheckDocument(d, version); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return x.writeDocument(ctx, "apply", d.ID, func(ctx context.Context) error {
		doc := vector.Analyse(d, version, points)
		return x.apply(ctx, newHead(d, version, doc), doc)
	})
}

// ApplyEmbedded is [Index.Apply] and [Index.ApplyVectors] at once, with the rules of
// embedded.Index.ApplyEmbedded. The head names points and vectors together.
func (x *Index) ApplyEmbedded(ctx context.Context, d assistants.Document, version int, points []assistants.Point, space assistants.Space, values [][]float32) error {
	if err := vector.CheckWhole(d, version, points, space, values); err != nil {
		return fmt.Errorf("index: apply: %w", err)
	}
	return x.writeDocument(ctx, "apply", d.ID, func(ctx context.Context) error {
		doc := vector.Analyse(d, version, points)
		h := newHead(d, version, doc)
		fresh, err := x.upsertVectors(ctx, h, space, values)
		if err != nil {
			return err
		}
		h.vectors = map[assistants.Space]string{space: fresh}
		return x.apply(ctx, h, doc)
	})
}

// newHead returns a head with a new generation, for points that are not written yet.
func newHead(d assistants.Document, version int, doc vector.Document) head {
	return head{
		document: d.ID, tenant: d.TenantID, collection: d.CollectionID, version: version,
		generation: ulid.Make().String(), points: len(doc.Chunks),
	}
}

// writeTimeout bounds the time to write a document, so that its points never count as
// abandoned. Each call is bounded by callTimeout.
const writeTimeout = strayAge / 2

// writeDocument runs the write of a document while no other write of it runs.
func (x *Index) writeDocument(ctx context.Context, what string, id assistants.DocumentID, write func(ctx context.Context) error) error {
	entered, end, err := x.enter(ctx)
	if err != nil {
		return x.wrap(ctx, what, err)
	}
	defer end()
	bounded, cancel := context.WithTimeout(entered, callTimeout)
	defer cancel()
	if err := x.prepare(bounded); err != nil {
		return x.wrap(ctx, what, err)
	}
	unlock, err := x.lockDocument(bounded, id)
	if err != nil {
		return x.wrap(ctx, what, err)
	}
	defer unlock()
	writeCtx, cancelWrite := context.WithTimeout(entered, writeTimeout)
	defer cancelWrite()
	return x.wrap(ctx, what, write(writeCtx))
}

// lockDocument locks a document, or all documents if the id is "", for writes of this
// process.
func (x *Index) lockDocument(ctx context.Context, id assistants.DocumentID) (unlock func(), err error) {
	places := x.writing[:]
	if id != "" {
		places = places[termNumber(string(id))%stripes:][:1]
	}
	for i, place := range places {
		if err := acquireSlot(ctx, place); err != nil {
			releaseSlots(places[:i])
			return nil, err
		}
	}
	return func() { releaseSlots(places) }, nil
}

func releaseSlots(places []chan struct{}) {
	for _, place := range places {
		<-place
	}
}

func (x *Index) apply(ctx context.Context, h head, doc vector.Document) error {
	all := wordPoints(h, doc)
	for part := range slices.Chunk(all, pointsAtOnce) {
		if err := x.upsert(ctx, x.wordsCollection(), part...); err != nil {
			return err
		}
	}
	err := x.upsert(ctx, x.headsCollection(), &qdrant.PointStruct{Id: headID(h.document), Payload: h.payload(), Vectors: qdrant.NewVectorsMap(nil)})
	if err != nil {
		return err
	}
	x.heads.put(h)
	return x.removeOthers(ctx, h.document, h.generation)
}

func (x *Index) upsert(ctx context.Context, collection string, points ...*qdrant.PointStruct) error {
	_, err := x.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: collection, Wait: qdrant.PtrOf(true), Points: points})
	return err
}

// removeOthers removes the points of a document except those of one generation.
func (x *Index) removeOthers(ctx context.Context, id assistants.DocumentID, generation string) error {
	f := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldDocument, string(id))}}
	if generation != "" {
		f.MustNot = []*qdrant.Condition{qdrant.NewMatchKeyword(fieldGeneration, generation)}
	}
	spaces, err := x.vectorCollections(ctx)
	if err != nil {
		return err
	}
	for _, collection := range append(spaces, x.wordsCollection()) {
		if err := x.delete(ctx, collection, qdrant.NewPointsSelectorFilter(f)); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) delete(ctx context.Context, collection string, which *qdrant.PointsSelector) error {
	_, err := x.client.Delete(ctx, &qdrant.DeletePoints{CollectionName: collection, Wait: qdrant.PtrOf(true), Points: which})
	return err
}

// vectorCollections names the collections of all spaces.
func (x *Index) vectorCollections(ctx context.Context) ([]string, error) {
	all, err := x.client.ListCollections(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return len(name) <= len(x.opt.Prefix)+len(spacePrefix) || name[:len(x.opt.Prefix)+len(spacePrefix)] != x.opt.Prefix+spacePrefix
	}), nil
}

// wordPoints returns a document's chunks as points with their terms.
func wordPoints(h head, doc vector.Document) []*qdrant.PointStruct {
	type sparse struct {
		indices []uint32
		values  []float32
		ids     []*qdrant.Value
	}
	words := make([]sparse, len(doc.Chunks))
	for _, t := range doc.Terms {
		number := termNumber(t.Term)
		for _, o := range t.In {
			w := &words[o.Chunk]
			w.indices = append(w.indices, number)
			w.values = append(w.values, storedWeight(int(o.Halves), doc.Chunks[o.Chunk].Length))
			w.ids = append(w.ids, qdrant.NewValueInt(int64(number)))
		}
	}
	out := make([]*qdrant.PointStruct, len(doc.Chunks))
	for place, c := range doc.Chunks {
		w := words[place]
		payload := h.pointPayload(place)
		payload[fieldVersion] = qdrant.NewValueInt(int64(h.version))
		payload[fieldChunk] = qdrant.NewValueString(string(c.ID))
		payload[fieldIndex] = qdrant.NewValueInt(int64(c.Index))
		payload[fieldLength] = qdrant.NewValueInt(int64(c.Length))
		payload[fieldTerms] = qdrant.NewValueFromList(w.ids...)
		vectors := map[string]*qdrant.Vector{}
		if len(w.indices) > 0 {
			mergeDuplicates(&w.indices, &w.values)
			vectors[vectorText] = qdrant.NewVectorSparse(w.indices, w.values)
		}
		out[place] = &qdrant.PointStruct{Id: placeID(h.generation, place), Payload: payload, Vectors: qdrant.NewVectorsMap(vectors)}
	}
	return out
}

// mergeDuplicates merges entries with the same number: the hashes of two terms may be
// equal, and the server rejects repeated numbers.
func mergeDuplicates(indices *[]uint32, values *[]float32) {
	seen := make(map[uint32]int, len(*indices))
	var i2 []uint32
	var v2 []float32
	for i, n := range *indices {
		if at, twice := seen[n]; twice {
			v2[at] = max(v2[at], (*values)[i])
			continue
		}
		seen[n] = len(i2)
		i2, v2 = append(i2, n), append(v2, (*values)[i])
	}
	*indices, *values = i2, v2
}

// pointPayload returns the fields that all points of a document's chunks have.
func (h head) pointPayload(place int) map[string]*qdrant.Value {
	return map[string]*qdrant.Value{
		fieldTenant: qdrant.NewValueString(string(h.tenant)), fieldCollection: qdrant.NewValueString(string(h.collection)),
		fieldDocument: qdrant.NewValueString(string(h.document)), fieldGeneration: qdrant.NewValueString(h.generation),
		fieldPlace: qdrant.NewValueInt(int64(place)),
	}
}

// termNumber returns the number of a term in sparse vectors: its hash.
func termNumber(term string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(term)) //nolint:errcheck // a hash never fails
	return h.Sum32()
}

// usualLength is the length of chunk for which stored weights are computed. The
// average of the collections that will be searched is unknown when they are written.
const usualLength = 150

func saturation(length int) float64 {
	return vector.K1 * (1 - vector.B + vector.B*float64(length)/usualLength)
}

// storedWeight returns the weight of a term in a sparse vector: the part of BM25 that
// does not depend on other chunks. halvesOf inverts it.
func storedWeight(halves, length int) float32 {
	tf := float64(halves) / vector.BodyHalves
	return float32(tf * (vector.K1 + 1) / (tf + saturation(length)))
}

func halvesOf(weight float32, length int) uint32 {
	w := float64(weight)
	if w >= vector.K1+1 {
		w = vector.K1 + 1 - 1e-6
	}
	return uint32(vector.BodyHalves*w*saturation(length)/(vector.K1+1-w) + 0.5)
}

// ApplyVectors replaces the vectors of a document's version in a space, with the
// rules and errors of embedded.Index.ApplyVectors.
func (x *Index) ApplyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, values [][]float32) error {
	if err := vector.CheckVectors(space, values); err != nil {
		return fmt.Errorf("index: apply vectors: %w", err)
	}
	return x.writeDocument(ctx, "apply vectors", id, func(ctx context.Context) error {
		return x.applyVectors(ctx, id, version, space, values)
	})
}

func (x *Index) applyVectors(ctx context.Context, id assistants.DocumentID, version int, space assistants.Space, values [][]float32) error {
	heads, err := x.readHeads(ctx, []assistants.DocumentID{id})
	if err != nil {
		return err
	}
	h, ok := heads[id]
	switch {
	case !ok:
		return fmt.Errorf("%w: no document %s", assistants.ErrConflict, id)
	case h.version != version:
		return fmt.Errorf("%w: version %d of document %s, not %d", assistants.ErrConflict, h.version, id, version)
	case h.points != len(values):
		return fmt.Errorf("%w: %d vectors for %d points", assistants.ErrInvalid, len(values), h.points)
	}
	fresh, err := x.upsertVectors(ctx, h, space, values)
	if err != nil {
		return err
	}
	if err := x.nameVectors(ctx, h, space, fresh); err != nil {
		return err
	}
	old := &qdrant.Filter{
		Must:    []*qdrant.Condition{qdrant.NewMatchKeyword(fieldDocument, string(id))},
		MustNot: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldVectors, fresh)},
	}
	return x.delete(ctx, x.spaceCollection(space), qdrant.NewPointsSelectorFilter(old))
}

// upsertVectors writes vectors of the points that a head names and returns their
// generation, which the head does not name yet.
func (x *Index) upsertVectors(ctx context.Context, h head, space assistants.Space, values [][]float32) (fresh string, err error) {
	if err := x.prepareSpace(ctx, space); err != nil {
		return "", err
	}
	fresh = ulid.Make().String()
	all := make([]*qdrant.PointStruct, len(values))
	for place, v := range values {
		payload := h.pointPayload(place)
		payload[fieldVectors] = qdrant.NewValueString(fresh)
		all[place] = &qdrant.PointStruct{
			Id: placeID(fresh, place), Payload: payload,
			Vectors: qdrant.NewVectorsMap(map[string]*qdrant.Vector{vectorDense: qdrant.NewVectorDense(v)}),
		}
	}
	for part := range slices.Chunk(all, max(1, min(pointsAtOnce, floatsAtOnce/space.Dimensions))) {
		if err := x.upsert(ctx, x.spaceCollection(space), part...); err != nil {
			return "", err
		}
	}
	return fresh, nil
}

// nameVectors writes the generation of new vectors into a head. If the head names
// other points by then, it removes the vectors again.
func (x *Index) nameVectors(ctx context.Context, h head, space assistants.Space, fresh string) error {
	current := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewHasID(headID(h.document)), qdrant.NewMatchKeyword(fieldGeneration, h.generation)}}
	_, err := x.client.SetPayload(ctx, &qdrant.SetPayloadPoints{
		CollectionName: x.headsCollection(), Wait: qdrant.PtrOf(true), PointsSelector: qdrant.NewPointsSelectorFilter(current),
		Payload: map[string]*qdrant.Value{spaceField(space): qdrant.NewValueString(fresh)},
	})
	if err != nil {
		return err
	}
	heads, err := x.readHeads(ctx, []assistants.DocumentID{h.document})
	if err != nil {
		return err
	}
	now, ok := heads[h.document]
	if ok && now.vectors[space] == fresh {
		x.heads.put(now)
		return nil
	}
	unnamed := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldVectors, fresh)}}
	if err := x.delete(ctx, x.spaceCollection(space), qdrant.NewPointsSelectorFilter(unnamed)); err != nil {
		return err
	}
	return fmt.Errorf("%w: document %s has changed", assistants.ErrConflict, h.document)
}

// DropVectors removes the vectors that the documents of a collection have in a
// space; there may be none. The error wraps ErrUnavailable.
func (x *Index) DropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error {
	bounded, cancel, err := x.begin(ctx)
	if err != nil {
		return x.wrap(ctx, "drop vectors", err)
	}
	defer cancel()
	unlock, err := x.lockDocument(bounded, "")
	if err != nil {
		return x.wrap(ctx, "drop vectors", err)
	}
	defer unlock()
	return x.wrap(ctx, "drop vectors", x.dropVectors(bounded, collection, space))
}

func (x *Index) dropVectors(ctx context.Context, collection assistants.CollectionID, space assistants.Space) error {
	selector := qdrant.NewPointsSelectorFilter(&qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeyword(fieldCollection, string(collection))}})
	_, err := x.client.DeletePayload(ctx, &qdrant.DeletePayloadPoints{
		CollectionName: x.headsCollection(), Wait: qdrant.PtrOf(true), Keys: []string{spaceField(space)}, PointsSelector: selector,
	})
	if err != nil {
		return err
	}
	exists, err := x.client.CollectionExists(ctx, x.spaceCollection(space))
	if err != nil || !exists {
		return err
	}
	return x.delete(ctx, x.spaceCollection(space), selector)
}

// Remove removes a document; it may be missing. The error wraps ErrUnavailable.
func (x *Index) Remove(ctx context.Context, id assistants.DocumentID) error {
	return x.writeDocument(ctx, "remove", id, func(ctx context.Context) error {
		x.heads.forget(id)
		if err := x.delete(ctx, x.headsCollection(), qdrant.NewPointsSelector(headID(id))); err != nil {
			return err
		}
		return x.removeOthers(ctx, id, "")
	})
}
