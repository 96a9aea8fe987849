package embedding

import (
	"container/list"
	"sync"

	"footnote/assistants"
)

// A queryKey is what the vector of a question depends on.
type queryKey struct {
	space assistants.Space
	text  string
}

// A queryCache keeps the vectors of the last questions.
type queryCache struct {
	mu    sync.Mutex
	limit int       // bytes
	size  int       // bytes
	order list.List // of *rememberedQuery, the last used first
	byKey map[queryKey]*list.Element
}

type rememberedQuery struct {
	key    queryKey
	vector assistants.QueryVector
}

// bytes estimates the memory that the entry takes.
func (q *rememberedQuery) bytes() int { return len(q.key.text) + 4*len(q.vector.Vector) + 256 }

func newQueryCache(limit int) *queryCache {
	return &queryCache{limit: limit, byKey: map[queryKey]*list.Element{}}
}

func (c *queryCache) get(key queryKey) (assistants.QueryVector, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byKey[key]
	if !ok {
		return assistants.QueryVector{}, false
	}
	c.order.MoveToFront(found)
	return found.Value.(*rememberedQuery).vector, true
}

func (c *queryCache) put(key queryKey, vector assistants.QueryVector) {
	q := &rememberedQuery{key, vector}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.byKey[key]; ok {
		c.drop(old)
	}
	if q.bytes() > c.limit {
		return
	}
	c.byKey[key] = c.order.PushFront(q)
	for c.size += q.bytes(); c.size > c.limit; {
		c.drop(c.order.Back())
	}
}

func (c *queryCache) drop(e *list.Element) {
	q := c.order.Remove(e).(*rememberedQuery)
	delete(c.byKey, q.key)
	c.size -= q.bytes()
}
