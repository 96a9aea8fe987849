package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/db/postgrestest"
)

const (
	completion  = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
	modelsList  = `{"data":[{"id":"m-1"}]}`
	canaryOne   = "sk-canary-one-0123456789"
	canaryTwo   = "sk-canary-two-0123456789"
	canaryThree = "sk-canary-three-0123456789"
	canaryTeam  = "canary-team-token"
)

// A reader asks a server of the real program and keeps all its answers.
type reader struct {
	*process
	mu   sync.Mutex
	told bytes.Buffer
}

func (r *reader) ask(method, path, body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.told, "%s %s: %d %v %s\n", method, path, resp.StatusCode, resp.Header, raw)
	return resp.StatusCode, string(raw)
}

// must wants a status and returns a member of the answer.
func (r *reader) must(status int, method, path, body, member string) string {
	r.t.Helper()
	got, raw := r.ask(method, path, body)
	if got != status {
		r.t.Fatalf("%s %s: %d %s, want %d", method, path, got, raw, status)
	}
	_, rest, _ := strings.Cut(raw, `"`+member+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func (r *reader) chat(assistant string) (int, string) {
	r.t.Helper()
	return r.ask("POST", "/v1/chat/completions", `{"model":"`+assistant+`","messages":[{"role":"user","content":"hi"}]}`)
}

// wantChat lets an assistant answer, and says which key and model it was asked with.
func (r *reader) wantChat(assistant string, far *upstreamtest.Server, key, model string) {
	r.t.Helper()
	before := far.Count()
	if status, body := r.chat(assistant); status != 200 || far.Count() != before+1 {
		r.t.Fatalf("chat with %s: %d %s", assistant, status, body)
	}
	if got := far.Last(); got.Header.Get("Authorization") != "Bearer "+key || !strings.Contains(string(got.Body), `"model":"`+model+`"`) {
		r.t.Errorf("%s was asked with %v %s, want key %s and model %s", assistant, got.Header, got.Body, key, model)
	}
}

// wantNoCanary searches the answers, the log, every file of the data
// directory and every row of a database elsewhere.
func (r *reader) wantNoCanary(dir, database string) {
	r.t.Helper()
	places := map[string][]byte{"an answer": r.told.Bytes(), "the log": []byte(r.stdout.String() + r.stderr.String())}
	if database != "sqlite:" {
		places["the database"] = fmt.Append(nil, rowsOf(r.t, database))
		if !bytes.Contains(places["the database"], []byte("up_")) {
			r.t.Error("the rows of upstreams were not read")
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			places[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for place, content := range places {
		for _, canary := range []string{canaryOne, canaryTwo, canaryThree, canaryTeam} {
			if bytes.Contains(content, []byte(canary)) {
				r.t.Errorf("%s holds %s", place, canary)
			}
		}
	}
}

// The whole life of upstreams made through the API, in the real program.
func TestStoredUpstreamsAnswerChangeAndStay(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { storedUpstreamsTest(t, "sqlite:") })
	t.Run("postgres", func(t *testing.T) { storedUpstreamsTest(t, postgrestest.URL(t)) })
}

func storedUpstreamsTest(t *testing.T, database string) {
	dir, where := t.TempDir(), "FOOTNOTE_DATABASE_URL="+database
	one, two := modelServer(t, upstreamtest.JSON(completion)), modelServer(t, upstreamtest.JSON(completion))
	r := &reader{process: start(t, dir, []string{"--log-level", "debug"}, where)}
	first := r.must(201, "POST", "/v1.0/upstreams", fmt.Sprintf(`{"name":"One","base_url":%q,"api_key":%q,"default_model":"base-1","headers":{"X-Team":%q}}`, one.URL(), canaryOne, canaryTeam), "id")
	second := r.must(201, "POST", "/v1.0/upstreams", fmt.Sprintf(`{"name":"Two","base_url":%q,"api_key":%q}`, two.URL(), canaryTwo), "id")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"a","settings":{"upstream":"One"}}`, "")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"b","settings":{"upstream":"`+second+`","model":"own"}}`, "")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"c","settings":{"upstream":"Two"}}`, "")

	r.wantChat("a", one, canaryOne, "base-1")
	if one.Last().Header.Get("X-Team") != canaryTeam {
		t.Error("the header is missing")
	}
	r.wantChat("b", two, canaryTwo, "own")
	if status, body := r.chat("c"); status != 503 || !strings.Contains(body, "upstream_model_missing") {
		t.Errorf("no model anywhere: %d %s", status, body)
	}

	// What changes is in force for the next chat.
	r.must(200, "PATCH", "/v1.0/upstreams/"+second, fmt.Sprintf(`{"api_key":%q,"default_model":"base-2"}`, canaryThree), "")
	r.wantChat("b", two, canaryThree, "own")
	r.wantChat("c", two, canaryThree, "base-2")
	r.must(200, "PATCH", "/v1.0/upstreams/"+first, fmt.Sprintf(`{"base_url":%q,"api_key":%q,"headers":{"X-Team":%q}}`, two.URL(), canaryOne, canaryTeam), "")
	r.wantChat("a", two, canaryOne, "base-1")
	r.must(200, "PATCH", "/v1.0/upstreams/"+first, fmt.Sprintf(`{"base_url":%q,"api_key":%q,"headers":{"X-Team":%q}}`, one.URL(), canaryOne, canaryTeam), "")
	r.must(409, "DELETE", "/v1.0/upstreams/"+second, "", "")
	r.must(409, "PATCH", "/v1.0/upstreams/"+first, `{"name":"Uno"}`, "")

	for _, c := range []struct {
		script upstreamtest.Script
		status int
		code   string
	}{
		{upstreamtest.Status(401, canaryOne), 502, "upstream_auth_failed"},
		{upstreamtest.Status(400, canaryOne+" "+canaryTeam), 400, "***"},
		{upstreamtest.JSON(`{"error":{"message":"` + canaryOne + ` ` + canaryTeam + `"}}`), 502, "upstream_error"},
		{upstreamtest.Raw(canaryTeam + "\r\n\r\n").Then(upstreamtest.Closes()), 502, "upstream_invalid_response"},
	} {
		one.Play(c.script)
		if status, body := r.chat("a"); status != c.status || !strings.Contains(body, c.code) {
			t.Errorf("%d %s, want %d %s", status, body, c.status, c.code)
		}
		r.must(200, "GET", "/v1.0/upstreams/"+first+"/health", "", "")
	}
	one.Play(upstreamtest.JSON(modelsList))
	r.must(200, "GET", "/v1.0/upstreams/"+first+"/models", "", "")
	for _, path := range []string{"/v1.0/upstreams", "/v1.0/upstreams/" + second, "/v1.0/assistants", "/v1.0/status", "/metrics", "/v1/models"} {
		r.must(200, "GET", path, "", "")
	}
	r.wantNoCanary(dir, database)

	// kill -9 and start again: all of it is still there.
	r.kill()
	r.wantNoCanary(dir, database)
	r = &reader{process: start(t, dir, nil, where)}
	one.Play(upstreamtest.JSON(completion))
	r.wantChat("a", one, canaryOne, "base-1")
	r.wantChat("c", two, canaryThree, "base-2")
	r.must(200, "PATCH", "/v1.0/assistants/b/settings", `{"upstream":null}`, "")
	r.must(200, "PATCH", "/v1.0/assistants/c/settings", `{"upstream":null}`, "")
	r.must(204, "DELETE", "/v1.0/upstreams/"+second, "", "")
	r.must(404, "GET", "/v1.0/upstreams/"+second, "", "")
	r.stop(os.Interrupt)
	r.wantNoCanary(dir, database)
}

func TestAChangedSecretKeyIsSaidAndMendedByStoringTheKeyAgain(t *testing.T) {
	const warning = "the secrets of stored upstreams cannot be read"
	dir := t.TempDir()
	far := modelServer(t, upstreamtest.JSON(completion))
	with := func(secret string) *reader {
		return &reader{process: start(t, dir, nil, "FOOTNOTE_SECRET_KEY="+secret+"-0123456789abcdef0123456789abcdef")}
	}
	r := with("a")
	id := r.must(201, "POST", "/v1.0/upstreams", fmt.Sprintf(`{"name":"far","base_url":%q,"api_key":%q,"default_model":"m"}`, far.URL(), canaryOne), "id")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"a","settings":{"upstream":"far"}}`, "")
	r.wantChat("a", far, canaryOne, "m")
	r.stop(os.Interrupt)

	r = with("b")
	if n := strings.Count(r.stderr.String(), warning); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, r.stderr)
	}
	if status, body := r.chat("a"); status != 503 || !strings.Contains(body, "upstream_unavailable") || !strings.Contains(body, "FOOTNOTE_SECRET_KEY") {
		t.Errorf("chat: %d %s", status, body)
	}
	if status, body := r.ask("GET", "/v1.0/upstreams/"+id+"/health", ""); status != 200 || !strings.Contains(body, `"failed"`) || !strings.Contains(body, "FOOTNOTE_SECRET_KEY") {
		t.Errorf("health: %d %s", status, body)
	}
	if status, body := r.ask("GET", "/v1.0/upstreams/"+id, ""); status != 200 || !strings.Contains(body, `"has_key":true`) {
		t.Errorf("shown: %d %s", status, body)
	}
	if far.Count() != 1 {
		t.Errorf("asked %d times", far.Count())
	}
	r.must(200, "PATCH", "/v1.0/upstreams/"+id, fmt.Sprintf(`{"api_key":%q}`, canaryTwo), "")
	r.wantChat("a", far, canaryTwo, "m")
	r.stop(os.Interrupt)
	r.wantNoCanary(dir, "sqlite:")

	r = with("b")
	if strings.Contains(r.stderr.String(), warning) {
		t.Errorf("it is said still:\n%s", r.stderr)
	}
	r.wantChat("a", far, canaryTwo, "m")
}

func TestPrivateUpstreamsCanBeForbidden(t *testing.T) {
	dir := t.TempDir()
	far, own := modelServer(t, upstreamtest.JSON(completion)), modelServer(t, upstreamtest.JSON(completion))
	proxy := modelServer(t, upstreamtest.JSON(completion)) // a proxy would be a way round
	r := &reader{process: start(t, dir, nil)}
	id := r.must(201, "POST", "/v1.0/upstreams", fmt.Sprintf(`{"name":"far","base_url":%q,"default_model":"m"}`, far.URL()), "id")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"a","settings":{"upstream":"far"}}`, "")
	r.must(201, "POST", "/v1.0/assistants", `{"name":"b"}`, "")
	r.must(201, "POST", "/v1.0/upstreams", `{"name":"inside","base_url":"http://192.168.255.254:9/v1","default_model":"m"}`, "id") // no proxy is asked for loopback
	r.must(201, "POST", "/v1.0/assistants", `{"name":"c","settings":{"upstream":"inside"}}`, "")
	r.stop(os.Interrupt)

	r = &reader{process: start(t, dir, nil, "FOOTNOTE_ALLOW_PRIVATE_UPSTREAMS=false", "FOOTNOTE_UPSTREAM_URL="+own.URL(), "FOOTNOTE_UPSTREAM_MODEL=m",
		"HTTP_PROXY=http://"+proxy.Addr(), "HTTPS_PROXY=http://"+proxy.Addr())}
	for _, assistant := range []string{"a", "c"} {
		if status, body := r.chat(assistant); status != 502 || !strings.Contains(body, "upstream_connect_failed") || !strings.Contains(body, "not public") {
			t.Errorf("chat with %s: %d %s", assistant, status, body)
		}
	}
	r.must(200, "GET", "/v1.0/upstreams/"+id+"/health", "", "")
	if status, body := r.ask("PATCH", "/v1.0/upstreams/"+id, `{"base_url":"http://10.0.0.1/v1"}`); status != 400 || !strings.Contains(body, "url_not_allowed") {
		t.Errorf("change: %d %s", status, body)
	}
	if far.Accepted() != 0 || proxy.Accepted() != 0 {
		t.Errorf("%d connections to it, %d to the proxy", far.Accepted(), proxy.Accepted())
	}
	if status, body := r.chat("b"); status != 200 || own.Count() != 1 { // from the environment it always may
		t.Errorf("the default upstream: %d %s", status, body)
	}
}
