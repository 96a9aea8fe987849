package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
)

const chatWithMine = `{"model":"mine","messages":[{"role":"user","content":"hi"}]}`

// TestARevokedKeyIsDeadOnEveryRouteAtOnce uses keys on kept connections, so
// that the server remembers them, and revokes them through the API (S-26).
func TestARevokedKeyIsDeadOnEveryRouteAtOnce(t *testing.T) {
	onEveryDatabase(t, `{"citation_link_mode":"Authenticated"}`, func(t *testing.T, w *accessWorld) {
		for _, r := range w.app.server.Routes() {
			rule := accessRules[r.Method+" "+r.Path]
			if rule.need.keyless() {
				continue
			}
			var id assistants.KeyID
			secret := w.secret(func(k *assistants.Key) { id = k.ID })
			c := cell{route: r.Method + " " + r.Path, method: r.Method, path: r.Path, rule: rule, owner: "mine", ref: w.refs(rule.of, "mine")[0],
				caller: caller{secret: secret, scope: "admin", tenant: assistants.DefaultTenant}}
			for range 2 {
				if got := w.run(c); got.status != rule.ok {
					t.Errorf("%s before: %v", c.route, got)
				}
			}
			if got := w.json("DELETE", "/v1.0/keys/"+string(id), testAdminKey, ""); got.status != 204 {
				t.Fatal(got)
			}
			c.caller = caller{secret: secret, wrong: true}
			for range 2 {
				if got := w.run(c); got.status != http.StatusUnauthorized {
					t.Errorf("%s after: %v", c.route, got)
				}
			}
		}
	})
}

// TestAKeyEndsInTheInstantThatItSays moves the clock over the end of a key
// that the server remembers.
func TestAKeyEndsInTheInstantThatItSays(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		end := time.Date(2031, 3, 30, 1, 0, 0, 123456000, time.UTC)
		secret := w.secret(func(k *assistants.Key) { k.ExpiresAt = &end })
		now := end
		auth, err := access.New(w.app.store, "", func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Authorization", "Bearer "+secret)
		for _, c := range []struct {
			at    time.Duration
			lives bool
		}{{-time.Hour, true}, {-time.Nanosecond, true}, {0, false}, {time.Nanosecond, false}, {24 * time.Hour, false}, {-time.Nanosecond, true}} {
			now = end.Add(c.at)
			if p, err := auth.Authenticate(t.Context(), request); (err == nil) != c.lives || err == nil && p.Anonymous {
				t.Errorf("%v from its end: %+v, %v", c.at, p, err)
			}
		}
	})
}

// TestAKeyOfADeletedAssistantSeesNothing: neither everything, nor what takes
// the place of the assistant that it was bound to or had as default.
func TestAKeyOfADeletedAssistantSeesNothing(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		gone := w.makeAssistant(assistants.DefaultTenant, "gone", `{}`)
		bound := w.secret(func(k *assistants.Key) {
			k.Scopes, k.Assistants, k.DefaultAssistant = []assistants.Scope{assistants.ScopeChat}, []assistants.AssistantID{gone.ID}, gone.ID
		})
		free := w.secret(func(k *assistants.Key) {
			k.Scopes, k.DefaultAssistant = []assistants.Scope{assistants.ScopeChat}, gone.ID
		})
		chat := func(model, secret string) int {
			return w.json("POST", "/v1/chat/completions", secret, strings.Replace(chatWithMine, "mine", model, 1)).status
		}
		for _, secret := range []string{bound, free} {
			for _, model := range []string{"gone", "gpt-of-tomorrow"} {
				if status := chat(model, secret); status != 200 {
					t.Fatalf("before: %d", status)
				}
			}
		}
		if got := w.json("DELETE", "/v1.0/assistants/gone", testAdminKey, ""); got.status != 204 {
			t.Fatal(got)
		}
		again := func(when string) {
			t.Helper()
			for _, model := range []string{"gone", "gpt-of-tomorrow", "mine", string(gone.ID)} {
				if status := chat(model, bound); status != 404 {
					t.Errorf("%s: the bound key gets %d for %s", when, status, model)
				}
			}
			if status := chat("gpt-of-tomorrow", free); status != 404 {
				t.Errorf("%s: the key without its default gets %d", when, status)
			}
			if got := w.json("GET", "/v1/models", bound, ""); got.status != 200 || !strings.Contains(got.body, `"data":[]`) {
				t.Errorf("%s: models %v", when, got)
			}
		}
		again("after the deletion")
		w.makeAssistant(assistants.DefaultTenant, "gone", `{}`)
		again("when another one has its name")
		if status := chat("mine", free); status != 200 {
			t.Errorf("the free key gets %d for another assistant", status)
		}
	})
}

// TestKeysThatBeginAlikeAreNotMistaken (S-35): one is remembered, and its
// likeness is asked for again and again.
func TestKeysThatBeginAlikeAreNotMistaken(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		secret := w.secret(func(*assistants.Key) {})
		for _, shared := range []int{15, 20, 40, len(secret) - 1} {
			alike := secret[:shared] + strings.Repeat("2", len(secret)-shared)
			if alike == secret {
				alike = secret[:shared] + "3"
			}
			for range 2 {
				if got := w.json("GET", "/v1.0/defaults", secret, ""); got.status != 200 {
					t.Errorf("the key itself: %v", got)
				}
				if got := w.json("GET", "/v1.0/defaults", alike, ""); got.status != 401 {
					t.Errorf("a likeness of %d characters: %v", shared, got)
				}
			}
		}
	})
}

// TestEveryHeaderOfAKeyHasTheSameRules sends the keys of the matrix as api-key
// (S-32): nothing is open there that is closed as a bearer.
func TestEveryHeaderOfAKeyHasTheSameRules(t *testing.T) {
	onEveryDatabase(t, `{"citation_link_mode":"Authenticated"}`, func(t *testing.T, w *accessWorld) {
		secret := w.secret(func(*assistants.Key) {})
		for _, r := range w.app.server.Routes() {
			rule := accessRules[r.Method+" "+r.Path]
			if rule.need.keyless() {
				continue
			}
			path, body := w.path(r.Path, nil), w.body(rule)
			for _, c := range w.callers() {
				want := rule.want(c, "mine", w.public)
				if want < 400 || c.secret == "" {
					continue
				}
				if got := w.json(r.Method, path, "", body, "api-key", c.secret); got.status != want {
					t.Errorf("%s %s with api-key %q: %v, want %d", r.Method, r.Path, c.name, got, want)
				}
			}
			for _, headers := range [][]string{
				{"Authorization: Bearer " + secret, "api-key: " + testAdminKey}, {"Authorization: Bearer sk-x", "api-key: " + secret},
				{"Authorization: Bearer " + secret, "Authorization: Bearer " + secret}, {"api-key: " + secret, "api-key: " + testAdminKey},
			} {
				if got := w.raw(r.Method, path, "", body, headers...); got.status != 400 || got.fault().Error.Code != "ambiguous_credentials" && r.Method != "HEAD" {
					t.Errorf("%s %s with %q: %v", r.Method, r.Path, headers, got)
				}
			}
			for _, query := range []string{"key", "api_key", "api-key", "API_KEY", "%6bey", "apikey", "access_token", "api_token", "bearer", "Authorization"} {
				if got := w.raw(r.Method, path+"?"+query+"="+secret, secret, body); got.status != 400 {
					t.Errorf("%s %s with the key as %s in the query: %v", r.Method, r.Path, query, got)
				}
			}
		}
	})
}

// TestNoAuthorizationHeaderIsMoreThanAKey sends headers that are put together
// at random from what breaks parsers and SQL (S-31): none is served, none is
// an error of ours or of the database.
func TestNoAuthorizationHeaderIsMoreThanAKey(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		secret := w.secret(func(*assistants.Key) {})
		pieces := []string{
			"Bearer ", "bearer ", "BEARER\t", "Basic ", "Digest ", " ", "\t", "fn-", "FN-", "'", `"`, "\\", ";--", "' OR '1'='1", "') OR 1=1 --", "(SELECT pg_sleep(5))",
			"\x00", "\x01", "\x7f", "\x80", "\xff\xfe", "é", "\u202e", "𝕗𝕟-", "%00", "%27", "${jndi:x}", "{{7*7}}", "null", "undefined", ",", "=", "\r", "\n",
			secret[:15], secret[:40], secret[16:], strings.ToUpper(secret), strings.Repeat("a", 52), strings.Repeat("a", 4<<10), strings.Repeat("fn-", 20_000),
		}
		fixed := []string{"", "Bearer", "Bearer  ", "Bearer " + secret + "x", "Bearer " + secret + "," + secret, "Bearer " + secret + "\x00", "Bearer " + strings.Repeat("a", 64<<10), secret, "Bearer\t" + secret}
		rng := rand.New(rand.NewPCG(31, 31))
		for i := range 1500 {
			name, value := []string{"Authorization", "api-key", "AUTHORIZATION", "Api-Key"}[i%4], ""
			if i < len(fixed) {
				name, value = "Authorization", fixed[i]
			} else {
				for range 1 + rng.IntN(5) {
					value += pieces[rng.IntN(len(pieces))]
				}
			}
			path := []string{"/v1.0/defaults", "/v1/models", "/v1.0/keys"}[i%3]
			// What ends the line would be another header, or another request.
			line := strings.NewReplacer("\r", "", "\n", "").Replace(value)
			if i%7 == 0 {
				line = strings.ReplaceAll(value, "\r", "")
			}
			if got := w.raw("GET", path, "", "", name+": "+line); got.status != 0 && (got.status < 400 || got.status >= 500) {
				t.Errorf("%s: %.200q: %v", name, value, got)
			}
		}
		for _, key := range rowsOf(t, w.database)["api_keys"] {
			if !strings.Contains(key, "tenant_id="+string(assistants.DefaultTenant)) && !strings.Contains(key, "tenant_id="+string(otherTenant)) {
				t.Errorf("a row that nobody made: %s", key)
			}
		}
		if got := w.json("GET", "/v1.0/defaults", secret, ""); got.status != 200 {
			t.Errorf("afterwards the key itself is answered %v", got)
		}
	})
}

// BenchmarkRefusals measures refusals that must look the same: compare the
// times of each pair. With -benchtime=100000x it takes as many samples (S-30).
func BenchmarkRefusals(b *testing.B) {
	w := newAccessWorld(b, "sqlite:"+b.TempDir()+"/footnote.db", `{"citation_link_mode":"Authenticated"}`)
	w.statements.quiet = true
	good := w.secret(func(*assistants.Key) {})
	now := time.Now()
	bound := w.secret(func(k *assistants.Key) {
		k.Scopes, k.Assistants = []assistants.Scope{assistants.ScopeChat}, []assistants.AssistantID{w.things["mine"].assistant.ID}
	})
	text := func(owner string) string { return "/v1.0/documents/" + string(w.things[owner].document) + "/text" }
	model := func(owner string) string { return "/v1/models/" + string(w.things[owner].assistant.ID) }
	for _, c := range []struct {
		name, path, secret string
		want               int
	}{
		{"key/unknown", "/v1.0/defaults", "fn-" + strings.Repeat("a", 64), 401},
		{"key/known-prefix", "/v1.0/defaults", good[:20] + strings.Repeat("a", len(good)-20), 401},
		{"key/all-but-the-last", "/v1.0/defaults", good[:len(good)-1] + string("23"[strings.Count(good[len(good)-1:], "2")]), 401},
		{"key/revoked", "/v1.0/defaults", w.secret(func(k *assistants.Key) { k.RevokedAt = &now }), 401},
		{"key/expired", "/v1.0/defaults", w.secret(func(k *assistants.Key) { k.ExpiresAt = &now }), 401},
		{"document/absent", text("absent"), bound, 404},
		{"document/of-another-tenant", text("theirs"), bound, 404},
		{"document/of-another-assistant", text("other"), bound, 404},
		{"model/absent", model("absent"), bound, 404},
		{"model/of-another-tenant", model("theirs"), bound, 404},
		{"model/that-the-key-may-not-see", model("other"), bound, 404},
	} {
		b.Run(c.name, func(b *testing.B) {
			handler := w.app.server.Handler()
			for range b.N {
				request := httptest.NewRequest(http.MethodGet, c.path, nil)
				request.Header.Set("Authorization", "Bearer "+c.secret)
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				if answer.Code != c.want {
					b.Fatal(fmt.Sprint(answer.Code, answer.Body))
				}
			}
		})
	}
}

// TestBehindATrustedProxyTheLimitIsTheClients: what a client writes before the
// address that the proxy adds does not make it another client.
func TestBehindATrustedProxyTheLimitIsTheClients(t *testing.T) {
	w := newAccessWorld(t, "sqlite:"+t.TempDir()+"/footnote.db", `{"public_access":true}`)
	refused := 0
	for i := range publicRate.Events + 10 {
		forged := fmt.Sprintf("198.51.100.%d, 2001:db8:%x::1, 203.0.113.9", i, i)
		got := w.json("POST", "/v1/chat/completions", "", chatWithMine, "X-Forwarded-For", forged, "X-Real-Ip", fmt.Sprint("192.0.2.", i))
		if got.status == http.StatusTooManyRequests {
			refused++
		} else if got.status != http.StatusOK {
			t.Fatal(got)
		}
	}
	if refused < 5 { // a token may have come back meanwhile
		t.Errorf("%d were refused", refused)
	}
	if got := w.json("POST", "/v1/chat/completions", "", chatWithMine, "X-Forwarded-For", "203.0.113.10"); got.status != http.StatusOK {
		t.Errorf("another client: %v", got)
	}
}
