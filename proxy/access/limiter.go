package access

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Rate limits how often something may happen: at most Events times within any Per.
type Rate struct {
	Events int
	Per    time.Duration
}

// maxWindows bounds a limiter's memory.
const maxWindows = 100_000

// A Limiter holds one rate for each name, such as a client's address. Beyond a fixed
// number of names, the least recently used are forgotten. [Limits] are for keys and
// assistants, which have limits of their own. It is safe for concurrent use.
type Limiter struct {
	rate  Rate
	most  int
	clock clock

	mu     sync.Mutex
	names  map[string]*list.Element
	recent *list.List // of *named, most recently used first
}

// named is the window of a name.
type named struct {
	name string
	window
}

// NewLimiter returns a Limiter of r for each name. now is the clock; nil means
// time.Now.
func NewLimiter(r Rate, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{rate: r, most: maxWindows, clock: clock{now: now, mark: now()}, names: map[string]*list.Element{}, recent: list.New()}
}

// Allow counts an event of name. If it would be one too many, it is not counted, ok
// is false and retryAfter is the time until there is room.
func (l *Limiter) Allow(name string) (retryAfter time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.elapsed()
	w := l.window(name)
	w.expire(now, l.rate.Per)
	if wait := w.wait(now, l.rate.Per, l.rate.Events, 0, 1); wait > 0 {
		return wait, false
	}
	w.add(now, 1)
	return 0, true
}

func (l *Limiter) window(name string) *window {
	if e, ok := l.names[name]; ok {
		l.recent.MoveToFront(e)
		return &e.Value.(*named).window
	}
	n := &named{name: name}
	l.names[name] = l.recent.PushFront(n)
	for len(l.names) > l.most {
		oldest := l.recent.Back()
		l.recent.Remove(oldest)
		delete(l.names, oldest.Value.(*named).name)
	}
	return &n.window
}

// AddressName returns the name of the bucket of a client's address: the address,
// or the /64 network of an IPv6 address, because one client commonly has all of
// it. Any other text is its own name.
func AddressName(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if network, err := a.Prefix(64); err == nil {
			return network.String()
		}
	}
	return a.String()
}
