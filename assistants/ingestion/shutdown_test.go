package ingestion

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

func TestShutdownGivesTheJobBackAtOnce(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	ctx, stop := context.WithCancel(t.Context())
	reading := make(chan struct{})
	w.worker.extractor = extractorFunc(func(ctx context.Context, _ *os.File, _ sandbox.Hint) (extract.Document, error) {
		close(reading)
		<-ctx.Done()
		return extract.Document{}, ctx.Err()
	})
	stopped := make(chan error)
	go func() { stopped <- w.worker.Run(ctx) }()
	<-reading
	stop()
	w.must(<-stopped)
	if d = w.document(d.ID); d.Status != assistants.StatusPending {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	// The clock has not moved: no lease had to end.
	w.drain(w.newWorker(w.store, w.blobs, w.index, inProcess{}))
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	w.consistent()
}

// stopsOnPublish is a store that stops a worker as soon as it has published.
type stopsOnPublish struct {
	Store
	stop func()
}

func (s stopsOnPublish) Publish(ctx context.Context, ref assistants.VersionRef, at time.Time, next assistants.Status) error {
	err := s.Store.Publish(ctx, ref, at, next)
	s.stop()
	return err
}

func TestAShutdownAfterPublicationDoesNotGiveTheJobBack(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "Words.")
	ctx, stop := context.WithCancel(t.Context())
	w.must(w.newWorker(stopsOnPublish{w.store, stop}, w.blobs, w.index, inProcess{}).Run(ctx))
	if d = w.document(d.ID); d.Status != assistants.StatusReady {
		t.Errorf("%s, %v", d.Status, d.Cause)
	}
	if n, err := w.store.CountJobs(t.Context(), assistants.JobIngest); n != 0 || err != nil {
		t.Errorf("%d jobs, %v", n, err)
	}
	w.consistent()
}

func TestRunWorksUntilItIsStopped(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	indexed := make(chan struct{})
	w.worker.cfg.Poll = time.Hour // so that only Notify wakes it
	w.worker.index = beforeApply{w.index, func() { indexed <- struct{}{} }}
	stopped := make(chan error)
	go func() { stopped <- w.worker.Run(ctx) }()
	var ids []assistants.DocumentID
	for i := range 5 {
		ids = append(ids, w.add("a.md", fmt.Sprintf("Words %d.", i)).ID)
		<-indexed
	}
	stop()
	w.must(<-stopped)
	w.worker.index = w.index
	w.drain(w.worker) // what the stop had given back
	for _, id := range ids {
		if d := w.document(id); d.Status != assistants.StatusReady {
			t.Errorf("%s, %v", d.Status, d.Cause)
		}
	}
	w.consistent()
}
