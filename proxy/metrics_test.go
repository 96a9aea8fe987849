package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestMetricsTellWhatWasMendedInTheIndex(t *testing.T) {
	m := NewMetrics(nil)
	m.registry.Unregister(documentStates{})
	m.CountRepairs(func() map[string]int64 { return map[string]int64{"vectors_missing": 3, "document_unknown": 0} })
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{`footnote_index_repairs_total{kind="vectors_missing"} 3`, `footnote_index_repairs_total{kind="document_unknown"} 0`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in %s", want, w.Body)
		}
	}
}

// lostDatabase cannot count documents.
type lostDatabase struct{}

func (lostDatabase) CountDocuments(context.Context, assistants.TenantID) (map[assistants.Status]int, error) {
	return nil, errors.New("the database is away")
}

// The metrics are needed most while something is broken.
func TestMetricsAreShownWhileTheDatabaseIsAway(t *testing.T) {
	m := NewMetrics(lostDatabase{})
	m.Show(readiness(func(context.Context) error { return errors.New("the database is away") }))
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "footnote_ready 0\n") || strings.Contains(w.Body.String(), "footnote_documents{") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
