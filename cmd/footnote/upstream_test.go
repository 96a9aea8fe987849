package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// The whole program, wired as people run it: whatever a model server does, its
// key and address are in no answer, and its key in no line of the log.
func TestTheUpstreamsKeyStaysInside(t *testing.T) {
	const key = "canary.Key~of/the=upstream"
	const good = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
	far := upstreamtest.New(t)
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_API_KEY="+key, "FOOTNOTE_PASSTHROUGH=true")
	ask := func(stream string) (int, string) {
		t.Helper()
		req, err := http.NewRequest("POST", p.url+"/v1/chat/completions", strings.NewReader(`{"model":"m","stream":`+stream+`,"messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+testAdminKey)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	for _, c := range []struct {
		name   string
		script upstreamtest.Script
		status int
		code   string
	}{
		{"it refuses the key", upstreamtest.Status(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), 502, "upstream_auth_failed"},
		{"it reports the key", upstreamtest.JSON(`{"error":{"message":"at ` + far.Addr() + ` with ` + key + `"}}`), 502, "upstream_error"},
		{"it speaks no HTTP", upstreamtest.Raw(key + "\r\n\r\n").Then(upstreamtest.Closes()), 502, "upstream_invalid_response"},
		{"its headers are none", upstreamtest.Raw("HTTP/1.1 200 OK\r\n" + key + "\r\n\r\n").Then(upstreamtest.Closes()), 502, "upstream_invalid_response"},
		{"it resets", upstreamtest.Reset(), 502, "upstream_invalid_response"},
		{"it says more than it should", upstreamtest.JSON(good).Then(upstreamtest.Bytes(key), upstreamtest.Hangs()), 200, ""},
	} {
		for _, stream := range []string{"false", "true"} {
			far.Play(c.script)
			status, body := ask(stream)
			if status != c.status || !strings.Contains(body, c.code) || strings.Contains(body, key) || strings.Contains(body, far.Addr()) {
				t.Errorf("%s (stream %s): %d %s", c.name, stream, status, body)
			}
		}
	}
	far.Close()
	if status, body := ask("true"); status != 502 || !strings.Contains(body, "upstream_connect_failed") || strings.Contains(body, far.Addr()) {
		t.Errorf("nobody listens: %d %s", status, body)
	}
	p.kill()
	if log := p.stdout.String() + p.stderr.String(); strings.Contains(log, key) {
		t.Errorf("the key is in the log:\n%s", log)
	}
}
