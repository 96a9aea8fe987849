package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/blob/s3test"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// A canary is something that must not leave the places it is meant for.
type canary struct {
	name, text string
	// allowed are the beginnings of the names of those places.
	allowed []string
}

// canaries are all of them; each occurs in no other text.
var canaries = []canary{
	{"the upstream's key", "sk-canary-upstream-5f0c1a7e", []string{"upstream header Authorization"}},
	{"the password of the database", "canary-dsn-8d21b46c", nil},
	{"the installation's secret", "canary-secret-key-0123456789abcdef-77aa", nil},
	{"the admin key", "canary-admin-key-91f3e0d2", nil},
	{"the embedder's key", "canary-embedding-key-40cc", nil},
	{"a stored upstream's key", "sk-canary-stored-b3e9c4d1", []string{"upstream header Authorization"}},
	{"a stored upstream's header", "canary-header-9c5e", []string{"upstream header X-Gateway"}},
	{"the idempotency key", "canary-idempotency-6b1d", nil},
	{"the system prompt", "canary-system-prompt-c07e", []string{"answer /v1.0/assistants", "upstream body", "rows assistant_settings", "file footnote.db", "rows idempotency_keys"}},
	{"what a user wrote", "canary-user-text-2f9b", []string{"upstream body", "answer /v1/chat", "answer /v1/responses", "answer /assistants", "answer GET /v1.0/audit", "answer /v1.0/audit", "rows audit_events", "file footnote.db"}}, // member retrieval tells what was searched for
	{"the text of a document", "canary-document-text-e4a8", []string{
		"answer /v1.0/documents", "answer /v1.0/links", "answer /v1.0/assistants", "answer /v1/chat", "answer /v1/responses", "answer /assistants", "upstream body",
		"rows document_texts", "rows chunks", "file footnote.db", "file documents", "file index.db",
		"rows document_versions", "rows idempotency_keys", // the profile has titles and names
	}},
	{"the name of a document", "canary-document-name-13d7", []string{
		"answer /v1.0/documents", "answer /v1.0/assistants", "answer /v1/chat", "answer /v1/responses", "answer /v1/files", "answer /assistants", "upstream body",
		"answer /v1.0/eval", "rows eval_questions", "rows eval_outcomes",
		"rows documents", "rows document_versions", "rows idempotency_keys", "file footnote.db", "header Content-Disposition",
	}},
	{"a gold question", "canary-gold-question-7be2", []string{"answer /v1.0/assistants", "answer /v1.0/eval", "rows eval_questions", "rows eval_outcomes", "file footnote.db"}},
	{"a kept question", "canary-kept-question-3d18", []string{
		"upstream body", "answer /v1/chat", "answer /v1.0/assistants", "answer /v1.0/history", "rows history_answers", "rows history_threads",
		"answer /v1.0/audit", "rows audit_events", "file footnote.db",
	}},
	// The name of a model is repeated to the client that asked for it, and logged.
	{"what a caller made up", "canary-made-up-a85f", []string{"answer /v1/models", "answer /assistants", "answer /v1/chat", "upstream body", "log", "answer /v1.0/audit", "rows audit_events", "file footnote.db"}},
}

func canaryText(name string) string {
	i := slices.IndexFunc(canaries, func(c canary) bool { return c.name == name })
	return canaries[i].text
}

// A sweep drives the real program and keeps everything that comes out of it.
type sweep struct {
	t         *testing.T
	found     map[string][]string // by place
	extra     []canary            // those that the program itself makes
	far       *upstreamtest.Server
	dir       string
	p         *process
	ids       *strings.Replacer
	number    int
	s3        *s3test.Server // nil: the documents are on disk
	bucket    string
	presigned []canary // those of S3
}

func (s *sweep) keep(place, text string) { s.found[place] = append(s.found[place], text) }

// TestSecretsStayWhereTheyBelong drives every route of the real program with
// good and bad requests, with a model server that tells what it should not,
// through a database outage and starts that fail, at the level debug, and then
// looks for the canaries in everything that came out and was stored (S-60).
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	if nightly { // with PostgreSQL there are more places to look in
		t.Run("sqlite", func(t *testing.T) { newSweep(t).all("sqlite:", nil) })
	}
	t.Run("postgres", func(t *testing.T) {
		server := postgrestest.Start(t)
		u, err := url.Parse(server.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword("app", canaryText("the password of the database"))
		s := newSweep(t)
		s.useS3()
		s.all(u.String(), server)
	})
	if nightly {
		t.Run("mariadb", func(t *testing.T) {
			server := mariadbtest.Start(t)
			u, err := url.Parse(server.Database(t))
			if err != nil {
				t.Fatal(err)
			}
			password := canaryText("the password of the database")
			if _, err := mariadbtest.DB(t, u.String()).ExecContext(t.Context(), "SET PASSWORD FOR app@'127.0.0.1' = PASSWORD('"+password+"')"); err != nil {
				t.Fatal(err)
			}
			u.User = url.UserPassword("app", password)
			s := newSweep(t)
			s.useS3()
			s.all(u.String(), server)
		})
	}
}

func newSweep(t *testing.T) *sweep {
	t.Helper()
	return &sweep{t: t, found: map[string][]string{}, far: modelServer(t), dir: t.TempDir()}
}

func (s *sweep) env(database string) []string {
	env := []string{
		"FOOTNOTE_DATABASE_URL=" + database, "FOOTNOTE_UPSTREAM_URL=" + s.far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m",
		"FOOTNOTE_UPSTREAM_API_KEY=" + canaryText("the upstream's key"), "FOOTNOTE_SECRET_KEY=" + canaryText("the installation's secret"),
		"FOOTNOTE_ADMIN_KEY=" + canaryText("the admin key"), "FOOTNOTE_LOG_LEVEL=debug", "FOOTNOTE_PASSTHROUGH=true",
	}
	if s.s3 != nil {
		env = append(env, s3Env(s.s3.Endpoint, s.bucket)...)
	}
	return env
}

func (s *sweep) all(database string, server databaseServer) {
	s.commands(database)
	s.p = start(s.t, s.dir, nil, s.env(database)...)
	s.furnish()
	s.routes()
	s.upstreams()
	if server != nil {
		s.withoutS3()
		server.Stop(s.t)
		s.routes()
		server.Start(s.t)
	}
	s.arguments()
	s.p.stop(syscall.SIGQUIT) // the runtime tells all goroutines
	s.keep("stdout", s.p.stdout.String())
	s.keep("log", s.p.stderr.String())
	if !strings.Contains(s.p.stderr.String(), `"statement"`) || !strings.Contains(s.p.stderr.String(), "goroutine") {
		s.t.Error("the log is not at the level debug, or does not end with the goroutines")
	}
	for _, r := range s.far.Requests() {
		s.keep("upstream body", string(r.Body))
		s.keep("upstream path", r.Path)
		for name, values := range r.Header {
			s.keep("upstream header "+name, strings.Join(values, "\n"))
		}
	}
	s.files()
	if server != nil {
		for table, rows := range rowsOf(s.t, database) {
			s.keep("rows "+table, strings.Join(rows, "\n"))
		}
	}
	s.report()
}

// report looks for every canary in every place.
func (s *sweep) report() {
	met := map[string]bool{}
	for _, c := range slices.Concat(canaries, s.extra, s.presigned) {
		forms := []string{c.text, base64.StdEncoding.EncodeToString([]byte(c.text)), hex.EncodeToString([]byte(c.text)), strings.ToUpper(c.text)}
		for _, place := range slices.Sorted(maps.Keys(s.found)) {
			for _, text := range s.found[place] {
				for _, form := range forms {
					at := strings.Index(text, form)
					if at < 0 {
						continue
					}
					met[c.name] = true
					if !slices.ContainsFunc(c.allowed, func(a string) bool { return strings.HasPrefix(place, a) }) {
						s.t.Errorf("%s is in %s: …%s…", c.name, place, text[max(0, at-200):min(len(text), at+len(form)+100)])
						break
					}
				}
			}
		}
		if len(c.allowed) > 0 && !met[c.name] {
			s.t.Errorf("%s is nowhere: the sweep does not see it", c.name)
		}
	}
}

// commands runs what is no server, and servers that do not come up.
func (s *sweep) commands(database string) {
	busy := modelServer(s.t)
	embedding := "FOOTNOTE_EMBEDDING_API_KEY=" + canaryText("the embedder's key")
	mixedUp := canaryText("the upstream's key")
	for _, c := range []struct {
		args []string
		env  []string
	}{
		{[]string{"check-config"}, nil},
		{[]string{"check-config"}, []string{embedding}},
		{[]string{"check-config"}, []string{"FOOTNOTE_UPSTREAM_URL=" + mixedUp}},
		{[]string{"check-config"}, []string{"FOOTNOTE_UPSTREAM_URL=https://" + mixedUp + "@host/v1?key=" + mixedUp, "FOOTNOTE_PUBLIC_URL=" + mixedUp, "FOOTNOTE_BLOB_URL=s3://" + mixedUp + ":x@h"}},
		{[]string{"check-config"}, []string{"FOOTNOTE_DATABASE_URL=mysql://u:" + mixedUp + "@h/db", "FOOTNOTE_VECTOR_URL=qdrant://h?apikey=" + mixedUp, "FOOTNOTE_EMBEDDING_URL=https://h?key=" + mixedUp}},
		{[]string{"check-config"}, []string{"FOOTNOTE_DATABASE_URL=" + mixedUp, "FOOTNOTE_CORS_ORIGINS=https://u:" + mixedUp + "@h", "FOOTNOTE_UPSTREAM_API_KEY_FILE=/nowhere"}},
		{[]string{"serve"}, []string{embedding}},
		{[]string{"serve"}, []string{"FOOTNOTE_ADDR=" + busy.Addr()}},
		{[]string{"serve"}, []string{"FOOTNOTE_DATABASE_URL=postgres://app:" + mixedUp + "@127.0.0.1:1/x?connect_timeout=1"}},
		{[]string{"serve"}, []string{"FOOTNOTE_DATABASE_URL=postgres://app:" + mixedUp + "@127.0.0.1:1:2/%zz"}},
		{[]string{"serve"}, []string{"FOOTNOTE_DATABASE_URL=mysql://app:" + mixedUp + "@127.0.0.1:1/x"}},
		{[]string{"serve"}, []string{"FOOTNOTE_DATABASE_URL=sqlserver://app:" + mixedUp + "@127.0.0.1:1/x"}},
		{[]string{"serve"}, []string{"FOOTNOTE_DATABASE_URL=mysql://app:pw:S@" + mixedUp + "/20@127.0.0.1:1/x"}},
		{[]string{"check-config"}, []string{"FOOTNOTE_DATABASE_URL=postgres://app:pw:S@" + mixedUp + "/20@127.0.0.1:1/x"}},
		{[]string{"check-config"}, []string{"FOOTNOTE_DATABASE_URL=sqlserver://app:" + mixedUp + "@h/x?encrypt=" + mixedUp}},
		{[]string{"copy", "--to-database", "mysql://app:" + mixedUp + "@127.0.0.1:1/x", "--to-blob", "s3://nowhere/" + mixedUp + "?endpoint=http://127.0.0.1:1"}, nil},
		{[]string{"serve"}, []string{"FOOTNOTE_UPSTREAM_URL=https://u:" + mixedUp + "@h/v1"}},
		{[]string{"serve", "--no-such=" + mixedUp}, nil},
		{[]string{"serve"}, []string{"FOOTNOTE_BLOB_URL=s3://nowhere/" + mixedUp + "?endpoint=http://127.0.0.1:1", "FOOTNOTE_S3_ACCESS_KEY_ID=" + mixedUp, "FOOTNOTE_S3_SECRET_ACCESS_KEY=" + mixedUp}},
		{[]string{"check-config"}, []string{"FOOTNOTE_BLOB_URL=s3://bucket?endpoint=https://u:" + mixedUp + "@h", "FOOTNOTE_S3_SECRET_ACCESS_KEY=" + mixedUp}},
		{[]string{"migrate", "status"}, nil},
		{[]string{"migrate", "up"}, []string{"FOOTNOTE_DATABASE_URL=postgres://app:" + mixedUp + "@127.0.0.1:1/x"}},
		{[]string{"migrate", "up"}, nil},
		{[]string{"keys", "list", "--url", "http://u:" + mixedUp + "@127.0.0.1:1", "--key", mixedUp}, nil},
		{[]string{"ask", "--assistant", "x", "--url", "http://127.0.0.1:1", "--key", mixedUp, canaryText("what a user wrote")}, nil},
	} {
		cmd := exec.Command(binary, c.args...)
		cmd.Dir = s.dir
		cmd.Env = bareEnv(append(append(s.env(database), "FOOTNOTE_DATA_DIR="+s.dir), c.env...)...)
		out, err := cmd.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			s.t.Fatal(err)
		}
		place := "output of " + c.args[0]
		if c.args[0] == "serve" && strings.Contains(strings.Join(c.args, ""), mixedUp) {
			place = "output of a wrong flag"
		}
		s.keep(place, string(out))
	}
}

// furnish makes what the requests name, as people would.
func (s *sweep) furnish() {
	s.far.Play(upstreamtest.JSON(answerOfCanaries))
	settings := map[string]any{
		"system_prompt": canaryText("the system prompt"), "enable_rag": true, "enable_citations": true, "citation_link_mode": "Public", "upstream": "far",
	}
	var assistant, document, key, stored struct{ ID, Key, Status string }
	if status := s.sendJSON("POST", "/v1.0/upstreams", map[string]any{
		"name": "far", "base_url": s.far.URL(), "api_key": canaryText("a stored upstream's key"), "default_model": "m",
		"headers": map[string]string{"X-Gateway": canaryText("a stored upstream's header")},
	}, &stored); status != 201 {
		s.t.Fatal(status)
	}
	if status := s.sendJSON("POST", "/v1.0/assistants", map[string]any{"name": "mine", "settings": settings}, &assistant); status != 201 {
		s.t.Fatal(status)
	}
	content := canaryText("the text of a document") + " stands in the handbook about holidays."
	form, contentType := formOf(s.t, canaryText("the name of a document")+".txt", content)
	if status := s.send("POST", "/v1.0/assistants/mine/documents", contentType, form, canaryText("the admin key"), &document); status != 202 {
		s.t.Fatal(status)
	}
	broken, contentType := formOf(s.t, canaryText("the name of a document")+".pdf", "%PDF-1.7 "+canaryText("the text of a document"))
	s.send("POST", "/v1.0/assistants/mine/documents", contentType, broken, canaryText("the admin key"), nil)
	eventually(s.t, "the document is ready", func() bool {
		s.send("GET", "/v1.0/documents/"+document.ID, "", "", canaryText("the admin key"), &document)
		return document.Status == "ready"
	})
	gold, evaluated := s.evaluates()
	kept := s.keeps(settings)
	s.sendJSON("POST", "/v1.0/keys", map[string]any{"name": "k", "scopes": []string{"chat", "search"}}, &key)
	// Its first characters are public; the rest is shown in one answer.
	s.extra = append(s.extra, canary{"a client's key", key.Key[16:], []string{"answer POST /v1.0/keys"}})
	s.ids = strings.NewReplacer(":question", gold, ":run", evaluated, ":answer", kept, ":thread", aThread, ":source", "1", ":upstream", stored.ID, "*link", s.link(), "$ASSISTANT", assistant.ID, ":assistant", assistant.ID, "*id", assistant.ID, ":document", document.ID, ":page", "1", ":key", "key_none", "$SETTINGS", "null")
}

// evaluates asks a gold question in a run, and returns the ids of both.
func (s *sweep) evaluates() (gold, run string) {
	s.t.Helper()
	var made, began struct{ ID, Status string }
	if status := s.sendJSON("POST", "/v1.0/assistants/mine/eval/questions", map[string]any{
		"document": canaryText("the name of a document"), "question": "About holidays: " + canaryText("a gold question"),
	}, &made); status != 201 {
		s.t.Fatal(status)
	}
	if status := s.sendJSON("POST", "/v1.0/assistants/mine/eval/runs", map[string]any{"name": "sweep"}, &began); status != 202 {
		s.t.Fatal(status)
	}
	eventually(s.t, "the run ends", func() bool {
		s.send("GET", "/v1.0/eval/runs/"+began.ID, "", "", canaryText("the admin key"), &began)
		return began.Status == "completed"
	})
	return made.ID, began.ID
}

// keeps asks an assistant that stores its answers, and returns the id of one.
func (s *sweep) keeps(settings map[string]any) string {
	s.t.Helper()
	keeping := maps.Clone(settings)
	keeping["store_history"] = true
	if status := s.sendJSON("POST", "/v1.0/assistants", map[string]any{"name": "keeps", "settings": keeping}, nil); status != 201 {
		s.t.Fatal(status)
	}
	if status := s.sendJSON("POST", "/v1/chat/completions", map[string]any{
		"model": "keeps", "messages": []any{map[string]string{"role": "user", "content": canaryText("a kept question")}},
	}, nil); status != 200 {
		s.t.Fatal(status)
	}
	var list struct{ Data []struct{ ID string } }
	if status := s.send("GET", "/v1.0/assistants/keeps/history", "", "", canaryText("the admin key"), &list); status != 200 || len(list.Data) != 1 {
		s.t.Fatal(status, list)
	}
	return list.Data[0].ID
}

// sendJSON sends JSON with the admin key.
func (s *sweep) sendJSON(method, path string, in, out any) int {
	s.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(method, path, "application/json", string(raw), canaryText("the admin key"), out)
}

// routes asks every route well and badly.
func (s *sweep) routes() {
	user, madeUp := canaryText("what a user wrote"), canaryText("what a caller made up")
	secrets := []string{canaryText("the admin key"), "", "fn-" + strings.Repeat("a", 64), s.extra[0].text, canaryText("the upstream's key")}
	for _, route := range slices.Sorted(maps.Keys(accessRules)) {
		method, path, _ := strings.Cut(route, " ")
		rule := accessRules[route]
		at := s.ids.Replace(path)
		if rule.spends || rule.form {
			at = strings.NewReplacer(":assistant", "none", ":document", "doc_none", ":key", "key_none", ":upstream", "up_none", ":question", "gold_none", ":run", "run_none", ":answer", "ans_none", ":thread", aThread).Replace(path)
		}
		s.number++
		body := strings.ReplaceAll(s.ids.Replace(rule.body), "$N", fmt.Sprint(s.number))
		body = strings.ReplaceAll(body, `"hi"`, `"About holidays: `+user+`"`)
		bodies := []string{body}
		if rule.body != "" {
			bodies = append(bodies, `{"`+user, `"`+user+`"`, `{"name":7,"messages":"`+user+`","model":"`+madeUp+`"}`, `{"model":"`+madeUp+`","messages":[{"role":"user","content":"`+user+`"}]}`,
				strings.TrimSuffix(body, "}")+`,"stream":true}`, strings.TrimSuffix(body, "}")+`,"metadata_filter":{"`+user+`":1}}`)
		}
		for _, secret := range secrets {
			for _, b := range bodies {
				contentType := "application/json"
				if b == "" {
					contentType = ""
				}
				s.send(method, at+rule.query, contentType, b, secret, nil)
			}
			s.send(method, withQuery(at+rule.query, "?key="+secrets[0]+"&limit="+user+"&cursor="+user), "", "", secret, nil)
			s.send(method, strings.NewReplacer(":assistant", madeUp, ":document", "doc_"+user, ":key", user, ":upstream", user, ":question", user, ":run", user, ":answer", user, ":thread", user, ":source", user, "*id", madeUp, "*link", user, ":page", user).Replace(path)+rule.query, "", "", secret, nil)
		}
	}
}

const answerOfCanaries = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"As the handbook says [1]."},"finish_reason":"stop"}]}`

// upstreams makes the model server repeat its request.
func (s *sweep) upstreams() {
	key := canaryText("a stored upstream's key") + " " + canaryText("a stored upstream's header")
	prompt := canaryText("the system prompt")
	told := `{"error":{"message":"Incorrect API key provided: ` + key + `","type":"invalid_request_error","code":"invalid_api_key"}}`
	report := `{"error":{"message":"at ` + s.far.Addr() + ` with ` + key + ` after: ` + prompt + `"}}`
	scripts := []upstreamtest.Script{
		upstreamtest.JSON(`{"data":[{"id":"` + canaryText("a stored upstream's key") + `"},{"id":"m","owned_by":"` + key + `"}]}`),
		upstreamtest.JSON(report), upstreamtest.SSE(report), upstreamtest.SSE(`{"choices":[{"index":0,"delta":{"content":"As"}}]}`, report),
		upstreamtest.Raw(key + "\r\n\r\n").Then(upstreamtest.Closes()), upstreamtest.Raw("HTTP/1.1 200 OK\r\n" + key + ": x\r\nX: " + key + "\r\n\r\n" + key).Then(upstreamtest.Closes()),
		upstreamtest.Reset(), upstreamtest.Status(302, "", "Location", "http://"+key+"/"), upstreamtest.JSON(`{"choices":"` + key + `"`),
	}
	for _, status := range []int{400, 401, 402, 403, 404, 408, 409, 422, 429, 500, 502, 503, 529} {
		scripts = append(scripts, upstreamtest.Status(status, told, "X-Amz-Key", key, "Set-Cookie", "k="+key, "Server", key, "Openai-Organization", key, "Retry-After", "1", "Www-Authenticate", key))
	}
	for _, script := range scripts {
		for _, stream := range []string{"false", "true"} {
			s.far.Play(script, script)
			s.send("POST", "/v1/chat/completions", "application/json",
				`{"model":"mine","stream":`+stream+`,"messages":[{"role":"user","content":"holidays `+canaryText("what a user wrote")+`"}]}`, canaryText("the admin key"), nil)
			s.far.Play(script, script)
			s.send("GET", "/v1/models", "", "", canaryText("the admin key"), nil)
			for _, about := range []string{"models", "health"} {
				s.far.Play(script, script)
				s.send("GET", s.ids.Replace("/v1.0/upstreams/:upstream/"+about), "", "", canaryText("the admin key"), nil)
			}
		}
	}
	s.far.Play(upstreamtest.JSON(answerOfCanaries))
}

// send sends a request and keeps the answer; only a good one is decoded.
func (s *sweep) send(method, path, contentType, body, secret string, out any) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.p.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	s.number++
	req.Header.Set("Idempotency-Key", fmt.Sprint(canaryText("the idempotency key"), "-", s.number))
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	raw, err := readAnswer(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	place := "answer " + path
	if path == "/v1.0/keys" && method == "POST" {
		place = "answer POST /v1.0/keys"
	}
	s.keep(place, string(raw))
	for name, values := range resp.Header {
		s.keep("header "+name, strings.Join(values, "\n"))
	}
	if out != nil && resp.StatusCode < 300 {
		if err := json.Unmarshal(raw, out); err != nil {
			s.t.Fatalf("%s %s: %v\n%s", method, path, err, raw)
		}
	}
	return resp.StatusCode
}

// arguments keeps what others on the machine can see of the process.
func (s *sweep) arguments() {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.p.cmd.Process.Pid))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	s.keep("arguments", string(line))
}

// files keeps what the data directory holds.
func (s *sweep) files() {
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		name, _ := filepath.Rel(s.dir, path) // both are below
		s.keep("file "+filepath.ToSlash(name), string(raw))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}
