package embedding

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// turns lets as many texts be computed at a time as there are processors. Questions go
// before passages: a passage gives up its turn between two layers when a question
// waits. A steady stream of questions can keep passages waiting. That is intended,
// because a user waits for each question.
type turns struct {
	mu        sync.Mutex
	free      int
	questions list.List    // of *waiter
	passages  list.List    // of *waiter
	asked     atomic.Int32 // questions that wait
}

// A waiter is a channel that is closed when its turn has come.
type waiter chan struct{}

func newTurns(n int) *turns { return &turns{free: n} }

// take waits for a turn.
func (t *turns) take(ctx context.Context, question bool) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	queue := &t.passages
	if question {
		queue = &t.questions
	}
	turn := make(waiter)
	place := queue.PushBack(turn)
	t.asked.Store(int32(t.questions.Len()))
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-turn: // the turn came at the same moment; the next waiter gets it
		t.startNext()
	default:
		queue.Remove(place)
		t.asked.Store(int32(t.questions.Len()))
	}
	return context.Cause(ctx)
}

// release ends a turn.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.startNext()
}

// startNext gives a turn to the text that waits longest. The caller holds t.mu.
func (t *turns) startNext() {
	for _, queue := range []*list.List{&t.questions, &t.passages} {
		if first := queue.Front(); first != nil {
			close(queue.Remove(first).(waiter))
			t.asked.Store(int32(t.questions.Len()))
			return
		}
	}
	t.free++
}

// yield lets waiting questions go first. If it returns an error, the caller has
// lost its turn.
func (t *turns) yield(ctx context.Context) error {
	if t.asked.Load() == 0 {
		return nil
	}
	t.release()
	return t.take(ctx, false)
}

// during waits for a turn and runs work in it. work must call between before each
// of its parts and stop on an error: between lets waiting questions go before a
// passage, and returns an error when ctx has ended.
func (t *turns) during(ctx context.Context, question bool, work func(between func() error) error) error {
	if err := t.take(ctx, question); err != nil {
		return err
	}
	mine := true // we still hold the turn
	defer func() {
		if mine {
			t.release()
		}
	}()
	return work(func() error {
		if question {
			return context.Cause(ctx)
		}
		err := t.yield(ctx)
		mine = err == nil
		if mine {
			err = context.Cause(ctx)
		}
		return err
	})
}
