package search

import (
	"context"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// newEvent begins what the audit log says of a search.
func newEvent(c *gin.Context, caller access.Principal) assistants.AuditEvent {
	return assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: caller.Tenant, CreatedAt: time.Now(), Action: assistants.AuditSearch,
		Key: caller.Key.ID, KeyName: caller.Key.Name, Address: c.ClientIP(), RequestID: requestIDOf(c),
	}
}

// record notes a search that has ended in the audit log, the log and the metrics.
func (j *job) record(ctx context.Context, route string, err error) {
	e := &j.event
	e.Status, e.Took = 200, time.Since(e.CreatedAt)
	switch {
	case ctx.Err() != nil && err != nil:
		e.Status = apierr.StatusClientClosed
	case err != nil:
		e.Status, e.Code = apierr.StatusAndCode(err)
	}
	if j.deps.Audit != nil {
		j.deps.Audit.Record(*e)
	}
	j.deps.Metrics.searched(route, e.Status, e.Took)
	if err != nil {
		return // the access log has it
	}
	j.deps.Log.Info("search_completed", "request_id", e.RequestID, "route", route, "query_length", utf8.RuneCountInString(j.in.query),
		"kb_count", len(e.Collections), "result_count", e.Results, "citation_count", j.cited, "confidence", j.certainty,
		"latency_ms", e.Took.Milliseconds(), "cached", j.cached)
}

// Metrics count what happens in searches.
type Metrics struct {
	searches   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	answers    *prometheus.HistogramVec
	cited      *prometheus.CounterVec
	confidence prometheus.Histogram
	upstreams  func(status int)
}

// NewMetrics returns metrics that are shown by r. upstream counts the answers of model
// servers by status.
func NewMetrics(r prometheus.Registerer, seconds []float64, upstream func(status int)) *Metrics {
	m := &Metrics{
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "searches_total",
			Help: "Searches by route and status."}, []string{"route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: "search_duration_seconds",
			Help: "Whole searches, with their answers.", Buckets: seconds}, []string{"route"}),
		answers: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "footnote", Name: "search_synthesis_seconds",
			Help: "Making the answers of searches, by whether it succeeded.", Buckets: seconds}, []string{"ok"}),
		cited: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "footnote", Name: "search_answers_total",
			Help: "Answers to searches by what they cite: cited, none, or error when their citations cannot be relied on."}, []string{"citations"}),
		confidence: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "footnote", Name: "search_confidence",
			Help: "Confidence of the answers to searches.", Buckets: []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}}),
		upstreams: upstream,
	}
	r.MustRegister(m.searches, m.durations, m.answers, m.cited, m.confidence)
	return m
}

func (m *Metrics) searched(route string, status int, d time.Duration) {
	m.searches.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(d.Seconds())
}

func (m *Metrics) synthesized(d time.Duration, err error) {
	m.answers.WithLabelValues(strconv.FormatBool(err == nil)).Observe(d.Seconds())
}

// answered counts an answer, whose citations cannot be relied on if there is a fault.
func (m *Metrics) answered(a *Answer, fault error) {
	outcome := "cited"
	switch {
	case fault != nil:
		outcome = "error"
	case len(a.Citations) == 0:
		outcome = "none"
	}
	m.cited.WithLabelValues(outcome).Inc()
	m.confidence.Observe(a.Confidence)
}

func (m *Metrics) upstream(status int) { m.upstreams(status) }
