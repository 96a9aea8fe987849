package upstream

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// DefaultID is the id of the default upstream where stored ones have theirs.
const DefaultID = "default"

// Bounds of a circuit breaker.
const (
	failuresToOpen = 5                // in a row
	firstPause     = 5 * time.Second  // until an upstream that failed is tried again; doubled each time it fails again
	longestPause   = 60 * time.Second // however often
)

// A State is that of a circuit breaker.
type State string

// States of a circuit breaker.
const (
	StateClosed   State = "closed"    // the upstream answers
	StateOpen     State = "open"      // it failed, and its fallbacks are asked first
	StateHalfOpen State = "half_open" // one call shall show whether it answers again
)

// An Outcome is how a call ended for the health of its upstream.
type Outcome int

const (
	// Abandoned says nothing about the upstream: the client left, or the server stops.
	Abandoned Outcome = iota
	// Answered says that the upstream works, even if it refused the call.
	Answered
	// Failed says that the upstream did not do its work: no connection, no answer in
	// time, a server error.
	Failed
)

// OutcomeOfStatus is the outcome of a call that was answered with a status. What is the
// client's fault, refused credentials and 429 come from an upstream that works.
func OutcomeOfStatus(status int) Outcome {
	if status >= http.StatusInternalServerError {
		return Failed
	}
	return Answered
}

// OutcomeOf is the outcome of a call that ended with an error.
func OutcomeOf(err error) Outcome {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok, errors.Is(err, errBusy):
		return Abandoned
	case e.Code == CodeAuthFailed:
		return Answered
	default:
		return OutcomeOfStatus(e.Status)
	}
}

// Health is what is known of an upstream from its latest calls: the circuit breaker,
// and the metrics of its calls. It refuses nothing, because a call to an upstream that
// failed may still succeed: it only says which upstream to ask first. Its methods are
// safe for concurrent use. A nil Health is that of an upstream that cannot fail.
type Health struct {
	id        string
	now       func() time.Time
	log       *slog.Logger
	calls     [Failed + 1]prometheus.Counter
	firstByte prometheus.Observer

	mu       sync.Mutex
	failures int           // in a row
	pause    time.Duration // 0: closed
	until    time.Time     // while open: when it may be tried again
	probing  bool          // a call tries it
	period   uint64        // counts openings and closings: calls that began before say nothing of later
	failedAt time.Time     // the last time; zero: never
	cause    string        // of the last failure
}

// HealthOf returns the health of a client's upstream; nil: it cannot fail.
func HealthOf(c Client) *Health {
	if kept, ok := c.(interface{ Health() *Health }); ok {
		return kept.Health()
	}
	return nil
}

// ID is the id of the upstream; "" if it cannot fail.
func (h *Health) ID() string {
	if h == nil {
		return ""
	}
	return h.id
}

// Working reports whether the breaker is closed.
func (h *Health) Working() bool { return h.State() == StateClosed }

// State returns the state of the breaker.
func (h *Health) State() State {
	if h == nil {
		return StateClosed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state(h.now())
}

func (h *Health) state(now time.Time) State {
	switch {
	case h.pause == 0:
		return StateClosed
	case now.Before(h.until):
		return StateOpen
	default:
		return StateHalfOpen
	}
}

// Next chooses which of n upstreams to ask, and begins the call: the first whose breaker
// lets it pass, or else the first of all, because a breaker refuses nothing.
func Next(n int, health func(i int) *Health) (chosen int, a Attempt) {
	for i := range n {
		if a, lets := health(i).Try(); lets {
			return i, a
		}
	}
	return 0, health(0).Begin()
}

// Try begins a call if the breaker lets it: it is closed, or half-open and no other call
// tries the upstream.
func (h *Health) Try() (Attempt, bool) {
	if h == nil {
		return Attempt{}, true
	}
	a := h.Begin()
	h.mu.Lock()
	defer h.mu.Unlock()
	return a, a.probe || h.pause == 0
}

// Begin begins a call, whatever the breaker says. If the breaker is half-open and no
// other call tries the upstream, this one does.
func (h *Health) Begin() Attempt {
	if h == nil {
		return Attempt{}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	a := Attempt{health: h, start: h.now(), period: h.period}
	if h.state(a.start) == StateHalfOpen && !h.probing {
		h.probing, a.probe = true, true
	}
	return a
}

// reset closes the breaker, because the upstream was changed.
func (h *Health) reset() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.close()
	h.failedAt, h.cause = time.Time{}, ""
}

func (h *Health) close() {
	if h.pause != 0 {
		h.period++
	}
	h.failures, h.pause, h.probing = 0, 0, false
}

// An Attempt is a call that was begun. It must be ended; only the first end counts.
type Attempt struct {
	health *Health // nil: nothing is kept, or it was ended
	start  time.Time
	period uint64
	probe  bool
	heard  bool // its first byte was counted
}

// FirstByte notes that the answer has begun.
func (a *Attempt) FirstByte() {
	if a.health != nil && !a.heard {
		a.heard = true
		a.health.firstByte.Observe(a.health.now().Sub(a.start).Seconds())
	}
}

// End notes how the call ended. cause names a failure, without secrets.
func (a *Attempt) End(o Outcome, cause string) {
	h := a.health
	if h == nil {
		return
	}
	a.health = nil
	h.calls[o].Inc()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if o == Failed {
		h.failedAt, h.cause = now, cause
	}
	if a.period != h.period {
		return
	}
	if a.probe {
		h.probing = false
	}
	switch {
	case o == Answered:
		if h.pause != 0 {
			h.log.Info("an upstream answers again", "upstream", h.id)
		}
		h.close()
	case o == Failed && h.pause == 0:
		if h.failures++; h.failures >= failuresToOpen {
			h.period++
			h.pause, h.until = firstPause, now.Add(firstPause)
			h.log.Warn("an upstream fails; its fallbacks are asked first", "upstream", h.id, "failures", h.failures, "cause", cause, "again_in", h.pause.String())
		}
	case o == Failed && a.probe:
		h.failures++
		h.pause = min(2*h.pause, longestPause)
		h.until = now.Add(h.pause)
	}
}
