package proxy_test

import (
	"net/http"
	"testing"
)

func TestMonitorsMayAskWithHEAD(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1"})
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		req, err := http.NewRequest("HEAD", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, body := f.send(req); resp.StatusCode != 200 || len(body) != 0 {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	f.server.Drain()
	req, err := http.NewRequest("HEAD", "/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, _ := f.send(req); resp.StatusCode != 503 {
		t.Errorf("while draining: %d", resp.StatusCode)
	}
}
