package chat

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"footnote/assistants/retrieval"
	"footnote/citations"
)

// Metrics count what happens in chats.
type Metrics struct {
	firstBytes *prometheus.HistogramVec
	stages     *prometheus.HistogramVec
	failures   prometheus.Counter
	dropped    prometheus.Counter
	cached     prometheus.Counter
	upstreams  *prometheus.CounterVec
	fallbacks  *prometheus.CounterVec
	answers    *prometheus.CounterVec
	markers    prometheus.Counter
	invalid    prometheus.Counter
	confidence prometheus.Histogram
	coverage   prometheus.Histogram
	support    *prometheus.CounterVec
}

// NewMetrics returns metrics that are shown by r.
func NewMetrics(r prometheus.Registerer) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: name, Help: help})
		r.MustRegister(c)
		return c
	}
	counters := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: name, Help: help}, []string{label})
		r.MustRegister(c)
		return c
	}
	share := func(name, help string) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "footnote", Name: name, Help: help, Buckets: []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}})
		r.MustRegister(h)
		return h
	}
	durations := func(name, help, label string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: name, Help: help, Buckets: Seconds}, []string{label})
		r.MustRegister(h)
		return h
	}
	return &Metrics{
		firstBytes: durations("first_byte_seconds", "From a chat request to the first byte of its answer.", "stream"),
		stages:     durations("retrieval_duration_seconds", "Retrieval by stage; total is the whole.", "stage"),
		failures:   counter("retrieval_failures_total", "Retrievals that failed."),
		dropped:    counter("retrieval_dropped_matches_total", "Matches of the index that were dropped because no passage is stored for them that the search may see."),
		cached:     counter("retrieval_cache_hits_total", "Retrievals that needed no search of the index."),
		upstreams:  counters("upstream_responses_total", "Upstream answers by status; 0: none came.", "status"),
		fallbacks:  counters("upstream_fallbacks_total", "Chats that went on to a fallback, by what failed before: a code, or the status of an answer.", "cause"),
		answers:    counters("answers_total", "Scanned answers by citation status.", "status"),
		markers:    counter("markers_total", "Markers found in answers."),
		invalid:    counter("invalid_indices_total", "Distinct numbers cited that no source has."),
		confidence: share("confidence", "Confidence of scanned answers."),
		coverage:   share("coverage", "Share of the factual sentences of scanned answers that carry a marker."),
		support:    counters("checked_markers_total", "Markers by what the check of their claim gave.", "support"),
	}
}

// Seconds are the buckets of durations.
var Seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

func (m *Metrics) firstByte(stream bool, d time.Duration) {
	m.firstBytes.WithLabelValues(strconv.FormatBool(stream)).Observe(d.Seconds())
}

func (m *Metrics) retrieval(t retrieval.Trace, err error) {
	if err != nil {
		m.failures.Inc()
		return
	}
	m.dropped.Add(float64(t.Gone))
	if t.Cached {
		m.cached.Inc()
	}
	m.stages.WithLabelValues("total").Observe(t.Duration.Seconds())
	for stage, d := range t.Stages {
		m.stages.WithLabelValues(stage).Observe(d.Seconds())
	}
}

// Upstream counts an answer of a model server; status 0: none came.
func (m *Metrics) Upstream(status int) {
	m.upstreams.WithLabelValues(strconv.Itoa(status)).Inc()
}

func (m *Metrics) citations(v *citations.Citations) {
	m.answers.WithLabelValues(v.Status).Inc()
	m.markers.Add(float64(len(v.Markers)))
	m.invalid.Add(float64(len(v.InvalidIndices)))
	m.confidence.Observe(v.Confidence.Confidence)
	if v.Coverage != nil && v.Status != citations.StatusNoSources { // without sources no sentence can lack a marker
		m.coverage.Observe(*v.Coverage)
	}
	for _, marker := range v.Markers {
		if marker.Support != "" {
			m.support.WithLabelValues(marker.Support).Inc()
		}
	}
}
