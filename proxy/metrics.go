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
	"footnote/proxy/chat"
)

// Metrics are what /metrics shows. A server adds those of its parts.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

// Ingestion reports how many documents are in each state, over all tenants.
type Ingestion interface {
	CountDocuments(ctx context.Context, tenant assistants.TenantID) (map[assistants.Status]int, error)
}

// NewMetrics builds the metrics in a registry of their own.
func NewMetrics(documents Ingestion) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "requests_total",
			Help: "Requests by route and status."}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: "request_duration_seconds",
			Help: "Whole requests, streams included.", Buckets: chat.Seconds}, []string{"route"}),
	}
	m.registry.MustRegister(m.requests, m.durations, documentStates{documents},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// CountRepairs adds a counter of how often database and index disagreed and were
// repaired, by kind.
func (m *Metrics) CountRepairs(repairs func() map[string]int64) {
	m.registry.MustRegister(indexRepairs(repairs))
}

// Show adds the metrics of another part of the program.
func (m *Metrics) Show(c prometheus.Collector) { m.registry.MustRegister(c) }

// indexRepairs collects repairs at each scrape.
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

// readiness collects at each scrape whether the server can do all its work.
type readiness func(context.Context) error

var readyDesc = prometheus.NewDesc("footnote_ready", "1: the server can do all its work; 0: it starts, or its database or disk is unavailable.", nil, nil)

// Describe implements prometheus.Collector.
func (readiness) Describe(ch chan<- *prometheus.Desc) { ch <- readyDesc }

// Collect implements prometheus.Collector.
func (r readiness) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectLimit)
	defer cancel()
	ready := 0.0
	if r(ctx) == nil {
		ready = 1
	}
	ch <- prometheus.MustNewConstMetric(readyDesc, prometheus.GaugeValue, ready)
}

// Handler serves the metrics in Prometheus' format. What cannot be collected is left
// out: the others matter most while the database is away.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// collectLimit bounds what a collector waits for.
const collectLimit = 2 * time.Second

func (m *Metrics) request(method, route string, status int, d time.Duration) {
	m.requests.WithLabelValues(methodLabel(method), route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(d.Seconds())
}

// methodLabel is the method, or "other" for one that HTTP does not know:
// otherwise clients could make up any number of series.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}

// documentStates collects the documents by state at each scrape.
type documentStates struct{ documents Ingestion }

var documentsDesc = prometheus.NewDesc("footnote_documents", "Documents by state of ingestion.", []string{"status"}, nil)

func (d documentStates) Describe(ch chan<- *prometheus.Desc) { ch <- documentsDesc }

func (d documentStates) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectLimit)
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
