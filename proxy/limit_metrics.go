package proxy

import (
	"github.com/prometheus/client_golang/prometheus"

	"footnote/proxy/access"
)

// limitMetrics collects what the limits do, at each scrape. Keys and assistants are
// not told apart: they would be too many series.
type limitMetrics struct{ limits *access.Limits }

var (
	refusalsDesc = prometheus.NewDesc("footnote_limit_refusals_total", "Requests refused with 429, by whose limit was reached and which.", []string{"of", "limit"}, nil)
	streamsDesc  = prometheus.NewDesc("footnote_limit_streams", "Streams that are open and count against limits.", nil, nil)
)

// Describe implements prometheus.Collector.
func (limitMetrics) Describe(ch chan<- *prometheus.Desc) { ch <- refusalsDesc; ch <- streamsDesc }

// Collect implements prometheus.Collector.
func (m limitMetrics) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(streamsDesc, prometheus.GaugeValue, float64(m.limits.Streams()))
	for kind, n := range m.limits.Refused() {
		ch <- prometheus.MustNewConstMetric(refusalsDesc, prometheus.CounterValue, float64(n), kind.Of, string(kind.Limit))
	}
}
