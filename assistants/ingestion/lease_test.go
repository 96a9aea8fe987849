package ingestion

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

// leases is a queue of one job whose lease can be taken away.
type leases struct {
	Store
	mu       sync.Mutex
	job      assistants.Job
	taken    bool
	down     bool
	finished bool
}

func (l *leases) RenewJob(_ context.Context, j assistants.Job, until time.Time) (assistants.Job, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.down:
		return assistants.Job{}, assistants.ErrUnavailable
	case l.taken || j.Revision != l.job.Revision:
		return assistants.Job{}, assistants.ErrConflict
	}
	l.job.Revision++
	l.job.LeaseUntil = until
	return l.job, nil
}

func (l *leases) FinishJob(_ context.Context, j assistants.Job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken || j.Revision != l.job.Revision {
		return assistants.ErrConflict
	}
	l.finished = true
	return nil
}

// Document finds nothing: the document was deleted.
func (l *leases) Document(context.Context, assistants.TenantID, assistants.DocumentID) (assistants.Document, error) {
	return assistants.Document{}, assistants.ErrNotFound
}

// slowIndex removes documents slowly, unless its context ends.
type slowIndex struct {
	Index
	takes time.Duration
	err   error
}

func (s *slowIndex) Remove(ctx context.Context, _ assistants.DocumentID) error {
	timer := time.NewTimer(s.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		s.err = context.Cause(ctx)
	}
	return s.err
}

func purgeJob() assistants.Job {
	return assistants.Job{ID: "job_1", Kind: assistants.JobPurge, DocumentID: "doc_1", Attempt: 1, Revision: 1}
}

func TestTheLeaseIsRenewedWhileTheWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, index := &leases{job: purgeJob()}, &slowIndex{takes: time.Hour}
		w := NewWorker(WorkerConfig{Log: quiet, Lease: time.Minute}, store, nil, index, nil)
		began := time.Now()
		w.work(t.Context(), store.job)
		if !store.finished || index.err != nil || time.Since(began) != time.Hour {
			t.Errorf("finished %v after %v, %v", store.finished, time.Since(began), index.err)
		}
		if late := store.job.LeaseUntil.Sub(began); late < time.Hour {
			t.Errorf("the lease ended after %v", late)
		}
	})
}

func TestALostLeaseStopsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, index := &leases{job: purgeJob(), taken: true}, &slowIndex{takes: time.Hour}
		w := NewWorker(WorkerConfig{Log: quiet, Lease: time.Minute}, store, nil, index, nil)
		began := time.Now()
		w.work(t.Context(), store.job)
		if store.finished || !errors.Is(index.err, errLeaseLost) || time.Since(began) > time.Minute {
			t.Errorf("finished %v after %v, %v", store.finished, time.Since(began), index.err)
		}
	})
}

func TestWorkStopsWhenItsLeaseMayHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, index := &leases{job: purgeJob(), down: true}, &slowIndex{takes: time.Hour}
		w := NewWorker(WorkerConfig{Log: quiet, Lease: time.Minute}, store, nil, index, nil)
		began := time.Now()
		w.work(t.Context(), store.job)
		if took := time.Since(began); !errors.Is(index.err, errLeaseLost) || took < time.Minute || took > 2*time.Minute {
			t.Errorf("after %v, %v", took, index.err)
		}
	})
}

func TestALockIsPerDocument(t *testing.T) {
	var (
		k    keyedMutex
		n    [2]int // unguarded but for the locks
		work sync.WaitGroup
	)
	held := k.lock("doc_0")
	k.lock("doc_1")() // another document is free
	for i := range 200 {
		work.Go(func() {
			defer k.lock([]assistants.DocumentID{"doc_0", "doc_1"}[i%2])()
			n[i%2]++
		})
	}
	held()
	work.Wait()
	if n != [2]int{100, 100} || len(k.held) != 0 {
		t.Errorf("counted %v, %d locks are left over", n, len(k.held))
	}
}
