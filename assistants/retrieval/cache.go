package retrieval

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"
	"sync"

	"footnote/assistants"
)

// maxRecent bounds the searches that are remembered.
const maxRecent = 512

// recent remembers what searches found until the index changes: the same
// question comes again from a person who tries again, and from clients that send
// it twice. Passages are fetched anew each time, so that what was deleted or
// taken from somebody is never shown.
type recent struct {
	mu    sync.Mutex
	order *list.List // of *memo, the last used in front
	known map[[32]byte]*list.Element
}

type memo struct {
	key        [32]byte
	generation uint64
	found      findings
}

func newRecent() *recent {
	return &recent{order: list.New(), known: map[[32]byte]*list.Element{}}
}

// look finds what an index of this generation answered. An index that does not
// count its changes has generation 0, for which nothing is kept.
func (r *recent) look(key [32]byte, generation uint64) (findings, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.known[key]
	if !ok {
		return findings{}, false
	}
	m, _ := e.Value.(*memo)
	if m.generation != generation {
		r.order.Remove(e)
		delete(r.known, key)
		return findings{}, false
	}
	r.order.MoveToFront(e)
	found := m.found
	found.matches = slices.Clone(found.matches)
	return found, true
}

func (r *recent) keep(key [32]byte, generation uint64, found findings) {
	if generation == 0 {
		return
	}
	found.matches = slices.Clone(found.matches)
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.known[key]; ok {
		r.order.Remove(e)
	}
	r.known[key] = r.order.PushFront(&memo{key, generation, found})
	if r.order.Len() > maxRecent {
		last := r.order.Back()
		m, _ := r.order.Remove(last).(*memo)
		delete(r.known, m.key)
	}
}

// cacheKey is a digest of everything that a search depends on.
func (w *run) cacheKey(p plan, t terrain, documents []assistants.DocumentID, generation uint64) (key [32]byte) {
	if generation == 0 {
		return key
	}
	h := sha256.New()
	// Lengths keep two lists apart whose texts join to the same bytes.
	texts(h, string(w.q.Tenant), string(w.q.Mode))
	texts(h, w.q.Collections...)
	numbers(h, float64(len(p.asks())), map[bool]float64{true: 1}[documents != nil])
	texts(h, documents...)
	for _, a := range p.asks() {
		texts(h, a.text)
		texts(h, a.terms...)
		numbers(h, a.share, float64(a.group))
	}
	numbers(h, w.q.Threshold, w.q.TextWeight)
	for _, c := range t.collections {
		texts(h, string(c.ID), c.Space.Model)
		numbers(h, float64(c.Space.Dimensions), c.Calibration.Low, c.Calibration.High)
	}
	return [32]byte(h.Sum(nil))
}

func texts[S ~string](h hash.Hash, list ...S) {
	numbers(h, float64(len(list)))
	for _, s := range list {
		numbers(h, float64(len(s)))
		h.Write([]byte(s))
	}
}

func numbers(h hash.Hash, list ...float64) {
	for _, x := range list {
		h.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
	}
}
