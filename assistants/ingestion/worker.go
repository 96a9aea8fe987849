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
	// Workers is how many documents are read, or removed, at once (default 2). When
	// all workers are busy, one more document may be read, from a collection on which
	// none of them works. So a collection of slow documents does not block the others.
	Workers int
	// Embedder makes vectors; nil: documents are found by their words only.
	Embedder Embedder
	// Embeddings is how many documents are embedded at once, in addition to Workers, so that a
	// document becomes searchable by words while others get their vectors (default 2).
	Embeddings int
	// Lease is how long a claimed job stays claimed without a renewal
	// (default 1 min). The jobs of a process that died are claimed again after that.
	Lease time.Duration
	// Poll is how often the queue is checked without a notification (default 2 s).
	Poll time.Duration
	// OwnBlobs says that no other process writes blobs. A blob that no version names
	// when the worker is made must then be left over from a process that died.
	OwnBlobs bool
	// Chunks sets the lengths of chunks.
	Chunks chunker.Options
	// Log receives failures and, at debug level, every job (default: slog.Default).
	Log *slog.Logger
}

func (c WorkerConfig) withDefaults() WorkerConfig {
	if c.Workers <= 0 {
		c.Workers = 2
	}
	if c.Embedder == nil {
		c.Embedder = noEmbedder{}
	}
	if c.Embeddings <= 0 {
		c.Embeddings = 2
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
	cfg         WorkerConfig
	store       Store
	blobs       Blobs
	index       Index
	extractor   Extractor
	wakes       [3]chan struct{} // one for each queue
	busy        busyCollections
	documents   keyedMutex
	unpublished unpublishedSet
	partial     partialEmbeddings
	backOff     backOff
	growth      growth
	repairs     repairs
	outages     sync.Map // ids of jobs that this process dropped because the store was unavailable
	// Now is the clock; tests replace it.
	Now    func() time.Time
	madeAt time.Time
}

// NewWorker returns a Worker; it does nothing until Run.
func NewWorker(cfg WorkerConfig, store Store, blobs Blobs, index Index, extractor Extractor) *Worker {
	return &Worker{
		cfg: cfg.withDefaults(), store: store, blobs: blobs, index: index, extractor: extractor,
		wakes: [3]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}, Now: time.Now,
		madeAt: time.Now(),
	}
}

// Notify says that there may be work. It never blocks.
func (w *Worker) Notify() {
	for _, wake := range w.wakes {
		notify(wake)
	}
}

func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// A queue works off jobs of some kinds, at most slots at once.
type queue struct {
	kinds []assistants.JobKind
	slots int
	wake  chan struct{}
	idle  func() bool // reports that no job may be claimed now; nil: never
	// others limits the queue to jobs of collections on which no worker works.
	others bool
}

// busyCollections counts the jobs that are worked on in each collection, except
// embeddings, whose documents take turns.
type busyCollections struct {
	mu    sync.Mutex
	count map[assistants.CollectionID]int
}

func (b *busyCollections) add(job assistants.Job, n int) {
	if job.Kind == assistants.JobEmbed {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count == nil {
		b.count = map[assistants.CollectionID]int{}
	}
	if b.count[job.CollectionID] += n; b.count[job.CollectionID] == 0 {
		delete(b.count, job.CollectionID)
	}
}

// list returns the busy collections, and the number of jobs in all of them.
func (b *busyCollections) list() (ids []assistants.CollectionID, jobs int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, n := range b.count {
		ids, jobs = append(ids, id), jobs+n
	}
	return ids, jobs
}

// Run works until ctx ends, and returns nil when every running job has been
// finished or given back. A job that fails because a store is unavailable is tried again
// later; Run itself does not fail.
func (w *Worker) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { w.keepSweeping(ctx) })
	running.Go(func() { w.keepChecking(ctx) })
	running.Go(func() {
		w.serve(ctx, queue{kinds: []assistants.JobKind{assistants.JobEmbed}, slots: w.cfg.Embeddings, wake: w.wakes[1], idle: func() bool { return w.backOff.active(w.Now()) }})
	})
	reading := queue{kinds: []assistants.JobKind{assistants.JobIngest, assistants.JobPurge}, slots: w.cfg.Workers, wake: w.wakes[0]}
	others := reading
	others.slots, others.wake, others.others = 1, w.wakes[2], true
	others.idle = func() bool {
		_, jobs := w.busy.list()
		return jobs < w.cfg.Workers
	}
	running.Go(func() { w.serve(ctx, others) })
	w.serve(ctx, reading)
	return nil
}

// serve works a queue off until ctx ends. One job in two is the shortest of all, so that
// documents become ready one by one and small ones soon. For the others collections take
// turns, so that no collection and no large document waits for ever.
func (w *Worker) serve(ctx context.Context, q queue) {
	var (
		working sync.WaitGroup
		slots   = make(chan struct{}, q.slots)
	)
	defer working.Wait()
	for shortest := true; ; shortest = !shortest {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		job, ok := w.next(ctx, q, shortest)
		if !ok {
			return
		}
		working.Go(func() {
			defer func() { <-slots }()
			defer w.busy.add(job, -1)
			w.work(ctx, job)
		})
	}
}

// next waits for a job; ok is false when ctx has ended.
func (w *Worker) next(ctx context.Context, q queue, shortest bool) (job assistants.Job, ok bool) {
	for ctx.Err() == nil {
		if q.idle == nil || !q.idle() {
			want := assistants.JobFilter{Kinds: q.kinds, Shortest: shortest}
			if q.others {
				want.Except, _ = w.busy.list()
			}
			job, ok, err := w.store.ClaimJob(ctx, w.Now(), w.cfg.Lease, want)
			if ok && err == nil {
				w.busy.add(job, 1)
				notify(w.wakes[2])
				return job, true
			}
			if err != nil && ctx.Err() == nil {
				w.cfg.Log.Error("no job can be claimed", "error", err)
			}
		}
		timer := time.NewTimer(w.cfg.Poll)
		select {
		case <-q.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return assistants.Job{}, false
}

// Causes that end a job early.
var (
	errLeaseLost = errors.New("the job's lease was lost")
	errPanic     = errors.New("panic")
)

// work does one claimed job, then finishes it or gives it back.
func (w *Worker) work(ctx context.Context, job assistants.Job) {
	log := w.cfg.Log.With("job", job.ID, "kind", job.Kind, "document", job.DocumentID, "version", job.Version, "attempt", job.Attempt)
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lease := w.renewLease(running, job, cancel)
	err := w.do(running, job)
	job = lease.release()

	closing, done := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer done()
	switch {
	case errors.Is(context.Cause(running), errLeaseLost):
		log.Debug("job lost to another worker, or to an outage")
		w.outages.Store(job.ID, true)
		return
	case err == nil:
		log.Debug("job done")
		if err = w.store.FinishJob(closing, job); err == nil {
			w.after(ctx, job)
		}
	case errors.Is(err, errTurn):
		log.Debug("job goes on unless another one goes first")
		job.Attempt-- // taking turns is not a failed attempt
		err = w.giveBack(closing, job, w.Now())
	case ctx.Err() != nil:
		log.Info("job given back", "reason", "shutdown")
		err = w.giveBack(closing, job, w.Now())
	default:
		wait := retryDelay(job.Attempt)
		log.Warn("job will be tried again", "in", wait, "error", err)
		err = w.giveBack(closing, job, w.Now().Add(wait))
	}
	// A job that is neither finished nor given back is claimed again when its
	// lease ends; a conflict says that this has happened already.
	if err != nil && !isObsolete(err) {
		log.Error("job could not be settled", "error", err)
		w.outages.Store(job.ID, true)
	}
	w.Notify()
}

// after swaps the space of a collection if the finished job was the last it needed.
func (w *Worker) after(ctx context.Context, job assistants.Job) {
	if job.Kind == assistants.JobIngest || job.Kind == assistants.JobPurge && job.Version != 0 {
		return
	}
	if err := w.swapFinishedSpace(ctx, job.TenantID, job.CollectionID); err != nil && ctx.Err() == nil {
		w.cfg.Log.Warn("the collection cannot change to its next space yet", "collection", job.CollectionID, "error", err)
	}
}

// do does the job's work. Readers of untrusted files may panic; that fails the
// document and not the program.
func (w *Worker) do(ctx context.Context, job assistants.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.cfg.Log.Error("panic in a job", "job", job.ID, "document", job.DocumentID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", errPanic, p)
			switch {
			case job.Kind == assistants.JobIngest:
				err = w.fail(ctx, job, assistants.Progress{}, causeParserFailed)
			case job.Kind == assistants.JobEmbed && job.Attempt >= maxAttempts:
				err = w.endAfterLastAttempt(ctx, job, err)
			}
		}
	}()
	switch job.Kind {
	case assistants.JobIngest:
		return w.ingest(ctx, job)
	case assistants.JobEmbed:
		return w.embed(ctx, job)
	case assistants.JobPurge:
		return w.purge(ctx, job)
	}
	return fmt.Errorf("kind of job %q: %w", job.Kind, assistants.ErrNotBuilt)
}

// giveBack lets any worker claim the job from notBefore on.
func (w *Worker) giveBack(ctx context.Context, job assistants.Job, notBefore time.Time) error {
	if job.Kind == assistants.JobIngest {
		// Pending shows the next worker that the process did not die on this document.
		err := w.store.SetStatus(ctx, job.Ref(), assistants.StatusPending, assistants.Progress{}, nil)
		if err != nil && !isObsolete(err) {
			return err
		}
	}
	return w.store.RetryJob(ctx, job, notBefore)
}
