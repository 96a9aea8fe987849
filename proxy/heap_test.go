package proxy

import (
	"testing"
	"time"
)

func TestTheHeapIsCollectedWhenItIsRoomyAndBeyondThatAsEver(t *testing.T) {
	for live, want := range map[uint64]int{0: 1600, 4 << 20: 1500, 16 << 20: 300, 30 << 20: 100, 40 << 20: 50, 63 << 20: 50, 64 << 20: 100, 1 << 30: 100} {
		if got := pace(live, 0, roomyHeap); got != want {
			t.Errorf("%d MiB alive: %d %%, want %d", live>>20, got, want)
		}
	}
	const mib = 1 << 20
	for _, room := range []uint64{roomyHeap, busyHeap} {
		for _, roots := range []uint64{0, mib, 10 * mib, 60 * mib} {
			for live := uint64(0); live < 500*mib; live += mib {
				percent := uint64(pace(live, roots, room))
				goal := max(live+(live+roots)*percent/100, 4*mib*percent/100) // Go's rule
				plain := max(2*live+roots, 4*mib)
				if goal > max(room, plain) || goal < min(room/2, plain) {
					t.Errorf("%d MiB alive and %d MiB of roots are collected at %d MiB of %d", live/mib, roots/mib, goal/mib, room/mib)
				}
			}
		}
	}
}

// TestALoadedServerGetsMoreRoom: not for a burst, and not for ever.
func TestALoadedServerGetsMoreRoom(t *testing.T) {
	p, now := gcPace{}, time.Now()
	after := func(d time.Duration) uint64 {
		now = now.Add(d)
		return p.room(now)
	}
	for i := range busyAfter + 1 { // the first one has none before it
		if room := after(100 * time.Millisecond); (room == busyHeap) != (i == busyAfter) {
			t.Fatalf("%d MiB after %d collections", room>>20, i+1)
		}
	}
	for _, step := range []struct {
		after time.Duration
		room  uint64
	}{{time.Second, busyHeap}, {calmAfter, busyHeap}, {calmAfter + 1, roomyHeap}, {time.Millisecond, roomyHeap}} {
		if room := after(step.after); room != step.room {
			t.Errorf("%d MiB after %v", room>>20, step.after)
		}
	}
}
