package proxy

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// roomyHeap is the size up to which the heap may grow before it is collected,
	// and busyHeap the same under load.
	roomyHeap = 64 << 20
	busyHeap  = 192 << 20

	// Load is when busyAfter collections in a row come sooner than busyWithin after
	// the one before, until one comes later than calmAfter.
	busyAfter  = 8
	busyWithin = 250 * time.Millisecond
	calmAfter  = 2 * time.Second
)

// RelaxGC lets the heap of this process grow to 64 MiB before garbage is collected, and
// to 192 MiB under load. With Go's rule, twice what is alive, a server with a small index
// would collect after every few hundred answers. Above that size Go's rule applies. A
// GOGC that is set takes precedence, and GOMEMLIMIT keeps its meaning.
func RelaxGC() {
	if os.Getenv("GOGC") == "" {
		(&gcPace{percent: 100}).next()
	}
}

// gcPace sets the pace after every collection.
type gcPace struct {
	percent int
	last    time.Time // of the collections
	quick   int       // collections in a row that came soon
	busy    bool
}

// next sets the pace for what is alive now, and again after the next collection.
func (p *gcPace) next() {
	now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(now)
	if want := pace(now[0].Value.Uint64(), now[1].Value.Uint64()+now[2].Value.Uint64(), p.room(time.Now())); want != p.percent {
		p.percent = want
		debug.SetGCPercent(want)
	}
	// A finalizer runs after each collection. 16 bytes keep the object out of the
	// allocator for tiny objects, where it might never be finalized.
	type collected struct{ _ [16]byte }
	runtime.SetFinalizer(new(collected), func(*collected) { p.next() })
}

// room returns how far the heap may grow after a collection that ended now.
func (p *gcPace) room(now time.Time) uint64 {
	since := now.Sub(p.last)
	p.last = now
	switch {
	case since > calmAfter:
		p.quick, p.busy = 0, false
	case since > busyWithin:
		p.quick = 0
	default:
		p.quick++
		p.busy = p.busy || p.quick >= busyAfter
	}
	if p.busy {
		return busyHeap
	}
	return roomyHeap
}

// pace returns the GOGC value with which the heap grows to room, in steps,
// so that it seldom changes. Go lets the heap grow by that
// percentage of what is alive and of the stacks and globals, its roots, and
// never collects below that percentage of 4 MiB. At least it grows by half: many open
// streams have large stacks, and with Go's rule they would bring as much garbage.
func pace(live, roots, room uint64) int {
	const step, least = 50, 4 << 20
	if live >= room {
		return 100
	}
	return max(50, int((room-live)*100/max(live+roots, least))/step*step)
}
