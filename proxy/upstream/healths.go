package upstream

import (
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Healths keep the health of each upstream by its id, and show it as metrics.
type Healths struct {
	now        func() time.Time
	log        *slog.Logger
	calls      *prometheus.CounterVec
	firstBytes *prometheus.HistogramVec

	mu  sync.Mutex
	all map[string]*Health
}

// firstByteSeconds are the buckets of the time to the first byte.
var firstByteSeconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

var upDesc = prometheus.NewDesc("footnote_upstream_up", "1: the upstream answers; 0: it failed several times in a row, and its fallbacks are asked first.", []string{"upstream"}, nil)

// outcomes are the values of a label.
var outcomes = [Failed + 1]string{Abandoned: "abandoned", Answered: "answered", Failed: "failed"}

// NewHealths returns healths of no upstream yet. nil: time.Now, and no log.
func NewHealths(now func() time.Time, log *slog.Logger) *Healths {
	if now == nil {
		now = time.Now
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Healths{
		now: now, log: log, all: make(map[string]*Health),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "upstream_calls_total",
			Help: "Calls of chat completions by upstream (its id, or default) and outcome: answered, failed, or abandoned by the client."}, []string{"upstream", "outcome"}),
		firstBytes: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: "upstream_first_byte_seconds",
			Help: "From a call to the first byte of its answer, by upstream; of a stream, to its first event.", Buckets: firstByteSeconds}, []string{"upstream"}),
	}
}

// Of returns the health of an upstream.
func (s *Healths) Of(id string) *Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.all[id]
	if !ok {
		h = &Health{id: id, now: s.now, log: s.log, firstByte: s.firstBytes.WithLabelValues(id)}
		for o, name := range outcomes {
			h.calls[o] = s.calls.WithLabelValues(id, name)
		}
		s.all[id] = h
	}
	return h
}

// forget drops an upstream and its metrics.
func (s *Healths) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, id)
	s.firstBytes.DeleteLabelValues(id)
	s.calls.DeletePartialMatch(prometheus.Labels{"upstream": id})
}

// A Report is the health of an upstream for people.
type Report struct {
	State     State
	Failures  int       // in a row
	FailedAt  time.Time // zero: never
	Cause     string    // of the last failure: a code, or the status of an answer
	NextTryAt time.Time // when it may be tried in front of its fallbacks; zero: now
}

// Report returns the health of an upstream. false: it was not asked since the start.
func (s *Healths) Report(id string) (Report, bool) {
	s.mu.Lock()
	h, ok := s.all[id]
	s.mu.Unlock()
	if !ok {
		return Report{State: StateClosed}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r := Report{State: h.state(h.now()), Failures: h.failures, FailedAt: h.failedAt, Cause: h.cause}
	if r.State == StateOpen {
		r.NextTryAt = h.until
	}
	return r, true
}

// Describe implements prometheus.Collector.
func (s *Healths) Describe(ch chan<- *prometheus.Desc) {
	ch <- upDesc
	s.calls.Describe(ch)
	s.firstBytes.Describe(ch)
}

// Collect implements prometheus.Collector.
func (s *Healths) Collect(ch chan<- prometheus.Metric) {
	s.calls.Collect(ch)
	s.firstBytes.Collect(ch)
	s.mu.Lock()
	all := make([]*Health, 0, len(s.all))
	for _, h := range s.all {
		all = append(all, h)
	}
	s.mu.Unlock()
	for _, h := range all {
		up := 0.0
		if h.Working() {
			up = 1
		}
		ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, up, h.id)
	}
}
