package ingestion

import (
	"context"
	"sync"
	"time"

	"footnote/assistants"
)

// A leaseRenewal renews the lease of a job while a worker works on it.
type leaseRenewal struct {
	stop chan struct{}
	done chan struct{}
	job  assistants.Job // as it is stored now; may be read after done is closed
}

// renewLease renews the job's lease until release is called. It cancels the work
// with errLeaseLost when another worker has, or may have, claimed the job.
func (w *Worker) renewLease(ctx context.Context, job assistants.Job, cancel context.CancelCauseFunc) *leaseRenewal {
	h := &leaseRenewal{stop: make(chan struct{}), done: make(chan struct{}), job: job}
	go func() {
		defer close(h.done)
		ticker := time.NewTicker(w.cfg.Lease / 3)
		defer ticker.Stop()
		until := w.Now().Add(w.cfg.Lease)
		for {
			select {
			case <-h.stop:
				return
			case <-ticker.C:
			}
			next := w.Now().Add(w.cfg.Lease)
			renewed, err := w.store.RenewJob(ctx, h.job, next)
			switch {
			case err == nil:
				h.job, until = renewed, next
			case isObsolete(err), w.Now().After(until):
				cancel(errLeaseLost)
				return
			}
		}
	}()
	return h
}

// release ends the renewals and returns the job as it is stored now.
func (h *leaseRenewal) release() assistants.Job {
	close(h.stop)
	<-h.done
	return h.job
}

// A keyedMutex holds one mutex for each document that is being worked on.
type keyedMutex struct {
	mu   sync.Mutex
	held map[assistants.DocumentID]*keyedLock
}

type keyedLock struct {
	sync.Mutex
	users int
}

// lock locks a document and returns the function that unlocks it.
func (k *keyedMutex) lock(id assistants.DocumentID) func() {
	k.mu.Lock()
	if k.held == nil {
		k.held = make(map[assistants.DocumentID]*keyedLock)
	}
	l := k.held[id]
	if l == nil {
		l = new(keyedLock)
		k.held[id] = l
	}
	l.users++
	k.mu.Unlock()
	l.Lock()
	return func() {
		l.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.held, id)
		}
	}
}
