package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestUnknownNamesAndArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-only=caddy"}, {"-phases=json"}, {"-rounds=0"}, {"-requests=0"}, {"more"}, {"-unknown"}} {
		if err := runCommand(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v passes", args)
		}
	}
}

// tampering answers as the scripted upstream would, but for one byte.
func tampering(t *testing.T, at int) string {
	t.Helper()
	body := jsonReply()
	body[at] ^= 1
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestTheLoadCountsNoWrongAnswer(t *testing.T) {
	g, err := newGenerator(load{addr: tampering(t, 400), kind: kindJSON, size: smallTalk, concurrency: 4, documents: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	result := g.run(10)
	if result.answers != 0 || len(result.failures) != maxFailures+1 || !strings.Contains(result.failures[0], "from byte 400 on") {
		t.Errorf("%+v", result)
	}
}

func TestRequestsAreSharedByAllConnections(t *testing.T) {
	for _, p := range phases {
		for _, n := range []int{1, 100, 8000} {
			if got := p.requests(n); got < p.concurrency || got%p.concurrency != 0 {
				t.Errorf("%s: %d requests on %d connections", p.name, got, p.concurrency)
			}
		}
	}
}
