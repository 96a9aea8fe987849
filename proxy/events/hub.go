package events

import (
	"errors"
	"sync"

	"footnote/assistants"
)

// Limits bound what clients can hold. Zero values become the defaults.
type Limits struct {
	Documents int // whose changes are kept, for each tenant; 2,048
	PerKey    int // open subscriptions of one key; 16
	Total     int // open subscriptions; 64
}

// WithDefaults returns l with the defaults in place of zero values.
func (l Limits) WithDefaults() Limits {
	set := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	set(&l.Documents, 2048)
	set(&l.PerKey, 16)
	set(&l.Total, 64)
	return l
}

// Errors of [Hub.Follow].
var (
	// ErrKeyBusy: the key has as many open subscriptions as it may have.
	ErrKeyBusy = errors.New("events: the key has too many subscriptions")
	// ErrBusy: the process has as many open subscriptions as it may have.
	ErrBusy = errors.New("events: there are too many subscriptions")
)

// A Hub passes changes on to the subscriptions of their tenant. It is safe for
// concurrent use. Its zero value is not usable; see [New].
type Hub struct {
	limits Limits

	mu    sync.Mutex
	feeds map[assistants.TenantID]*feed // of the tenants that were ever followed
	open  map[assistants.KeyID]int
	total int
}

// New returns a hub with these limits.
func New(l Limits) *Hub {
	return &Hub{limits: l.WithDefaults(), feeds: map[assistants.TenantID]*feed{}, open: map[assistants.KeyID]int{}}
}

// Publish passes changes on. It never waits for a subscriber.
func (h *Hub) Publish(changes []assistants.DocumentChange) {
	byTenant := map[assistants.TenantID][]assistants.DocumentChange{}
	for _, c := range changes {
		byTenant[c.Tenant] = append(byTenant[c.Tenant], c)
	}
	for tenant, changes := range byTenant {
		h.mu.Lock()
		f := h.feeds[tenant]
		h.mu.Unlock()
		if f != nil { // else no client has an id to resume from
			f.add(changes)
		}
	}
}

// Follow opens a subscription to the changes of a tenant after the one with an id, "":
// after now. The caller must close it. ErrKeyBusy, ErrBusy.
func (h *Hub) Follow(tenant assistants.TenantID, key assistants.KeyID, id string) (*Subscription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.open[key] >= h.limits.PerKey:
		return nil, ErrKeyBusy
	case h.total >= h.limits.Total:
		return nil, ErrBusy
	}
	f := h.feeds[tenant]
	if f == nil {
		f = newFeed(h.limits.Documents)
		h.feeds[tenant] = f
	}
	h.open[key]++
	h.total++
	s := &Subscription{feed: f, release: sync.OnceFunc(func() { h.leave(key) })}
	s.at, s.missed = f.resume(id)
	return s, nil
}

func (h *Hub) leave(key assistants.KeyID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total--
	if h.open[key]--; h.open[key] == 0 {
		delete(h.open, key)
	}
}

// A Subscription reads the changes of one tenant. One goroutine may use it.
type Subscription struct {
	feed    *feed
	at      uint64 // number of the last change that was read
	missed  bool   // changes were lost since the last read
	release func()
}

// Close ends the subscription.
func (s *Subscription) Close() { s.release() }

// Changed returns a channel that is closed once there is something to read.
func (s *Subscription) Changed() <-chan struct{} { return s.feed.changed(s.at) }

// ID is the id from which a later subscription reads what this one has not read yet.
func (s *Subscription) ID() string { return s.feed.id(s.at) }

// A Change says that a document was changed or deleted. A later change of the same
// document replaces it.
type Change struct {
	ID         string // to resume after it
	Collection assistants.CollectionID
	Document   assistants.DocumentID
	Deleted    bool
}

// Read returns up to limit changes that were not read yet, oldest first. missed says
// that some are lost: the lists must be read anew. Then it reads on from now.
func (s *Subscription) Read(limit int) (changes []Change, missed bool) {
	var lost bool
	changes, s.at, lost = s.feed.read(s.at, limit)
	missed = lost || s.missed
	s.missed = false
	return changes, missed
}
