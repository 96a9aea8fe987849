package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
)

// paths are the routes with what they name filled in, by what belongs to mine.
func (w *accessWorld) path(r string, names map[string]string) string {
	b := w.things["mine"]
	return parameter.ReplaceAllStringFunc(r, func(p string) string {
		if name, ok := names[p]; ok {
			return name
		}
		switch p {
		case ":assistant", "*id":
			return string(b.assistant.ID)
		case ":document", ":file":
			return string(b.document)
		case "*link":
			return unsigned(string(b.document))
		case ":key":
			return string(b.key)
		case ":upstream":
			return string(b.upstream)
		case ":collection", ":store":
			return string(b.collection)
		case ":batch":
			return b.batch
		case ":question":
			return string(b.question)
		case ":run":
			return string(b.run)
		case ":answer":
			return string(b.answer)
		case ":thread":
			return aThread
		case ":page", ":source":
			return "1"
		}
		w.t.Fatalf("%s: nobody knows what %s stands for", r, p)
		return ""
	})
}

// body is the body of a rule that asks for what belongs to mine.
func (w *accessWorld) body(r rule) string {
	w.count++
	return strings.NewReplacer("$ASSISTANT", string(w.things["mine"].assistant.ID), "$FILE", string(w.things["mine"].document), "$N", fmt.Sprint(w.count), "$SETTINGS", "{}").Replace(r.body)
}

type apiFault struct {
	Error struct{ Code, Param string }
}

func (a accessAnswer) fault() apiFault {
	var f apiFault
	_ = json.Unmarshal([]byte(a.body), &f) // an answer that is no fault has no code
	return f
}

// assignable are columns and what attackers take for them.
var assignable = []string{
	"id", "ID", "tenant_id", "TenantID", "tenant", "owner_id", "created_at", "updated_at", "revision", "collection_id", "role", "is_admin",
	"hash", "prefix", "key", "key_hash", "live", "latest", "status", "revoked_at", "__proto__", "$where",
}

// TestNoRequestAssignsWhatIsOurs adds what is not the client's to say to every
// request that writes (S-22): it is refused by name, and no row tells of it.
func TestNoRequestAssignsWhatIsOurs(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		before := rowsOf(t, w.database)
		for _, r := range w.app.server.Routes() {
			if !strings.HasPrefix(r.Path, "/v1.0/") || r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodDelete {
				continue
			}
			route, path := r.Method+" "+r.Path, w.path(r.Path, nil)
			rule := accessRules[route]
			for _, name := range assignable {
				if strings.Contains(rule.body, `"`+name+`"`) {
					continue // it is the client's to say here
				}
				switch {
				case rule.form:
					w.assignsInForm(route, r.Method, path, name)
				case rule.body == "": // nothing is read
					got := w.json(r.Method, path, testAdminKey, `{"`+name+`":"canary"}`)
					if got.status >= 500 && got.fault().Error.Code != "embedder_unavailable" || strings.Contains(got.body, "canary") {
						t.Errorf("%s with %s: %v", route, name, got)
					}
				default:
					w.assignsInJSON(route, r.Method, path, w.body(rule), name)
				}
			}
		}
		after := rowsOf(t, w.database)
		for _, line := range before.changed(after) {
			// Reprocessing reads no body; its own change is not the client's.
			if strings.Contains(line, "canary") || !strings.HasPrefix(line[2:], "jobs:") && !strings.HasPrefix(line[2:], "document") {
				t.Errorf("written: %s", line)
			}
		}
	})
}

func (w *accessWorld) assignsInJSON(route, method, path, body, name string) {
	w.t.Helper()
	bodies := map[string]string{name: addMember(body, name)}
	if strings.Contains(path, "/settings") {
		bodies[name] = `{"` + name + `":"canary"}`
	} else if strings.Contains(path, "/assistants") && !strings.Contains(path, "/retrieve") && !strings.Contains(path, "/documents") && !strings.Contains(path, "/eval/") && !strings.Contains(path, "/synonyms") {
		bodies["settings."+name] = `{"name":"x","settings":{"` + name + `":"canary"}}`
	}
	for param, sent := range bodies {
		got := w.json(method, path, testAdminKey, sent)
		if f := got.fault(); got.status != 400 || f.Error.Param != param || f.Error.Code != "unsupported_parameter" && f.Error.Code != "invalid_value" {
			w.t.Errorf("%s with %s: %v", route, sent, got)
		}
	}
}

// addMember adds a member to a JSON object.
func addMember(body, name string) string {
	if body == "{}" {
		return `{"` + name + `":"canary"}`
	}
	return strings.TrimSuffix(body, "}") + `,"` + name + `":"canary"}`
}

func (w *accessWorld) assignsInForm(route, method, path, name string) {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", "canary.txt")
	if err == nil {
		_, err = io.WriteString(file, "canary")
	}
	if err == nil {
		err = form.WriteField(name, "canary")
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	got := w.ask(method, path, testAdminKey, form.FormDataContentType(), &body)
	if f := got.fault(); got.status != 400 || f.Error.Param != name {
		w.t.Errorf("%s with the field %s: %v", route, name, got)
	}
}

// TestWhatCannotBeAnIDIsNotLookedUp asks every route that names something by
// names that nothing can have (S-41): 404, and the database is not asked.
func TestWhatCannotBeAnIDIsNotLookedUp(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		long := strings.Repeat("a", 65)
		for _, r := range w.app.server.Routes() {
			route := r.Method + " " + r.Path
			rule := accessRules[route]
			for _, bad := range []string{
				"'", "'%20OR%20'1'='1", "(SELECT%20pg_sleep(5))", "id;--", "1=1", "name)%20OR%20(1=1", "doc_", "doc_ABC", "asst_%00", "key_x%27", "%00", "..",
				"*", "%25", "_", "a_b", "A", long, "doc_" + long, "doc_é", "%F0%9F%98%80", "%ff", "%2e%2e%2f", "{}", "[]", "doc_1,doc_2", "null%00",
			} {
				for _, param := range parameter.FindAllString(r.Path, -1) {
					if param == ":page" {
						continue
					}
					names := map[string]string{param: bad}
					if param == "*id" && strings.Contains(r.Path, ":assistant") {
						continue // asked about the assistant first
					}
					if param == ":thread" && assistants.IsThreadID(bad) {
						continue // a client may call a conversation so
					}
					got := w.raw(r.Method, w.path(r.Path, names), testAdminKey, w.body(rule))
					if got.status != 404 && got.status != 400 && (got.status != 403 || rule.need != needSignature) || len(got.statements) > 0 {
						t.Errorf("%s with %s as %s: %v", route, bad, param, got)
					}
				}
			}
		}
		for _, bad := range []string{"'", "' OR '1'='1", "a\x00b", "(SELECT pg_sleep(5))", "x) OR (1=1", long, "meta/Llama", "é"} {
			name, err := json.Marshal(bad)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []accessAnswer{
				w.json("POST", "/v1/chat/completions", testAdminKey, `{"model":`+string(name)+`,"messages":[{"role":"user","content":"hi"}]}`),
				w.json("POST", "/v1.0/keys", testAdminKey, `{"name":"k","scopes":["chat"],"assistants":[`+string(name)+`]}`),
				w.json("POST", "/v1.0/keys", testAdminKey, `{"name":"k","scopes":["chat"],"default_assistant":`+string(name)+`}`),
			} {
				if got.status != 404 && got.status != 400 || len(got.statements) > 0 {
					t.Errorf("%q: %v", bad, got)
				}
			}
		}
	})
}

// raw sends a request whose path goes out as it stands, on a connection of its own.
func (w *accessWorld) raw(method, path, secret, body string, lines ...string) accessAnswer {
	w.t.Helper()
	w.count++
	request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: 10.%d.%d.%d\r\n",
		method, path, w.count>>16, w.count>>8&255, w.count&255)
	if secret != "" {
		request += "Authorization: Bearer " + secret + "\r\n"
	}
	if body != "" {
		request += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	for _, line := range lines {
		request += line + "\r\n"
	}
	w.statements.take()
	conn, err := new(net.Dialer).DialContext(w.t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // read to its end
	if _, err := io.WriteString(conn, request+"\r\n"+body); err != nil {
		return accessAnswer{} // refused before it was sent
	}
	req := &http.Request{Method: method}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return accessAnswer{}
	}
	defer resp.Body.Close()         //nolint:errcheck // read to its end
	raw, _ := io.ReadAll(resp.Body) //nolint:errcheck // what came is what is looked at
	return accessAnswer{resp.StatusCode, resp.Header, string(raw), w.statements.take()}
}

// TestVariantsOfPathsLeadNowhere writes the path of every route in other ways
// : no client is served, with or without a key, and nothing is changed.
func TestVariantsOfPathsLeadNowhere(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		registered := map[string]bool{}
		for _, r := range w.app.server.Routes() {
			registered[r.Method+" "+w.path(r.Path, nil)] = true
		}
		before := rowsOf(t, w.database)
		for _, r := range w.app.server.Routes() {
			path := w.path(r.Path, nil)
			last := strings.LastIndexByte(path, '/')
			middle := strings.IndexByte(path[1:], '/') + 1
			for _, variant := range []string{
				strings.ToUpper(path), path[:1] + strings.ToUpper(path[1:2]) + path[2:], "/" + path, path + "/", path[:last] + "/" + path[last:], path[:last] + "/." + path[last:],
				path[:last] + "/x/.." + path[last:], path[:last] + "%2f" + path[last+1:], path[:last] + "%2F" + path[last+1:], "/." + path, "/%2e" + path, "/x/.." + path, path + ";x", path + ";x=1", path + "%00",
				path + "%20", path + ".json", path + "%2f", path + "/..", path + "/.", path + "\\", strings.Replace(path, "/v1", "/%761", 1), path[:middle+1] + ";" + path[middle+1:],
				"/healthz/.." + path, "/healthz%2f.." + path, path + "//",
			} {
				if registered[r.Method+" "+variant] {
					continue // a root path without a middle
				}
				for _, secret := range []string{"", testAdminKey} {
					rule := accessRules[r.Method+" "+r.Path]
					got := w.raw(r.Method, variant, secret, w.body(rule))
					if got.status == 403 && rule.need == needSignature {
						continue // whatever is below the route is a link, and not a good one
					}
					if got.status != 404 && got.status != 405 && got.status != 400 && (got.status != 401 || secret != "") || got.header.Get("Location") != "" {
						t.Errorf("%s %s with key %q: %v", r.Method, variant, secret, got)
					}
				}
			}
		}
		if changed := before.changed(rowsOf(t, w.database)); len(changed) > 0 {
			t.Errorf("changed: %v", changed)
		}
	})
}

// TestOtherMethodsAreRefused asks every path by every method that it does not have, and tries
// to turn one method into another.
func TestOtherMethodsAreRefused(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		methods := map[string][]string{}
		for _, r := range w.app.server.Routes() {
			methods[r.Path] = append(methods[r.Path], r.Method)
		}
		before := rowsOf(t, w.database)
		for route, known := range methods {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK", "get", "X"} {
				if slices.Contains(known, method) {
					continue
				}
				for _, secret := range []string{"", testAdminKey} {
					if got := w.raw(method, w.path(route, nil), secret, ""); got.status != 405 && got.status != 404 {
						t.Errorf("%s %s with key %q: %v", method, route, secret, got)
					}
				}
			}
			for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
				w.raw("GET", withQuery(w.path(route, nil)+"?_method=DELETE", accessRules["GET "+route].query), testAdminKey, "", header+": DELETE")
			}
		}
		if changed := before.changed(rowsOf(t, w.database)); len(changed) > 0 {
			t.Errorf("changed: %v", changed)
		}
	})
}

var sqlPayloads = []string{
	"(SELECT pg_sleep(5))", "id;--", "1=1", "name) OR (1=1", "1 OR 1=1", "-1", "0", "1001", "1e3", "1.5", "0x10", "NaN", " 5", "5 ", "٣", "9223372036854775808",
	"5;DROP TABLE api_keys", "5\x00", "[5]", `{"gt":1}`, "null", "true", "", "5 UNION SELECT key_hash FROM api_keys", "%", "_", "'", "\"", "\\",
}

// TestParametersOfListsAreNumbersAndCursorsOfOurs puts SQL and other values
// that are none into every parameter of every list (S-40).
func TestParametersOfListsAreNumbersAndCursorsOfOurs(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		lists := 0
		for _, r := range w.app.server.Routes() {
			if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, "/v1.0/") || accessRules["GET "+r.Path].need == needSignature {
				continue
			}
			path := w.path(r.Path, nil) + accessRules["GET "+r.Path].query
			plain := w.json("GET", path, testAdminKey, "")
			query := func(name, value string) accessAnswer {
				return w.json("GET", withQuery(path, "?"+url.QueryEscape(name)+"="+url.QueryEscape(value)), testAdminKey, "")
			}
			for i, name := range []string{"sort", "order", "order_by", "column", "filter", "where", "select", "group", "having", "limit[]", "tenant_id", "fields", "offset"} {
				for j, payload := range sqlPayloads {
					if !nightly && (i+j)%4 != 0 {
						continue
					}
					got := query(name, payload)
					refused := got.status == 400 && len(got.statements) <= len(plain.statements)
					if !refused && (got.status != 200 || !slices.Equal(got.statements, plain.statements)) {
						t.Errorf("%s?%s=%q: %v", r.Path, name, payload, got)
					}
				}
			}
			for name, harmless := range map[string]string{"q": "zqz", "label": "zqz", "tag": "k:zqz", "status": "ready", "state": "active"} {
				want := query(name, harmless)
				for _, payload := range sqlPayloads {
					got := query(name, strings.TrimSuffix(harmless, "zqz")+payload)
					if got.status != 400 && payload != "" && (got.status != 200 || !slices.Equal(got.statements, want.statements)) {
						t.Errorf("%s?%s=%q: %v", r.Path, name, payload, got)
					}
				}
			}
			if got := query("limit", "x"); got.status != 400 || plain.status == 400 {
				continue // no list that is read in pages
			}
			lists++
			w.listRefuses(r.Path, path, query)
		}
		if lists < 4 {
			t.Errorf("only %d lists", lists)
		}
	})
}

func (w *accessWorld) listRefuses(route, path string, query func(name, value string) accessAnswer) {
	w.t.Helper()
	asking := len(w.json("GET", path+"?limit=1001", testAdminKey, "").statements)
	for _, payload := range sqlPayloads {
		if got := query("limit", payload); got.status != 400 || got.fault().Error.Param != "limit" || len(got.statements) > asking {
			w.t.Errorf("%s?limit=%q: %v", route, payload, got)
		}
		if payload == "" {
			continue // the first page
		}
		for _, cursor := range []string{
			payload, base64.RawURLEncoding.EncodeToString([]byte("0 " + payload)), base64.RawURLEncoding.EncodeToString([]byte(payload + " doc_x")),
			base64.StdEncoding.EncodeToString([]byte(payload)), strings.Repeat("A", 600),
		} {
			// "0 1001" is one that could be ours; it ends after everything.
			if got := query("cursor", cursor); got.status != 400 && !idLike(payload) || got.status == 400 && got.fault().Error.Param != "cursor" || got.status > 400 {
				w.t.Errorf("%s?cursor=%q of %q: %v", route, cursor, payload, got)
			}
		}
	}
	for _, twice := range []string{"limit=1&limit=2", "cursor=&cursor="} {
		if got := w.json("GET", path+"?"+twice, testAdminKey, ""); got.status != 400 {
			w.t.Errorf("%s?%s: %v", route, twice, got)
		}
	}
}

// idLike tells payloads that have the form of an id or a number.
func idLike(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// TestWhatABodyNamesIsTheKeysOwn names what belongs to others in bodies and
// headers (S-21): it is answered like what does not exist, and takes the same.
func TestWhatABodyNamesIsTheKeysOwn(t *testing.T) {
	onEveryDatabase(t, `{"citation_link_mode":"Authenticated"}`, func(t *testing.T, w *accessWorld) {
		theirs, absent := w.things["theirs"], w.things["absent"]
		for name, ask := range map[string]func(b *belongings) accessAnswer{
			"assistants of a key": func(b *belongings) accessAnswer {
				return w.json("POST", "/v1.0/keys", testAdminKey, `{"name":"k","scopes":["chat"],"assistants":["`+string(b.assistant.ID)+`"]}`)
			},
			"assistants of a key, by slug": func(b *belongings) accessAnswer {
				return w.json("POST", "/v1.0/keys", testAdminKey, `{"name":"k","scopes":["chat"],"assistants":["mine","`+b.assistant.Slug+`"]}`)
			},
			"the default assistant of a key": func(b *belongings) accessAnswer {
				return w.json("POST", "/v1.0/keys", testAdminKey, `{"name":"k","scopes":["chat"],"default_assistant":"`+string(b.assistant.ID)+`"}`)
			},
			"collections of settings": func(b *belongings) accessAnswer {
				return w.json("PATCH", "/v1.0/assistants/mine/settings", testAdminKey, `{"collections":["`+string(b.collection)+`"]}`)
			},
			"a chat's header over its model": func(b *belongings) accessAnswer {
				return w.json("POST", "/v1/chat/completions", testAdminKey, `{"model":"mine","messages":[{"role":"user","content":"hi"}]}`, "X-Footnote-Assistant", string(b.assistant.ID))
			},
			"a chat's path over its header": func(b *belongings) accessAnswer {
				return w.json("POST", "/assistants/"+string(b.assistant.ID)+"/v1/chat/completions", testAdminKey,
					`{"model":"mine","messages":[{"role":"user","content":"hi"}]}`, "X-Footnote-Assistant", "mine")
			},
		} {
			foreign, none := ask(theirs), ask(absent)
			for from, b := range map[*accessAnswer]*belongings{&foreign: theirs, &none: absent} {
				for _, id := range []string{string(b.assistant.ID), b.assistant.Slug, string(b.collection)} {
					from.body = strings.ReplaceAll(from.body, id, "…")
				}
				from.header.Del("Content-Length")
			}
			if foreign.status < 400 || !foreign.equal(none) {
				t.Errorf("%s: %v\n\tis told from %v", name, foreign, none)
			}
		}
		for _, key := range rowsOf(t, w.database)["api_keys"] {
			if strings.Contains(key, string(theirs.assistant.ID)) {
				t.Errorf("a key names what belongs to others: %s", key)
			}
		}
	})
}

// TestAKeysBindingHoldsWhateverNamesTheAssistant sends a bound key to what it
// may not see, named by path, header, model and default in every combination.
func TestAKeysBindingHoldsWhateverNamesTheAssistant(t *testing.T) {
	onEveryDatabase(t, `{}`, func(t *testing.T, w *accessWorld) {
		other := w.things["other"].assistant.ID
		secret := w.secret(func(k *assistants.Key) {
			k.Scopes, k.Assistants = []assistants.Scope{assistants.ScopeChat}, []assistants.AssistantID{w.things["mine"].assistant.ID}
			k.DefaultAssistant = other // the API would not make such a key
		})
		names := map[string]int{"": 404, "mine": 200, "other": 404, string(other): 404, "theirs": 404, "absent": 404}
		for _, path := range slices.Sorted(maps.Keys(names)) {
			for _, header := range slices.Sorted(maps.Keys(names)) {
				for _, model := range slices.Sorted(maps.Keys(names)) {
					decides, at := model, "/v1/chat/completions"
					if header != "" {
						decides = header
					}
					if path != "" {
						decides, at = path, "/assistants/"+path+at
					}
					want := names[decides]
					got := w.json("POST", at, secret, `{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`, "X-Footnote-Assistant", header)
					if got.status != want || strings.Contains(got.body, string(other)) && decides != string(other) {
						t.Errorf("path %q, header %q, model %q: %v, want %d", path, header, model, got, want)
					}
				}
			}
		}
	})
}
