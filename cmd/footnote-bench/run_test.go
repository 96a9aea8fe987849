package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run in miniature: every process, every kind of proxy of ours, right
// answers, and a report that names what was left out.
func TestAMiniatureRunWritesItsReport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.md")
	var out bytes.Buffer
	err := runCommand(t.Context(), []string{
		"-rounds=2", "-requests=128", "-only=direct,reverseproxy,footnote,decoding,serve", "-footnote=" + filepath.Join(dir, "none"),
		"-phases=json-1k,json-22k,stream-1k,stream-alone", "-profile=" + dir, "-out=" + file,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil || string(written) != out.String() {
		t.Error("the file is not what was printed", err)
	}
	for _, want := range []string{
		"| httputil.ReverseProxy ", "| Footnote, retrieval stubbed ", "(1.00×)", "footnote serve, real retrieval is not installed",
		"P1: JSON, 1 KB: CPU against ReverseProxy", "not measured",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for _, name := range []string{"json-1k-1.prof", "stream-1k-2.prof", "allocs.prof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Error("no profile", name, err)
		}
	}
}

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
	g, err := newGenerator(load{Addr: tampering(t, 400), Size: smallTalk, Concurrency: 4, Requests: 40, Verify: verifyVerbatim, Expect: kindJSON})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	result := g.run(10)
	if result.Answers != 0 || len(result.Failures) != maxFailures+1 || !strings.Contains(result.Failures[0], "from byte 400 on") {
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
