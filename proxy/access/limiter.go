package access

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate limits how often something may happen: Burst times at once, and Events
// per Per in the long run.
type Rate struct {
	Events int
	Per    time.Duration
	Burst  int
}

// maxBuckets bounds a limiter's memory to about 20 MB.
const maxBuckets = 100_000

// A Limiter keeps one token bucket per name, such as a key's id or a client's
// address. Beyond a fixed number, the least recently used buckets are dropped,
// which is harmless for buckets that are full again. It is safe for concurrent
// use.
type Limiter struct {
	rate rate.Limit
	size int
	most int
	now  func() time.Time

	mu      sync.Mutex
	buckets map[string]*list.Element
	recent  *list.List // of *bucket, most recently used first
}

type bucket struct {
	name    string
	limiter *rate.Limiter
}

// NewLimiter returns a Limiter of r for each name. now is the clock; nil means
// time.Now.
func NewLimiter(r Rate, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{
		rate: rate.Limit(float64(r.Events) / r.Per.Seconds()), size: max(r.Burst, 1), most: maxBuckets, now: now,
		buckets: map[string]*list.Element{}, recent: list.New(),
	}
}

// Allow takes a token from the bucket of name. If there is none, ok is false and
// retryAfter is the time until there is one.
func (l *Limiter) Allow(name string) (retryAfter time.Duration, ok bool) {
	now := l.now()
	r := l.bucket(name).ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now) // a refused event must not delay the next one
		return wait, false
	}
	return 0, true
}

func (l *Limiter) bucket(name string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.buckets[name]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket).limiter
	}
	b := &bucket{name: name, limiter: rate.NewLimiter(l.rate, l.size)}
	l.buckets[name] = l.recent.PushFront(b)
	for len(l.buckets) > l.most {
		oldest := l.recent.Back()
		l.recent.Remove(oldest)
		delete(l.buckets, oldest.Value.(*bucket).name)
	}
	return b.limiter
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
