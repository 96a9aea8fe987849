package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// The whole program, wired as people run it: whatever a model server does, its
// key and address are in no answer, and its key in no line of the log.
func TestTheUpstreamsKeyStaysInside(t *testing.T) {
	const key = "canary.Key~of/the=upstream"
	const good = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
	far := modelServer(t)
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
		// In one piece: what comes later might meet the next request on the connection.
		{"it says more than it should", upstreamtest.Raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s", len(good), good, key)).Then(upstreamtest.Hangs()), 200, ""},
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

func TestTheServerSaysWhatItFindsAtItsUpstream(t *testing.T) {
	t.Parallel()
	const answer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"at the right address"},"finish_reason":"stop"}]}`
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"id":"llama3.2:latest","owned_by":"library"},{"id":"qwen3:8b","owned_by":"library"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	mux.HandleFunc("POST /team/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(answer, "right address", "team's address", 1))
	})
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(far.Close)
	for _, c := range []struct {
		path, model, says, answers string
		status                     int
	}{
		{"/v1", "llama3.2", `"found":"Ollama, 2 models: llama3.2:latest, qwen3:8b"`, "at the right address", 200},
		{"", "llama3.2", far.URL + "/v1", "at the right address", 200},
		{"/v1", "gpt-4o", `does not list the model of FOOTNOTE_UPSTREAM_MODEL","model":"gpt-4o"`, "at the right address", 200},
		{"/v1", "", "Set FOOTNOTE_UPSTREAM_MODEL to one of its models", "FOOTNOTE_UPSTREAM_MODEL", 503},
		{"/team", "llama3.2", "Write that, and start again", "at the team's address", 200},
		{"/v7", "llama3.2", far.URL + "/v1", "The model server answered 404", 404},
	} {
		p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+far.URL+c.path, "FOOTNOTE_UPSTREAM_MODEL="+c.model)
		eventually(t, "the log says "+c.says, func() bool { return strings.Contains(p.stderr.String(), c.says) })
		if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Plain", "slug": "plain"}, nil); status != 201 {
			t.Fatal(status)
		}
		var body json.RawMessage
		status := p.json("POST", "/v1/chat/completions", map[string]any{"model": "plain", "messages": []any{map[string]string{"role": "user", "content": "hi"}}}, &body)
		if status != c.status || !strings.Contains(string(body), c.answers) {
			t.Errorf("%q with model %q: %d %s", c.path, c.model, status, body)
		}
		p.kill()
	}
}
