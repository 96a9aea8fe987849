package ingestion

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

func TestSweepTakesOldOrphansOnly(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	_, _, err := w.blobs.Put(t.Context(), "default/orphan", strings.NewReader("left behind"))
	w.must(err)
	w.now.Store(time.Now().UnixNano())
	w.sweep()
	if keys := w.keys(); len(keys) != 2 {
		t.Errorf("a young blob was taken: %q", keys)
	}
	w.pass(sweepAge + time.Minute)
	w.sweep()
	if keys := w.keys(); !slices.Equal(keys, []string{d.Version.BlobKey}) {
		t.Errorf("blobs %q", keys)
	}
}

func TestSweepingForgetsExpiredRequests(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		_, reserved, err := w.store.ReserveRequest(t.Context(), assistants.IdempotentRequest{
			TenantID: assistants.DefaultTenant, Key: fmt.Sprint(i), Fingerprint: "f",
			LeaseUntil: w.clock(), CreatedAt: w.clock(), ExpiresAt: w.clock().Add(time.Duration(i+1) * time.Hour),
		}, w.clock())
		if err != nil || !reserved {
			t.Fatal(reserved, err)
		}
	}
	w.pass(2 * time.Hour)
	w.must(w.worker.removeExpiredRequests(t.Context()))
	w.pass(time.Hour)
	if n, err := w.store.RemoveExpiredRequests(t.Context(), w.clock()); n != 1 || err != nil {
		t.Errorf("%d were left, %v, want 1", n, err)
	}
}

// leaving is a blob store whose interrupted writes leave something behind.
type leaving struct {
	Blobs
	swept chan time.Time
}

func (l leaving) SweepLeftovers(_ context.Context, before time.Time) error {
	l.swept <- before
	return nil
}

func TestOldLeftoversOfUploadsAreSwept(t *testing.T) {
	w := newWorld(t)
	store := leaving{w.blobs, make(chan time.Time, 1)}
	worker := w.newWorker(w.store, store, w.index, inProcess{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		worker.keepSweeping(ctx)
		close(ended)
	}()
	if before := <-store.swept; !before.Equal(w.clock().Add(-leftoverAge)) {
		t.Errorf("those that began before %s", before)
	}
	stop()
	<-ended
	w.must(w.worker.sweepLeftovers(t.Context())) // a disk has none
}
