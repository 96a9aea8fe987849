package proxy

import (
	"errors"
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/proxy/apierr"
)

// reserved are descriptors that chats leave to others, so that health, metrics
// and the control API answer when no further chat can be taken.
const reserved = 32

// A load counts what the process holds, and refuses what it cannot hold.
// Descriptors are the first thing to run out: a chat needs two, the client's
// and the upstream's. 90 % of them are shared out, the rest is for files.
type load struct {
	share   int64 // descriptors for connections and chats together; 0: no bound is known
	memory  *memoryWatch
	conns   atomic.Int64 // of clients
	idle    atomic.Int64 // of them, those that only wait for a next request
	chats   atomic.Int64
	streams atomic.Int64
	bytes   atomic.Int64 // of chat requests
	away    atomic.Int64 // connections that are being turned away
	refused *prometheus.CounterVec

	makeRoom func() // closes what is idle; nil: nobody counts that
}

// newLoad returns a load for a process that may have so many descriptors, 0
// for no bound.
func newLoad(descriptors int64) *load {
	return &load{
		share: descriptors / 10 * 9, memory: newMemoryWatch(),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "refused_total",
			Help: "Requests and connections that were refused, by what was short."}, []string{"reason"}),
	}
}

// observe shows the load in the metrics.
func (l *load) observe(r prometheus.Registerer) {
	gauge := func(name, help string, value func() int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "footnote", Name: name, Help: help},
			func() float64 { return float64(value()) })
	}
	r.MustRegister(l.refused,
		gauge("client_connections", "Connections of clients that are open.", l.conns.Load),
		gauge("chats_in_flight", "Chats being answered, streams included.", l.chats.Load),
		gauge("streams_in_flight", "Streams being answered.", l.streams.Load),
		gauge("in_flight_bytes", "Bytes of the chat requests being answered.", l.bytes.Load))
}

// connect takes a place for a client's connection. The reserve is used up last.
func (l *load) connect() bool {
	n := l.conns.Add(1)
	if l.share > 0 && n+l.chats.Load() > l.share {
		l.conns.Add(-1)
		return false
	}
	return true
}

func (l *load) disconnect() { l.conns.Add(-1) }

// admit takes a place for a chat; leave gives it back. It costs no more than a
// few counters, so that refusing stays cheap when there is most to refuse.
func (l *load) admit() error {
	chats := l.chats.Add(1)
	// A listener that does not count its connections has one for each chat.
	most := max(l.share-reserved, l.share/2)
	conns := l.conns.Load()
	if l.share > 0 && conns+chats > most && l.makeRoom != nil {
		l.makeRoom()
		conns = l.conns.Load()
	}
	switch {
	case l.share > 0 && max(conns, chats)+chats > most:
		return l.refuse("descriptors")
	case l.memory.short():
		return l.refuse("memory")
	}
	return nil
}

func (l *load) refuse(reason string) error {
	l.chats.Add(-1)
	l.refused.WithLabelValues(reason).Inc()
	return apierr.Overloaded()
}

func (l *load) leave() { l.chats.Add(-1) }

// isExhausted reports whether a system call failed for want of descriptors.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// A memoryWatch tells when the process comes near the limit that GOMEMLIMIT
// sets. Without one it never does.
type memoryWatch struct {
	limit   int64
	now     func() time.Time
	used    func() int64
	collect func()
	due     atomic.Int64 // when to look again, in nanoseconds since 1970
	stale   atomic.Int64 // when to collect again
	high    atomic.Bool
}

const (
	memoryLook    = 250 * time.Millisecond // between two looks at what is used
	memoryCollect = 5 * time.Second        // between two collections for want of memory
)

func newMemoryWatch() *memoryWatch {
	limit := []metrics.Sample{{Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(limit)
	return &memoryWatch{
		limit: int64(min(limit[0].Value.Uint64(), math.MaxInt64)), now: time.Now, used: usedMemory,
		collect: func() { go runtime.GC() },
	}
}

// short reports whether more than 90 % of the limit is in use.
func (m *memoryWatch) short() bool {
	if m.limit == math.MaxInt64 {
		return false
	}
	now := m.now().UnixNano()
	due := m.due.Load()
	if now < due || !m.due.CompareAndSwap(due, now+int64(memoryLook)) {
		return m.high.Load()
	}
	high := m.used() > m.limit/10*9
	m.high.Store(high)
	// What was let go shows only after a collection, and a server that refuses
	// allocates too little to cause one.
	if high && now >= m.stale.Load() {
		m.stale.Store(now + int64(memoryCollect))
		m.collect()
	}
	return high
}

// usedMemory is what counts against the limit and cannot be given back: what
// was alive at the last collection, stacks, and the runtime's own.
func usedMemory() int64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	used := s[0].Value.Uint64() + s[1].Value.Uint64()
	for _, part := range s[2:] {
		used -= part.Value.Uint64()
	}
	return int64(used)
}
