package ingestion

import (
	"errors"
	"sync"
	"time"

	"footnote/assistants"
)

// Delays between attempts.
const (
	firstDelay = time.Second
	maxDelay   = 5 * time.Minute
)

// retryDelay doubles with every attempt, up to maxDelay.
func retryDelay(attempt int) time.Duration {
	return min(firstDelay<<min(max(attempt-1, 0), 16), maxDelay)
}

// isObsolete reports whether err says that there is nothing left to do: the
// document is gone, a newer version has come, or another worker has the job.
func isObsolete(err error) bool {
	return errors.Is(err, assistants.ErrConflict) || errors.Is(err, assistants.ErrNotFound)
}

// A backOff pauses requests to the embedder after a failure, because a request for
// every document in the queue would not help it recover.
type backOff struct {
	mu       sync.Mutex
	failures int
	until    time.Time
}

// failed starts a pause. Each consecutive pause is longer than the one before.
func (b *backOff) failed(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.After(b.until) || b.failures == 0 {
		b.failures++
		b.until = now.Add(retryDelay(b.failures))
	}
}

// reset ends the pause after a success.
func (b *backOff) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.until = 0, time.Time{}
}

func (b *backOff) active(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Before(b.until)
}
