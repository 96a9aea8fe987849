package proxy

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/citations"
)

// Metrics are what /metrics shows (CONTRACT 7).
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	firsts     *prometheus.HistogramVec
	stages     *prometheus.HistogramVec
	failures   prometheus.Counter
	gone       prometheus.Counter
	cached     prometheus.Counter
	upstreams  *prometheus.CounterVec
	answers    *prometheus.CounterVec
	markers    prometheus.Counter
	invalid    prometheus.Counter
	confidence prometheus.Histogram
	coverage   prometheus.Histogram
	support    *prometheus.CounterVec
}

// Ingestion reports how many documents are in each state, over all tenants.
type Ingestion interface {
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
}

// NewMetrics builds the metrics in a registry of their own.
func NewMetrics(documents Ingestion) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: name, Help: help, Buckets: buckets}, labels)
	}
	seconds := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}
	m := &Metrics{
		registry:  prometheus.NewRegistry(),
		requests:  counter("requests_total", "Requests by route and status.", "method", "route", "status"),
		durations: histogram("request_duration_seconds", "Whole requests, streams included.", seconds, "route"),
		firsts:    histogram("first_byte_seconds", "From a chat request to the first byte of its answer.", seconds, "stream"),
		stages:    histogram("retrieval_duration_seconds", "Retrieval by stage; total is the whole.", seconds, "stage"),
		upstreams: counter("upstream_responses_total", "Upstream answers by status; 0: none came.", "status"),
		answers:   counter("answers_total", "Scanned answers by citation status.", "status"),
	}
	m.failures = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: "retrieval_failures_total", Help: "Retrievals that failed."})
	m.gone = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: "retrieval_dropped_matches_total", Help: "Matches of the index that were dropped because no passage is stored for them that the search may see."})
	m.cached = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: "retrieval_cache_hits_total", Help: "Retrievals that needed no search of the index."})
	m.markers = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: "markers_total", Help: "Markers found in answers."})
	m.invalid = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "footnote", Name: "invalid_indices_total", Help: "Distinct numbers cited that no source has."})
	tenths := []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}
	m.confidence = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "footnote", Name: "confidence", Help: "Confidence of scanned answers.", Buckets: tenths})
	m.coverage = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "footnote", Name: "coverage", Help: "Share of the factual sentences of scanned answers that carry a marker.", Buckets: tenths})
	m.support = counter("checked_markers_total", "Markers by what the check of their claim gave.", "support")
	m.registry.MustRegister(m.requests, m.durations, m.firsts, m.stages, m.failures, m.gone, m.cached, m.upstreams, m.answers, m.markers, m.invalid, m.confidence, m.coverage, m.support,
		documentStates{documents}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// CountRepairs adds how often database and index disagreed and were mended, by
// kind, as a function tells it.
func (m *Metrics) CountRepairs(repairs func() map[string]int64) {
	m.registry.MustRegister(indexRepairs(repairs))
}

// indexRepairs collects repairs when it is asked.
type indexRepairs func() map[string]int64

var repairsDesc = prometheus.NewDesc("footnote_index_repairs_total", "Disagreements of database and index that were mended, by kind.", []string{"kind"}, nil)

// Describe implements prometheus.Collector.
func (indexRepairs) Describe(ch chan<- *prometheus.Desc) { ch <- repairsDesc }

// Collect implements prometheus.Collector.
func (r indexRepairs) Collect(ch chan<- prometheus.Metric) {
	for kind, n := range r() {
		ch <- prometheus.MustNewConstMetric(repairsDesc, prometheus.CounterValue, float64(n), kind)
	}
}

// Handler serves the metrics in Prometheus' format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Metrics) request(method, route string, status int, d time.Duration) {
	m.requests.WithLabelValues(methodLabel(method), route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(d.Seconds())
}

// methodLabel is the method, or "other" for one that HTTP does not know: a
// series for each word that a client makes up would be without end.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}

func (m *Metrics) firstByte(stream bool, d time.Duration) {
	m.firsts.WithLabelValues(strconv.FormatBool(stream)).Observe(d.Seconds())
}

func (m *Metrics) retrieval(t retrieval.Trace, err error) {
	if err != nil {
		m.failures.Inc()
		return
	}
	m.gone.Add(float64(t.Gone))
	if t.Cached {
		m.cached.Inc()
	}
	m.stages.WithLabelValues("total").Observe(t.Duration.Seconds())
	for stage, d := range t.Stages {
		m.stages.WithLabelValues(stage).Observe(d.Seconds())
	}
}

func (m *Metrics) upstream(status int) {
	m.upstreams.WithLabelValues(strconv.Itoa(status)).Inc()
}

func (m *Metrics) citations(v *citations.Citations) {
	m.answers.WithLabelValues(v.Status).Inc()
	m.markers.Add(float64(len(v.Markers)))
	m.invalid.Add(float64(len(v.InvalidIndices)))
	m.confidence.Observe(v.Confidence.Confidence)
	if v.Coverage != nil && v.Status != citations.StatusNoSources { // where there is nothing to cite, nothing is left uncited
		m.coverage.Observe(*v.Coverage)
	}
	for _, marker := range v.Markers {
		if marker.Support != "" {
			m.support.WithLabelValues(marker.Support).Inc()
		}
	}
}

// documentStates collects the documents by state when it is asked.
type documentStates struct{ documents Ingestion }

var documentsDesc = prometheus.NewDesc("footnote_documents", "Documents by state of ingestion.", []string{"status"}, nil)

func (d documentStates) Describe(ch chan<- *prometheus.Desc) { ch <- documentsDesc }

func (d documentStates) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts, err := d.documents.CountDocuments(ctx, "")
	if err != nil {
		ch <- prometheus.NewInvalidMetric(documentsDesc, err)
		return
	}
	for _, status := range assistants.Statuses {
		ch <- prometheus.MustNewConstMetric(documentsDesc, prometheus.GaugeValue, float64(counts[status]), string(status))
	}
}
