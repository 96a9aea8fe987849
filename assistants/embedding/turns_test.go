package embedding

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// waiting returns once so many wait for a turn.
func (t *turns) waiting(questions, passages int) {
	for {
		t.mu.Lock()
		q, p := t.questions.Len(), t.passages.Len()
		t.mu.Unlock()
		if q == questions && p == passages {
			return
		}
		runtime.Gosched()
	}
}

func TestQuestionsGoBeforePassagesThatCameEarlier(t *testing.T) {
	turns := newTurns(1)
	ctx := context.Background()
	if err := turns.take(ctx, false); err != nil {
		t.Fatal(err)
	}
	var order []string // written by whoever has the one turn
	var g sync.WaitGroup
	enter := func(name string, question bool) {
		g.Go(func() {
			if err := turns.take(ctx, question); err != nil {
				t.Error(err)
			}
			order = append(order, name)
			turns.release()
		})
	}
	enter("passage 1", false)
	turns.waiting(0, 1)
	enter("passage 2", false)
	turns.waiting(0, 2)
	enter("question 1", true)
	turns.waiting(1, 2)
	enter("question 2", true)
	turns.waiting(2, 2)
	turns.release()
	g.Wait()
	if want := []string{"question 1", "question 2", "passage 1", "passage 2"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

func TestAPassageUnderWayLetsQuestionsGoFirst(t *testing.T) {
	turns := newTurns(1)
	ctx := context.Background()
	if err := turns.take(ctx, false); err != nil {
		t.Fatal(err)
	}
	if err := turns.yield(ctx); err != nil { // nobody waits
		t.Fatal(err)
	}
	var answered atomic.Bool
	var g sync.WaitGroup
	g.Go(func() {
		if err := turns.take(ctx, true); err != nil {
			t.Error(err)
		}
		answered.Store(true)
		turns.release()
	})
	turns.waiting(1, 0)
	if err := turns.yield(ctx); err != nil || !answered.Load() {
		t.Errorf("the question was answered: %v (%v)", answered.Load(), err)
	}
	turns.release()
	g.Wait()
	if turns.free != 1 || turns.asked.Load() != 0 {
		t.Errorf("%d turns are free", turns.free)
	}
}

func TestWhoLeavesTheQueueKeepsNoTurn(t *testing.T) {
	turns := newTurns(2)
	gone := errors.New("left")
	var g sync.WaitGroup
	var done atomic.Int64
	for i := range 200 {
		ctx, cancel := context.WithCancelCause(context.Background())
		g.Go(func() { cancel(gone) })
		g.Go(func() {
			switch err := turns.take(ctx, i%3 == 0); {
			case err == nil:
				if turns.yield(ctx) == nil {
					turns.release()
				}
				done.Add(1)
			case !errors.Is(err, gone):
				t.Error(err)
			}
		})
	}
	g.Wait()
	if turns.free != 2 || turns.questions.Len()+turns.passages.Len() != 0 || turns.asked.Load() != 0 {
		t.Errorf("%d turns are free, %d and %d wait, after %d had theirs", turns.free, turns.questions.Len(), turns.passages.Len(), done.Load())
	}
}
