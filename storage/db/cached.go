package db

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"footnote/assistants"
)

const (
	// maxCached bounds each cache of a [Cached] store. A full cache is emptied.
	maxCached = 4096
	// staleFor is how long cached values may be used while the database does not
	// answer.
	staleFor = time.Minute
	// staleAfter is how long to wait for the database before a cached value is
	// used.
	staleAfter = 2 * time.Second
)

// A Cached store caches the assistants, keys, upstreams and collections that
// chat requests look up, the documents that filters select, and the passages that are
// found.
//
// If one process has the database to itself, behind a lock, cached values are
// exact, because all writes go through the cache, and lookups need no query. If
// other processes may write, each lookup asks the database, so that their
// changes take effect at once. Lookups at the same time share a query. Only while the
// database does not answer, a value that was read within the last minute is used.
//
// Callers share cached values and must not change what slices and pointers in
// them refer to. Missing values are not cached, and a value that the caller may not
// see is looked up again. Both take the same time, so that callers cannot tell one
// from the other.
type Cached struct {
	*Store
	exclusive   bool // no other process writes to the database
	assistants  cache[assistantRef, knownAssistant]
	keys        cache[string, assistants.Key]
	upstreams   cache[assistantRef, assistants.Upstream]
	selections  cache[selectionRef, []assistants.DocumentID]
	collections cache[collectionRef, assistants.Collection]
	passages    *passageCache
	revisions   together[assistants.TenantID, assistants.DocumentID, map[assistants.DocumentID]int64]
	reading     together[assistants.TenantID, assistants.Match, map[assistants.ChunkID]assistants.Hit]
}

type collectionRef struct {
	tenant assistants.TenantID
	id     assistants.CollectionID
}

type assistantRef struct {
	tenant assistants.TenantID
	ref    string
}

// A selectionRef identifies a filter's selection in collections, both as JSON.
type selectionRef struct {
	tenant              assistants.TenantID
	collections, filter string
}

const (
	// maxSelections bounds the cached selections, and maxSelected the documents
	// in each.
	maxSelections = 32
	maxSelected   = 50_000
)

// NewCached returns a caching store in front of s.
func NewCached(s *Store) *Cached {
	c := &Cached{Store: s, exclusive: s.backend.single, passages: newPassageCache(DefaultPassageBytes)}
	reported := s.changed
	s.changed = func(changes []assistants.DocumentChange) {
		c.passages.forget(changes)
		if reported != nil {
			reported(changes)
		}
	}
	c.selections.limit = maxSelections
	c.selections.accept = func(ids []assistants.DocumentID) bool { return len(ids) <= maxSelected }
	return c
}

// KnownAssistant is AssistantInSight from the cache, if the cached assistant is
// visible. Callers share it and must not change it.
func (c *Cached) KnownAssistant(ctx context.Context, tenant assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	sees := func(known knownAssistant) bool { return sight.Sees(cmp.Or(known.Assistant, &noAssistant)) }
	found, err := c.assistants.lookUp(ctx, c, assistantRef{tenant, ref}, func() string { return sightKey(sight) }, sees, func(ctx context.Context) (knownAssistant, error) {
		if known, ok, _ := c.assistants.get(assistantRef{tenant, ref}); ok && sees(known.value) {
			same, err := c.sameRevision(ctx, known.value)
			if err != nil {
				return knownAssistant{}, err
			}
			if same {
				return known.value, nil
			}
		}
		return c.assistantInSight(ctx, tenant, ref, sight)
	})
	return found.Assistant, err
}

// A knownAssistant is an assistant as it was at a revision of its row.
type knownAssistant struct {
	*assistants.Assistant
	revision int64
}

// noAssistant stands for a missing one, so that looking at it takes as long.
var noAssistant assistants.Assistant

// sightKey is a different text for each sight.
func sightKey(s assistants.Sight) string {
	switch {
	case s.All:
		return "all"
	case len(s.Some) == 0 && s.Public:
		return "public"
	}
	var key strings.Builder
	key.WriteString(strconv.FormatBool(s.Public))
	for _, id := range s.Some {
		key.WriteByte(' ')
		key.WriteString(string(id))
	}
	return key.String()
}

// UpdateAssistant invalidates the cache.
func (c *Cached) UpdateAssistant(ctx context.Context, tenant assistants.TenantID, ref string, change func(*assistants.Assistant) error) (assistants.Assistant, error) {
	defer c.assistants.forget()  // after errors as well: the change may have been made
	defer c.collections.forget() // they contain its name
	return c.Store.UpdateAssistant(ctx, tenant, ref, change)
}

// DeleteAssistant invalidates the cache.
func (c *Cached) DeleteAssistant(ctx context.Context, tenant assistants.TenantID, ref string) error {
	return c.DeleteAssistantIf(ctx, tenant, ref, nil)
}

// DeleteAssistantIf invalidates the cache.
func (c *Cached) DeleteAssistantIf(ctx context.Context, tenant assistants.TenantID, ref string, check func(assistants.Assistant) error) error {
	defer c.selections.forget()
	defer c.assistants.forget()
	defer c.collections.forget()
	return c.Store.DeleteAssistantIf(ctx, tenant, ref, check)
}

// UpdateCollectionIf invalidates the cache.
func (c *Cached) UpdateCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, change assistants.CollectionChange, check func(assistants.CollectionState) error) (assistants.Collection, error) {
	defer c.collections.forget()
	return c.Store.UpdateCollectionIf(ctx, tenant, id, change, check)
}

// SetMetadata invalidates the cache.
func (c *Cached) SetMetadata(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, metadata map[string]string) (assistants.Collection, error) {
	defer c.collections.forget()
	return c.Store.SetMetadata(ctx, tenant, id, metadata)
}

// DeleteCollectionIf invalidates the cache.
func (c *Cached) DeleteCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, check func(assistants.CollectionState) error) error {
	defer c.selections.forget()
	defer c.collections.forget()
	return c.Store.DeleteCollectionIf(ctx, tenant, id, check)
}

// Collections is [Store.Collections] from the cache.
func (c *Cached) Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error) {
	var all []assistants.Collection
	anyone := func(assistants.Collection) bool { return true } // collections are keyed by their tenant
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		found, err := c.collections.lookUp(ctx, c, collectionRef{tenant, id}, nil, anyone, func(ctx context.Context) (assistants.Collection, error) {
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

// ClaimSpace invalidates the cache.
func (c *Cached) ClaimSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	known, err := c.Collections(ctx, tenant, []assistants.CollectionID{id})
	if err == nil && len(known) == 1 && known[0].Target() == space {
		return known[0], nil
	}
	defer c.collections.forget()
	return c.Store.ClaimSpace(ctx, tenant, id, space)
}

// Reembed invalidates the cache.
func (c *Cached) Reembed(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space) (assistants.Collection, error) {
	defer c.collections.forget()
	return c.Store.Reembed(ctx, tenant, id, space)
}

// SwapSpace invalidates the cache.
func (c *Cached) SwapSpace(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, next assistants.Space, calibration assistants.Calibration, passages int) (old assistants.Space, swapped bool, err error) {
	defer c.collections.forget()
	return c.Store.SwapSpace(ctx, tenant, id, next, calibration, passages)
}

// Calibrate invalidates the cache.
func (c *Cached) Calibrate(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, space assistants.Space, calibration assistants.Calibration, passages int) error {
	defer c.collections.forget()
	return c.Store.Calibrate(ctx, tenant, id, space, calibration, passages)
}

// FilterDocuments is [Store.FilterDocuments] from the cache.
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
	return c.selections.lookUp(ctx, c, selectionRef{tenant, string(within), string(by)}, nil, every, func(ctx context.Context) ([]assistants.DocumentID, error) {
		return c.Store.FilterDocuments(ctx, tenant, collections, f)
	})
}

// CreateDocument invalidates the cache.
func (c *Cached) CreateDocument(ctx context.Context, d assistants.Document) (assistants.Document, bool, error) {
	defer c.selections.forget()
	return c.Store.CreateDocument(ctx, d)
}

// UpdateDocument invalidates the cache.
func (c *Cached) UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error) {
	defer c.selections.forget()
	return c.Store.UpdateDocument(ctx, tenant, id, change)
}

// DeleteDocument invalidates the cache.
func (c *Cached) DeleteDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) error {
	return c.DeleteDocumentIf(ctx, tenant, id, nil)
}

// DeleteDocumentIf invalidates the cache.
func (c *Cached) DeleteDocumentIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, check func(assistants.Document) error) error {
	defer c.selections.forget()
	return c.Store.DeleteDocumentIf(ctx, tenant, id, check)
}

// MoveDocument invalidates the cache.
func (c *Cached) MoveDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, to assistants.CollectionID, check func(assistants.Document) error) (assistants.Document, error) {
	defer c.selections.forget()
	return c.Store.MoveDocument(ctx, tenant, id, to, check)
}

// KeyFor is KeyByPrefix from the cache, if the cached key fits.
func (c *Cached) KeyFor(ctx context.Context, prefix string, fits func(assistants.Key) bool) (assistants.Key, error) {
	return c.keys.lookUp(ctx, c, prefix, nil, fits, func(ctx context.Context) (assistants.Key, error) {
		return c.Store.KeyByPrefix(ctx, prefix)
	})
}

// UpdateKey invalidates the cache.
func (c *Cached) UpdateKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, change func(*assistants.Key) error) (assistants.Key, error) {
	defer c.keys.forget()
	return c.Store.UpdateKey(ctx, tenant, id, change)
}

// RevokeKey invalidates the cache.
func (c *Cached) RevokeKey(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time) error {
	return c.RevokeKeyIf(ctx, tenant, id, at, nil)
}

// RevokeKeyIf invalidates the cache.
func (c *Cached) RevokeKeyIf(ctx context.Context, tenant assistants.TenantID, id assistants.KeyID, at time.Time, check func(assistants.Key) error) error {
	defer c.keys.forget()
	return c.Store.RevokeKeyIf(ctx, tenant, id, at, check)
}

// KnownUpstream is Upstream from the cache.
func (c *Cached) KnownUpstream(ctx context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	anyone := func(assistants.Upstream) bool { return true } // upstreams are keyed by their tenant
	return c.upstreams.lookUp(ctx, c, assistantRef{tenant, ref}, nil, anyone, func(ctx context.Context) (assistants.Upstream, error) {
		return c.Store.Upstream(ctx, tenant, ref)
	})
}

// UpdateUpstream invalidates the cache.
func (c *Cached) UpdateUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, change func(*assistants.Upstream) error) (assistants.Upstream, error) {
	defer c.upstreams.forget()
	return c.Store.UpdateUpstream(ctx, tenant, id, change)
}

// DeleteUpstream invalidates the cache.
func (c *Cached) DeleteUpstream(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID) error {
	return c.DeleteUpstreamIf(ctx, tenant, id, nil)
}

// DeleteUpstreamIf invalidates the cache.
func (c *Cached) DeleteUpstreamIf(ctx context.Context, tenant assistants.TenantID, id assistants.UpstreamID, check func(assistants.Upstream) error) error {
	defer c.upstreams.forget()
	return c.Store.DeleteUpstreamIf(ctx, tenant, id, check)
}

// A cache keeps values until it is emptied. Its zero value is empty.
type cache[K comparable, V any] struct {
	mu         sync.RWMutex
	entries    map[K]cacheEntry[V]
	generation uint64 // counts how often the cache was emptied

	loads together[loadRef[K], struct{}, V]

	limit  int          // of entries; 0: maxCached
	accept func(V) bool // whether a value may be cached; nil: every value
}

// lookUp returns the value of a key from the cache where that is exact, else
// from the database, with the cache as the fallback. What load finds may depend
// on more than the key: given names the rest; nil: there is none.
func (m *cache[K, V]) lookUp(ctx context.Context, c *Cached, key K, given func() string, fits func(V) bool, load func(context.Context) (V, error)) (V, error) {
	known, ok, generation := m.get(key)
	// Call fits for a missing value as well, so that the time does not reveal
	// whether there is a value that does not fit.
	fit := fits(known.value) && ok
	if fit && c.exclusive {
		return known.value, nil
	}
	fallback := fit && !c.exclusive && c.now().Sub(known.at) <= staleFor
	loadCtx := ctx
	if fallback {
		var cancel context.CancelFunc
		loadCtx, cancel = context.WithTimeout(ctx, staleAfter)
		defer cancel()
	}
	ref := loadRef[K]{key: key}
	if given != nil {
		ref.given = given()
	}
	v, err := m.loads.ask(loadCtx, ref, nil, func(ctx context.Context, _ []struct{}) (V, error) { return load(ctx) })
	if err == nil {
		m.put(key, cacheEntry[V]{v, c.now()}, generation)
		return v, nil
	}
	if fallback && ctx.Err() == nil && (errors.Is(err, assistants.ErrUnavailable) || loadCtx.Err() != nil) {
		return known.value, nil
	}
	return v, err
}

// A loadRef identifies a query for a value.
type loadRef[K comparable] struct {
	key   K
	given string
}

// A cacheEntry is a value and when it was read.
type cacheEntry[V any] struct {
	value V
	at    time.Time
}

func (m *cache[K, V]) get(key K) (known cacheEntry[V], ok bool, generation uint64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known, ok = m.entries[key]
	return known, ok, m.generation
}

// put stores a value that was loaded in a generation of the cache.
func (m *cache[K, V]) put(key K, loaded cacheEntry[V], generation uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.generation != generation {
		return // perhaps loaded before a change
	}
	if m.accept != nil && !m.accept(loaded.value) {
		return
	}
	if m.entries == nil || len(m.entries) >= cmp.Or(m.limit, maxCached) {
		m.entries = map[K]cacheEntry[V]{}
	}
	m.entries[key] = loaded
}

func (m *cache[K, V]) forget() {
	m.mu.Lock()
	m.entries = nil
	m.generation++
	m.mu.Unlock()
}
