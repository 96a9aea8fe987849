package control_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
)

// storeKey stores a key that the API would not make.
func (w *world) storeKey(change func(*assistants.Key)) (secret string) {
	w.t.Helper()
	secret, k := access.NewKey()
	k.TenantID, k.Name, k.CreatedAt = assistants.DefaultTenant, "test", noon
	k.Scopes = []assistants.Scope{assistants.ScopeAdmin}
	change(&k)
	if err := w.store.CreateKey(w.t.Context(), k); err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// readable are the routes that a chat or search key may use for documents of
// assistants it sees; every other route is for admins.
var readable = map[string]bool{
	"GET /v1.0/documents/:document/chunks": true, "GET /v1.0/documents/:document/text": true,
	"GET /v1.0/documents/:document/pages/:page": true, "GET /v1.0/documents/:document/download": true, "HEAD /v1.0/documents/:document/download": true,
}

// ofTheirOwn are the routes that such a key may use for answers that it got itself.
var ofTheirOwn = map[string]bool{
	"GET /v1.0/history/:answer": true, "PUT /v1.0/history/:answer/feedback": true, "DELETE /v1.0/history/:answer/feedback": true,
	"PUT /v1.0/history/:answer/verifications/:source": true, "DELETE /v1.0/history/:answer/verifications/:source": true,
}

// retrieveRoute is the route that a search key may use.
const retrieveRoute = "POST /v1.0/assistants/:assistant/retrieve"

// TestEveryRouteAgainstEveryKindOfKey tries every registered route: a new route
// without an entry here must be closed, or the test fails.
func TestEveryRouteAgainstEveryKindOfKey(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", `{"citation_link_mode":"Authenticated"}`)
	other := w.assistant("other", "")
	doc := w.document(mine, "a.txt", "the text of a document")
	w.publish(doc, "the text of a document")
	keyID := w.call("POST", "/keys", `{"name":"k","scopes":["chat"]}`).object(201)["id"].(string)

	upstreamID := w.call("POST", "/upstreams", `{"name":"far","base_url":"http://127.0.0.1:9/v1"}`).object(201)["id"].(string)

	collectionID := w.call("GET", "/assistants/"+mine, "").object(200)["collection_id"].(string)

	questionID := w.question(mine, `{"gold_id":"q","document":"a.txt","question":"Where?"}`)
	runID := w.run(mine, `{}`)
	answerID := w.answer(mine)

	past := noon.Add(-time.Hour)
	wrong := map[string]string{
		"no key":             "",
		"another service's":  "sk-0123456789abcdef",
		"revoked":            w.storeKey(func(k *assistants.Key) { k.RevokedAt = &past }),
		"expired":            w.storeKey(func(k *assistants.Key) { k.ExpiresAt = &past }),
		"unknown":            "fn-" + strings.Repeat("a", 64),
		"malformed":          "fn-x",
		"almost the admin's": adminKey + "x",
	}
	low := map[string]string{
		"chat":                w.key(`{"name":"chat","scopes":["chat"]}`),
		"search":              w.key(`{"name":"search","scopes":["search"]}`),
		"chat for this one":   w.key(`{"name":"bound","scopes":["chat"],"assistants":["` + mine + `"]}`),
		"search for this one": w.key(`{"name":"bound","scopes":["search"],"assistants":["` + mine + `","` + other + `"]}`),
	}
	foreign := map[string]string{
		"chat for another":  w.key(`{"name":"foreign","scopes":["chat","search"],"assistants":["` + other + `"]}`),
		"of another tenant": w.storeKey(func(k *assistants.Key) { k.TenantID, k.Scopes = "tenant-b", []assistants.Scope{assistants.ScopeChat} }),
		"bound to nothing": w.storeKey(func(k *assistants.Key) {
			k.Assistants, k.Scopes = []assistants.AssistantID{}, []assistants.Scope{"chat"}
		}),
	}
	foreignAdmins := map[string]string{
		"admin of another tenant":    w.storeKey(func(k *assistants.Key) { k.TenantID = "tenant-b" }),
		"admin bound to another one": w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(other)} }),
	}

	routes := w.engine.Routes()
	if len(routes) < 25 {
		t.Fatalf("only %d routes", len(routes))
	}
	for _, r := range routes {
		route := r.Method + " " + r.Path
		path := strings.NewReplacer("/v1.0/events", "/events?follow=false", "/v1.0", "", ":assistant", mine, ":document", doc, ":page", "1", ":key", keyID, ":upstream", upstreamID, ":collection", collectionID, ":question", questionID, ":run", runID, ":answer", answerID, ":thread", "thread-1", ":source", "1").Replace(r.Path)
		ask := func(key string) reply { return w.as(key, r.Method, path, "") }
		if strings.HasPrefix(r.Path, "/v1.0/links/") { // opened by a signature, not by a key
			for _, keys := range []map[string]string{wrong, low, foreign, foreignAdmins, {"the admin's": adminKey}} {
				for name, key := range keys {
					if got := ask(key); got.status != http.StatusForbidden {
						t.Errorf("%s with key %q: %d %s", route, name, got.status, got.raw)
					}
				}
			}
			continue
		}
		for name, key := range wrong {
			if got := ask(key); got.status != http.StatusUnauthorized {
				t.Errorf("%s with key %q: %d %s", route, name, got.status, got.raw)
			}
		}
		for name, key := range low {
			want := http.StatusForbidden
			if readable[route] {
				want = http.StatusOK
			}
			if ofTheirOwn[route] {
				want = http.StatusNotFound // it is another key's
			}
			if route == retrieveRoute && strings.HasPrefix(name, "search") {
				want = http.StatusUnsupportedMediaType // it has no body
			}
			if got := ask(key); got.status != want {
				t.Errorf("%s with key %q: %d %s, want %d", route, name, got.status, got.raw, want)
			}
		}
		for name, key := range foreign {
			want := http.StatusForbidden
			if readable[route] || ofTheirOwn[route] || route == retrieveRoute && name == "chat for another" { // that one may search, too
				want = http.StatusNotFound
			}
			if got := ask(key); got.status != want {
				t.Errorf("%s with key %q: %d %s, want %d", route, name, got.status, got.raw, want)
			}
		}
		if !strings.Contains(r.Path, ":") {
			continue // nothing is named that could be foreign
		}
		for name, key := range foreignAdmins {
			got := ask(key)
			if (strings.Contains(r.Path, "/keys/") || strings.Contains(r.Path, "/upstreams/") || strings.Contains(r.Path, "/collections/")) && strings.Contains(name, "bound") {
				if got.status != http.StatusForbidden {
					t.Errorf("%s with key %q: %d, want 403", route, name, got.status)
				}
				continue
			}
			absent := w.as(key, r.Method, strings.NewReplacer(mine, "asst_nowhere", doc, "doc_nowhere", keyID, "key_nowhere", upstreamID, "up_nowhere", collectionID, "coll_nowhere", questionID, "gold_nowhere", runID, "run_nowhere", answerID, "ans_nowhere").Replace(path), "")
			if got.status != http.StatusNotFound || string(got.raw) != string(absent.raw) || absent.status != http.StatusNotFound {
				t.Errorf("%s with key %q: %d %s; absent: %d %s", route, name, got.status, got.raw, absent.status, absent.raw)
			}
		}
	}
	// None of that changed anything.
	w.call("GET", "/assistants/"+mine, "").want(200)
	w.call("GET", "/documents/"+doc, "").want(200)
}

func TestABoundKeyIsNotAnAdminOfTheTenant(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	bound := w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(mine)} })
	w.as(bound, "GET", "/assistants/"+mine, "").want(200)
	for _, r := range [][3]string{
		{"POST", "/keys", `{"name":"wider","scopes":["admin"]}`}, {"GET", "/keys", ""}, {"POST", "/assistants", `{"name":"x"}`},
		{"GET", "/assistants", ""}, {"GET", "/status", ""},
	} {
		w.as(bound, r[0], r[1], r[2]).fails(403, "permission_denied", "")
	}
}

func TestRevokingAKeyWorksAtOnce(t *testing.T) {
	w := newWorld(t)
	made := w.call("POST", "/keys", `{"name":"k","scopes":["admin"]}`).object(201)
	secret := made["key"].(string)
	w.as(secret, "GET", "/defaults", "").want(200)
	w.call("DELETE", "/keys/"+made["id"].(string), "").want(204)
	w.as(secret, "GET", "/defaults", "").fails(401, "invalid_api_key", "")
	w.call("DELETE", "/keys/"+made["id"].(string), "").want(204)
}

func TestCredentialsThatContradictAreRefusedBeforeAnything(t *testing.T) {
	w := newWorld(t)
	w.send("GET", "/defaults", adminKey, nil, "api-key", "another key entirely").fails(400, "ambiguous_credentials", "")
	w.send("GET", "/defaults", "", nil, "api-key", adminKey).want(200)
	for _, name := range []string{"key", "api_key", "api-key"} {
		w.send("GET", "/defaults?"+name+"=x", adminKey, nil).fails(400, "invalid_value", name)
	}
}

func TestPathsThatOnlyLookLikeRoutes(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	for _, path := range []string{
		"/assistants/", "//assistants", "/Assistants", "/ASSISTANTS/" + mine, "/assistants/" + mine + "/", "/assistants/" + mine + "/nothing",
		"/assistants%2f" + mine, "/./assistants/x/y/z", "/documents", "/documents/", "/keys/", "/openapi.yaml", "/documents/../keys/x/y",
	} {
		for _, key := range []string{"", adminKey} {
			if got := w.as(key, "GET", path, ""); got.status != 404 && got.status != 405 && got.status != 401 {
				t.Errorf("GET %s: %d %s", path, got.status, got.raw)
			}
		}
	}
	w.call("PUT", "/assistants", "").fails(405, "method_not_allowed", "")
	got := w.send("POST", "/assistants/"+mine, adminKey, nil, "X-HTTP-Method-Override", "DELETE")
	got.fails(405, "method_not_allowed", "")
}

func TestIdsAreCheckedBeforeTheStoreIsAsked(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"..", "doc_", "doc_%00", "doc_'%20OR%201=1--", "doc_ABC", "asst_x", "doc_" + strings.Repeat("a", 41), "doc_%2e%2e%2fx", "%20"} {
		for _, path := range []string{"/documents/" + id, "/documents/" + id + "/download", "/documents/" + id + "/text"} {
			if got := w.call("GET", path, ""); got.status != 404 {
				t.Errorf("GET %s: %d %s", path, got.status, got.raw)
			}
		}
	}
	for _, ref := range []string{"A", "a_b", "asst_'", "%00", strings.Repeat("a", 65)} {
		w.call("GET", "/assistants/"+ref, "").fails(404, "not_found", "")
		w.call("DELETE", "/keys/"+ref, "").fails(404, "not_found", "")
		w.call("GET", "/upstreams/"+ref+"/health", "").fails(404, "not_found", "")
	}
}
