package access

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

func TestQuotasOutliveAProcessAndEndWithTheMonth(t *testing.T) {
	months := &monthsInMemory{}
	p := with("a", assistants.Limits{RequestsPerMonth: n(10)})
	for run := range 3 {
		l, now := limitsAt(t, months)
		*now = time.Date(2026, 3, 31, 23, 59, run, 0, time.UTC)
		for range 3 {
			if e := refusal(t, l, p, nil, Ask{}); e != nil {
				t.Fatalf("run %d: %v", run, e)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l, now := limitsAt(t, months)
	*now = time.Date(2026, 3, 31, 23, 59, 30, 0, time.UTC)
	if e := refusal(t, l, p, nil, Ask{}); e != nil {
		t.Fatalf("the tenth: %v", e)
	}
	e := refusal(t, l, p, nil, Ask{})
	if e == nil || e.Wait != 30*time.Second || e.Error() != "This key has used up its quota of 10 requests a month; try again from 2026-04-01 UTC, or ask its administrator for more." {
		t.Fatalf("the eleventh: %v", e)
	}
	*now = now.Add(30 * time.Second)
	for range 4 {
		if e := refusal(t, l, p, nil, Ask{}); e != nil {
			t.Fatalf("in April: %v", e)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	march := months.counts[monthKey("default", "key_a", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))]
	april := months.counts[monthKey("default", "key_a", time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))]
	if march.Requests != 10 || april.Requests != 4 {
		t.Errorf("stored March %d, April %d; want 10 and 4", march.Requests, april.Requests)
	}
	if months.reads != 5 {
		t.Errorf("the database was asked %d times, want once for each process and month", months.reads)
	}
}

// TestAQuotaIsSharedByInstancesOfOneDatabase uses a quota on two instances in turn. Each
// learns within a minute what the other has used, and its own uses count once.
func TestAQuotaIsSharedByInstancesOfOneDatabase(t *testing.T) {
	months := &monthsInMemory{}
	p := with("a", assistants.Limits{RequestsPerMonth: n(10)})
	one, now := limitsAt(t, months)
	other, otherNow := limitsAt(t, months)
	pass := func(d time.Duration) { // as their background does
		*now, *otherNow = now.Add(d), otherNow.Add(d)
		for _, l := range []*Limits{one, other} {
			if err := errors.Join(l.Flush(t.Context()), l.readAgain(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
	}
	use := func(l *Limits, times int) {
		t.Helper()
		for i := range times {
			if e := refusal(t, l, p, nil, Ask{}); e != nil {
				t.Fatalf("request %d: %v", i+1, e)
			}
		}
	}
	use(one, 4)
	use(other, 5)
	pass(readEvery) // the first to write does not see what the second writes
	pass(readEvery - 1)
	if months.reads != 4 {
		t.Errorf("%d reads, want two of each: at its first request and a minute later", months.reads)
	}
	pass(1)
	use(one, 1)
	if e := refusal(t, one, p, nil, Ask{}); e == nil {
		t.Error("the eleventh of both is admitted")
	}
	pass(readEvery)
	if e := refusal(t, other, p, nil, Ask{}); e == nil {
		t.Error("the eleventh of both is admitted on the other")
	}
	months.fails = assistants.ErrDatabaseUnavailable
	*otherNow = otherNow.Add(readEvery)
	if err := other.readAgain(t.Context()); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	if e := refusal(t, other, p, nil, Ask{}); e == nil {
		t.Error("what was known is forgotten because it cannot be read again")
	}
}

func TestADatabaseThatFailsLosesNoCount(t *testing.T) {
	months := &monthsInMemory{}
	l, _ := limitsAt(t, months)
	p := with("a", assistants.Limits{})
	for i := range 6 {
		pass, err := l.Admit(t.Context(), p, nil, Ask{})
		if err != nil {
			t.Fatal(err)
		}
		pass.Release(100)
		months.fails = nil
		if i%2 == 0 {
			months.fails = assistants.ErrDatabaseUnavailable
		}
		if err := l.Flush(t.Context()); !errors.Is(err, months.fails) {
			t.Fatal(err)
		}
	}
	got := months.counts[monthKey("default", "key_a", monthOf(noon))]
	if got.Requests != 6 || got.Tokens != 600 {
		t.Errorf("stored %+v", got)
	}
	months.fails = assistants.ErrDatabaseUnavailable
	if _, err := l.Admit(t.Context(), with("b", assistants.Limits{TokensPerMonth: n(5)}), nil, Ask{}); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("a quota that cannot be read: %v", err)
	}
}

func TestCountsThatAreWrittenWhileRequestsComeAreExact(t *testing.T) {
	months := &monthsInMemory{}
	l, _ := limitsAt(t, months)
	p := with("a", assistants.Limits{RequestsPerMonth: n(500)})
	var wg sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				pass, err := l.Admit(context.Background(), p, nil, Ask{})
				if err == nil {
					mu.Lock()
					admitted++
					mu.Unlock()
				}
				pass.Release(3)
				if i%10 == 0 {
					if err := l.Flush(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got := months.counts[monthKey("default", "key_a", monthOf(noon))]
	if admitted != 500 || got.Requests != 500 || got.Tokens != 1500 {
		t.Errorf("admitted %d, stored %+v; want 500", admitted, got)
	}
}
