package qdrant

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
)

// A head is the content of a document's head point.
type head struct {
	document   assistants.DocumentID
	tenant     assistants.TenantID
	collection assistants.CollectionID
	version    int
	generation string
	points     int
	vectors    map[assistants.Space]string // the generation of its vectors
}

// same reports whether two heads name the same points.
func (h head) same(o head) bool {
	if h.generation != o.generation || len(h.vectors) != len(o.vectors) {
		return false
	}
	for s, g := range h.vectors {
		if o.vectors[s] != g {
			return false
		}
	}
	return true
}

// names is the namespace of point ids.
var names = uuid.MustParse("5d3a6c1e-1f0b-4c7e-9a52-6c0f8a7be9d1")

// headID returns the id of a document's head.
func headID(id assistants.DocumentID) *qdrant.PointId {
	return qdrant.NewIDUUID(uuid.NewSHA1(names, []byte("head "+id)).String())
}

// placeID returns the id of a point by its generation and the place of its chunk in
// the document.
func placeID(generation string, place int) *qdrant.PointId {
	return qdrant.NewIDUUID(uuid.NewSHA1(names, []byte(generation+" "+strconv.Itoa(place))).String())
}

// spacePrefix begins the names of the payload fields with the generations of
// vectors, one for each space.
const spacePrefix = "vectors_"

var spaceNames = base32.HexEncoding.WithPadding(base32.NoPadding)

// spaceField returns the name of the payload field of a space. The name encodes the
// space.
func spaceField(s assistants.Space) string {
	return spacePrefix + strings.ToLower(spaceNames.EncodeToString(fmt.Appendf(nil, "%d %s", s.Dimensions, s.Model)))
}

func parseSpaceField(field string) (s assistants.Space, ok bool) {
	name, ok := strings.CutPrefix(field, spacePrefix)
	if !ok {
		return s, false
	}
	raw, err := spaceNames.DecodeString(strings.ToUpper(name))
	if err != nil {
		return s, false
	}
	dimensions, model, _ := strings.Cut(string(raw), " ")
	s.Model = model
	s.Dimensions, err = strconv.Atoi(dimensions)
	return s, err == nil
}

// spaceCollection returns the name of the collection of a space's vectors. It is
// readable and unique.
func (x *Index) spaceCollection(s assistants.Space) string {
	sum := sha256.Sum256([]byte(s.Model))
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(s.Model))
	readable = readable[:min(len(readable), 40)]
	return fmt.Sprintf("%svectors_%s_%d_%s", x.opt.Prefix, readable, s.Dimensions, hex.EncodeToString(sum[:4]))
}

func (h head) payload() map[string]*qdrant.Value {
	p := map[string]*qdrant.Value{
		fieldDocument: qdrant.NewValueString(string(h.document)), fieldTenant: qdrant.NewValueString(string(h.tenant)),
		fieldCollection: qdrant.NewValueString(string(h.collection)), fieldVersion: qdrant.NewValueInt(int64(h.version)),
		fieldGeneration: qdrant.NewValueString(h.generation), fieldPoints: qdrant.NewValueInt(int64(h.points)),
	}
	for s, generation := range h.vectors {
		p[spaceField(s)] = qdrant.NewValueString(generation)
	}
	return p
}

func readHead(p map[string]*qdrant.Value) head {
	h := head{
		document: assistants.DocumentID(p[fieldDocument].GetStringValue()), tenant: assistants.TenantID(p[fieldTenant].GetStringValue()),
		collection: assistants.CollectionID(p[fieldCollection].GetStringValue()), version: int(p[fieldVersion].GetIntegerValue()),
		generation: p[fieldGeneration].GetStringValue(), points: int(p[fieldPoints].GetIntegerValue()),
		vectors: map[assistants.Space]string{},
	}
	for field, v := range p {
		if s, ok := parseSpaceField(field); ok {
			h.vectors[s] = v.GetStringValue()
		}
	}
	return h
}

// readHeads reads the heads of documents and omits missing ones.
func (x *Index) readHeads(ctx context.Context, ids []assistants.DocumentID) (map[assistants.DocumentID]head, error) {
	out := make(map[assistants.DocumentID]head, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	points := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		points[i] = headID(id)
	}
	got, err := x.client.Get(ctx, &qdrant.GetPoints{CollectionName: x.headsCollection(), Ids: points, WithPayload: qdrant.NewWithPayload(true)})
	if err != nil {
		return nil, err
	}
	for _, p := range got {
		h := readHead(p.GetPayload())
		out[h.document] = h
	}
	return out, nil
}

// scrollLimit is the number of points in one request.
const scrollLimit = 1000

// eachHead calls fn for every head.
func (x *Index) eachHead(ctx context.Context, fn func(head)) error {
	var offset *qdrant.PointId
	for {
		page, next, err := x.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
			CollectionName: x.headsCollection(), Offset: offset, Limit: qdrant.PtrOf(uint32(scrollLimit)), WithPayload: qdrant.NewWithPayload(true),
		})
		if err != nil {
			return err
		}
		for _, p := range page {
			if h := readHead(p.GetPayload()); h.document != "" { // the point of the owner has none
				fn(h)
			}
		}
		if next == nil {
			return nil
		}
		offset = next
	}
}

// A headMemory remembers heads as they were last read or written, and since when they
// are in that state. A remembered head may be outdated, so it may only be used if a
// later reading returns the same.
type headMemory struct {
	mu    sync.Mutex
	clock uint64 // counts changes
	known map[assistants.DocumentID]knownHead
}

type knownHead struct {
	head
	since uint64 // clock when it was first seen in this state
}

// maxKnown is the number of heads that are remembered.
const maxKnown = 100_000

// now returns a time for [headMemory.ifUnchangedSince].
func (m *headMemory) now() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.clock
}

// ifUnchangedSince returns a remembered head. ok is false if its state was first seen
// after the time at.
func (m *headMemory) ifUnchangedSince(id assistants.DocumentID, at uint64) (head, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.known[id]
	return r.head, ok && r.since <= at
}

func (m *headMemory) put(h head) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.known[h.document]; ok && r.same(h) {
		return
	}
	if m.known == nil || len(m.known) >= maxKnown {
		m.known = map[assistants.DocumentID]knownHead{}
	}
	m.clock++
	m.known[h.document] = knownHead{h, m.clock}
}

func (m *headMemory) forget(id assistants.DocumentID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, id)
}
