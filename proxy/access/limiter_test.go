package access

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestLimiterHoldsInAnyMinuteAndReturnsTheWait(t *testing.T) {
	now := noon
	l := NewLimiter(Rate{Events: 3, Per: time.Minute}, func() time.Time { return now })
	for i := range 3 {
		if wait, ok := l.Allow("a"); !ok || wait != 0 {
			t.Fatalf("event %d: %v, %v", i, wait, ok)
		}
		now = now.Add(10 * time.Second)
	}
	for range 10 { // asking too soon must not push the time off
		if wait, ok := l.Allow("a"); ok || wait != 30*time.Second {
			t.Fatalf("one too many: %v, %v; want 30s, false", wait, ok)
		}
	}
	if _, ok := l.Allow("b"); !ok {
		t.Error("another name is refused")
	}
	now = now.Add(30 * time.Second)
	if _, ok := l.Allow("a"); !ok {
		t.Error("refused after the returned wait")
	}
	if wait, ok := l.Allow("a"); ok || wait != 10*time.Second {
		t.Errorf("in place of one event there were two: %v, %v", wait, ok)
	}
}

func TestLimiterForgetsTheLeastRecentlyUsed(t *testing.T) {
	l := NewLimiter(Rate{Events: 1, Per: time.Hour}, func() time.Time { return noon })
	l.most = 3
	for i := range 100 {
		l.Allow(fmt.Sprint(i))
		l.Allow("busy")
	}
	if len(l.names) != 3 || l.recent.Len() != 3 {
		t.Errorf("%d names, %d in order; want 3", len(l.names), l.recent.Len())
	}
	if _, ok := l.Allow("busy"); ok {
		t.Error("a name in use was forgotten")
	}
}

func TestLimiterCountsExactlyUnderConcurrency(t *testing.T) {
	l := NewLimiter(Rate{Events: 50, Per: time.Hour}, func() time.Time { return noon })
	var mu sync.Mutex
	var wg sync.WaitGroup
	allowed := 0
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, ok := l.Allow("a"); ok {
					mu.Lock()
					allowed++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if allowed != 50 {
		t.Errorf("%d of 800 allowed, want 50", allowed)
	}
}

func TestAddressName(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.7":            "192.0.2.7",
		"::ffff:192.0.2.7":     "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::1": "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
		"":                     "",
		"not an address":       "not an address",
	} {
		if got := AddressName(in); got != want {
			t.Errorf("AddressName(%q) = %q, want %q", in, got, want)
		}
	}
}
