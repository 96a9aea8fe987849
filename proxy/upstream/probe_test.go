package upstream

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// modelsAt is a model server that has its models at some paths.
func modelsAt(t *testing.T, list string, paths ...string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for _, path := range paths {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(list)) })
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestAProbeFindsWhereTheModelsAre(t *testing.T) {
	const list = `{"data":[{"id":"llama3.2:latest","owned_by":"library"},{"id":"qwen3:8b","owned_by":"library"}]}`
	for _, c := range []struct{ given, models, want string }{
		{"/v1", "/v1/models", ""},
		{"", "/models", ""},
		{"", "/v1/models", "/v1"},
		{"/", "/v1/models", "/v1"},
		{"/api", "/v1/models", "/v1"},
		{"/api", "/api/v1/models", "/api/v1"},
		{"/chat/completions", "/v1/models", "/v1"},
		{"?api-version=1", "/v1/models", "/v1?api-version=1"},
	} {
		s := modelsAt(t, list, c.models)
		got, err := client(t, s.URL+c.given, nil).Probe(t.Context())
		if err != nil || strings.TrimPrefix(got.BaseURL, s.URL) != c.want || got.String() != "Ollama, 2 models: llama3.2:latest, qwen3:8b" {
			t.Errorf("%q with models at %q: %v %+v", c.given, c.models, err, got)
		}
		if !got.Lists("llama3.2") || !got.Lists("qwen3:8b") || got.Lists("qwen3") || got.Lists("") {
			t.Errorf("%v lists the wrong models", got)
		}
	}
	s := modelsAt(t, `{"error":"Unexpected endpoint or method. (GET /models)"}`, "/models")
	_, err := client(t, s.URL, nil).Probe(t.Context())
	wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
	s = modelsAt(t, `{"object":"list","data":null}`, "/v1/models") // Ollama without models
	if got, err := client(t, s.URL, nil).Probe(t.Context()); err != nil || got.BaseURL != s.URL+"/v1" || got.String() != "no models" {
		t.Errorf("a server without models: %v %+v", err, got)
	}
	s = modelsAt(t, list, "/v2/models")
	_, err = client(t, s.URL, nil).Probe(t.Context())
	wantError(t, err, CodeReported, http.StatusBadGateway)
}

// LM Studio answers 200 at every path.
func TestAProbeIsNotSatisfiedWithAnAnswerThatIsNoList(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`)) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"error":"Unexpected endpoint or method. (GET /models)"}`))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	if got, err := client(t, s.URL, nil).Probe(t.Context()); err != nil || got.BaseURL != s.URL+"/v1" {
		t.Errorf("%v %+v", err, got)
	}
}

func TestAFindingCompletesABaseURL(t *testing.T) {
	const host = "http://h"
	for _, c := range []struct {
		given, found string
		want         bool
	}{
		{"", "/v1", true},
		{"/", "/v1", true},
		{"/chat/completions", "/v1", true},
		{"/api", "/v1", true},
		{"/api/", "/v1", true},
		{"/api", "/api/v1", true},
		{"/team", "/team/v1", true},
		{"?api-version=1", "/v1?api-version=1", true},
		{"/team", "/v1", false},
		{"/team/api", "/v1", false},
		{"/v7", "/v1", false},
	} {
		if got := (Finding{BaseURL: host + c.found}).Completes(host + c.given); got != c.want {
			t.Errorf("%q and %q: %v", c.given, c.found, got)
		}
	}
	if (Finding{}).Completes(host) {
		t.Error("nothing was found")
	}
}

func TestAFindingIsALineOfText(t *testing.T) {
	for want, f := range map[string]Finding{
		"no models":                          {},
		"1 model: m":                         {Models: []Model{{ID: "m"}}},
		"vLLM, 1 model: a b":                 {Models: []Model{{ID: "a\n\x1b b", OwnedBy: "vllm"}}},
		"7 models: a, b, c, d, e and 2 more": {Models: []Model{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}, {ID: "e"}, {ID: "f"}, {ID: "g"}}},
		"1 model: " + strings.Repeat("x", 80) + "…": {Models: []Model{{ID: strings.Repeat("x", 1000)}}},
	} {
		if got := f.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBaseURLsWithoutAVersion(t *testing.T) {
	for base, lacks := range map[string]bool{
		"http://h": true, "http://h/": true, "http://h/api": true, "http://h/chat/completions": true, "http://h/openai/deployments/gpt": true,
		"http://h/v1": false, "http://h/v1/": false, "http://h/api/v3": false, "https://g/v1beta/openai": false, "http://h/v1/chat/completions": false, "": false,
	} {
		if LacksVersion(base) != lacks {
			t.Errorf("%q", base)
		}
	}
}
