// Package history keeps the questions and answers of assistants that are set to store
// them. An answer is noted in memory when it ends and written soon after, so that no
// client waits for the database.
package history

import (
	"context"
	"log/slog"
	"time"

	"footnote/assistants"
	"footnote/assistants/backlog"
)

// Store keeps answers.
type Store interface {
	// SaveAnswers stores answers of any tenants, and their threads. Those whose id is
	// known, and those of assistants that are gone, are left out. ErrUnavailable.
	SaveAnswers(ctx context.Context, answers []assistants.Answer) error
	// RemoveOldAnswers removes the answers of all tenants that are older than their
	// assistant keeps them. Those of a deleted assistant went with it. ErrUnavailable.
	RemoveOldAnswers(ctx context.Context, now time.Time) error
}

const (
	// maxWaiting and maxBytes bound the answers that wait to be written.
	maxWaiting = 10_000
	maxBytes   = 64 << 20
)

// A Log notes answers. It is safe for concurrent use.
type Log struct {
	queue *backlog.Queue[assistants.Answer]
}

// New returns a log that writes to store until it is closed.
func New(store Store, log *slog.Logger) *Log {
	return &Log{backlog.New(backlog.Config[assistants.Answer]{
		Write: store.SaveAnswers,
		Lost: func(answers []assistants.Answer) {
			log.Error("answers were not kept in the history", "number", len(answers), "assistant", answers[0].Assistant)
		},
		Sweep: func(ctx context.Context) {
			if err := store.RemoveOldAnswers(ctx, time.Now()); err != nil && ctx.Err() == nil {
				log.Warn("old answers cannot be removed; it is tried again in an hour", "error", err)
			}
		},
		Size:     assistants.Answer.Size,
		MaxItems: maxWaiting, MaxBytes: maxBytes, What: "answers", Log: log,
	})}
}

// Record notes an answer that has ended. It never waits: the answer is written soon.
func (l *Log) Record(a assistants.Answer) { l.queue.Add(a.Bounded()) }

// Flush writes what was noted before the call. ErrUnavailable; what was not written
// still waits.
func (l *Log) Flush(ctx context.Context) error { return l.queue.Flush(ctx) }

// Close writes what waits, within ten seconds, and ends the log.
func (l *Log) Close() error { return l.queue.Close() }
