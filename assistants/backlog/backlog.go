// Package backlog keeps in memory what waits to be written to the database, so that
// whoever notes it never waits for the database.
//
// It obeys one rule: what was noted is written, in order, unless there is no room for
// it. What finds none is reported.
package backlog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"footnote/assistants"
)

// Config says what a queue does. All functions are called from one goroutine at a
// time, but for Lost.
type Config[T any] struct {
	// Write stores some of what waits. Items may come again after an error.
	// ErrUnavailable: it is tried again. Other errors: it would not help.
	Write func(ctx context.Context, items []T) error
	// Lost is told what found no room, or could not be stored.
	Lost func(items []T)
	// Finish is called when everything that waited is written. nil: nothing is.
	Finish func(ctx context.Context) error
	// Sweep removes what is too old, at the beginning and then every hour.
	Sweep func(ctx context.Context)
	// Size is how many bytes an item takes. nil: they are not counted.
	Size func(T) int

	MaxItems int // that wait
	MaxBytes int // that wait; 0: unbounded
	What     string
	Log      *slog.Logger
}

const (
	// batch is how many items are written at once.
	batch = 500
	// linger is how long an item waits for others to be written with it.
	linger = 100 * time.Millisecond
	// maxPause is the longest pause between two attempts to write.
	maxPause = 10 * time.Second
	// writeTime bounds the writing of what waits.
	writeTime = 10 * time.Second
	// sweepEvery is how often old items are removed.
	sweepEvery = time.Hour
)

// A Queue holds what waits to be written. It is safe for concurrent use.
type Queue[T any] struct {
	cfg    Config[T]
	wake   chan struct{}
	stop   context.CancelFunc
	ended  chan struct{}
	writes sync.Mutex // held while items are written

	mu      sync.Mutex
	waiting []T
	bytes   int
}

// New returns a queue that writes until it is closed.
func New[T any](cfg Config[T]) *Queue[T] {
	if cfg.Size == nil {
		cfg.Size = func(T) int { return 0 }
	}
	if cfg.Finish == nil {
		cfg.Finish = func(context.Context) error { return nil }
	}
	ctx, stop := context.WithCancel(context.Background())
	q := &Queue[T]{cfg: cfg, wake: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(q.ended)
		q.run(ctx)
	}()
	return q
}

// Add notes an item. It never waits: the item is written soon.
func (q *Queue[T]) Add(item T) {
	size := q.cfg.Size(item)
	q.mu.Lock()
	full := len(q.waiting) >= q.cfg.MaxItems || q.cfg.MaxBytes > 0 && q.bytes+size > q.cfg.MaxBytes
	if !full {
		q.waiting = append(q.waiting, item)
		q.bytes += size
	}
	q.mu.Unlock()
	if full {
		q.cfg.Lost([]T{item})
		return
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Flush writes what was noted before the call, also when ctx ends meanwhile.
// ErrUnavailable; what was not written still waits.
func (q *Queue[T]) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	q.writes.Lock()
	defer q.writes.Unlock()
	for left := q.Waiting(); left > 0; {
		q.mu.Lock()
		some := slices.Clone(q.waiting[:min(len(q.waiting), batch)])
		q.mu.Unlock()
		lost, err := q.store(ctx, some)
		if err != nil {
			return err
		}
		q.drop(len(some))
		left -= len(some)
		if len(lost) > 0 {
			q.cfg.Lost(lost)
		}
	}
	return q.cfg.Finish(ctx)
}

// store writes items, and returns those that cannot be stored: trying them again would
// not help, and would keep others waiting. ErrUnavailable: nothing can be stored now.
func (q *Queue[T]) store(ctx context.Context, items []T) (lost []T, err error) {
	err = q.cfg.Write(ctx, items)
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, assistants.ErrUnavailable) || ctx.Err() != nil:
		return nil, err
	case len(items) == 1:
		q.cfg.Log.Error("one of the "+q.cfg.What+" cannot be stored", "error", err)
		return items, nil
	}
	for i := range items { // one that cannot be stored takes no other with it
		bad, err := q.store(ctx, items[i:i+1])
		if err != nil {
			return nil, err
		}
		lost = append(lost, bad...)
	}
	return lost, nil
}

// Waiting is how many items wait.
func (q *Queue[T]) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// drop removes the first n items that wait.
func (q *Queue[T]) drop(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, item := range q.waiting[:n] {
		q.bytes -= q.cfg.Size(item)
	}
	clear(q.waiting[:n])
	q.waiting = q.waiting[n:]
	if len(q.waiting) == 0 {
		q.waiting = nil // so that the memory of a burst is given back
	}
}

// Close writes what waits, within ten seconds, and ends the queue.
func (q *Queue[T]) Close() error {
	q.stop()
	<-q.ended
	err := q.Flush(context.Background())
	if left := q.Waiting(); left > 0 {
		q.cfg.Log.Error(q.cfg.What+" could not be written", "number", left, "error", err)
	}
	return err
}

// run writes what waits, and removes what is old, until ctx ends.
func (q *Queue[T]) run(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	q.cfg.Sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			q.cfg.Sweep(ctx)
		case <-q.wake:
			q.write(ctx)
		}
	}
}

// write writes what waits, and tries again until it succeeds or ctx ends.
func (q *Queue[T]) write(ctx context.Context) {
	for pause := linger; ; pause = min(2*pause, maxPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := q.Flush(ctx)
		if err == nil {
			return
		}
		q.cfg.Log.Warn(q.cfg.What+" cannot be written; they are kept in memory and tried again", "again_in", min(2*pause, maxPause).String(), "error", err)
	}
}
