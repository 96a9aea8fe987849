package front

import (
	"math"
	"testing"
	"time"
)

func TestTheMemoryWatchLooksRarelyAndCollectsWhenMemoryIsShort(t *testing.T) {
	now := time.Unix(1767225600, 0)
	used, looks, collections := int64(0), 0, 0
	m := &memoryWatch{
		limit: 1000, now: func() time.Time { return now }, collect: func() { collections++ },
		used: func() int64 { looks++; return used },
	}
	for _, step := range []struct {
		after              time.Duration
		used               int64
		short              bool
		looks, collections int
	}{
		{0, 900, false, 1, 0},
		{0, 901, false, 1, 0}, // not looked at again yet
		{memoryLook, 901, true, 2, 1},
		{0, 100, true, 2, 1},
		{memoryLook, 901, true, 3, 1}, // collected a moment ago
		{memoryCollect, 901, true, 4, 2},
		{memoryLook, 899, false, 5, 2},
	} {
		now, used = now.Add(step.after), step.used
		if short := m.short(); short != step.short || looks != step.looks || collections != step.collections {
			t.Errorf("%+v: %v after %d looks and %d collections", step, short, looks, collections)
		}
	}
	m.limit = math.MaxInt64
	if now = now.Add(time.Hour); m.short() || looks != 5 {
		t.Error("memory without a limit is looked at")
	}
}

func TestUsedMemoryIsWhatIsAlive(t *testing.T) {
	if used := usedMemory(); used < 1<<20 || used > 8<<30 {
		t.Errorf("%d bytes", used)
	}
}

func TestTheDescriptorLimitIsKnownWhereThereIsOne(t *testing.T) {
	if n := descriptorLimit(); n < 0 {
		t.Error(n)
	}
	l := newLoad(0)
	for range 100_000 {
		if !l.connect() || l.admit() != nil {
			t.Fatal("a load without a bound refuses")
		}
	}
}

func TestAUsualLimitHoldsFiveThousandStreams(t *testing.T) {
	l := newLoad(20_000)
	for i := range 5000 {
		if !l.connect() || l.admit() != nil {
			t.Fatal("refused after", i)
		}
	}
}
