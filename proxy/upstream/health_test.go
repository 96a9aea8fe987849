package upstream

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/assistants"
)

// hand is a clock that the test moves.
type hand struct{ at time.Time }

func newHand() *hand { return &hand{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)} }

func (h *hand) now() time.Time          { return h.at }
func (h *hand) advance(d time.Duration) { h.at = h.at.Add(d) }

// fail begins and ends n calls that fail.
func fail(h *Health, n int) {
	for range n {
		a := h.Begin()
		a.End(Failed, "500")
	}
}

func TestABreakerOpensAfterFiveFailuresInARowAndNoOthers(t *testing.T) {
	h := NewHealths(newHand().now, nil).Of("up_1")
	fail(h, 4)
	a := h.Begin()
	a.End(Answered, "")
	fail(h, 4)
	for range 20 { // clients that left say nothing, good or bad
		a = h.Begin()
		a.End(Abandoned, "")
	}
	if h.State() != StateClosed {
		t.Fatalf("it is %s after 4 failures in a row", h.State())
	}
	fail(h, 1)
	if _, lets := h.Try(); h.State() != StateOpen || lets {
		t.Errorf("it is %s after 5, and lets calls pass: %t", h.State(), lets)
	}
}

func TestAfterAPauseOneCallAtATimeTriesTheUpstream(t *testing.T) {
	clock := newHand()
	h := NewHealths(clock.now, nil).Of("up_1")
	fail(h, failuresToOpen)
	for _, pause := range []time.Duration{5, 10, 20, 40, 60, 60} { // seconds
		pause *= time.Second
		clock.advance(pause - 1)
		if _, lets := h.Try(); lets {
			t.Fatalf("it lets a call pass before %v are over", pause)
		}
		clock.advance(1)
		probe, lets := h.Try()
		if !lets || h.State() != StateHalfOpen {
			t.Fatalf("it is %s after %v, and lets a call pass: %t", h.State(), pause, lets)
		}
		if _, lets = h.Try(); lets {
			t.Fatal("a second call passes while the first tries the upstream")
		}
		probe.End(Abandoned, "")
		if probe, lets = h.Try(); !lets {
			t.Fatal("no other call may try after one that was abandoned")
		}
		fail(h, 3) // other calls without a fallback change nothing
		probe.End(Failed, "500")
		probe.End(Answered, "") // only the first end counts
	}
	clock.advance(longestPause)
	probe, _ := h.Try()
	probe.End(Answered, "")
	if a, lets := h.Try(); h.State() != StateClosed || !lets {
		t.Errorf("after an answer it is %s, and lets calls pass: %t", h.State(), lets)
	} else {
		a.End(Answered, "")
	}
	fail(h, failuresToOpen)
	clock.advance(firstPause)
	if h.State() != StateHalfOpen {
		t.Error("the first pause is not short again")
	}
}

func TestAnAnswerWithoutPermissionClosesABreakerAndOldCallsDoNotOpenIt(t *testing.T) {
	h := NewHealths(newHand().now, nil).Of("up_1")
	var old []Attempt
	for range failuresToOpen {
		old = append(old, h.Begin())
	}
	late := h.Begin()
	fail(h, failuresToOpen)
	late.End(Answered, "") // it was begun before the failures
	if h.State() != StateOpen {
		t.Fatal("an old answer has closed it")
	}
	now := h.Begin()
	now.End(Answered, "")
	if h.State() != StateClosed {
		t.Fatal("an answer has not closed it")
	}
	for _, a := range old {
		a.End(Failed, "500")
	}
	if h.State() != StateClosed {
		t.Error("calls from before have opened it")
	}
}

func TestOnlyWhatTheUpstreamDoesWrongCountsAgainstIt(t *testing.T) {
	for status, want := range map[int]Outcome{200: Answered, 400: Answered, 401: Answered, 404: Answered, 429: Answered, 500: Failed, 503: Failed} {
		if got := OutcomeOfStatus(status); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
	}
	for _, c := range []struct {
		err  error
		want Outcome
	}{
		{&Error{Code: CodeConnectFailed, Status: 502}, Failed},
		{timedOut(nil), Failed},
		{FirstTokenTimeout(time.Second), Failed},
		{Interrupted(nil), Failed},
		{Invalid("x"), Failed},
		{Reported("x", "overloaded_error", "", ""), Failed},
		{Reported("x", "rate_limit_error", "", ""), Answered},
		{Reported("x", "invalid_request_error", "", ""), Answered},
		{authFailed(), Answered},
		{NotFound(404), Answered},
		{&Error{Code: CodeOverloaded, Status: 503, err: errBusy}, Abandoned},
		{context.Canceled, Abandoned},
	} {
		if got := OutcomeOf(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

// shown are the values of all series, by name and values of labels; of a histogram, the count.
func shown(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(c)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return values
}

func TestHealthIsShownUntilTheUpstreamIsForgotten(t *testing.T) {
	clock := newHand()
	all := NewHealths(clock.now, nil)
	s := NewStored(StoredConfig{Healths: all})
	t.Cleanup(s.Close)
	u := assistants.Upstream{ID: "up_1", BaseURL: "http://127.0.0.1:9/v1", UpdatedAt: clock.at}
	made, err := s.Client(u)
	if err != nil {
		t.Fatal(err)
	}
	h := HealthOf(made)
	a := h.Begin()
	clock.advance(40 * time.Millisecond)
	a.FirstByte()
	a.FirstByte()
	a.End(Answered, "")
	fail(h, failuresToOpen)
	for series, want := range map[string]float64{
		"footnote_upstream_up up_1": 0, "footnote_upstream_calls_total answered up_1": 1, "footnote_upstream_calls_total failed up_1": 5,
		"footnote_upstream_calls_total abandoned up_1": 0, "footnote_upstream_first_byte_seconds up_1": 1,
	} {
		if got, ok := shown(t, all)[series]; !ok || got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	r, known := s.Health("up_1")
	if !known || r.State != StateOpen || r.Failures != failuresToOpen || r.Cause != "500" || !r.FailedAt.Equal(clock.at) || !r.NextTryAt.Equal(clock.at.Add(firstPause)) {
		t.Errorf("%+v %t", r, known)
	}
	u.UpdatedAt = clock.at.Add(time.Second)
	if changed, err := s.Client(u); err != nil || changed == made || HealthOf(changed) != h || h.State() != StateClosed {
		t.Errorf("a change has not closed the breaker: %v, %s", err, h.State())
	}
	s.Forget(u.ID)
	if r, known = s.Health("up_1"); known || r.State != StateClosed || len(shown(t, all)) != 0 {
		t.Errorf("it is still known: %+v", r)
	}
}

func TestAnUpstreamThatCannotFailHasNoHealth(t *testing.T) {
	h := HealthOf(nil)
	a, lets := h.Try()
	a.FirstByte()
	a.End(Failed, "500")
	if !lets || !h.Working() || h.ID() != "" {
		t.Error("a nil health refuses calls")
	}
}

func TestHealthCostsNoMemory(t *testing.T) {
	h := NewHealths(nil, nil).Of("up_1")
	if n := testing.AllocsPerRun(100, func() {
		a, _ := h.Try()
		a.FirstByte()
		a.End(Answered, "")
	}); n != 0 {
		t.Errorf("%v allocations for each call", n)
	}
}

// The transport's own limit is no fault of the upstream.
func TestABusyTransportIsNotTheUpstreamsFault(t *testing.T) {
	err := (&HTTP{}).callError(t.Context(), busyContext(), nil, errors.New("x"))
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Status != http.StatusServiceUnavailable || OutcomeOf(err) != Abandoned {
		t.Errorf("%v", err)
	}
}

func busyContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBusy)
	return ctx
}
