package proxy_test

import (
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

func TestPathsThatAreNearlyRightLeadNowhere(t *testing.T) {
	c := newClients(t, fixture{anonymous: 1000})
	const code = "not_found"
	var table []badRequest
	for _, path := range []string{
		chatPath + "/", "//v1/chat/completions", "/v1//chat/completions", "/V1/chat/completions", "/v1/Chat/Completions",
		"/v1%2fchat%2fcompletions", "/v1/chat%2Fcompletions", "/v1/%63hat/completions", "/v1/chat/completions%20", "/v1/chat/completions%00",
		"/v1/./chat/completions", "/v1/x/../chat/completions", "/v1/%2e%2e/v1/chat/completions", "/v1/chat/completions;a=b", "/v1/chat/completions.json",
		"/v1/chat\\completions", "/v1", "/", "/chat/completions", "/openai/v1/chat/completions", "/api/v1/chat/completions", "/v1/engines/x/completions",
		"/assistants//v1/chat/completions", "/assistants/support/v1/chat/completions/", "/assistants/support/chat/completions", "/assistants/support%2fv1/chat/completions",
		"/v1/embeddings/", "/v1/completions", "/responses", "/v1/responses/", "/v1/images/generations", "/v1/audio/speech", "/v1/files", "/v1/threads",
	} {
		table = append(table, badRequest{"C-032 C-033 " + path, post(path, plainRequest), 404, code, ""})
	}
	c.refuses(t, append(table,
		badRequest{"C-033 a model that is none", request("GET", "/v1/models/nope", ""), 404, "model_not_found", "model"},
		badRequest{"C-033 a model with dots", request("GET", "/v1/models/../../etc/passwd", ""), 404, "model_not_found", "model"},
		badRequest{"C-033 models behind a slash", request("GET", "/v1/models/", ""), 404, code, ""},
		badRequest{"C-033 models in capitals", request("GET", "/v1/MODELS", ""), 404, code, ""},
	))
}

// C-032: walk the router. No variant of any path is served without a key, and
// none is answered with a redirect, which would drop the body.
func TestNoVariantOfAPathIsServedWithoutAKey(t *testing.T) {
	c := newClients(t, fixture{anonymous: 10_000})
	open := map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true, "/v1.0/openapi.json": true, "/v1.0/docs": true}
	for _, route := range c.server.Routes() {
		if open[route.Path] {
			continue
		}
		path := strings.NewReplacer(":assistant", "support", "*id", "support").Replace(route.Path)
		last := strings.LastIndexByte(path, '/')
		for _, variant := range []string{
			path, path + "/", "/" + path, strings.ToUpper(path), strings.ReplaceAll(path, "/", "//"), strings.Replace(path[1:], "/", "%2f", 1),
			path[:last] + "%2f" + path[last+1:], path[:last] + "/./" + path[last+1:], path[:last] + "/x/../" + path[last+1:], path[:last] + "/%2e%2e" + path[last:],
			path + "?key=" + adminKey, path + ";x", path + "%00", path + "%20", path + "#x", path + "/..", "/healthz/.." + path, "/healthz/%2e%2e" + path, "/healthz;" + path,
			"http://evil.test" + path, "*",
		} {
			for _, method := range []string{route.Method, "HEAD", "OPTIONS", "GET", "POST"} {
				if !strings.HasPrefix(variant, "/") && !strings.HasPrefix(variant, "http") && variant != "*" {
					variant = "/" + variant
				}
				a := c.exchange(t, request(method, variant, plainRequest, "-Authorization"))
				if a.Response == nil || a.StatusCode < 400 || a.Header.Get("Location") != "" {
					t.Errorf("C-032 %s %s: %+v", method, variant, a)
				}
			}
		}
	}
	if c.up.Count() != 0 {
		t.Errorf("%d requests reached the upstream", c.up.Count())
	}
	c.settle(t)
}

// C-034: nothing that a client says about hosts and paths changes whom it talks to.
func TestHostsAndPathsInHeadersHaveNoEffect(t *testing.T) {
	c := newClients(t, fixture{})
	c.accepts(t, []goodRequest{
		{"C-034 another Host", post(chatPath, plainRequest, "Host: evil.test"), upstreamBody},
		{"C-034 an address of the upstream's kind", post("http://169.254.169.254"+chatPath, plainRequest), upstreamBody},
		{"C-034 X-Forwarded-*", post(chatPath, plainRequest, "X-Forwarded-Host: evil.test", "X-Forwarded-Proto: https", "X-Forwarded-Prefix: /evil", "Forwarded: host=evil.test"), upstreamBody},
		{"C-034 X-Original-URL", post(chatPath, plainRequest, "X-Original-URL: /v1.0/keys", "X-Rewrite-URL: /v1.0/keys", "X-HTTP-Method-Override: DELETE"), upstreamBody},
		{"C-034 headers that name an upstream", post(chatPath, plainRequest, "X-Portkey-Custom-Host: http://evil.test", "X-Api-Base: http://evil.test", "Openai-Organization: evil"), upstreamBody},
		{"C-034 an absolute request line", post("https://user:pass@evil.test:99"+chatPath, plainRequest), upstreamBody},
	})
	for _, r := range c.up.Requests() {
		if r.Host != c.up.Addr() || r.Path != chatPath || r.Header.Get("Authorization") != "Bearer sk-upstream" || strings.Contains(headerText(r.Header), "evil") {
			t.Errorf("the upstream got %+v", r)
		}
	}
	c.refuses(t, []badRequest{
		{"C-034 X-Original-URL leads out of nowhere", post("/nowhere", plainRequest, "X-Original-URL: "+chatPath), 404, "not_found", ""},
		{"C-034 a Host that is no name", post(chatPath, plainRequest, "Host: a/b"), 400, "invalid_value", ""},
	})
}

// A client with a wrong base URL is told the right path.
func TestWrongPathsNameTheRightOne(t *testing.T) {
	c := newClients(t, fixture{})
	for path, want := range map[string]string{
		"/":                                     "followed by /v1.",
		"/chat/completions":                     "It lacks /v1: use /v1/chat/completions,",
		"/models":                               "It lacks /v1: use /v1/models,",
		"/api/embeddings":                       "It lacks /v1: use /v1/embeddings,",
		"/v1/v1/chat/completions":               "It has /v1 twice: use /v1/chat/completions,",
		"/v1/chat/completions/":                 "Use /v1/chat/completions,",
		"/openai/v1/chat/completions":           "Use /v1/chat/completions,",
		"/v1/chat/completions/chat/completions": "Use /v1/chat/completions,",
		"/assistants/support/chat/completions":  "It lacks /v1: use /assistants/support/v1/chat/completions,",
		"/assistants/support/v1/v1/models":      "It has /v1 twice: use /assistants/support/v1/models,",
		"/responses":                            "It lacks /v1: use /v1/responses,",
		"/v1/responses/":                        "Use /v1/responses,",
		"/v1/completions":                       "Completions of a bare prompt are not supported",
		"/completions":                          "Completions of a bare prompt are not supported",
		"/assistants/support/responses":         "It lacks /v1: use /assistants/support/v1/responses,",
		"/v1/files":                             "There is no such path.\"",
		"/nowhere":                              "There is no such path.\"",
	} {
		got := c.exchange(t, post(path, plainRequest))
		if got.StatusCode != 404 || !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	if got := c.exchange(t, post(chatPath, plainRequest, "Authorization: Bearer fn-wrong")); !strings.Contains(string(got.body), `"Incorrect API key provided`) {
		t.Errorf("a wrong key: %s", got.body)
	}
}

func headerText(h map[string][]string) string {
	var b strings.Builder
	for name, values := range h {
		b.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
	}
	return b.String()
}

// C-037: a clock that jumps neither locks clients out nor lets them in twice over.
func TestAClockThatJumpsDoesNotLockClientsOut(t *testing.T) {
	jump := time.Duration(0)
	start := time.Unix(1767225600, 0) // without a monotonic reading: the worst case
	c := newClients(t, fixture{settings: mergeSettings(t, []byte(publicSettings)), now: func() time.Time { return start.Add(jump) }})
	ask := func() int {
		return c.exchange(t, post(chatPath, plainRequest, "-Authorization")).StatusCode
	}
	for range 5 {
		if got := ask(); got != 200 {
			t.Fatal(got)
		}
	}
	if got := ask(); got != 429 {
		t.Errorf("C-037: %d over the rate", got)
	}
	jump = -time.Hour
	if got := ask(); got != 429 {
		t.Errorf("C-037: %d when the clock went back", got)
	}
	jump += 59 * time.Second
	if got := ask(); got != 429 {
		t.Errorf("C-037: %d before a minute has passed since the clock went back", got)
	}
	jump += time.Second
	if got := ask(); got != 200 {
		t.Errorf("C-037: %d a minute after the clock went back", got)
	}
	jump += 2 * time.Hour
	for range 5 {
		if got := ask(); got != 200 {
			t.Errorf("C-037: %d when the clock went forward", got)
		}
	}
	if got := ask(); got != 429 {
		t.Errorf("C-037: %d beyond the rate when the clock went forward", got)
	}
	c.settle(t)
}

// C-037: a key ends when its time has come by the clock that people read.
func TestAKeyEndsByTheWallClock(t *testing.T) {
	c := newClients(t, fixture{})
	for name, row := range map[string]struct {
		left   time.Duration
		status int
	}{"an hour left": {time.Hour, 200}, "an hour over": {-time.Hour, 401}} {
		key := c.keys.add(func(k *assistants.Key) { k.ExpiresAt = new(time.Now().Add(row.left)) })
		if a := c.exchange(t, post(chatPath, plainRequest, "Authorization: Bearer "+key)); a.StatusCode != row.status {
			t.Errorf("C-037 %s: %d", name, a.StatusCode)
		}
	}
	c.settle(t)
}
