package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/proxy/access"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	if got := <-answered; !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "The server shut down before the answer was complete; try again.") {
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
