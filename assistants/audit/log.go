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
	"footnote/assistants/backlog"
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
	// sweepAtOnce is how many old events are removed in one transaction.
	sweepAtOnce = 1000
	// usageRetention is how long usage is kept.
	usageRetention = 90 * 24 * time.Hour
)

// A Log notes events. It is safe for concurrent use.
type Log struct {
	store Store
	cfg   Config
	queue *backlog.Queue[assistants.AuditEvent]

	recent recent

	mu   sync.Mutex
	lost map[assistants.TenantID]int // events that found no room, by tenant
}

// New returns a log that writes to store until it is closed.
func New(store Store, cfg Config) *Log {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	l := &Log{store: store, cfg: cfg, lost: map[assistants.TenantID]int{}}
	l.queue = backlog.New(backlog.Config[assistants.AuditEvent]{
		Write: store.SaveAudit, Lost: l.countLost, Finish: l.saveGaps, Sweep: l.sweep,
		MaxItems: maxWaiting, What: "events of the audit log", Log: cfg.Log,
	})
	return l
}

// Begin stores an event before what it is about is done. Record completes it.
// ErrUnavailable: it must not be done.
func (l *Log) Begin(ctx context.Context, e assistants.AuditEvent) error {
	return l.store.SaveAudit(ctx, []assistants.AuditEvent{e.Bounded()})
}

// Record notes an event that has ended. It never waits: the event is written soon.
func (l *Log) Record(e assistants.AuditEvent) {
	l.recent.add(e)
	l.queue.Add(e.Bounded())
}

// Flush writes what was noted before the call, also when ctx ends meanwhile.
// ErrUnavailable; what was not written still waits.
func (l *Log) Flush(ctx context.Context) error { return l.queue.Flush(ctx) }

// Close writes what waits, within ten seconds, and ends the log.
func (l *Log) Close() error { return l.queue.Close() }

func (l *Log) countLost(events []assistants.AuditEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		l.lost[e.TenantID]++
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
