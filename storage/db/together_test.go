package db

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// heldQuery is a query that waits until it is released.
func heldQuery(begun chan<- []int, release <-chan struct{}) func(context.Context, []int) (int, error) {
	return func(_ context.Context, items []int) (int, error) {
		begun <- items
		<-release
		return len(items), nil
	}
}

// waitForNext waits until n items are asked for after the running query.
func waitForNext(t *testing.T, g *together[string, int, int], n int) {
	t.Helper()
	for {
		g.mu.Lock()
		turn := g.turns["k"]
		ready := turn != nil && turn.next != nil && len(turn.next.items) == n
		g.mu.Unlock()
		if ready {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("nobody waits")
		}
	}
}

func TestThoseWhoAskDuringAQueryShareTheNext(t *testing.T) {
	var g together[string, int, int]
	begun, release := make(chan []int, 9), make(chan struct{})
	load := heldQuery(begun, release)
	var askers sync.WaitGroup
	ask := func(ctx context.Context, item, want int, wantErr error) {
		askers.Go(func() {
			if got, err := g.ask(ctx, "k", []int{item}, load); !errors.Is(err, wantErr) || err == nil && got != want {
				t.Errorf("%d gets %d, %v", item, got, err)
			}
		})
	}
	ask(t.Context(), 1, 1, nil)
	if first := <-begun; !slices.Equal(first, []int{1}) {
		t.Fatalf("the first query asks for %v", first)
	}
	leaving, leave := context.WithCancel(t.Context())
	ask(leaving, 2, 0, context.Canceled)
	waitForNext(t, &g, 1)
	ask(t.Context(), 3, 3, nil)
	ask(t.Context(), 4, 3, nil)
	waitForNext(t, &g, 3)
	leave()
	release <- struct{}{}
	second := <-begun
	slices.Sort(second)
	if !slices.Equal(second, []int{2, 3, 4}) {
		t.Errorf("the second query asks for %v", second)
	}
	release <- struct{}{}
	askers.Wait()
	// Nothing is kept: the next one asks again.
	ask(t.Context(), 5, 1, nil)
	<-begun
	release <- struct{}{}
	askers.Wait()
	if len(g.turns) != 0 {
		t.Errorf("%d turns are left", len(g.turns))
	}
}

// A result is never older than the call that it answers.
func TestNobodyGetsWhatWasAskedBeforeHim(t *testing.T) {
	var g together[string, int, int64]
	var now, queries atomic.Int64
	load := func(context.Context, []int) (int64, error) {
		queries.Add(1)
		return now.Load(), nil
	}
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			for range 2000 {
				before := now.Add(1)
				if got, err := g.ask(t.Context(), "k", nil, load); err != nil || got < before {
					t.Errorf("asked at %d, got %d, %v", before, got, err)
					return
				}
			}
		})
	}
	askers.Wait()
	if n := queries.Load(); n > 8*2000 {
		t.Errorf("%d queries", n)
	}
}

func TestAPanicOfASharedQueryIsAnError(t *testing.T) {
	var g together[string, int, int]
	begun, release := make(chan []int, 9), make(chan struct{})
	first := heldQuery(begun, release)
	var askers sync.WaitGroup
	askers.Go(func() {
		if _, err := g.ask(t.Context(), "k", []int{1}, func(ctx context.Context, items []int) (int, error) {
			if len(items) == 2 {
				panic("broken")
			}
			return first(ctx, items)
		}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	for range 2 {
		askers.Go(func() {
			if _, err := g.ask(t.Context(), "k", []int{1}, first); err == nil {
				t.Error("no error")
			}
		})
	}
	waitForNext(t, &g, 2)
	release <- struct{}{}
	askers.Wait()
}
