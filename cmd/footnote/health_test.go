package main

import (
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// TestHealthSaysWhetherTheServerIsReady asks a server that listens on all
// addresses, as in a container, while it is ready, drains and is gone. A proxy in
// the environment is not asked.
func TestHealthSaysWhetherTheServerIsReady(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil, "FOOTNOTE_ADDR=0.0.0.0:0")
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is ready", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
	for _, addr := range []string{"0.0.0.0:" + at.Port(), ":" + at.Port(), "127.0.0.1:" + at.Port()} {
		stdout, stderr, code := runIn(t, dir, []string{"FOOTNOTE_ADDR=" + addr, "HTTP_PROXY=http://127.0.0.1:9"}, "health")
		if code != 0 || stdout != "ready\n" || stderr != "" {
			t.Errorf("%s: %d %s%s", addr, code, stdout, stderr)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it drains", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 503 })
	if _, stderr, code := run(t, dir, "health", "--addr", ":"+at.Port()); code != 1 || !strings.Contains(stderr, "not ready") {
		t.Errorf("%d %s", code, stderr)
	}
	if code := p.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
	if _, stderr, code := run(t, dir, "health", "--addr", ":"+at.Port()); code != 1 || !strings.Contains(stderr, "does not answer") {
		t.Errorf("%d %s", code, stderr)
	}
}
