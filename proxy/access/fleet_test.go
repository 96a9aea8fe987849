package access

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

// usesInMemory are SharedUses with a clock of their own.
type usesInMemory struct {
	now       func() time.Time
	mu        sync.Mutex
	texts     map[assistants.LimitSubject]string
	exchanges int
	fails     error
	conflicts int // how often change is called once more
}

func (s *usesInMemory) ShareUses(_ context.Context, subjects []assistants.LimitSubject, change func([]string, time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exchanges++
	if s.fails != nil {
		return s.fails
	}
	for again := s.conflicts; ; again-- {
		texts := make([]string, len(subjects))
		for i, subject := range subjects {
			texts[i] = s.texts[subject]
		}
		if err := change(texts, s.now()); err != nil {
			return err
		}
		if again > 0 {
			continue
		}
		if s.texts == nil {
			s.texts = map[assistants.LimitSubject]string{}
		}
		for i, subject := range subjects {
			s.texts[subject] = texts[i]
		}
		return nil
	}
}

func (s *usesInMemory) RemoveSharedUses(context.Context, time.Time) error { return s.fails }

// instances are Limits that share what they use, with one clock that a test moves.
// Nothing happens in the background. The clock of each instance differs from that of
// the database by some hours.
type instances struct {
	list   []*Limits
	shared *usesInMemory
	now    time.Time
}

func newInstances(t *testing.T, count int) *instances {
	t.Helper()
	f := &instances{now: noon}
	f.shared = &usesInMemory{now: func() time.Time { return f.now }}
	for range count {
		f.join(t)
	}
	return f
}

func (f *instances) join(t *testing.T) {
	t.Helper()
	wrong := time.Duration(len(f.list)) * 5 * time.Hour
	l := NewLimits(LimitsConfig{Months: &monthsInMemory{}, Shared: f.shared, Now: func() time.Time { return f.now.Add(wrong) }})
	l.stop()
	<-l.ended
	f.list = append(f.list, l)
}

// use makes requests until one is refused, or as many as most; it returns how many
// were admitted.
func (f *instances) use(t *testing.T, i int, p Principal, ask Ask, most int) int {
	t.Helper()
	for done := range most {
		if refusal(t, f.list[i], p, nil, ask) != nil {
			return done
		}
	}
	return most
}

// TestSeveralInstancesAdmitNoMoreThanATenthAboveTheLimit sends more than the limit, at
// random times and in bursts, to random instances. It counts every minute that ends
// with an admitted request, and what was used when one is refused.
func TestSeveralInstancesAdmitNoMoreThanATenthAboveTheLimit(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 18))
		f := newInstances(t, 2+random.IntN(3))
		f.shared.conflicts = random.IntN(2)
		limit := []int{1, 3, 9, 10, 30, 47, 100, 600}[random.IntN(8)]
		p := with("a", assistants.Limits{RequestsPerMinute: &limit})
		var admitted []time.Time
		refused, most, local := 0, 0, 0
		for range min(40*limit, 4000) {
			if random.IntN(4) > 0 {
				f.now = f.now.Add(time.Duration(random.Int64N(int64(80 * time.Second / time.Duration(limit)))))
			}
			within := func(d time.Duration) (n int) {
				for i := len(admitted) - 1; i >= 0 && f.now.Sub(admitted[i]) < d; i-- {
					n++
				}
				return n
			}
			i, before := random.IntN(len(f.list)), f.shared.exchanges
			if f.use(t, i, p, Ask{}, 1) == 1 {
				admitted = append(admitted, f.now)
				most = max(most, within(time.Minute))
				if f.shared.exchanges == before {
					local++
				}
				if n := within(time.Minute); 10*n > 11*limit {
					t.Fatalf("seed %d: %d instances admitted %d within a minute, the limit is %d", seed, len(f.list), n, limit)
				}
			} else {
				refused++
				if n := within(time.Minute + bucket); n < limit {
					t.Fatalf("seed %d: %d instances refused after %d, the limit is %d", seed, len(f.list), n, limit)
				}
			}
			if random.IntN(3) == 0 {
				f.list[random.IntN(len(f.list))].tell(t.Context(), random.IntN(2) == 0)
			}
		}
		if refused == 0 || most < limit {
			t.Errorf("seed %d: %d refused and at most %d in a minute, the limit %d was not tested", seed, refused, most, limit)
		}
		if limit >= 600 && local < len(admitted)*8/10 {
			t.Errorf("seed %d: only %d of %d requests did not wait for the database", seed, local, len(admitted))
		}
	}
}

func TestALimitBelowTenIsExactOverSeveralInstances(t *testing.T) {
	for _, ask := range []Ask{{Kind: Chat}, {Kind: Search}, {Kind: Upload, Files: 1}, {Kind: Chat, Tokens: func() int { return 1 }}} {
		f := newInstances(t, 3)
		p := with("a", assistants.Limits{RequestsPerMinute: n(9), SearchesPerMinute: n(9), UploadsPerMinute: n(9)})
		if got := f.use(t, 0, p, ask, 4) + f.use(t, 1, p, ask, 4) + f.use(t, 2, p, ask, 4); got != 9 {
			t.Errorf("%+v: %d were admitted", ask.Kind, got)
		}
		for i := range f.list {
			if e := refusal(t, f.list[i], p, nil, ask); e == nil || e.Wait > minute+bucket || e.Wait < minute {
				t.Errorf("%+v: %v", ask.Kind, e)
			}
		}
		before := f.shared.exchanges
		f.use(t, 2, p, ask, 1)
		if f.shared.exchanges != before {
			t.Error("a request was refused with what is known, and yet the database was asked")
		}
		f.now = f.now.Add(minute + bucket)
		if got := f.use(t, 2, p, ask, 12); got != 9 {
			t.Errorf("%+v: %d were admitted a minute later", ask.Kind, got)
		}
	}
}

func TestTokensOfOtherInstancesCount(t *testing.T) {
	f := newInstances(t, 2)
	p := with("a", assistants.Limits{TokensPerMinute: n(1000)})
	ask := Ask{Tokens: func() int { return 300 }}
	admit := func(i int) *Pass {
		t.Helper()
		pass, err := f.list[i].Admit(t.Context(), p, nil, ask)
		if err != nil {
			t.Fatal(err)
		}
		return pass
	}
	one, two, three := admit(0), admit(1), admit(0)
	if e := refusal(t, f.list[1], p, nil, ask); e == nil {
		t.Error("admitted besides 900 that other requests hold")
	}
	for _, pass := range []*Pass{one, two, three} {
		pass.Release(100)
	}
	f.list[0].tell(t.Context(), true) // that it holds much less is told at once
	four := admit(1)
	if h := four.header; h.Get("X-Ratelimit-Remaining-Tokens") != "400" {
		t.Error(h)
	}
	four.Release(0)
}

// TestTokensThatWereEstimatedExactlyAreToldAsUsed has a request whose tokens count as held
// first and as used afterwards, which is the same number.
func TestTokensThatWereEstimatedExactlyAreToldAsUsed(t *testing.T) {
	f := newInstances(t, 2)
	p := with("a", assistants.Limits{TokensPerMinute: n(1000)})
	ask := Ask{Tokens: func() int { return 900 }}
	pass, err := f.list[0].Admit(t.Context(), p, nil, ask)
	if err != nil {
		t.Fatal(err)
	}
	pass.Release(900)
	for range 30 { // half a minute
		f.now = f.now.Add(time.Second)
		f.list[0].tell(t.Context(), false)
	}
	if e := refusal(t, f.list[1], p, nil, ask); e == nil || e.Wait > minute/2+bucket+time.Second {
		t.Errorf("besides 900 tokens that another instance used half a minute ago: %v", e)
	}
}

func TestStreamsOfOtherInstancesCountUntilTheyEndOrTheirInstanceDies(t *testing.T) {
	f := newInstances(t, 3)
	p := with("a", assistants.Limits{ConcurrentStreams: n(4)})
	ask := Ask{Stream: true}
	open := func(i int) *Pass {
		t.Helper()
		pass, err := f.list[i].Admit(t.Context(), p, nil, ask)
		if err != nil {
			t.Fatal(err)
		}
		return pass
	}
	first, second := open(0), open(0)
	third, fourth := open(1), open(1)
	if e := refusal(t, f.list[2], p, nil, ask); e == nil {
		t.Error("a fifth stream")
	}
	first.Release(0)
	f.list[0].tell(t.Context(), true) // the end of a stream is told at once
	open(2).Release(0)
	f.list[2].tell(t.Context(), true)
	for range 6 { // half a minute, in which instance 0 is dead
		f.now = f.now.Add(heldEvery)
		f.list[1].tell(t.Context(), false)
		f.list[2].tell(t.Context(), false)
	}
	fifth := open(2)
	sixth := open(2)
	if e := refusal(t, f.list[2], p, nil, ask); e == nil {
		t.Error("those of instance 1, which is alive, do not count")
	}
	for _, pass := range []*Pass{second, third, fourth, fifth, sixth} {
		pass.Release(0)
	}
}

// TestOpenStreamsOfSeveralInstancesStayWithinATenth opens and ends streams at random, with
// tokens that are estimated too high. What ends is told as the background does.
func TestOpenStreamsOfSeveralInstancesStayWithinATenth(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 19))
		f := newInstances(t, 2+random.IntN(3))
		limit := []int{1, 4, 9, 20, 50}[random.IntN(5)]
		p := with("a", assistants.Limits{ConcurrentStreams: &limit, TokensPerMinute: n(100_000_000)})
		var open []*Pass
		refused := 0
		for range 1500 {
			f.now = f.now.Add(time.Duration(random.Int64N(int64(time.Second))))
			for _, l := range f.list {
				l.tell(t.Context(), false) // each second or so
			}
			if len(open) > 0 && random.IntN(5) < 2 {
				i := random.IntN(len(open))
				ended := open[i]
				open = append(open[:i], open[i+1:]...)
				ended.Release(random.IntN(100))
				ended.limits.tell(t.Context(), true)
				continue
			}
			pass, err := f.list[random.IntN(len(f.list))].Admit(t.Context(), p, nil, Ask{Stream: true, Tokens: func() int { return 200 }})
			if err == nil {
				open = append(open, pass)
			} else if refused++; len(open) < limit {
				t.Fatalf("seed %d: refused with %d open streams, the limit is %d: %v", seed, len(open), limit, err)
			}
			if 10*len(open) > 11*limit {
				t.Fatalf("seed %d: %d streams are open, the limit is %d", seed, len(open), limit)
			}
		}
		if refused == 0 {
			t.Errorf("seed %d: the limit %d was not tested", seed, limit)
		}
		for _, pass := range open {
			pass.Release(0)
		}
	}
}

func TestAnAssistantsLimitHoldsOverInstancesBesidesThatOfTheKey(t *testing.T) {
	f := newInstances(t, 2)
	a := &assistants.Assistant{ID: "asst_a", TenantID: "default"}
	a.Settings.RequestsPerMinute = n(5)
	admitted := 0
	for i := range 12 {
		if refusal(t, f.list[i%2], with(string(rune('a'+i%3)), assistants.Limits{RequestsPerMinute: n(2)}), a, Ask{}) == nil {
			admitted++
		}
	}
	if admitted != 5 {
		t.Errorf("%d were admitted, want 5", admitted)
	}
	for i := range f.list {
		if e := refusal(t, f.list[i], with("d", assistants.Limits{}), a, Ask{}); e == nil || e.Of != "assistant" {
			t.Error(e)
		}
	}
}

func TestWithoutTheDatabaseLimitsHoldForEachInstanceAlone(t *testing.T) {
	f := newInstances(t, 2)
	var log strings.Builder
	f.list[0].cfg.Log = textLog(&log)
	p := with("a", assistants.Limits{SearchesPerMinute: n(6)})
	ask := Ask{Kind: Search}
	f.use(t, 0, p, ask, 1)
	f.use(t, 1, p, ask, 2)
	f.shared.fails = assistants.ErrDatabaseUnavailable
	if got := f.use(t, 0, p, ask, 9); got != 5 { // it had not heard of the other's two
		t.Errorf("%d were admitted, want 5", got)
	}
	f.now = f.now.Add(minute + bucket)
	before := f.shared.exchanges
	if got := f.use(t, 0, p, ask, 9); got != 6 {
		t.Errorf("%d were admitted, want 6", got)
	}
	if asked := f.shared.exchanges - before; asked != 1 {
		t.Errorf("%d requests waited for a database that fails", asked)
	}
	f.shared.fails = nil
	f.now = f.now.Add(outageTime)
	f.list[0].tell(t.Context(), false)
	if got := f.use(t, 1, p, ask, 9); got != 0 {
		t.Errorf("%d were admitted after the outage besides the 6 of the other", got)
	}
	if text := log.String(); strings.Count(text, "alone") != 1 || strings.Count(text, "again") != 1 {
		t.Errorf("log:\n%s", text)
	}
}

func TestWhatAnInstanceUsedOutlivesItForAMinute(t *testing.T) {
	f := newInstances(t, 1)
	p := with("a", assistants.Limits{RequestsPerMinute: n(100)})
	f.use(t, 0, p, Ask{}, 60)
	if err := f.list[0].Close(); err != nil {
		t.Fatal(err)
	}
	f.join(t)
	if got := f.use(t, 1, p, Ask{}, 100); got != 40 {
		t.Errorf("%d were admitted, want 40", got)
	}
	f.now = f.now.Add(minute + bucket)
	if got := f.use(t, 1, p, Ask{}, 200); got != 100 {
		t.Errorf("%d were admitted, want 100", got)
	}
}

func TestUsesShowWhatAllInstancesUsed(t *testing.T) {
	f := newInstances(t, 2)
	limits := assistants.Limits{RequestsPerMinute: n(100)}
	f.use(t, 0, with("a", limits), Ask{}, 30)
	f.use(t, 1, with("a", limits), Ask{}, 20)
	f.list[0].tell(t.Context(), false)
	f.list[1].tell(t.Context(), false)
	for i, l := range f.list {
		list, err := l.Uses(t.Context(), "default", "key_a", limits)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			if u.Limit == assistants.RequestsPerMinute && (*u.Used != 50 || u.Reset == nil) {
				t.Errorf("instance %d: %d used", i, *u.Used)
			}
		}
	}
	h := must(f.list[0].Admit(t.Context(), with("a", limits), nil, Ask{})).header
	if h.Get("X-Ratelimit-Remaining-Requests") != "49" {
		t.Error(h)
	}
}

func TestWhatCannotBeReadIsForgottenAndWrittenAgain(t *testing.T) {
	f := newInstances(t, 2)
	var log strings.Builder
	f.list[0].cfg.Log = textLog(&log)
	p := with("a", assistants.Limits{RequestsPerMinute: n(5)})
	f.use(t, 0, p, Ask{}, 2)
	for subject := range f.shared.texts {
		f.shared.texts[subject] = `{"of another version"`
	}
	if got := f.use(t, 0, p, Ask{}, 1) + f.use(t, 1, p, Ask{}, 9); got != 3 || strings.Count(log.String(), "cannot be read") != 1 {
		t.Errorf("%d more were admitted, want 3; log: %s", got, log.String())
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSubjectsWithoutLimitsAreNotShared(t *testing.T) {
	f := newInstances(t, 2)
	f.use(t, 0, with("a", assistants.Limits{RequestsPerMonth: n(1000)}), Ask{Stream: true, Tokens: func() int { return 5 }}, 200)
	f.list[0].tell(t.Context(), false)
	if f.shared.exchanges != 0 {
		t.Errorf("%d exchanges", f.shared.exchanges)
	}
}

func textLog(to *strings.Builder) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }
