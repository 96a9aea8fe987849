package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

// monthsInMemory are a MonthStore.
type monthsInMemory struct {
	mu     sync.Mutex
	counts map[string]assistants.MonthCount
	reads  int
	fails  error
}

func monthKey(tenant assistants.TenantID, subject string, month time.Time) string {
	return string(tenant) + " " + subject + " " + month.Format(time.RFC3339)
}

func (m *monthsInMemory) MonthCount(_ context.Context, tenant assistants.TenantID, subject string, month time.Time) (assistants.MonthCount, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return m.counts[monthKey(tenant, subject, month)], m.fails
}

func (m *monthsInMemory) AddMonthCounts(_ context.Context, counts []assistants.MonthCount) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	if m.counts == nil {
		m.counts = map[string]assistants.MonthCount{}
	}
	for _, c := range counts {
		k := monthKey(c.TenantID, c.Subject, c.Month)
		c.Requests += m.counts[k].Requests
		c.Tokens += m.counts[k].Tokens
		m.counts[k] = c
	}
	return nil
}

func (m *monthsInMemory) RemoveMonthCounts(_ context.Context, before time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.counts, func(_ string, c assistants.MonthCount) bool { return c.Month.Before(before) })
	return m.fails
}

// limitsAt returns limits whose clock the result moves.
func limitsAt(t *testing.T, months MonthStore) (*Limits, *time.Time) {
	t.Helper()
	now := noon
	l := NewLimits(LimitsConfig{Months: months, Now: func() time.Time { return now }})
	t.Cleanup(func() {
		l.stop()
		<-l.ended
	})
	return l, &now
}

func with(id string, limits assistants.Limits) Principal {
	return Principal{Tenant: "default", Key: assistants.Key{ID: assistants.KeyID("key_" + id), TenantID: "default", Limits: limits}}
}

func n(value int) *int { return &value }

// refusal admits and releases at once; it returns the refusal.
func refusal(t *testing.T, l *Limits, p Principal, a *assistants.Assistant, ask Ask) *assistants.LimitError {
	t.Helper()
	pass, err := l.Admit(t.Context(), p, a, ask)
	pass.Release(0)
	e, ok := errors.AsType[*assistants.LimitError](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	return e
}

// TestNoMinuteHasMoreThanTheLimitAndNothingBelowItIsRefused asks at random times, in
// bursts and evenly, and compares each decision with a count of the last minute.
func TestNoMinuteHasMoreThanTheLimitAndNothingBelowItIsRefused(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 18))
		l, now := limitsAt(t, &monthsInMemory{})
		limit := 1 + random.IntN(80)
		p := with("a", assistants.Limits{RequestsPerMinute: &limit})
		var admitted []time.Time
		for range 1500 {
			if random.IntN(8) > 0 {
				*now = now.Add(time.Duration(random.Int64N(int64(2 * time.Minute / time.Duration(limit)))))
			}
			within := 0
			for i := len(admitted) - 1; i >= 0 && now.Sub(admitted[i]) < time.Minute; i-- {
				within++
			}
			e := refusal(t, l, p, nil, Ask{})
			if (e == nil) != (within < limit) {
				t.Fatalf("seed %d: %d of %d in the last minute: %v", seed, within, limit, e)
			}
			if e == nil {
				admitted = append(admitted, *now)
				continue
			}
			before := *now // what it says is the time to wait is neither too short nor too long
			*now = before.Add(e.Wait - 1)
			if refusal(t, l, p, nil, Ask{}) == nil {
				t.Fatalf("seed %d: admitted before Retry-After", seed)
			}
			if random.IntN(4) == 0 {
				*now = before.Add(e.Wait)
				if refusal(t, l, p, nil, Ask{}) != nil {
					t.Fatalf("seed %d: refused after Retry-After", seed)
				}
				admitted = append(admitted, *now)
			}
		}
	}
}

// TestTwoHundredKeysUnderLoadHoldTheirLimits is five minutes of 200 keys that ask one
// and a half times as often as they may.
func TestTwoHundredKeysUnderLoadHoldTheirLimits(t *testing.T) {
	l, now := limitsAt(t, &monthsInMemory{})
	const keys, minutes, step = 200, 5, 250 * time.Millisecond
	random := rand.New(rand.NewPCG(1, 18))
	type client struct {
		p        Principal
		limit    int
		admitted []time.Time
		first    int // of those admitted in the last minute
		refused  int
	}
	clients := make([]client, keys)
	for i := range clients {
		limit := 20 + 2*i
		clients[i] = client{p: with(fmt.Sprint(i), assistants.Limits{RequestsPerMinute: &limit}), limit: limit}
	}
	for at := time.Duration(0); at < minutes*time.Minute; at += step {
		*now = noon.Add(at)
		for i := range clients {
			c := &clients[i]
			for rest := float64(c.limit) * 1.5 * step.Minutes(); rest > 0; rest-- {
				if rest < 1 && random.Float64() > rest {
					continue
				}
				for c.first < len(c.admitted) && now.Sub(c.admitted[c.first]) >= time.Minute {
					c.first++
				}
				had := len(c.admitted) - c.first
				e := refusal(t, l, c.p, nil, Ask{})
				if (e == nil) != (had < c.limit) {
					t.Fatalf("%s had %d in the last minute and may have %d: %v", c.p.Key.ID, had, c.limit, e)
				}
				if c.refused++; e == nil {
					c.refused--
					c.admitted = append(c.admitted, *now)
				}
			}
		}
	}
	for _, c := range clients {
		if c.refused == 0 || len(c.admitted) < minutes*c.limit/2 {
			t.Errorf("%s: %d admitted, %d refused", c.p.Key.ID, len(c.admitted), c.refused)
		}
	}
}

func TestAWindowOfManyEventsNeedsLittleMemoryAndStillHolds(t *testing.T) {
	var w window
	const limit = 100_000
	admitted := 0
	for at := time.Duration(0); at < 30*time.Second; at += 200 * time.Microsecond {
		w.expire(at, minute)
		if w.wait(at, minute, limit, 0, 1) == 0 {
			w.add(at, 1)
			admitted++
		}
	}
	if admitted != limit || w.sum != limit {
		t.Errorf("admitted %d, counted %d; want %d", admitted, w.sum, limit)
	}
	if most := exactGrains + int(30*time.Second/joinWithin) + 1; len(w.grains) > most {
		t.Errorf("%d grains, want at most %d", len(w.grains), most)
	}
}

func TestTheThirtyFirstSearchIsRefused(t *testing.T) {
	l, now := limitsAt(t, &monthsInMemory{})
	p := with("a", assistants.DefaultLimits([]assistants.Scope{assistants.ScopeSearch}))
	for i := range 30 {
		if e := refusal(t, l, p, nil, Ask{Kind: Search}); e != nil {
			t.Fatalf("search %d: %v", i+1, e)
		}
	}
	e := refusal(t, l, p, nil, Ask{Kind: Search})
	if e == nil || e.Wait != time.Minute || e.Error() != "This key has reached its limit of 30 searches a minute; try again in 60 seconds." {
		t.Fatalf("the 31st: %v", e)
	}
	if e := refusal(t, l, p, nil, Ask{}); e != nil {
		t.Errorf("a chat: %v", e)
	}
	*now = now.Add(time.Minute)
	if e := refusal(t, l, p, nil, Ask{Kind: Search}); e != nil {
		t.Errorf("a minute later: %v", e)
	}
}

func TestAnAdminKeyHasNoDefault(t *testing.T) {
	if got := assistants.DefaultLimits([]assistants.Scope{assistants.ScopeAdmin, assistants.ScopeSearch}); got != (assistants.Limits{}) {
		t.Errorf("%+v", got)
	}
}

func TestARefusedRequestCountsForNeitherKeyNorAssistant(t *testing.T) {
	l, now := limitsAt(t, &monthsInMemory{})
	busy := &assistants.Assistant{ID: "asst_a", TenantID: "default", Settings: assistants.Settings{RequestsPerMinute: n(1)}}
	p := with("a", assistants.Limits{RequestsPerMinute: n(2)})
	if e := refusal(t, l, p, busy, Ask{}); e != nil {
		t.Fatal(e)
	}
	for range 5 {
		if e := refusal(t, l, p, busy, Ask{}); e == nil || e.Of != "assistant" {
			t.Fatalf("%v", e)
		}
	}
	if e := refusal(t, l, p, nil, Ask{}); e != nil {
		t.Errorf("the key's second request: %v", e)
	}
	if e := refusal(t, l, p, nil, Ask{}); e == nil || e.Of != "key" {
		t.Errorf("the key's third request: %v", e)
	}
	if got := l.Refused(); got[Refusal{"assistant", assistants.RequestsPerMinute}] != 5 || got[Refusal{"key", assistants.RequestsPerMinute}] != 1 {
		t.Errorf("refused %v", got)
	}
	_ = now
}

func TestTokensAreReservedAndThenCountedAsTheModelServerCountsThem(t *testing.T) {
	l, now := limitsAt(t, &monthsInMemory{})
	p := with("a", assistants.Limits{TokensPerMinute: n(100)})
	ask := Ask{Tokens: func() int { return 40 }}
	first, err := l.Admit(t.Context(), p, nil, ask)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Admit(t.Context(), p, nil, ask)
	if err != nil {
		t.Fatal(err)
	}
	if e := refusal(t, l, p, nil, ask); e == nil || e.Limit != assistants.TokensPerMinute {
		t.Fatalf("a third beside two of 40: %v", e)
	}
	first.Release(10)
	first.Release(10) // once only
	second.Release(Unknown)
	if e := refusal(t, l, p, nil, ask); e != nil {
		t.Errorf("beside 10 and 40: %v", e)
	}
	third, err := l.Admit(t.Context(), p, nil, ask)
	if err != nil {
		t.Fatal(err)
	}
	third.Release(500) // the answer was longer than anybody knew
	*now = now.Add(time.Minute - 1)
	if e := refusal(t, l, p, nil, ask); e == nil || e.Wait != 1 {
		t.Errorf("while the long answer counts: %v", e)
	}
	*now = now.Add(1)
	if e := refusal(t, l, p, nil, Ask{Tokens: func() int { return 5000 }}); e != nil {
		t.Errorf("an estimate above the limit is no reason to refuse: %v", e)
	}
}

func TestStreamsCountUntilTheyEnd(t *testing.T) {
	l, _ := limitsAt(t, &monthsInMemory{})
	p := with("a", assistants.Limits{ConcurrentStreams: n(2)})
	var open []*Pass
	for range 2 {
		pass, err := l.Admit(t.Context(), p, nil, Ask{Stream: true})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, pass)
	}
	for range 3 {
		if e := refusal(t, l, p, nil, Ask{Stream: true}); e == nil || e.Limit != assistants.ConcurrentStreams {
			t.Fatalf("%v", e)
		}
	}
	if e := refusal(t, l, p, nil, Ask{}); e != nil {
		t.Errorf("an answer as a whole: %v", e)
	}
	if l.Streams() != 2 {
		t.Errorf("%d streams", l.Streams())
	}
	open[0].Release(0)
	open[0].Release(0)
	if e := refusal(t, l, p, nil, Ask{Stream: true}); e != nil {
		t.Errorf("after one has ended: %v", e)
	}
	open[1].Release(0)
	if l.Streams() != 0 {
		t.Errorf("%d streams are open after all have ended", l.Streams())
	}
}

func TestAFormOfMoreFilesThanTheLimitNeverFits(t *testing.T) {
	l, _ := limitsAt(t, &monthsInMemory{})
	p := with("a", assistants.Limits{UploadsPerMinute: n(3)})
	if e := refusal(t, l, p, nil, Ask{Kind: Upload, Files: 4}); e == nil || e.Asked != 4 {
		t.Errorf("4 files: %v", e)
	}
	if e := refusal(t, l, p, nil, Ask{Kind: Upload, Files: 3}); e != nil {
		t.Errorf("3 files: %v", e)
	}
	if e := refusal(t, l, p, nil, Ask{Kind: Upload, Files: 1}); e == nil || e.Asked != 0 {
		t.Errorf("one more: %v", e)
	}
}

func TestRequestsOfThisProcessAndOfTheConfiguredKeyAreNotLimited(t *testing.T) {
	l, _ := limitsAt(t, &monthsInMemory{})
	within := with("a", assistants.Limits{RequestsPerMinute: n(0)})
	within.Within = true
	if e := refusal(t, l, within, nil, Ask{}); e != nil {
		t.Error(e)
	}
	var none *Limits
	if e := refusal(t, none, with("a", assistants.Limits{RequestsPerMinute: n(0)}), nil, Ask{}); e != nil {
		t.Error(e)
	}
	if e := refusal(t, l, with("a", assistants.Limits{RequestsPerMinute: n(0)}), nil, Ask{}); e == nil || e.Error() != "This key is limited to 0 requests a minute; ask its administrator for a higher limit." {
		t.Error(e)
	}
}

func TestKeysThatAreNotUsedAreForgottenAndThoseInUseAreNot(t *testing.T) {
	l, now := limitsAt(t, &monthsInMemory{})
	p := with("open", assistants.Limits{ConcurrentStreams: n(1)})
	pass, err := l.Admit(t.Context(), p, nil, Ask{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	if refused := refusal(t, l, with("idle", assistants.Limits{}), nil, Ask{}); refused != nil {
		t.Fatal(refused)
	}
	*now = now.Add(2 * time.Hour)
	for range 2 {
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.subjects) != 1 {
		t.Errorf("%d are kept, want the one with a stream", len(l.subjects))
	}
	if e := refusal(t, l, p, nil, Ask{Stream: true}); e == nil {
		t.Error("the open stream was forgotten")
	}
	pass.Release(0)
}
