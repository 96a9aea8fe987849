package proxy

import "testing"

func TestTheHeapIsCollectedWhenItIsRoomyAndBeyondThatAsEver(t *testing.T) {
	for live, want := range map[uint64]int{0: 9500, 4 << 20: 2300, 16 << 20: 500, 40 << 20: 100, 48 << 20: 100, 1 << 30: 100} {
		if got := pace(live); got != want {
			t.Errorf("%d MiB alive: %d %%, want %d", live>>20, got, want)
		}
	}
	for live := uint64(1 << 20); live < 200<<20; live += 1 << 20 {
		if goal := live + live*uint64(pace(live))/100; goal > max(roomyHeap, 2*live) || goal < min(roomyHeap/2, 2*live) {
			t.Errorf("%d MiB alive are collected at %d MiB", live>>20, goal>>20)
		}
	}
}
