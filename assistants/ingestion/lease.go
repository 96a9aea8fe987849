package ingestion

import (
	"context"
	"sync"
	"time"

	"footnote/assistants"
)

// A hold keeps the lease of a job from ending while the job is worked on.
type hold struct {
	stop chan struct{}
	done chan struct{}
	job  assistants.Job // as it is stored now; read it after done
}

// hold renews job's lease until it is released, and cancels the work with
// errLeaseLost when another worker has the job or may have it by now.
func (w *Worker) hold(ctx context.Context, job assistants.Job, cancel context.CancelCauseFunc) *hold {
	h := &hold{stop: make(chan struct{}), done: make(chan struct{}), job: job}
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
			case isVoid(err), w.Now().After(until):
				cancel(errLeaseLost)
				return
			}
		}
	}()
	return h
}

// release ends the renewals and returns the job as it is stored now.
func (h *hold) release() assistants.Job {
	close(h.stop)
	<-h.done
	return h.job
}

// A keyedMutex is a mutex per document, for those documents that are in work.
type keyedMutex struct {
	mu   sync.Mutex
	held map[assistants.DocumentID]*keyedLock
}

type keyedLock struct {
	sync.Mutex
	users int
}

// lock locks a document and returns what unlocks it.
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
