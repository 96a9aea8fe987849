package db

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"footnote/assistants"
)

const (
	// maxKept bounds each memory of a [Cached] store; a full one starts anew.
	maxKept = 4096
	// lastKnownFor is how long what was read answers for a database that does not.
	lastKnownFor = time.Minute
	// lastKnownPatience is how long such a database is waited for.
	lastKnownPatience = 2 * time.Second
)

// A Cached store remembers the assistants, keys and upstreams that chat requests
// look up, and the documents that filters select.
//
// Where one process has the database to itself, behind a lock, a chat asks the
// database for none of them: the memory is exact, because all writes go
// through it. Where other processes may write, each chat asks, so that what
// any of them changes is in force at once; only while the database does not
// answer, what was known a minute ago at most answers in its place.
//
// What was found is shared by its readers, who must not change what its slices
// and pointers lead to; what was not found is not remembered, and what does
// not fit is looked up again, so that both take the same.
type Cached struct {
	*Store
	alone      bool // no other process writes
	assistants memory[assistantRef, assistants.Assistant]
	keys       memory[string, assistants.Key]
	upstreams  memory[assistantRef, assistants.Upstream]
	selections memory[selectionRef, []assistants.DocumentID]
	shelves    memory[shelfRef, assistants.Collection]
}

type shelfRef struct {
	tenant assistants.TenantID
	id     assistants.CollectionID
}

type assistantRef struct {
	tenant assistants.TenantID
	ref    string
}

// A selectionRef names what a filter selects in collections, both as JSON.
type selectionRef struct {
	tenant              assistants.TenantID
	collections, filter string
}

const (
	// maxSelections bounds the selections that are kept, and maxSelected the
	// documents in each.
	maxSelections = 32
	maxSelected   = 50_000
)

// NewCached puts memories before a store.
func NewCached(s *Store) *Cached {
	c := &Cached{Store: s, alone: s.backend.single}
	c.selections.most = maxSelections
	c.selections.keeps = func(ids []assistants.DocumentID) bool { return len(ids) <= maxSelected }
	return c
}

// KnownAssistant is AssistantInSight from memory if the remembered one is in sight.
func (c *Cached) KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (assistants.Assistant, error) {
	return remembered(ctx, c, &c.assistants, assistantRef{tenant, ref}, sight.Sees, func(ctx context.Context) (assistants.Assistant, error) {
		return c.Store.AssistantInSight(ctx, tenant, ref, sight)
	})
}

// UpdateAssistant is that of [Store], and forgets what it changes.
func (c *Cached) UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error) {
	defer c.assistants.forget() // after errors too: the change may have come through
	defer c.shelves.forget()    // they bear its name
	return c.Store.UpdateAssistant(ctx, tenant, ref, change)
}

// DeleteAssistant is that of [Store], and forgets what it changes.
func (c *Cached) DeleteAssistant(ctx context.Context, tenant assistants.TenantID, ref string) error {
	defer c.selections.forget()
	defer c.assistants.forget()
	defer c.shelves.forget()
	return c.Store.DeleteAssistant(ctx, tenant, ref)
}

// Collections is the store's from memory, for each that is there.
func (c *Cached) Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error) {
	var all []assistants.Collection
	anyone := func(assistants.Collection) bool { return true } // who asks knows whose they are
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		found, err := remembered(ctx, c, &c.shelves, shelfRef{tenant, id}, anyone, func(ctx context.Context) (assistants.Collection, error) {
			found, err := takeCollection(c.read(ctx), tenant, id)
			return found, c.wrap(ctx, "collections", err)
		})
		if errors.Is(err, assistants.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

// ClaimSpace is that of [Store], and forgets what it changes.
func (c *Cached) ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	known, err := c.Collections(ctx, tenant, []assistants.CollectionID{id})
	if err == nil && len(known) == 1 && known[0].Target() == space {
		return known[0], nil
	}
	defer c.shelves.forget()
	return c.Store.ClaimSpace(ctx, tenant, id, space)
}

// Reembed is that of [Store], and forgets what it changes.
func (c *Cached) Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	defer c.shelves.forget()
	return c.Store.Reembed(ctx, tenant, id, space)
}

// SwapSpace is that of [Store], and forgets what it changes.
func (c *Cached) SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, calibration assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error) {
	defer c.shelves.forget()
	return c.Store.SwapSpace(ctx, tenant, id, next, calibration, passages)
}

// Calibrate is that of [Store], and forgets what it changes.
func (c *Cached) Calibrate(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space, calibration assistants.Calibration, passages int) error {
	defer c.shelves.forget()
	return c.Store.Calibrate(ctx, tenant, id, space, calibration, passages)
}

// FilterDocuments is that of the store, from memory if it is there.
func (c *Cached) FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error) {
	within, err := json.Marshal(collections)
	if err != nil {
		return nil, err
	}
	by, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	every := func([]assistants.DocumentID) bool { return true }
	return remembered(ctx, c, &c.selections, selectionRef{tenant, string(within), string(by)}, every, func(ctx context.Context) ([]assistants.DocumentID, error) {
		return c.Store.FilterDocuments(ctx, tenant, collections, f)
	})
}

// CreateDocument is that of [Store], and forgets what it changes.
func (c *Cached) CreateDocument(ctx context.Context, d assistants.Document) (assistants.Document, bool, error) {
	defer c.selections.forget()
	return c.Store.CreateDocument(ctx, d)
}

// UpdateDocument is that of [Store], and forgets what it changes.
func (c *Cached) UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error) {
	defer c.selections.forget()
	return c.Store.UpdateDocument(ctx, tenant, id, change)
}

// DeleteDocument is that of [Store], and forgets what it changes.
func (c *Cached) DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	defer c.selections.forget()
	return c.Store.DeleteDocument(ctx, tenant, id)
}

// KeyFor is KeyByPrefix from memory if the remembered key fits.
func (c *Cached) KeyFor(ctx context.Context, prefix string, fits func(assistants.Key) bool) (assistants.Key, error) {
	return remembered(ctx, c, &c.keys, prefix, fits, func(ctx context.Context) (assistants.Key, error) {
		return c.Store.KeyByPrefix(ctx, prefix)
	})
}

// RevokeKey is that of [Store], and forgets what it changes.
func (c *Cached) RevokeKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time) error {
	defer c.keys.forget()
	return c.Store.RevokeKey(ctx, tenant, id, at)
}

// KnownUpstream is Upstream from memory if it is there.
func (c *Cached) KnownUpstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	anyone := func(assistants.Upstream) bool { return true } // assistants name those of their own tenant only
	return remembered(ctx, c, &c.upstreams, assistantRef{tenant, ref}, anyone, func(ctx context.Context) (assistants.Upstream, error) {
		return c.Store.Upstream(ctx, tenant, ref)
	})
}

// UpdateUpstream is that of [Store], and forgets what it changes.
func (c *Cached) UpdateUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, change func(*assistants.Upstream) error) (assistants.Upstream, error) {
	defer c.upstreams.forget()
	return c.Store.UpdateUpstream(ctx, tenant, id, change)
}

// DeleteUpstream is that of [Store], and forgets what it changes.
func (c *Cached) DeleteUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID) error {
	defer c.upstreams.forget()
	return c.Store.DeleteUpstream(ctx, tenant, id)
}

// remembered looks a key of m up: in m itself where that is exact, else in the
// store, with m for its failures.
func remembered[K comparable, V any](ctx context.Context, c *Cached, m *memory[K, V], key K, fits func(V) bool, load func(context.Context) (V, error)) (V, error) {
	known, ok, age := m.look(key)
	// A zero value is asked about, too: nobody can tell from the steps whether
	// there was something that does not fit.
	fit := fits(known.value) && ok
	if fit && c.alone {
		return known.value, nil
	}
	fallback := fit && !c.alone && c.now().Sub(known.at) <= lastKnownFor
	asking := ctx
	if fallback {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, lastKnownPatience)
		defer cancel()
	}
	v, err := load(asking)
	if err == nil {
		m.keep(key, memo[V]{v, c.now()}, age)
		return v, nil
	}
	if fallback && ctx.Err() == nil && (errors.Is(err, assistants.ErrUnavailable) || asking.Err() != nil) {
		return known.value, nil
	}
	return v, err
}

// A memory keeps what was loaded until it is told to forget. Its zero value is empty.
type memory[K comparable, V any] struct {
	mu   sync.RWMutex
	kept map[K]memo[V]
	age  uint64 // how often everything was forgotten

	most  int          // that are kept; 0: maxKept
	keeps func(V) bool // whether a value is worth its room; nil: any is
}

// A memo is a value and when it was read.
type memo[V any] struct {
	value V
	at    time.Time
}

func (m *memory[K, V]) look(key K) (known memo[V], ok bool, age uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known, ok = m.kept[key]
	return known, ok, m.age
}

// keep keeps what was loaded when the memory had an age.
func (m *memory[K, V]) keep(key K, loaded memo[V], age uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.age != age {
		return // loaded before a change, perhaps: not to be kept beyond it
	}
	if m.keeps != nil && !m.keeps(loaded.value) {
		return
	}
	if m.kept == nil || len(m.kept) >= cmp.Or(m.most, maxKept) {
		m.kept = map[K]memo[V]{}
	}
	m.kept[key] = loaded
}

func (m *memory[K, V]) forget() {
	m.mu.Lock()
	m.kept = nil
	m.age++
	m.mu.Unlock()
}
