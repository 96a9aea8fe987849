package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

const okAnswer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`

const plainRequest = `{"model":"support","messages":[{"role":"user","content":"hi"}]}`

func TestWhoMayChat(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil)})
	searchOnly := f.keys.add(func(k *assistants.Key) { k.Scopes = []assistants.Scope{assistants.ScopeSearch} })
	foreign := f.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_other"} })
	bound := f.keys.add(func(k *assistants.Key) {
		k.Assistants, k.DefaultAssistant = []assistants.AssistantID{assistantID}, assistantID
	})
	for _, c := range []struct {
		name, auth, body string
		status           int
		says             string
	}{
		{"admin", "Bearer " + adminKey, plainRequest, 200, "ok"},
		{"bound key", "Bearer " + bound, plainRequest, 200, "ok"},
		{"default assistant", "Bearer " + bound, strings.Replace(plainRequest, "support", "gpt-x", 1), 200, "ok"},
		{"search key", "Bearer " + searchOnly, plainRequest, 403, "permission_denied"},
		{"foreign key", "Bearer " + foreign, plainRequest, 404, "model_not_found"},
		{"no such model", "Bearer " + foreign, strings.Replace(plainRequest, "support", "suppory", 1), 404, "model_not_found"},
		{"unknown key", "Bearer fn-000000000000000000000000000000000000", plainRequest, 401, "invalid_api_key"},
		{"any bearer", "Bearer sk-whatever", plainRequest, 401, "invalid_api_key"},
	} {
		req := chatRequest(t, c.body)
		req.Header.Set("Authorization", c.auth)
		resp, body := f.send(req)
		if resp.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s: %d %s", c.name, resp.StatusCode, body)
		}
		if resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request id", c.name)
		}
	}
	if up.Count() != 3 {
		t.Errorf("the upstream was called %d times", up.Count())
	}
}

func TestPublicAssistantsAnswerWithoutAKeyUpToALimit(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"public_access":true}`))})
	send := func(auth string) (*http.Response, string) {
		req := chatRequest(t, plainRequest)
		req.Header.Set("Authorization", auth)
		resp, body := f.send(req)
		return resp, string(body)
	}
	if resp, body := send("Bearer fn-000000000000000000000000000000000000"); resp.StatusCode != 401 {
		t.Errorf("a wrong key of ours: %d %s", resp.StatusCode, body)
	}
	for range 5 {
		if resp, body := send("Bearer any"); resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	resp, body := send("Bearer any")
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "rate_limit_exceeded") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := send("Bearer " + adminKey); resp.StatusCode != 200 {
		t.Error("a key is limited by the public's rate")
	}
	other := f.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_other"} })
	if resp, _ := send("Bearer " + other); resp.StatusCode != 200 {
		t.Error("a key may do less than no key")
	}
}

func TestPassthroughIsOffUnlessAskedFor(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	other := strings.Replace(plainRequest, "support", "gpt-x", 1)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), passthrough: true})
	if resp, body := f.send(chatRequest(t, other)); resp.StatusCode != 200 || string(body) != okAnswer || string(up.Last().Body) != other {
		t.Errorf("%d %s\n%s", resp.StatusCode, body, up.Last().Body)
	}
	bound := f.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistantID} })
	req := chatRequest(t, other)
	req.Header.Set("Authorization", "Bearer "+bound)
	if resp, _ := f.send(req); resp.StatusCode != 404 {
		t.Error("a bound key reaches the upstream past its assistants", resp.StatusCode)
	}
}

func TestModelsListWhatTheKeyMaySee(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(`{"object":"list","data":[{"id":"org/big","object":"model","created":7,"owned_by":"org"}]}`))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), passthrough: true})
	foreign := f.keys.add(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{"asst_other"} })
	get := func(path, key string) string {
		req, err := http.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		_, body := f.send(req)
		return string(body)
	}
	if got := get("/v1/models", adminKey); got != `{"data":[{"id":"support","object":"model","created":1767225600,"owned_by":"footnote"},{"id":"org/big","object":"model","created":7,"owned_by":"org"}],"object":"list"}` {
		t.Error(got)
	}
	if got := get("/v1/models", foreign); got != `{"data":[],"object":"list"}` {
		t.Error(got)
	}
	if got := get("/v1/models/org/big", adminKey); !strings.Contains(got, `"owned_by":"org"`) {
		t.Error(got)
	}
	if got := get("/v1/models/org%2Fbig", adminKey); !strings.Contains(got, `"owned_by":"org"`) {
		t.Error(got)
	}
	if got := get("/v1/models/support", foreign); !strings.Contains(got, "model_not_found") {
		t.Error(got)
	}
	if got := get("/assistants/support/v1/models/support", adminKey); !strings.Contains(got, `"id":"support"`) {
		t.Error(got)
	}
	if got := get("/v1/models", "none-of-ours"); !strings.Contains(got, "invalid_api_key") {
		t.Error(got)
	}
}

func TestAModelHasTheTitleOfItsAssistant(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"title":"Ask HR"}`))})
	for _, path := range []string{"/v1/models", "/v1/models/support", "/assistants/support/v1/models"} {
		req, err := http.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, body := f.send(req); !strings.Contains(string(body), `"title":"Ask HR"`) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestEveryRouteButHealthNeedsAKey(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil)})
	open := []string{"/healthz", "/readyz", "/metrics", "/v1.0/openapi.json", "/v1.0/docs"}
	for _, route := range f.server.Routes() {
		req, err := http.NewRequest(route.Method, strings.NewReplacer(":assistant", "support", "*id", "support").Replace(route.Path), strings.NewReader(plainRequest))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer fn-000000000000000000000000000000000000")
		resp, body := f.send(req)
		if want := slices.Contains(open, route.Path); (resp.StatusCode == 401) == want {
			t.Errorf("%s %s: %d %s", route.Method, route.Path, resp.StatusCode, body)
		}
	}
}

func TestWrongPathsAreJSON404AndNeverRedirects(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil)})
	for path, status := range map[string]int{
		"/v1/chat/completions/": 404, "//v1/chat/completions": 404, "/V1/chat/completions": 404, "/v1/nothing": 404, "/": 404,
		"/healthz": 405, "/v1/chat/completions?key=x": 400,
	} {
		req := chatRequest(t, plainRequest)
		req.URL.Opaque = path
		resp, body := f.send(req)
		if resp.StatusCode != status || !strings.Contains(string(body), `"error"`) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
}

func TestBodiesAreBoundedAndTyped(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil)})
	for name, c := range map[string]struct {
		contentType, encoding, body string
		status                      int
	}{
		"too large":    {"application/json", "", strings.Repeat(" ", 1<<20+1), 413},
		"form":         {"application/x-www-form-urlencoded", "", plainRequest, 415},
		"no type":      {"", "", plainRequest, 415},
		"utf-16":       {"application/json; charset=utf-16", "", plainRequest, 415},
		"compressed":   {"application/json", "gzip", plainRequest, 415},
		"empty":        {"application/json", "", "", 400},
		"two bodies":   {"application/json", "", plainRequest + plainRequest, 400},
		"no messages":  {"application/json", "", `{"model":"support"}`, 400},
		"refused dial": {"application/json; charset=UTF-8", "", plainRequest, 502},
	} {
		req := chatRequest(t, c.body)
		req.Header.Set("Content-Type", c.contentType)
		if c.contentType == "" {
			req.Header.Del("Content-Type")
		}
		if c.encoding != "" {
			req.Header.Set("Content-Encoding", c.encoding)
		}
		resp, body := f.send(req)
		if resp.StatusCode != c.status || !strings.Contains(string(body), `"code"`) || strings.Contains(string(body), "127.0.0.1") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}
