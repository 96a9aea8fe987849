package retrieval

import (
	"cmp"
	"container/list"
	"slices"
	"sync"

	"footnote/assistants"
)

// maxCached bounds the searches that are kept.
const maxCached = 512

// findings is what a search found, and how.
type findings struct {
	matches  []assistants.Match
	mode     assistants.SearchMode
	warnings []string
	alike    []string // names of documents that fit alike
	synonyms []Addition
	rests    []string // texts of the question without the words that name the documents it is about
	naming   []string // terms of the question that name the documents it is about
	full     bool     // there may be further matches
	degraded bool     // something failed that may work the next time, so the result is not cached
}

// A searchCache keeps what searches found until the index changes. People repeat
// questions, and some clients send each one twice. Passages are fetched again each
// time, so that deleted or forbidden ones are never shown.
type searchCache struct{ recent[cachedSearch] }

type cachedSearch struct {
	generation uint64
	found      findings
}

// get returns the findings for a key if they are of this generation of the index.
// An index that does not count its changes has generation 0, for which nothing is
// cached.
func (c *searchCache) get(key []byte, generation uint64) (findings, bool) {
	known, ok := c.recent.get(key)
	if !ok || known.generation != generation {
		return findings{}, false
	}
	found := known.found
	found.matches = slices.Clone(found.matches)
	return found, true
}

func (c *searchCache) put(key []byte, generation uint64, found findings) {
	if generation == 0 {
		return
	}
	found.matches = slices.Clone(found.matches)
	c.recent.put(key, cachedSearch{generation, found})
}

// maxKey bounds the length of a key in bytes, and so the memory of all.
const maxKey = 4 << 10

// maxSizes bounds the sizes of the values of a [recent] that have one, in bytes.
const maxSizes = 64 << 20

// A recent keeps the values that were used last, up to [maxCached] and a sum of their sizes,
// and always the last one. Its zero value is empty.
type recent[V any] struct {
	most  int // the largest sum of the sizes in bytes; 0: maxSizes
	mu    sync.Mutex
	order list.List // of *recently[V], the last used in front
	known map[string]*list.Element
	sizes int
}

type recently[V any] struct {
	key   string
	value V
	size  int
}

func (r *recent[V]) get(key []byte) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.known[string(key)]
	if !ok {
		return value, false
	}
	r.order.MoveToFront(e)
	known, _ := e.Value.(*recently[V])
	return known.value, true
}

func (r *recent[V]) put(key []byte, value V) { r.putSized(key, value, 0) }

func (r *recent[V]) putSized(key []byte, value V, size int) {
	if len(key) > maxKey {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]*list.Element{}
	}
	if e, ok := r.known[string(key)]; ok {
		r.drop(e)
	}
	r.known[string(key)] = r.order.PushFront(&recently[V]{string(key), value, size})
	r.sizes += size
	for r.order.Len() > maxCached || r.order.Len() > 1 && r.sizes > cmp.Or(r.most, maxSizes) {
		r.drop(r.order.Back())
	}
}

func (r *recent[V]) drop(e *list.Element) {
	last, _ := r.order.Remove(e).(*recently[V])
	delete(r.known, last.key)
	r.sizes -= last.size
}
