package ingestion

import (
	"context"
	"fmt"
	"time"
)

const (
	// sweepEvery is how often orphans are looked for.
	sweepEvery = time.Hour
	// sweepAge is how old a blob must be to count as an orphan. It is longer than
	// the time between storing a blob and its row (rowTime).
	sweepAge = 5 * time.Minute
	// clockTick is how far a new file's time stamp may lag behind the clock.
	clockTick = 20 * time.Millisecond
	// sweepAtOnce is how many keys one query of the store checks.
	sweepAtOnce = 500
	// leftoverAge is how old an unfinished write must be to count as one that was
	// interrupted. No write takes as long.
	leftoverAge = 24 * time.Hour
)

// A BlobLister is a blob store that can list its blobs.
type BlobLister interface {
	// Each calls fn for every blob that was last written before a time.
	Each(ctx context.Context, before time.Time, fn func(key string) error) error
}

// A LeftoverSweeper is a blob store whose writes can be interrupted and leave
// something behind that costs space.
type LeftoverSweeper interface {
	// SweepLeftovers removes what writes that began before a time have left.
	SweepLeftovers(ctx context.Context, before time.Time) error
}

// A BlobOwner is a store that knows which blobs are in use.
type BlobOwner interface {
	// UnknownBlobs returns those of the keys that no version names.
	UnknownBlobs(ctx context.Context, keys []string) ([]string, error)
}

// A RequestKeeper is a store that keeps the answers to requests for a time.
type RequestKeeper interface {
	// RemoveExpiredRequests removes the answers that expired before now.
	RemoveExpiredRequests(ctx context.Context, now time.Time) (int, error)
}

// sweep deletes blobs that were written before a time and that no document names: those
// of uploads that ended before they were acknowledged. It does nothing where the stores
// cannot list.
func (w *Worker) sweep(ctx context.Context, before time.Time) error {
	lister, canList := w.blobs.(BlobLister)
	owner, canTell := w.store.(BlobOwner)
	if !canList || !canTell {
		return nil
	}
	var (
		keys  []string
		swept int
	)
	flush := func() error {
		orphans, err := owner.UnknownBlobs(ctx, keys)
		if err != nil {
			return fmt.Errorf("ask for orphans: %w", err)
		}
		for _, key := range orphans {
			if err := w.blobs.Delete(ctx, key); err != nil {
				return fmt.Errorf("delete an orphan: %w", err)
			}
		}
		swept += len(orphans)
		keys = keys[:0]
		return nil
	}
	err := lister.Each(ctx, before, func(key string) error {
		if keys = append(keys, key); len(keys) < sweepAtOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return fmt.Errorf("list the blobs: %w", err)
	}
	if len(keys) > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	if swept > 0 {
		w.cfg.Log.Info("orphaned files deleted", "count", swept)
	}
	return nil
}

// sweepLeftovers removes what interrupted writes have left, where that can happen.
func (w *Worker) sweepLeftovers(ctx context.Context) error {
	sweeper, ok := w.blobs.(LeftoverSweeper)
	if !ok {
		return nil
	}
	return sweeper.SweepLeftovers(ctx, w.Now().Add(-leftoverAge))
}

// removeExpiredRequests removes the stored answers that have expired.
func (w *Worker) removeExpiredRequests(ctx context.Context) error {
	keeper, ok := w.store.(RequestKeeper)
	if !ok {
		return nil
	}
	_, err := keeper.RemoveExpiredRequests(ctx, w.Now())
	return err
}

// keepSweeping sweeps every sweepEvery until ctx ends. With OwnBlobs, the first
// sweep also deletes the young orphans of a process that died.
func (w *Worker) keepSweeping(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	before := w.Now().Add(-sweepAge)
	if w.cfg.OwnBlobs {
		before = w.madeAt.Add(-clockTick)
	}
	for {
		if err := w.sweep(ctx, before); err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("orphaned files could not be looked for", "error", err)
		}
		if err := w.sweepLeftovers(ctx); err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("what interrupted uploads left was not removed", "error", err)
		}
		if err := w.removeExpiredRequests(ctx); err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("expired idempotency keys were not removed", "error", err)
		}
		select {
		case <-ticker.C:
			before = w.Now().Add(-sweepAge)
		case <-ctx.Done():
			return
		}
	}
}
