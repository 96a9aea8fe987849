package ingestion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion/chunker"
)

// WorkerConfig says how a [Worker] works. Zero values mean the defaults.
type WorkerConfig struct {
	// Workers is how many jobs are worked on at once (default 2).
	Workers int
	// Lease is how long a claimed job stays claimed without a sign of life
	// (default 1 min): as long a job waits after the process died.
	Lease time.Duration
	// Poll is how often the queue is looked at unasked (default 2 s).
	Poll time.Duration
	// Chunks are the lengths of chunks.
	Chunks chunker.Options
	// Log is told of failures and, at debug level, of every job (default: slog.Default).
	Log *slog.Logger
}

func (c WorkerConfig) withDefaults() WorkerConfig {
	if c.Workers <= 0 {
		c.Workers = 2
	}
	if c.Lease <= 0 {
		c.Lease = time.Minute
	}
	if c.Poll <= 0 {
		c.Poll = 2 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// A Worker works off the queue of jobs: it brings documents into the index and
// takes them out.
type Worker struct {
	cfg       WorkerConfig
	store     Store
	blobs     Blobs
	index     Index
	extractor Extractor
	wake      chan struct{}
	documents keyedMutex
	outages   sync.Map // ids of jobs that this process had to drop, because the store was away
	// Now is the clock; tests replace it.
	Now func() time.Time
}

// NewWorker returns a Worker; it does nothing until Run.
func NewWorker(cfg WorkerConfig, store Store, blobs Blobs, index Index, extractor Extractor) *Worker {
	return &Worker{
		cfg: cfg.withDefaults(), store: store, blobs: blobs, index: index, extractor: extractor,
		wake: make(chan struct{}, 1), Now: time.Now,
	}
}

// Notify says that there may be work. It never blocks.
func (w *Worker) Notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends, and returns nil when every job in work has been
// finished or given back. A job that fails for want of a store is tried again
// later; Run itself does not fail.
func (w *Worker) Run(ctx context.Context) error {
	var (
		working sync.WaitGroup
		slots   = make(chan struct{}, w.cfg.Workers)
	)
	defer working.Wait()
	working.Go(func() { w.keepSweeping(ctx) })
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		job, ok := w.next(ctx)
		if !ok {
			return nil
		}
		working.Go(func() {
			defer func() { <-slots }()
			w.work(ctx, job)
		})
	}
}

// next waits for a job; ok is false when ctx has ended.
func (w *Worker) next(ctx context.Context) (job assistants.Job, ok bool) {
	for ctx.Err() == nil {
		job, ok, err := w.store.ClaimJob(ctx, w.Now(), w.cfg.Lease)
		if ok && err == nil {
			return job, true
		}
		if err != nil && ctx.Err() == nil {
			w.cfg.Log.Error("no job can be claimed", "error", err)
		}
		timer := time.NewTimer(w.cfg.Poll)
		select {
		case <-w.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return assistants.Job{}, false
}

// Ways a job ends before its time.
var (
	errLeaseLost = errors.New("the job's lease was lost")
	errPanic     = errors.New("panic")
)

// work does one claimed job and settles it.
func (w *Worker) work(ctx context.Context, job assistants.Job) {
	log := w.cfg.Log.With("job", job.ID, "kind", job.Kind, "document", job.DocumentID, "version", job.Version, "attempt", job.Attempt)
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	held := w.hold(running, job, cancel)
	err := w.do(running, job)
	job = held.release()

	closing, done := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer done()
	switch {
	case errors.Is(context.Cause(running), errLeaseLost):
		log.Debug("job lost to another worker, or to an outage")
		w.outages.Store(job.ID, true)
		return
	case err == nil:
		log.Debug("job done")
		err = w.store.FinishJob(closing, job)
	case ctx.Err() != nil:
		log.Info("job given back", "reason", "shutdown")
		err = w.giveBack(closing, job, w.Now())
	default:
		wait := backoff(job.Attempt)
		log.Warn("job will be tried again", "in", wait, "error", err)
		err = w.giveBack(closing, job, w.Now().Add(wait))
	}
	// A job that is neither finished nor given back is claimed again when its
	// lease ends; a conflict says that this has happened already.
	if err != nil && !isVoid(err) {
		log.Error("job could not be settled", "error", err)
		w.outages.Store(job.ID, true)
	}
	w.Notify()
}

// do does the job's work. Panics of code that reads what strangers wrote are
// the document's failure, not the program's end.
func (w *Worker) do(ctx context.Context, job assistants.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.cfg.Log.Error("panic in a job", "job", job.ID, "document", job.DocumentID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", errPanic, p)
			if job.Kind == assistants.JobIngest {
				err = w.fail(ctx, job, assistants.Progress{}, causeParserFailed)
			}
		}
	}()
	switch job.Kind {
	case assistants.JobIngest:
		return w.ingest(ctx, job)
	case assistants.JobPurge:
		return w.purge(ctx, job)
	}
	return fmt.Errorf("kind of job %q: %w", job.Kind, assistants.ErrNotBuilt)
}

// giveBack lets any worker have the job from a time on.
func (w *Worker) giveBack(ctx context.Context, job assistants.Job, notBefore time.Time) error {
	if job.Kind == assistants.JobIngest {
		// Pending tells the next claim that this one did not die on the document.
		err := w.store.SetStatus(ctx, job.Ref(), assistants.StatusPending, assistants.Progress{}, nil)
		if err != nil && !isVoid(err) {
			return err
		}
	}
	return w.store.RetryJob(ctx, job, notBefore)
}

// Waiting times between attempts.
const (
	firstBackoff = time.Second
	maxBackoff   = 5 * time.Minute
)

func backoff(attempt int) time.Duration {
	return min(firstBackoff<<min(max(attempt-1, 0), 16), maxBackoff)
}

// isVoid reports whether err says that there is nothing left to do: the
// document is gone, a newer version has come, or another worker has the job.
func isVoid(err error) bool {
	return errors.Is(err, assistants.ErrConflict) || errors.Is(err, assistants.ErrNotFound)
}
