package embedding

import (
	"fmt"
	"sync"

	"footnote/assistants"
)

// A lease keeps the weights of a model mapped while texts are computed. Close waits for
// them: reading unmapped memory would crash the process.
type lease struct {
	mu      sync.RWMutex // read while a text is computed
	closed  bool
	release func() error
}

// acquire begins a use of the weights, which releaseUse ends. ErrUnavailable after Close.
func (l *lease) acquire() error {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return fmt.Errorf("the embedder is closed: %w", assistants.ErrUnavailable)
	}
	return nil
}

func (l *lease) releaseUse() { l.mu.RUnlock() }

// Close waits for the texts under way and unmaps the weights.
func (l *lease) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.release()
}
