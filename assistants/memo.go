package assistants

import "sync"

// A Memo keeps what was computed of a passage, for as long as the passage itself is
// kept in memory. It is safe for concurrent use.
type Memo struct {
	mu     sync.RWMutex
	values map[any]any
	grown  func(bytes int)
}

// NewMemo returns an empty memo. grown is told how many bytes more the memo takes.
func NewMemo(grown func(bytes int)) *Memo { return &Memo{grown: grown} }

// Grown tells that a value of the memo takes more bytes than when it was computed.
func (m *Memo) Grown(bytes int) { m.grown(bytes) }

// Recall returns the value of a key in a memo. If the memo has none, compute makes it
// and says how many bytes it takes. Callers at the same time may compute it twice; all
// get the same value. A nil memo keeps nothing.
func Recall[T any](m *Memo, key any, compute func() (value T, bytes int)) T {
	if m == nil {
		value, _ := compute()
		return value
	}
	m.mu.RLock()
	known, ok := m.values[key].(T)
	m.mu.RUnlock()
	if ok {
		return known
	}
	value, bytes := compute()
	m.mu.Lock()
	if known, ok = m.values[key].(T); ok {
		m.mu.Unlock()
		return known
	}
	if m.values == nil {
		m.values = map[any]any{}
	}
	m.values[key] = value
	m.mu.Unlock()
	m.grown(bytes) // without the lock, because it may end the memo
	return value
}
