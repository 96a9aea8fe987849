package proxy

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// roomyHeap is the size up to which the heap may grow before it is collected.
const roomyHeap = 64 << 20

// RelaxGC lets the heap of this process grow to 64 MiB before garbage is
// collected. With Go's rule, twice what is alive, a server with a small index
// would collect after every few hundred answers. Above that size Go's rule
// applies. A GOGC that is set takes precedence, and GOMEMLIMIT keeps its meaning.
func RelaxGC() {
	if os.Getenv("GOGC") == "" {
		(&gcPace{percent: 100}).next()
	}
}

// gcPace sets the pace after every collection.
type gcPace struct{ percent int }

// next sets the pace for what is alive now, and again after the next collection.
func (p *gcPace) next() {
	now := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(now)
	if want := pace(now[0].Value.Uint64(), now[1].Value.Uint64()+now[2].Value.Uint64()); want != p.percent {
		p.percent = want
		debug.SetGCPercent(want)
	}
	// A finalizer runs after each collection. 16 bytes keep the object out of the
	// allocator for tiny objects, where it might never be finalized.
	type collected struct{ _ [16]byte }
	runtime.SetFinalizer(new(collected), func(*collected) { p.next() })
}

// pace returns the GOGC value with which the heap grows to roomyHeap, in steps,
// so that it seldom changes. Go lets the heap grow by that
// percentage of what is alive and of the stacks and globals, its roots, and
// never collects below that percentage of 4 MiB.
func pace(live, roots uint64) int {
	const step, least = 50, 4 << 20
	if live >= roomyHeap/2 {
		return 100
	}
	return max(100, int((roomyHeap-live)*100/max(live+roots, least))/step*step)
}
