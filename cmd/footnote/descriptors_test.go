//go:build unix

package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// L11: a server that runs out of descriptors refuses chats, not operators.
func TestAServerAtItsDescriptorLimitStillAnswersItsOperators(t *testing.T) {
	next := make(chan struct{})
	up := modelServer(t, upstreamtest.Stream().Then(upstreamtest.Event(drainChunk), upstreamtest.Wait(next), upstreamtest.Event(drainStop), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	p := launch(t, exec.Command("sh", "-c", `ulimit -n 200 && exec "$0" "$@"`, binary, "serve", "--data-dir", t.TempDir()),
		"FOOTNOTE_UPSTREAM_URL="+up.URL(), "FOOTNOTE_PASSTHROUGH=true")
	eventually(t, "readyz says ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	var bodies []io.ReadCloser
	var readers []*bufio.Reader
	for {
		resp := chat(t, p.url, true)
		if resp.StatusCode != 200 {
			if body := rest(t, resp, resp.Body); resp.StatusCode != 503 || !strings.Contains(body, "overloaded") || resp.Header.Get("Retry-After") != "1" {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			break
		}
		r := bufio.NewReader(resp.Body)
		if line, err := r.ReadString('\n'); err != nil || line != "data: "+drainChunk+"\n" {
			t.Fatal(line, err)
		}
		bodies, readers = append(bodies, resp.Body), append(readers, r)
		if len(bodies) > 200 {
			t.Fatal("more streams than descriptors")
		}
	}
	if len(bodies) < 60 {
		t.Errorf("only %d streams at 200 descriptors", len(bodies))
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/v1.0/assistants", "/v1.0/status"} {
		if status := p.request("GET", path, "", nil, nil); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if up.Count() != len(bodies) {
		t.Errorf("%d requests upstream for %d streams", up.Count(), len(bodies))
	}
	close(next)
	for i, r := range readers {
		got, err := io.ReadAll(r)
		if err != nil || string(got) != "\ndata: "+drainStop+"\n\ndata: [DONE]\n\n" {
			t.Errorf("stream %d goes on with %q %v", i, got, err)
		}
		_ = bodies[i].Close()
	}
	if strings.Contains(p.stderr.String(), "too many open files") {
		t.Errorf("it ran out of descriptors all the same:\n%s", p.stderr)
	}
}
