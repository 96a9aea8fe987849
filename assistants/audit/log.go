// Package audit keeps the audit log: who asked, changed or deleted what, and how it
// ended. A change is noted in the database before it is made, so that none is made
// without a trace. What only reads, such as a chat, is noted in memory and written
// soon after, so that it never waits for the database.
//
// It obeys one rule: a request gets no slower and does not fail because the audit
// log is slow, but for changes, which are refused as long as they cannot be noted.
package audit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"footnote/assistants"
)

// Store keeps events.
type Store interface {
	// SaveAudit stores events, and counts the usage of the chats among them. One whose
	// id is known replaces the stored event. ErrUnavailable.
	SaveAudit(ctx context.Context, events []assistants.AuditEvent) error
	// RemoveUsage removes the usage of the hours before a time, of all tenants.
	// ErrUnavailable.
	RemoveUsage(ctx context.Context, before time.Time) error
	// RemoveAudit removes at most limit of the events from before a time, of all
	// tenants, and returns their number. ErrUnavailable.
	RemoveAudit(ctx context.Context, before time.Time, limit int) (int, error)
}

// Config holds the settings of a log. Zero values become the defaults.
type Config struct {
	Retention time.Duration // how long events are kept; 0: for ever
	Log       *slog.Logger
	Now       func() time.Time // nil: time.Now
}

const (
	// maxWaiting bounds the events that wait to be written.
	maxWaiting = 10_000
	// batch is how many events one transaction stores.
	batch = 500
	// linger is how long an event waits for others to be written with it.
	linger = 100 * time.Millisecond
	// maxPause is the longest pause between two attempts to write.
	maxPause = 10 * time.Second
	// writeTime bounds the writing of what waits.
	writeTime = 10 * time.Second
	// sweepEvery is how often old events are removed, sweepAtOnce how many in one transaction.
	sweepEvery  = time.Hour
	sweepAtOnce = 1000
	// usageRetention is how long usage is kept.
	usageRetention = 90 * 24 * time.Hour
)

// A Log notes events. It is safe for concurrent use.
type Log struct {
	store  Store
	cfg    Config
	wake   chan struct{}
	stop   context.CancelFunc
	ended  chan struct{}
	writes sync.Mutex // held while events are written

	mu      sync.Mutex
	waiting []assistants.AuditEvent
	lost    map[assistants.TenantID]int // events that found no room, by tenant
}

// New returns a log that writes to store until it is closed.
func New(store Store, cfg Config) *Log {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &Log{store: store, cfg: cfg, wake: make(chan struct{}, 1), stop: stop, ended: make(chan struct{}), lost: map[assistants.TenantID]int{}}
	go func() {
		defer close(l.ended)
		l.run(ctx)
	}()
	return l
}

// Begin stores an event before what it is about is done. Record completes it.
// ErrUnavailable: it must not be done.
func (l *Log) Begin(ctx context.Context, e assistants.AuditEvent) error {
	return l.store.SaveAudit(ctx, []assistants.AuditEvent{e.Bounded()})
}

// Record notes an event that has ended. It never waits: the event is written soon.
func (l *Log) Record(e assistants.AuditEvent) {
	e = e.Bounded()
	l.mu.Lock()
	if len(l.waiting) >= maxWaiting {
		l.lost[e.TenantID]++
		l.mu.Unlock()
		return
	}
	l.waiting = append(l.waiting, e)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Flush writes what was noted before the call, also when ctx ends meanwhile.
// ErrUnavailable; what was not written still waits.
func (l *Log) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	l.writes.Lock()
	defer l.writes.Unlock()
	l.mu.Lock()
	left := len(l.waiting)
	l.mu.Unlock()
	for left > 0 {
		l.mu.Lock()
		some := l.waiting[:min(len(l.waiting), batch)]
		l.mu.Unlock()
		err := l.store.SaveAudit(ctx, some)
		if errors.Is(err, assistants.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		if err != nil { // trying again would not help, and would keep others waiting
			l.cfg.Log.Error("events of the audit log cannot be stored", "events", len(some), "error", err)
		}
		l.drop(len(some), err != nil)
		left -= len(some)
	}
	return l.saveGaps(ctx)
}

// drop removes the first n events that wait.
func (l *Log) drop(n int, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.waiting[:n] {
		if lost {
			l.lost[e.TenantID]++
		}
	}
	l.waiting = l.waiting[n:]
	if len(l.waiting) == 0 {
		l.waiting = nil // so that the memory of a burst is given back
	}
}

// saveGaps notes how many events were lost.
func (l *Log) saveGaps(ctx context.Context) error {
	l.mu.Lock()
	lost := l.lost
	l.lost = map[assistants.TenantID]int{}
	l.mu.Unlock()
	for tenant, n := range lost {
		gap := assistants.AuditEvent{
			ID: assistants.NewAuditID(), TenantID: tenant, CreatedAt: l.cfg.Now(), Action: assistants.AuditGap, Status: 503, Code: "storage_unavailable", Results: n,
		}
		l.cfg.Log.Error("events of the audit log were lost", "events", n, "tenant", tenant)
		if err := l.store.SaveAudit(ctx, []assistants.AuditEvent{gap}); err != nil {
			l.mu.Lock()
			for t, n := range lost {
				l.lost[t] += n
			}
			l.mu.Unlock()
			return err
		}
		delete(lost, tenant)
	}
	return nil
}

// Close writes what waits, within ten seconds, and ends the log.
func (l *Log) Close() error {
	l.stop()
	<-l.ended
	err := l.Flush(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := len(l.waiting); left > 0 {
		l.cfg.Log.Error("events of the audit log could not be written", "events", left, "error", err)
	}
	return err
}

// run writes what waits, and removes old events, until ctx ends.
func (l *Log) run(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	l.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			l.sweep(ctx)
		case <-l.wake:
			l.write(ctx)
		}
	}
}

// write writes what waits, and tries again until it succeeds or ctx ends.
func (l *Log) write(ctx context.Context) {
	for pause := linger; ; pause = min(2*pause, maxPause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := l.Flush(ctx)
		if err == nil {
			return
		}
		l.cfg.Log.Warn("the audit log cannot be written; it is kept in memory and tried again", "again_in", min(2*pause, maxPause).String(), "error", err)
	}
}

// sweep removes the events and the usage that are too old.
func (l *Log) sweep(ctx context.Context) {
	if err := l.store.RemoveUsage(ctx, l.cfg.Now().Add(-usageRetention)); err != nil && ctx.Err() == nil {
		l.cfg.Log.Warn("old figures of usage cannot be removed; it is tried again in an hour", "error", err)
	}
	if l.cfg.Retention <= 0 {
		return
	}
	before := l.cfg.Now().Add(-l.cfg.Retention)
	for {
		n, err := l.store.RemoveAudit(ctx, before, sweepAtOnce)
		if err != nil && !errors.Is(err, context.Canceled) {
			l.cfg.Log.Warn("old events of the audit log cannot be removed; it is tried again in an hour", "error", err)
		}
		if err != nil || n < sweepAtOnce {
			return
		}
	}
}
