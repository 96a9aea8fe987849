package upstream

import (
	"testing"
	"time"
)

func TestTheLimitsAreThoseThatTheReadmeNames(t *testing.T) {
	h := client(t, "http://model.test/v1", nil)
	if h.timeouts != (Timeouts{FirstToken: 120 * time.Second, Idle: 120 * time.Second, Total: 600 * time.Second, Models: 5 * time.Second, Queue: time.Second, Tail: 250 * time.Millisecond}) {
		t.Errorf("%+v", h.timeouts)
	}
	if tr := NewTransport(0, 0); tr.TLSHandshakeTimeout != 10*time.Second || defaultDial != 5*time.Second {
		t.Errorf("TLS %v, dial %v", tr.TLSHandshakeTimeout, defaultDial)
	}
}
