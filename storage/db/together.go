package db

import (
	"context"
	"sync"
	"time"

	"footnote/assistants"
)

// togetherTime bounds a query that several callers wait for.
const togetherTime = 10 * time.Second

// A together lets callers who ask about the same key at the same time share a query. The
// query of a caller always begins after the call: the result of one that was running
// already may be too old. Its zero value is ready.
type together[K comparable, I, V any] struct {
	mu    sync.Mutex
	turns map[K]*turn[I, V] // of the keys that a query runs for
}

// A turn is the query that follows the running one.
type turn[I, V any] struct{ next *asked[I, V] }

// An asked is a query that has not begun, or its result.
type asked[I, V any] struct {
	items []I // of all its callers
	done  chan struct{}
	value V
	err   error
}

// ask returns what load finds for a key and at least these items. Callers share the
// value and must not change it.
func (t *together[K, I, V]) ask(ctx context.Context, key K, items []I, load func(ctx context.Context, items []I) (V, error)) (V, error) {
	t.mu.Lock()
	running := t.turns[key]
	if running == nil {
		if t.turns == nil {
			t.turns = map[K]*turn[I, V]{}
		}
		running = &turn[I, V]{}
		t.turns[key] = running
		t.mu.Unlock()
		defer func() {
			if next := t.following(key, running); next != nil {
				go t.follow(context.WithoutCancel(ctx), key, running, next, load)
			}
		}()
		bounded, cancel := context.WithTimeout(ctx, togetherTime) // others wait for it
		defer cancel()
		return load(bounded, items)
	}
	if running.next == nil {
		running.next = &asked[I, V]{done: make(chan struct{})}
	}
	mine := running.next
	mine.items = append(mine.items, items...)
	t.mu.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// following takes the query that follows, or ends the turn if there is none.
func (t *together[K, I, V]) following(key K, running *turn[I, V]) *asked[I, V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := running.next
	if running.next = nil; next == nil {
		delete(t.turns, key)
	}
	return next
}

// follow makes the queries that were asked for while another ran.
func (t *together[K, I, V]) follow(ctx context.Context, key K, running *turn[I, V], next *asked[I, V], load func(ctx context.Context, items []I) (V, error)) {
	for ; next != nil; next = t.following(key, running) {
		bounded, cancel := context.WithTimeout(ctx, togetherTime)
		next.run(bounded, load)
		cancel()
	}
}

// run makes the query for all who wait. A panic must not end the process, because no
// request of theirs is there to catch it.
func (a *asked[I, V]) run(ctx context.Context, load func(ctx context.Context, items []I) (V, error)) {
	defer close(a.done)
	defer assistants.CatchPanic(&a.err)
	a.value, a.err = load(ctx, a.items)
}
