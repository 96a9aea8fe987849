package front

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// A memoryWatch reports whether the process is near the limit that GOMEMLIMIT
// sets. Without a limit it never is.
type memoryWatch struct {
	limit      int64
	now        func() time.Time
	used       func() int64
	collect    func()
	due        atomic.Int64 // when to look again, in nanoseconds since 1970
	collectDue atomic.Int64 // when to collect again
	high       atomic.Bool
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
	// Freed memory shows only after a collection, and a server that refuses
	// requests allocates too little to cause one.
	if high && now >= m.collectDue.Load() {
		m.collectDue.Store(now + int64(memoryCollect))
		m.collect()
	}
	return high
}

// usedMemory is what counts against the limit and cannot be freed: what was
// alive at the last collection, stacks, and the runtime's memory.
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
