package db

import (
	"context"
	"sync"
	"time"

	"footnote/assistants"
)

// maxKept bounds each memory of a [Cached] store; a full one starts anew.
const maxKept = 4096

// A Cached store remembers the assistants and keys that chat requests look up,
// so that a chat asks the database for none of them. It is exact while all
// writes go through it, as they do behind a lock that lets in one process.
// Whatever changes an assistant or a key is in force
// when the change returns. What was found is shared by its readers, who must
// not change what its slices and pointers lead to; what was not found is not
// remembered, and what does not fit is looked up again, so that both take the same.
type Cached struct {
	*Store
	assistants memory[assistantRef, assistants.Assistant]
	keys       memory[string, assistants.Key]
}

type assistantRef struct {
	tenant assistants.TenantID
	ref    string
}

// NewCached puts memories before a store.
func NewCached(s *Store) *Cached { return &Cached{Store: s} }

// AssistantFor is Assistant from memory if the remembered one fits.
func (c *Cached) AssistantFor(ctx context.Context, tenant assistants.TenantID, ref string, fits func(assistants.Assistant) bool) (assistants.Assistant, error) {
	return c.assistants.get(assistantRef{tenant, ref}, fits, func() (assistants.Assistant, error) {
		return c.Store.Assistant(ctx, tenant, ref)
	})
}

// UpdateAssistant implements [assistants.AssistantStore].
func (c *Cached) UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error) {
	defer c.assistants.forget() // after errors too: the change may have come through
	return c.Store.UpdateAssistant(ctx, tenant, ref, change)
}

// DeleteAssistant implements [assistants.AssistantStore].
func (c *Cached) DeleteAssistant(ctx context.Context, tenant assistants.TenantID, ref string) error {
	defer c.assistants.forget()
	return c.Store.DeleteAssistant(ctx, tenant, ref)
}

// KeyFor is KeyByPrefix from memory if the remembered key fits.
func (c *Cached) KeyFor(ctx context.Context, prefix string, fits func(assistants.Key) bool) (assistants.Key, error) {
	return c.keys.get(prefix, fits, func() (assistants.Key, error) { return c.Store.KeyByPrefix(ctx, prefix) })
}

// RevokeKey implements [assistants.KeyStore].
func (c *Cached) RevokeKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time) error {
	defer c.keys.forget()
	return c.Store.RevokeKey(ctx, tenant, id, at)
}

// A memory keeps what was loaded until it is told to forget. Its zero value is empty.
type memory[K comparable, V any] struct {
	mu   sync.RWMutex
	kept map[K]V
	age  uint64 // how often everything was forgotten
}

func (m *memory[K, V]) get(key K, fits func(V) bool, load func() (V, error)) (V, error) {
	m.mu.RLock()
	v, ok := m.kept[key]
	age := m.age
	m.mu.RUnlock()
	// A zero value is asked about, too: nobody can tell from the steps whether
	// there was something that does not fit.
	if fits(v) && ok {
		return v, nil
	}
	v, err := load()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.age != age {
		return v, nil // loaded before a change, perhaps: not to be kept beyond it
	}
	if m.kept == nil || len(m.kept) >= maxKept {
		m.kept = map[K]V{}
	}
	m.kept[key] = v
	return v, nil
}

func (m *memory[K, V]) forget() {
	m.mu.Lock()
	m.kept = nil
	m.age++
	m.mu.Unlock()
}
