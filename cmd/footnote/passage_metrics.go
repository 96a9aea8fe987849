package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"footnote/storage/db"
)

// passageMetrics shows how well the passages in memory serve.
type passageMetrics struct{ stats func() db.PassageStats }

var (
	passagesDesc      = prometheus.NewDesc("footnote_passage_cache_passages", "Passages that are kept in memory.", nil, nil)
	passageBytesDesc  = prometheus.NewDesc("footnote_passage_cache_bytes", "Memory of the passages that are kept, an estimate.", nil, nil)
	passageLimitDesc  = prometheus.NewDesc("footnote_passage_cache_limit_bytes", "Memory that they may take: passage_cache_bytes.", nil, nil)
	passageHitsDesc   = prometheus.NewDesc("footnote_passage_cache_hits_total", "Passages of answers that were in memory.", nil, nil)
	passageMissesDesc = prometheus.NewDesc("footnote_passage_cache_misses_total", "Passages of answers that were read from the database.", nil, nil)
)

// Describe implements prometheus.Collector.
func (passageMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{passagesDesc, passageBytesDesc, passageLimitDesc, passageHitsDesc, passageMissesDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (m passageMetrics) Collect(ch chan<- prometheus.Metric) {
	s := m.stats()
	ch <- prometheus.MustNewConstMetric(passagesDesc, prometheus.GaugeValue, float64(s.Passages))
	ch <- prometheus.MustNewConstMetric(passageBytesDesc, prometheus.GaugeValue, float64(s.Bytes))
	ch <- prometheus.MustNewConstMetric(passageLimitDesc, prometheus.GaugeValue, float64(s.Limit))
	ch <- prometheus.MustNewConstMetric(passageHitsDesc, prometheus.CounterValue, float64(s.Hits))
	ch <- prometheus.MustNewConstMetric(passageMissesDesc, prometheus.CounterValue, float64(s.Misses))
}
