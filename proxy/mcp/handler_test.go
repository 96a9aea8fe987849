package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A world is a handler behind a real HTTP server, over a directory and an API in memory.
type world struct {
	t          *testing.T
	url        string
	client     *http.Client
	log        lockedText
	caller     access.Principal
	assistants []assistants.Assistant
	documents  map[assistants.CollectionID][]assistants.Document
	broken     error  // of the database
	stop       func() // ends the server's work
	drains     bool

	mu  sync.Mutex
	api func(w http.ResponseWriter, r *http.Request, caller access.Principal)
}

type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, documents: map[assistants.CollectionID][]assistants.Document{},
		caller:     access.Principal{Tenant: "t", Key: assistants.Key{ID: "key_a", Scopes: []assistants.Scope{assistants.ScopeChat, assistants.ScopeSearch}}},
		assistants: []assistants.Assistant{{ID: "asst_a", Slug: "a", Name: "A", TenantID: "t", CollectionID: "coll_a"}},
	}
	stopped, stop := context.WithCancelCause(context.Background())
	w.stop = func() { stop(apierr.ShuttingDown()) }
	t.Cleanup(func() { stop(nil) })
	bounded := func(parent context.Context) (context.Context, context.CancelCauseFunc) {
		ctx, cancel := context.WithCancelCause(parent)
		unhook := context.AfterFunc(stopped, func() { cancel(context.Cause(stopped)) })
		return ctx, func(cause error) { unhook(); cancel(cause) }
	}
	h := New(Deps{Directory: w, Documents: w, API: w.answer, Bounded: bounded, Log: slog.New(slog.NewTextHandler(&w.log, nil)), Version: "test"})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.drains {
			rw.Header().Set("Connection", "close")
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = h.Serve(rw, r, body, w.caller)
		}
		if err != nil {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(apierr.Status(err))
			_, _ = rw.Write(apierr.JSON(err)) // the client may have left
		}
	}))
	transport := &http.Transport{}
	w.url, w.client = server.URL, &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return w
}

func (w *world) KnownAssistant(_ context.Context, _ assistants.TenantID, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	for _, a := range w.assistants {
		if (a.Slug == ref || string(a.ID) == ref) && sight.Sees(&a) {
			return &a, nil
		}
	}
	return nil, assistants.ErrNotFound
}

// Assistants lists two at a time.
func (w *world) Assistants(_ context.Context, _ assistants.TenantID, list assistants.List) ([]assistants.Assistant, string, error) {
	if w.broken != nil {
		return nil, "", w.broken
	}
	return cut(w.assistants, list.Cursor, 2)
}

func (w *world) Documents(_ context.Context, _ assistants.TenantID, collection assistants.CollectionID, list assistants.List) ([]assistants.Document, string, error) {
	return cut(w.documents[collection], list.Cursor, list.Limit)
}

func cut[T any](all []T, cursor string, limit int) ([]T, string, error) {
	from := 0
	if cursor != "" {
		var err error
		if from, err = strconv.Atoi(cursor); err != nil || from > len(all) {
			return nil, "", &assistants.FieldError{Field: "cursor", Message: "wrong"}
		}
	}
	to := min(from+limit, len(all))
	if to == len(all) {
		return all[from:to], "", nil
	}
	return all[from:to], strconv.Itoa(to), nil
}

func (w *world) answer(rw http.ResponseWriter, r *http.Request, caller access.Principal) {
	w.mu.Lock()
	api := w.api
	w.mu.Unlock()
	api(rw, r, caller)
}

// answers sets what the API answers.
func (w *world) answers(api func(http.ResponseWriter, *http.Request, access.Principal)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.api = api
}

// says answers every request to the API with a body.
func (w *world) says(status int, body string) {
	w.answers(func(rw http.ResponseWriter, _ *http.Request, _ access.Principal) {
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body) // the client may have left
	})
}

// post sends a message and returns the status and the body.
func (w *world) post(ctx context.Context, body string, header ...string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			w.t.Error(err)
		}
		return 0, ""
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil && ctx.Err() == nil {
		w.t.Error(err)
	}
	return resp.StatusCode, string(raw)
}

func toolCall(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func TestMessagesThatAreNone(t *testing.T) {
	w := newWorld(t)
	for body, want := range map[string]string{
		"":              "invalid_json",
		"null":          "invalid_json",
		"{":             "invalid_json",
		"[]":            "invalid_json",
		`"text"`:        "invalid_json",
		`[{"a":1}]`:     "Send the messages of a batch one by one.",
		`{"id":1}`:      "Missing required parameter: jsonrpc.",
		`{"jsonrpc":2}`: `jsonrpc must be \"2.0\".`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:                                    `jsonrpc must be \"2.0\".`,
		`{"jsonrpc":"2.0","id":1}`:                                                    "Missing required parameter: method.",
		`{"jsonrpc":"2.0","method":"ping"}`:                                           "Missing required parameter: id.",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                 "id must be a string or a whole number.",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                  "id must be a string or a whole number.",
		`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`:                                "id must be a string or a whole number.",
		`{"jsonrpc":"2.0","id":[],"method":"ping"}`:                                   "id must be a string or a whole number.",
		`{"jsonrpc":"2.0","id":1,"method":""}`:                                        "method must be a string.",
		`{"jsonrpc":"2.0","id":1,"method":7}`:                                         "method must be a string.",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`:                        "params must be an object.",
		`{"jsonrpc":"2.0","id":1,"method":"ping","more":1}`:                           "unsupported_parameter",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                        "unsupported_parameter",
		`{"jsonrpc":"2.0","id":1,"method":"notifications/x"}`:                         "A notification has no id.",
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", maxMessage) + `"}`: "request_too_large",
	} {
		status, got := w.post(t.Context(), body)
		wantStatus := 400
		if want == "request_too_large" {
			wantStatus = 413
		}
		if status != wantStatus || !strings.Contains(got, want) {
			t.Errorf("%.80s: %d %s, want %s", body, status, got, want)
		}
	}
}

func TestHeadersOfTheProtocol(t *testing.T) {
	w := newWorld(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	const unknown = `{"jsonrpc":"2.0","id":"x","method":"prompts/list"}`
	for _, c := range []struct {
		body, name, value string
		status            int
		want              string
	}{
		{ping, "Accept", "application/json, text/event-stream", 200, `"result":{}`},
		{ping, "Accept", "*/*", 200, `"result":{}`},
		{ping, "Accept", "application/json", 400, "The header Accept must name"},
		{ping, "Accept", "text/event-stream", 400, "The header Accept must name"},
		{ping, "Mcp-Protocol-Version", "2025-06-18", 200, `"result":{}`},
		{ping, "Mcp-Protocol-Version", "2024-01-01", 400, "MCP-Protocol-Version must be one of 2026-07-28,"},
		{unknown, "Mcp-Protocol-Version", "2025-06-18", 200, `"id":"x","error":{"code":-32601`},
		{unknown, "Mcp-Protocol-Version", "2026-07-28", 404, `"id":"x","error":{"code":-32601`},
		{`{"jsonrpc":"2.0","method":"notifications/new"}`, "X", "", 202, ""},
		{`{"jsonrpc":"2.0","method":"notifications/initialized","params":null}`, "X", "", 202, ""},
	} {
		if status, got := w.post(t.Context(), c.body, c.name, c.value); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s: %d %s", c.name, c.value, c.body, status, got)
		}
	}
}

// The client's next request may reach another server.
func TestAServerThatDrainsClosesTheConnection(t *testing.T) {
	w := newWorld(t)
	for _, w.drains = range []bool{false, true} {
		resp, err := w.client.Post(w.url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if resp.StatusCode != 200 || resp.Close != w.drains {
			t.Errorf("draining %v: %d, closes %v", w.drains, resp.StatusCode, resp.Close)
		}
	}
}

func TestAKeyWithoutAScopeIsRefused(t *testing.T) {
	w := newWorld(t)
	w.caller.Key.Scopes = nil
	if status, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != 403 || !strings.Contains(got, "permission_denied") {
		t.Errorf("%d %s", status, got)
	}
}

func TestTheErrorsOfTheAPIAreErrorsOfTheTool(t *testing.T) {
	w := newWorld(t)
	for _, tool := range []string{toolCall("1", "search", `{"query":"x"}`), toolCall("1", "ask", `{"question":"x"}`)} {
		for _, c := range []struct {
			status     int
			body, want string
		}{
			{503, `{"error":{"message":"No sources could be looked up.","code":"retrieval_unavailable"}}`, "No sources could be looked up."},
			{429, `{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}`, "Slow down."},
			{500, `<html>`, "The question failed with the status 500."},
		} {
			w.says(c.status, c.body)
			status, got := w.post(t.Context(), tool)
			if status != 200 || !strings.Contains(got, `"isError":true`) || !strings.Contains(got, c.want) {
				t.Errorf("%s: %d %s", c.body, status, got)
			}
		}
	}
	w.broken = fmt.Errorf("dial 10.0.0.1: %w", assistants.ErrUnavailable)
	w.caller.Key.Assistants = nil
	if _, got := w.post(t.Context(), toolCall("1", "search", `{"query":"x"}`)); !strings.Contains(got, `"isError":true`) || strings.Contains(got, "10.0.0.1") {
		t.Error(got)
	}
	if !strings.Contains(w.log.String(), "10.0.0.1") {
		t.Errorf("the log has %s", &w.log)
	}
}

// An answer that breaks off is an error, however it does.
func TestAnAnswerThatBreaksOff(t *testing.T) {
	w := newWorld(t)
	begun := "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n"
	for name, c := range map[string]struct {
		api  func(http.ResponseWriter)
		want string
	}{
		"ends":   {func(rw http.ResponseWriter) { _, _ = io.WriteString(rw, begun) }, "The answer broke off."},
		"is cut": {func(rw http.ResponseWriter) { _, _ = io.WriteString(rw, begun); panic(http.ErrAbortHandler) }, "The answer broke off."},
		"has errors": {func(rw http.ResponseWriter) {
			_, _ = io.WriteString(rw, begun+`data: {"error":{"message":"Too slow.","code":"c"}}`+"\n\n")
		}, "Too slow."},
		"no JSON": {func(rw http.ResponseWriter) { _, _ = io.WriteString(rw, "data: {\n\n"+strings.Repeat(begun, 10000)) }, "An internal error occurred"},
	} {
		w.answers(func(rw http.ResponseWriter, _ *http.Request, _ access.Principal) { c.api(rw) })
		if _, got := w.post(t.Context(), toolCall("1", "ask", `{"question":"x"}`)); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, c.want) {
			t.Errorf("an answer that %s: %s", name, got)
		}
	}
}

func TestAPanicEndsOneCall(t *testing.T) {
	w := newWorld(t)
	w.answers(func(http.ResponseWriter, *http.Request, access.Principal) { panic("secret") })
	if _, got := w.post(t.Context(), toolCall("1", "search", `{"query":"x"}`)); !strings.Contains(got, "-32603") || strings.Contains(got, "secret") {
		t.Error(got)
	}
	if !strings.Contains(w.log.String(), "secret") {
		t.Error("the log does not have the panic")
	}
	w.says(200, `{"data":[],"retrieval":{}}`)
	if _, got := w.post(t.Context(), toolCall("1", "search", `{"query":"x"}`)); !strings.Contains(got, "No passage of the documents fits the query.") {
		t.Error(got)
	}
}

func TestWhatTheAPISeesOfACall(t *testing.T) {
	w := newWorld(t)
	var seen []string
	w.answers(func(rw http.ResponseWriter, r *http.Request, caller access.Principal) {
		body, err := io.ReadAll(r.Body)
		seen = []string{r.Method, r.URL.String(), string(body), r.Header.Get("X-Forwarded-For"), string(caller.Key.ID), r.Header.Get("Authorization"), fmt.Sprint(r.Host != "", r.RemoteAddr != "", err)}
		_, _ = io.WriteString(rw, `{"data":[],"retrieval":{"warnings":["Careful."]}}`)
	})
	_, got := w.post(t.Context(), toolCall("1", "search", `{"query":"x","limit":7,"assistant":"a"}`), "X-Forwarded-For", "10.1.2.3", "Authorization", "Bearer secret")
	want := []string{"POST", "/v1.0/assistants/asst_a/retrieve", `{"query":"x","top_k":7}`, "10.1.2.3", "key_a", "", "true true <nil>"}
	if !slices.Equal(seen, want) || !strings.Contains(got, "Note: Careful.") {
		t.Errorf("%q, want %q: %s", seen, want, got)
	}
}

// A client can cancel its own calls and nobody else's.
func TestANotificationCancelsACallOfItsSession(t *testing.T) {
	w := newWorld(t)
	begun := make(chan *call)
	w.answers(func(_ http.ResponseWriter, r *http.Request, _ access.Principal) {
		begun <- callOf(r.Context())
		<-r.Context().Done()
	})
	answered := make(chan string)
	go func() {
		_, got := w.post(t.Context(), toolCall("1", "search", `{"query":"x"}`), sessionHeader, "mine")
		answered <- got
	}()
	running := <-begun
	cancel := func(id, session string) {
		header := []string{}
		if session != "" {
			header = []string{sessionHeader, session}
		}
		if status, got := w.post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, header...); status != 202 {
			t.Errorf("%d %s", status, got)
		}
	}
	cancel("1", "other")
	cancel("1", "")
	cancel("2", "mine")
	cancel(`"1"`, "mine")
	if running.ctx.Err() != nil {
		t.Error("another client, or another id, ended the call")
	}
	cancel("1", "mine")
	if got := <-answered; !strings.Contains(got, `"id":1`) || !strings.Contains(got, "cancel") {
		t.Error(got)
	}
}

func TestAServerThatStopsEndsItsCallsWithAnAnswer(t *testing.T) {
	w := newWorld(t)
	begun := make(chan struct{})
	w.answers(func(_ http.ResponseWriter, r *http.Request, _ access.Principal) {
		close(begun)
		<-r.Context().Done()
	})
	answered := make(chan string)
	go func() {
		_, got := w.post(t.Context(), toolCall("1", "ask", `{"question":"x"}`))
		answered <- got
	}()
	<-begun
	w.stop()
	if got := <-answered; !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "The server shut down before the answer was complete.") {
		t.Error(got)
	}
}

func TestAClientThatLeavesEndsItsCall(t *testing.T) {
	w := newWorld(t)
	for _, tool := range []string{toolCall("1", "search", `{"query":"x"}`), toolCall("1", "ask", `{"question":"x"}`)} {
		begun, ended := make(chan struct{}), make(chan struct{})
		w.answers(func(_ http.ResponseWriter, r *http.Request, _ access.Principal) {
			close(begun)
			<-r.Context().Done()
			close(ended)
		})
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.post(ctx, tool)
		}()
		<-begun
		leave()
		<-ended
		<-done
	}
}

func TestResourcesArePagedOverCollections(t *testing.T) {
	w := newWorld(t)
	filter := assistants.LabelFilter{Required: []string{"open"}}
	w.assistants = nil
	for i := range 120 { // more than one page looks at
		a := assistants.Assistant{ID: assistants.AssistantID(fmt.Sprint("asst_", i)), Slug: fmt.Sprint("a", i), TenantID: "t", CollectionID: assistants.CollectionID(fmt.Sprint("coll_", i))}
		if i == 0 {
			a.Settings.Collections, a.Settings.RetrievalLabelFilter = []string{"coll_shared", "coll_119"}, &filter
		}
		w.assistants = append(w.assistants, a)
	}
	want := map[string]bool{}
	add := func(collection assistants.CollectionID, n int, seen bool, change func(*assistants.Document)) {
		for i := range n {
			d := assistants.Document{ID: assistants.DocumentID(fmt.Sprintf("doc_%s_%d", collection, i)), Name: "x", Live: 1}
			change(&d)
			w.documents[collection] = append(w.documents[collection], d)
			if seen {
				want[documentURI+string(d.ID)] = true
			}
		}
	}
	same := func(*assistants.Document) {}
	add("coll_1", 250, true, same)
	add("coll_2", 1, false, func(d *assistants.Document) { d.Live = 0 })
	add("coll_shared", 3, true, func(d *assistants.Document) { d.Labels = []string{"open"} })
	add("coll_118", 2, true, same)
	add("coll_119", 2, true, same) // its owner is in sight, so all of it
	add("coll_elsewhere", 2, false, same)
	cursor, pages := "", 0
	for {
		_, raw := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"`+cursor+`"}}`)
		_, data, _ := strings.Cut(raw, "data: ")
		var got struct{ Result sdk.ListResourcesResult }
		if err := json.Unmarshal([]byte(data), &got); err != nil || len(got.Result.Resources) > pageSize {
			t.Fatalf("%v %s", err, raw)
		}
		for _, r := range got.Result.Resources {
			if !want[r.URI] {
				t.Errorf("%s is listed twice, or may not be seen", r.URI)
			}
			delete(want, r.URI)
		}
		if pages++; got.Result.NextCursor == "" {
			break
		}
		cursor = got.Result.NextCursor
	}
	if len(want) != 0 || pages < 4 {
		t.Errorf("%d pages, without %v", pages, want)
	}
	foreign, err := position{"coll_nowhere", ""}.String()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := position{"coll_1", "x"}.String()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"%", "bnVsbA", foreign, inner} {
		if _, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"`+wrong+`"}}`); !strings.Contains(got, "The cursor is not one of this list.") {
			t.Errorf("%s: %s", wrong, got)
		}
	}
}

func TestURIsOfResources(t *testing.T) {
	id := string(assistants.NewDocumentID())
	for uri, want := range map[string]string{
		documentURI + id:                  "/v1.0/documents/" + id + "/text?end=500000",
		documentURI + id + "/pages/12":    "/v1.0/documents/" + id + "/pages/12",
		documentURI + id + "/pages/0":     "",
		documentURI + id + "/pages/-1":    "",
		documentURI + id + "/pages/1/x":   "",
		documentURI + id + "/pages/":      "",
		documentURI + id + "/text":        "",
		documentURI + id + "?x":           "",
		documentURI + "../keys":           "",
		documentURI:                       "",
		"file:///etc/passwd":              "",
		"http://documents/" + id:          "",
		documentURI + id + "/pages/1?f=1": "",
	} {
		if path, ok := pathOf(uri); ok != (want != "") || ok && path != want {
			t.Errorf("%s: %q %v", uri, path, ok)
		}
	}
}

func TestALongTextSaysWhereItEnds(t *testing.T) {
	w := newWorld(t)
	w.says(200, `{"text":"Begin","start":0,"end":5,"total":9}`)
	_, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+documentURI+string(assistants.NewDocumentID())+`"}}`)
	if !strings.Contains(got, `Begin\n\n(The text ends here after 5 of 9 characters. Read its pages, or search it.)`) {
		t.Error(got)
	}
}

func TestProgressTellsOfALongAnswer(t *testing.T) {
	w := newWorld(t)
	chunk := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("é", 150) + `"}}]}` + "\n\n"
	w.says(200, strings.Repeat(chunk, 4)+"data: [DONE]\n\n")
	_, got := w.post(t.Context(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"x"},"_meta":{"progressToken":"p"}}}`)
	for _, want := range []string{`"progress":300`, `"progress":600`, "600 characters so far"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s is not told once: %s", want, got)
		}
	}
	if before, after, _ := strings.Cut(got, `"progress":600`); !strings.Contains(before, `"progress":0`) || !strings.Contains(after, `"structuredContent"`) {
		t.Error(got)
	}
}
