package control_test

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/control"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	canaryKey   = "sk-canary-0123456789"
	canaryToken = "canary-of-a-header"
)

// upstream makes an upstream with secrets and returns its path.
func (w *world) upstream(name, base string) string {
	w.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"base_url":%q,"api_key":%q,"headers":{"x-team":%q}}`, name, base, canaryKey, canaryToken)
	return "/upstreams/" + w.call("POST", "/upstreams", body).object(201)["id"].(string)
}

// kept returns an upstream as it is stored.
func (w *world) kept(path string) assistants.Upstream {
	w.t.Helper()
	u, err := w.store.Upstream(w.t.Context(), assistants.DefaultTenant, strings.TrimPrefix(path, "/upstreams/"))
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

func TestAnUpstreamIsShownWithoutItsSecrets(t *testing.T) {
	w := newWorld(t)
	made := w.call("POST", "/upstreams", `{"name":"Far","base_url":" https://far.example/v1 ","api_key":"`+canaryKey+`","default_model":"m-1","headers":{"x-team":"`+canaryToken+`"}}`)
	got := made.object(201)
	if want := []string{"base_url", "created_at", "default_model", "first_token_timeout", "has_key", "headers", "id", "idle_timeout", "name", "total_timeout", "updated_at"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("members of %v, want %v", got, want)
	}
	path := "/upstreams/" + got["id"].(string)
	headers := got["headers"].(map[string]any)
	if !strings.HasPrefix(path, "/upstreams/up_") || got["name"] != "Far" || got["base_url"] != "https://far.example/v1" || got["has_key"] != true ||
		got["default_model"] != "m-1" || len(headers) != 1 || headers["X-Team"] != "••••" || got["created_at"] != "2026-03-04T12:00:00Z" {
		t.Errorf("made %v", got)
	}
	one, list := w.call("GET", path, ""), w.call("GET", "/upstreams", "")
	if fmt.Sprint(one.object(200)) != fmt.Sprint(got) || fmt.Sprint(list.object(200)["data"].([]any)[0]) != fmt.Sprint(got) {
		t.Errorf("made %v\ngot %s\nlisted %s", got, one.raw, list.raw)
	}
	patched := w.call("PATCH", path, `{"name":"Farther"}`).want(200)
	for _, r := range []reply{made, one, list, patched} {
		if s := string(r.raw); strings.Contains(s, canaryKey) || strings.Contains(s, canaryToken) || strings.Contains(s, "6789") {
			t.Errorf("a secret in %s", s)
		}
	}
	if u := w.kept(path); u.APIKey.Reveal() != canaryKey || u.Headers["X-Team"].Reveal() != canaryToken {
		t.Error("the secrets are not stored")
	}
	w.call("DELETE", path, "").want(204)
	w.call("GET", path, "").fails(404, "not_found", "")
	w.call("DELETE", path, "").fails(404, "not_found", "")

	bare := w.call("POST", "/upstreams", `{"name":"Bare","base_url":"http://127.0.0.1:11434/v1","api_key":null,"default_model":null,"headers":null}`).object(201)
	if bare["has_key"] != false || bare["default_model"] != nil || len(bare["headers"].(map[string]any)) != 0 {
		t.Errorf("made %v", bare)
	}
}

// Masked and absent values stay; null removes.
func TestOmittedMembersOfAnUpstreamStay(t *testing.T) {
	w := newWorld(t)
	path := w.upstream("far", "https://far.example/v1")
	for _, c := range []struct {
		body, key, headers string
	}{
		{`{"default_model":"m"}`, canaryKey, "X-Team=" + canaryToken},
		{`{"base_url":"https://FAR.example/v2"}`, canaryKey, "X-Team=" + canaryToken},
		{`{"api_key":"••••6789"}`, canaryKey, "X-Team=" + canaryToken},
		{`{"headers":{"X-TEAM":"••••","x-new":"v"}}`, canaryKey, "X-New=v,X-Team=" + canaryToken},
		{`{"headers":{"X-New":"••••"}}`, canaryKey, "X-New=v"},
		{`{"api_key":"sk-other"}`, "sk-other", "X-New=v"},
		{`{"api_key":null}`, "", "X-New=v"},
		{`{"headers":null}`, "", ""},
		{`{"headers":{"X-A":"a"}}`, "", "X-A=a"},
		{`{"headers":{}}`, "", ""},
		{`{}`, "", ""},
	} {
		got := w.call("PATCH", path, c.body).object(200)
		u := w.kept(path)
		var headers []string
		for _, name := range slices.Sorted(maps.Keys(u.Headers)) {
			headers = append(headers, name+"="+u.Headers[name].Reveal())
		}
		if u.APIKey.Reveal() != c.key || strings.Join(headers, ",") != c.headers || got["has_key"] != (c.key != "") {
			t.Errorf("%s: key %q, headers %q, answered %v", c.body, u.APIKey.Reveal(), headers, got)
		}
	}
	if u := w.kept(path); u.DefaultModel != "m" || u.BaseURL != "https://FAR.example/v2" || u.Name != "far" {
		t.Errorf("at the end %+v", u)
	}
	w.call("PATCH", path, `{"default_model":null}`).want(200)
	if u := w.kept(path); u.DefaultModel != "" {
		t.Errorf("default_model %q", u.DefaultModel)
	}
}

func TestTimeoutsOfAnUpstreamAreSeconds(t *testing.T) {
	w := newWorld(t)
	path := w.upstream("cpu", "http://127.0.0.1:11434/v1")
	for _, c := range []struct {
		body string
		want assistants.UpstreamTimeouts
	}{
		{`{}`, assistants.UpstreamTimeouts{}},
		{`{"first_token_timeout":900,"idle_timeout":1,"total_timeout":86400}`, assistants.UpstreamTimeouts{FirstToken: 15 * time.Minute, Idle: time.Second, Total: 24 * time.Hour}},
		{`{"idle_timeout":300}`, assistants.UpstreamTimeouts{FirstToken: 15 * time.Minute, Idle: 5 * time.Minute, Total: 24 * time.Hour}},
		{`{"first_token_timeout":null,"total_timeout":null}`, assistants.UpstreamTimeouts{Idle: 5 * time.Minute}},
	} {
		got := w.call("PATCH", path, c.body).object(200)
		u := w.kept(path)
		for name, d := range map[string]time.Duration{"first_token_timeout": c.want.FirstToken, "idle_timeout": c.want.Idle, "total_timeout": c.want.Total} {
			if shown, ok := got[name].(float64); ok != (d != 0) || time.Duration(shown)*time.Second != d || u.Timeouts != c.want {
				t.Errorf("%s: %s is shown as %v, stored %+v, want %+v", c.body, name, got[name], u.Timeouts, c.want)
			}
		}
	}
}

func TestABaseURLWithoutV1IsRefusedWithTheRightOne(t *testing.T) {
	w := newWorld(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"llama3.2","owned_by":"library"}]}`))
	})
	far := httptest.NewServer(mux)
	t.Cleanup(far.Close)
	for _, base := range []string{far.URL, far.URL + "/", far.URL + "/api"} {
		r := w.call("POST", "/upstreams", `{"name":"Ollama","base_url":"`+base+`"}`)
		r.fails(400, "invalid_value", "base_url")
		if !strings.Contains(string(r.raw), "but at "+far.URL+"/v1; use that") {
			t.Errorf("%s", r.raw)
		}
	}
	w.call("POST", "/upstreams", `{"name":"Team","base_url":"`+far.URL+`/team"}`).want(201) // a gateway's chats without a list
	path := "/upstreams/" + w.call("POST", "/upstreams", `{"name":"Ollama","base_url":"`+far.URL+`/v1"}`).object(201)["id"].(string)
	w.call("PATCH", path, `{"base_url":"`+far.URL+`"}`).fails(400, "invalid_value", "base_url")
	if got := w.call("GET", path+"/health", "").object(200); got["status"] != "ok" || got["message"] != "The model server answers: Ollama, 1 model: llama3.2." {
		t.Errorf("%v", got)
	}
	w.call("PATCH", path, `{"base_url":"`+far.URL+`/v2"}`).want(200) // may be right
	if got := w.call("GET", path+"/health", "").object(200); got["status"] != "failed" || got["code"] != "upstream_not_found" || !strings.Contains(got["message"].(string), far.URL+"/v1") {
		t.Errorf("%v", got)
	}
}

// Clients must not read an upstream's secrets by moving it to their own server.
func TestSecretsDoNotMoveToAnotherHostByThemselves(t *testing.T) {
	w := newWorld(t)
	path := w.upstream("far", "https://far.example/v1")
	for body, param := range map[string]string{
		`{"base_url":"https://evil.example/v1"}`:                                                      "api_key",
		`{"base_url":"https://far.example:8443/v1"}`:                                                  "api_key",
		`{"base_url":"http://far.example/v1"}`:                                                        "api_key",
		`{"base_url":"https://evil.example/v1","api_key":"••••"}`:                                     "api_key",
		`{"base_url":"https://evil.example/v1","api_key":"sk-new"}`:                                   "headers",
		`{"base_url":"https://evil.example/v1","api_key":null,"headers":{"X-TEAM":"••••"}}`:           "headers",
		`{"base_url":"https://evil.example/v1","api_key":null,"headers":{"X-Team":"••••","X-A":"a"}}`: "headers",
	} {
		w.call("PATCH", path, body).fails(400, "invalid_value", param)
	}
	if u := w.kept(path); u.BaseURL != "https://far.example/v1" || u.APIKey.Reveal() != canaryKey {
		t.Errorf("%+v", u)
	}
	w.call("PATCH", path, `{"base_url":"https://other.example/v1","api_key":"sk-new","headers":{"X-Team":"b"}}`).want(200)
	w.call("PATCH", path, `{"base_url":"https://third.example/v1","api_key":null,"headers":null}`).want(200)
	w.call("PATCH", path, `{"base_url":"https://fourth.example/v1"}`).want(200)
}

func TestInvalidUpstreamsAreRefused(t *testing.T) {
	w := newWorld(t)
	path := w.upstream("far", "https://far.example/v1")
	w.upstream("near", "https://near.example/v1")
	before := w.kept(path)
	for member, want := range map[string][2]string{
		`"name":null`:                                 {"invalid_type", "name"},
		`"name":""`:                                   {"invalid_value", "name"},
		`"name":"up_1"`:                               {"invalid_value", "name"},
		`"name":"builtin:extractive"`:                 {"invalid_value", "name"},
		`"name":"a\u0000b"`:                           {"invalid_value", "name"},
		`"base_url":1`:                                {"invalid_type", "base_url"},
		`"base_url":null`:                             {"invalid_type", "base_url"},
		`"base_url":""`:                               {"invalid_value", "base_url"},
		`"base_url":"far.example/v1"`:                 {"invalid_value", "base_url"},
		`"base_url":"file:///etc/passwd"`:             {"invalid_value", "base_url"},
		`"base_url":"builtin:extractive"`:             {"invalid_value", "base_url"},
		`"base_url":"https://user:canary@host/v1"`:    {"invalid_value", "base_url"},
		`"base_url":"https://host/v1#canary"`:         {"invalid_value", "base_url"},
		`"base_url":"https://host/v1?API-Key=canary"`: {"invalid_value", "base_url"},
		`"base_url":"https://host/v1?api-version=1&token=canary"`: {"invalid_value", "base_url"},
		`"api_key":""`:                      {"invalid_value", "api_key"},
		`"api_key":1`:                       {"invalid_type", "api_key"},
		`"api_key":{"$ne":""}`:              {"invalid_type", "api_key"},
		`"api_key":"canary\r\nX-Forged: 1"`: {"invalid_value", "api_key"},
		`"default_model":1`:                 {"invalid_type", "default_model"},
		`"default_model":"a\nb"`:            {"invalid_value", "default_model"},
		`"default_model":"` + strings.Repeat("m", 256) + `"`:      {"invalid_value", "default_model"},
		`"first_token_timeout":0`:                                 {"invalid_value", "first_token_timeout"},
		`"idle_timeout":-1`:                                       {"invalid_value", "idle_timeout"},
		`"total_timeout":86401`:                                   {"invalid_value", "total_timeout"},
		`"total_timeout":1.5`:                                     {"invalid_type", "total_timeout"},
		`"idle_timeout":"10s"`:                                    {"invalid_type", "idle_timeout"},
		`"headers":"X: y"`:                                        {"invalid_type", "headers"},
		`"headers":["X"]`:                                         {"invalid_type", "headers"},
		`"headers":{"X":1}`:                                       {"invalid_type", "headers"},
		`"headers":{"X":null}`:                                    {"invalid_value", "headers.X"},
		`"headers":{"X":""}`:                                      {"invalid_value", "headers.X"},
		`"headers":{"X":"••••"}`:                                  {"invalid_value", "headers.X"},
		`"headers":{"X-A":"canary","x-a":"canary"}`:               {"invalid_value", "headers.x-a"},
		`"headers":{"X-A":"canary","X-A":"canary"}`:               {"duplicate_key", "headers.X-A"},
		`"headers":{"Host":"canary"}`:                             {"invalid_value", "headers.Host"},
		`"headers":{"content-length":"1"}`:                        {"invalid_value", "headers.Content-Length"},
		`"headers":{"X":"canary\r\nY: z"}`:                        {"invalid_value", "headers.X"},
		`"headers":{"` + strings.Repeat("X", 129) + `":"canary"}`: {"invalid_value", "headers"},
		`"headers":{"X Y":"canary"}`:                              {"invalid_value", "headers.X Y"},
		`"id":"up_forged"`:                                        {"unsupported_parameter", "id"},
		`"tenant_id":"other"`:                                     {"unsupported_parameter", "tenant_id"},
		`"has_key":true`:                                          {"unsupported_parameter", "has_key"},
		`"created_at":"2020-01-01T00:00:00Z"`:                     {"unsupported_parameter", "created_at"},
		`"API_KEY":"canary"`:                                      {"unsupported_parameter", "API_KEY"},
		`"is_admin":true`:                                         {"unsupported_parameter", "is_admin"},
		`"api_key":"canary","api_key":"canary"`:                   {"duplicate_key", "api_key"},
	} {
		r := w.call("PATCH", path, "{"+member+"}")
		r.fails(400, want[0], want[1])
		made := map[string]string{"name": `"new"`, "base_url": `"https://new.example/v1"`}
		body := member
		for _, name := range []string{"base_url", "name"} {
			if !strings.Contains(member, `"`+name+`"`) {
				body = fmt.Sprintf("%q:%s,%s", name, made[name], body)
			}
		}
		post := w.call("POST", "/upstreams", "{"+body+"}")
		post.fails(400, want[0], want[1])
		if strings.Contains(string(r.raw)+string(post.raw), "canary") {
			t.Errorf("%s is repeated: %s %s", member, r.raw, post.raw)
		}
	}
	w.call("POST", "/upstreams", `{"base_url":"https://new.example/v1"}`).fails(400, "missing_required_parameter", "name")
	w.call("POST", "/upstreams", `{"name":"new"}`).fails(400, "missing_required_parameter", "base_url")
	w.call("POST", "/upstreams", `{"name":"new","base_url":"https://new.example/v1","api_key":"••••"}`).fails(400, "invalid_value", "api_key")
	w.call("POST", "/upstreams", `{"name":"far","base_url":"https://new.example/v1"}`).fails(409, "conflict", "name")
	w.call("PATCH", path, `{"name":"near"}`).fails(409, "conflict", "name")
	if after := w.kept(path); after.Name != before.Name || after.UpdatedAt != before.UpdatedAt {
		t.Errorf("a refusal changed %+v to %+v", before, after)
	}
	if list := w.call("GET", "/upstreams?limit=1", "").object(200); len(list["data"].([]any)) != 1 || list["next_cursor"] == nil {
		t.Errorf("listed %v", list)
	}
	if list := w.call("GET", "/upstreams", "").object(200)["data"].([]any); len(list) != 2 {
		t.Errorf("%d upstreams were made", len(list))
	}
}

func TestAddressesThatAreNotPublicCanBeForbidden(t *testing.T) {
	w := newWorld(t, func(d *control.Deps) {
		public := upstream.NewStored(upstream.StoredConfig{PublicOnly: true})
		t.Cleanup(public.Close)
		d.Upstreams = public
	})
	path := w.upstream("far", "https://far.example/v1")
	for _, base := range []string{"http://127.0.0.1:8080/v1", "http://169.254.169.254/latest", "http://[::ffff:a9fe:a9fe]/", "http://localhost:11434/v1", "https://100.64.0.1/v1"} {
		w.call("POST", "/upstreams", fmt.Sprintf(`{"name":"new","base_url":%q}`, base)).fails(400, "url_not_allowed", "base_url")
		w.call("PATCH", path, fmt.Sprintf(`{"base_url":%q}`, base)).fails(400, "url_not_allowed", "base_url")
	}
	// One that was stored while that was allowed is not reached any more.
	far := upstreamtest.New(t, upstreamtest.JSON(`{"data":[]}`))
	_, err := w.store.UpdateUpstream(t.Context(), assistants.DefaultTenant, w.kept(path).ID, func(u *assistants.Upstream) error {
		u.BaseURL = far.URL()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	health := w.call("GET", path+"/health", "").object(200)
	if health["status"] != "failed" || health["code"] != "upstream_connect_failed" || !strings.Contains(health["message"].(string), "not public") || far.Accepted() != 0 {
		t.Errorf("health %v, %d connections", health, far.Accepted())
	}
	w.call("GET", path+"/models", "").fails(502, "upstream_connect_failed", "")
}

func TestHealthSaysHowItWentInOurWords(t *testing.T) {
	var log strings.Builder
	w := newWorld(t, func(d *control.Deps) { d.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	far := upstreamtest.New(t)
	path := w.upstream("far", far.URL())
	for _, c := range []struct {
		script       upstreamtest.Script
		status, code string
	}{
		{upstreamtest.JSON(`{"data":[{"id":"m"}]}`), "ok", ""},
		{upstreamtest.Status(401, "wrong key "+canaryKey), "failed", "upstream_auth_failed"},
		{upstreamtest.Status(404, "no such path, "+canaryKey), "failed", "upstream_error"},
		{upstreamtest.Status(302, "", "Location: http://169.254.169.254/"), "failed", "upstream_invalid_response"},
		{upstreamtest.JSON(`{"error":"` + canaryToken), "failed", "upstream_invalid_response"},
		{upstreamtest.Reset(), "failed", "upstream_invalid_response"},
		{upstreamtest.JSON(`{"data":[]}`), "ok", ""},
		{upstreamtest.Raw(canaryKey + "\r\n\r\n").Then(upstreamtest.Closes()), "failed", "upstream_invalid_response"},
	} {
		far.Play(c.script)
		r := w.call("GET", path+"/health", "")
		got := r.object(200)
		code, _ := got["code"].(string)
		if _, timed := got["latency_ms"].(float64); got["status"] != c.status || code != c.code || !timed || got["message"] == "" {
			t.Errorf("health %s, want %s %s", r.raw, c.status, c.code)
		}
		for _, secret := range []string{canaryKey, canaryToken, far.Addr(), "169.254"} {
			if strings.Contains(string(r.raw), secret) {
				t.Errorf("%q in %s", secret, r.raw)
			}
		}
	}
	if far.Last().Header.Get("Authorization") != "Bearer "+canaryKey || far.Last().Header.Get("X-Team") != canaryToken || far.Last().Path != "/v1/models" {
		t.Errorf("asked with %v", far.Last())
	}
	far.Close()
	if got := w.call("GET", path+"/health", "").object(200); got["code"] != "upstream_connect_failed" {
		t.Errorf("nothing listens: %v", got)
	}
	if strings.Contains(log.String(), canaryKey) || strings.Contains(log.String(), canaryToken) {
		t.Errorf("a secret in the log: %s", log.String())
	}
}

func TestModelsOfAnUpstream(t *testing.T) {
	w := newWorld(t)
	far := upstreamtest.New(t, upstreamtest.JSON(`{"data":[{"id":"m-1","created":7,"owned_by":"them"},{"id":"`+canaryKey+`"}]}`), upstreamtest.Status(403, canaryKey))
	path := w.upstream("far", far.URL())
	got := w.call("GET", path+"/models", "").object(200)
	if want := "map[data:[map[created:7 id:m-1 owned_by:them]] next_cursor:<nil>]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	w.call("PATCH", path, `{"api_key":"sk-other"}`).want(200) // which empties the cache
	w.call("GET", path+"/models", "").fails(502, "upstream_auth_failed", "")
}

func TestAssistantsNameStoredUpstreams(t *testing.T) {
	w := newWorld(t)
	path := w.upstream("Far away", "https://far.example/v1")
	id := strings.TrimPrefix(path, "/upstreams/")
	for i, ref := range []string{id, "Far away", "builtin:extractive"} {
		slug := fmt.Sprint("a", i)
		w.assistant(slug, fmt.Sprintf(`{"upstream":%q}`, ref))
		if got := w.call("GET", "/assistants/"+slug+"/settings", "").object(200)["upstream"]; got != ref {
			t.Errorf("upstream %v, want %s", got, ref)
		}
	}
	for _, ref := range []string{`"nowhere"`, `"up_nowhere"`, `"far away"`, `"builtin:other"`, `""`, `"https://evil.example/v1"`} {
		w.call("POST", "/assistants", `{"name":"new","settings":{"upstream":`+ref+`}}`).fails(400, "invalid_value", "settings.upstream")
		w.call("PATCH", "/assistants/a0", `{"settings":{"upstream":`+ref+`}}`).fails(400, "invalid_value", "settings.upstream")
		w.call("PATCH", "/assistants/a0/settings", `{"upstream":`+ref+`}`).fails(400, "invalid_value", "upstream")
		w.call("PUT", "/assistants/a0/settings", `{"upstream":`+ref+`}`).fails(400, "invalid_value", "upstream")
	}
	conflict := w.call("DELETE", path, "")
	conflict.fails(409, "conflict", "")
	renamed := w.call("PATCH", path, `{"name":"nearer"}`)
	renamed.fails(409, "conflict", "name")
	if !strings.Contains(string(conflict.raw), "2 assistants") || !strings.Contains(string(renamed.raw), "1 assistant ") {
		t.Errorf("%s\n%s", conflict.raw, renamed.raw)
	}
	w.call("PATCH", path, `{"name":"Far away","base_url":"https://farther.example/v1","api_key":"sk-other","headers":null}`).want(200)
	w.call("PATCH", "/assistants/a1/settings", `{"upstream":null}`).want(200)
	w.call("PATCH", path, `{"name":"nearer"}`).want(200)
	w.call("DELETE", "/assistants/a0", "").want(204)
	w.call("DELETE", path, "").want(204)
	for _, f := range w.call("GET", "/defaults", "").object(200)["data"].([]any) {
		if field := f.(map[string]any); field["name"] == "upstream" && (!strings.Contains(field["help"].(string), "stored upstream") || field["allowed"] != nil) {
			t.Errorf("defaults say %v", field)
		}
	}
}
