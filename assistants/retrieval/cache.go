package retrieval

import (
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
	degraded bool // something failed that may work the next time, so the result is not cached
}

// A searchCache keeps what searches found until the index changes. People repeat
// questions, and some clients send each one twice. Passages are fetched again each
// time, so that deleted or forbidden ones are never shown.
type searchCache struct {
	mu    sync.Mutex
	order *list.List // of *cachedSearch, the last used in front
	known map[[32]byte]*list.Element
}

type cachedSearch struct {
	key        [32]byte
	generation uint64
	found      findings
}

func newSearchCache() *searchCache {
	return &searchCache{order: list.New(), known: map[[32]byte]*list.Element{}}
}

// get returns the findings for a key if they are of this generation of the index.
// An index that does not count its changes has generation 0, for which nothing is
// cached.
func (c *searchCache) get(key [32]byte, generation uint64) (findings, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[key]
	if !ok {
		return findings{}, false
	}
	m, _ := e.Value.(*cachedSearch)
	if m.generation != generation {
		c.order.Remove(e)
		delete(c.known, key)
		return findings{}, false
	}
	c.order.MoveToFront(e)
	found := m.found
	found.matches = slices.Clone(found.matches)
	return found, true
}

func (c *searchCache) put(key [32]byte, generation uint64, found findings) {
	if generation == 0 {
		return
	}
	found.matches = slices.Clone(found.matches)
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.known[key]; ok {
		c.order.Remove(e)
	}
	c.known[key] = c.order.PushFront(&cachedSearch{key, generation, found})
	if c.order.Len() > maxCached {
		last := c.order.Back()
		m, _ := c.order.Remove(last).(*cachedSearch)
		delete(c.known, m.key)
	}
}
