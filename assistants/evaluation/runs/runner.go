package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
)

// Store keeps the outcomes of runs.
type Store interface {
	// AddOutcome stores the outcome of a question and counts it as done. The same
	// place may be stored again. ErrConflict: the run does not run any more.
	// ErrNotFound: it is gone. ErrUnavailable.
	AddOutcome(ctx context.Context, r Run, place int, o evaluation.Outcome) error
	// EndRun ends a run that runs, and sums up what was measured. Errors as AddOutcome.
	EndRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, s Status, at time.Time) (Run, error)
}

// Config holds the settings of a runner. Zero values become the defaults.
type Config struct {
	Log *slog.Logger
	Now func() time.Time // nil: time.Now
}

const (
	// perRun is how many questions of a run are asked at once, and atOnce how
	// many of all runs together: chats of people go first.
	perRun = 2
	atOnce = 4
	// retryPause is the pause before the database is asked again.
	retryPause = time.Second
	// lastWrite bounds the ending of a run when the runner is closed.
	lastWrite = 5 * time.Second
)

// A Runner works on runs until it is closed. It is safe for concurrent use.
type Runner struct {
	store   Store
	cfg     Config
	slots   chan struct{}
	working sync.WaitGroup

	mu     sync.Mutex
	closed bool
	active map[assistants.RunID]context.CancelFunc
}

// NewRunner returns a runner without runs.
func NewRunner(store Store, cfg Config) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Runner{store: store, cfg: cfg, slots: make(chan struct{}, atOnce), active: map[assistants.RunID]context.CancelFunc{}}
}

// Start works on a stored run in the background. ErrUnavailable: the runner is closed.
func (n *Runner) Start(r Run, questions []evaluation.Question, server evaluation.Server) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return fmt.Errorf("the server stops, %w", assistants.ErrUnavailable)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.active[r.ID] = cancel
	n.working.Go(func() {
		defer func() {
			n.mu.Lock()
			delete(n.active, r.ID)
			n.mu.Unlock()
			cancel()
		}()
		n.work(ctx, cancel, r, questions, server)
	})
	return nil
}

// Stop stops the work on a run that a client has ended.
func (n *Runner) Stop(id assistants.RunID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if cancel := n.active[id]; cancel != nil {
		cancel()
	}
}

// Close interrupts all runs and waits until their work has ended.
func (n *Runner) Close() {
	n.mu.Lock()
	n.closed = true
	for _, cancel := range n.active {
		cancel()
	}
	n.mu.Unlock()
	n.working.Wait()
}

// work asks the questions of a run and ends it.
func (n *Runner) work(ctx context.Context, stop context.CancelFunc, r Run, questions []evaluation.Question, server evaluation.Server) {
	_, err := evaluation.Evaluate(ctx, guarded{server, n}, questions, evaluation.Options{
		Chat: r.Answers, Parallel: perRun,
		Each: func(place int, o evaluation.Outcome) {
			err := n.untilAvailable(ctx, func() error { return n.store.AddOutcome(ctx, r, place, o) })
			if err == nil || ctx.Err() != nil {
				return
			}
			if !errors.Is(err, assistants.ErrNotFound) && !errors.Is(err, assistants.ErrConflict) { // else a client ended it
				n.cfg.Log.Error("the outcome of a gold question cannot be stored", "run", r.ID, "error", err)
			}
			stop()
		},
	})
	if err == nil {
		err = n.untilAvailable(ctx, func() error { return n.end(ctx, r, Completed) })
	}
	if err == nil {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	defer cancel()
	if err := n.end(last, r, Interrupted); err != nil {
		n.cfg.Log.Error("a run of an evaluation could not be ended; the next start of the server does it", "run", r.ID, "error", err)
	}
}

// end ends a run, unless a client was faster.
func (n *Runner) end(ctx context.Context, r Run, s Status) error {
	_, err := n.store.EndRun(ctx, r.Tenant, r.ID, s, n.cfg.Now())
	if errors.Is(err, assistants.ErrNotFound) || errors.Is(err, assistants.ErrConflict) {
		return nil
	}
	return err
}

// untilAvailable repeats a write until the database takes it or ctx ends.
func (n *Runner) untilAvailable(ctx context.Context, write func() error) error {
	for {
		err := write()
		if err == nil || !errors.Is(err, assistants.ErrUnavailable) {
			return err
		}
		n.cfg.Log.Warn("an evaluation waits for the database", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// A guarded server bounds the questions of all runs that are asked at once, and
// turns a panic into the error of a question.
type guarded struct {
	server evaluation.Server
	runner *Runner
}

// Retrieve implements [evaluation.Server].
func (g guarded) Retrieve(ctx context.Context, messages []evaluation.Turn) (found evaluation.Retrieved, err error) {
	return withSlot(ctx, g.runner, func() (evaluation.Retrieved, error) { return g.server.Retrieve(ctx, messages) })
}

// Ask implements [evaluation.Server].
func (g guarded) Ask(ctx context.Context, q evaluation.Question) (evaluation.Answered, error) {
	return withSlot(ctx, g.runner, func() (evaluation.Answered, error) { return g.server.Ask(ctx, q) })
}

// errPanic is what clients learn of a panic.
var errPanic = errors.New("the server failed; its log says why")

func withSlot[T any](ctx context.Context, n *Runner, fn func() (T, error)) (out T, err error) {
	select {
	case n.slots <- struct{}{}:
	case <-ctx.Done():
		return out, ctx.Err()
	}
	defer func() { <-n.slots }()
	defer func() {
		if reason := recover(); reason != nil {
			n.cfg.Log.Error("panic in an evaluation", "panic", reason, "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return fn()
}
