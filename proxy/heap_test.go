package proxy

import "testing"

func TestTheHeapIsCollectedWhenItIsRoomyAndBeyondThatAsEver(t *testing.T) {
	for live, want := range map[uint64]int{0: 1600, 4 << 20: 1500, 16 << 20: 300, 30 << 20: 100, 32 << 20: 100, 1 << 30: 100} {
		if got := pace(live, 0); got != want {
			t.Errorf("%d MiB alive: %d %%, want %d", live>>20, got, want)
		}
	}
	const mib = 1 << 20
	for _, roots := range []uint64{0, mib, 10 * mib, 60 * mib} {
		for live := uint64(0); live < 200*mib; live += mib {
			percent := uint64(pace(live, roots))
			goal := max(live+(live+roots)*percent/100, 4*mib*percent/100) // Go's rule
			plain := max(2*live+roots, 4*mib)
			if goal > max(roomyHeap, plain) || goal < min(roomyHeap/2, plain) {
				t.Errorf("%d MiB alive and %d MiB of roots are collected at %d MiB", live/mib, roots/mib, goal/mib)
			}
		}
	}
}
