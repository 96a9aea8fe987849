package proxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
