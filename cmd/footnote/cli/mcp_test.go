package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// bridged runs a bridge to a server until its input ends, and returns its outputs.
func bridged(t *testing.T, handle http.HandlerFunc, in string) (out, problems string, err error) {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	var stdout, stderr bytes.Buffer
	b := &bridge{client: &client{server.URL, "fn-key", &http.Client{Transport: transport}}, out: &stdout, err: &stderr, running: map[string]context.CancelFunc{}}
	err = b.run(t.Context(), strings.NewReader(in))
	return stdout.String(), stderr.String(), err
}

// answering answers the bridge's own ping, and every other message with handle.
func answering(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, method string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var m struct{ Method string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		if m.Method == "ping" {
			w.Header().Set("Content-Type", "application/json")
			reply(t, w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
			return
		}
		handle(w, r, m.Method)
	}
}

func reply(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
}

// Every call has an answer, whatever comes from the server.
func TestTheBridgeAnswersEveryCall(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter)
		out, err string
	}{
		"one line for each event": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			reply(t, w, "event: message\ndata: {\"jsonrpc\":\"2.0\", \"method\":\"notifications/progress\"}\n\n: comment\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\ndata: \"result\":{}}\n\n")
		}, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n", ""},
		"an error of the protocol has its status": {func(w http.ResponseWriter) {
			w.WriteHeader(404)
			reply(t, w, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}`)
		}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}` + "\n", ""},
		"an error of the API": {func(w http.ResponseWriter) {
			w.WriteHeader(503)
			reply(t, w, `{"error":{"message":"The server is busy; try again.","code":"overloaded"}}`)
		}, `{"error":{"code":-32603,"message":"The server is busy; try again."},"id":7,"jsonrpc":"2.0"}` + "\n", "footnote: The server is busy; try again.\n"},
		"a stream without the answer": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			reply(t, w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
		}, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n" + `{"error":{"code":-32603,"message":"the answer broke off"},"id":7,"jsonrpc":"2.0"}` + "\n", "footnote: the answer broke off\n"},
		"no body": {func(w http.ResponseWriter) { w.WriteHeader(202) },
			`{"error":{"code":-32603,"message":"the answer broke off"},"id":7,"jsonrpc":"2.0"}` + "\n", "footnote: the answer broke off\n"},
	} {
		out, problems, err := bridged(t, answering(t, func(w http.ResponseWriter, _ *http.Request, _ string) { c.answer(w) }), `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`+"\n")
		if out != c.out || problems != c.err || err != nil {
			t.Errorf("%s: %q, %q, %v", name, out, problems, err)
		}
	}
}

// What the protocol has in headers comes from the messages.
func TestTheHeadersOfTheBridge(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]http.Header{}
	handle := func(w http.ResponseWriter, r *http.Request, method string) {
		mu.Lock()
		seen[method] = r.Header
		mu.Unlock()
		if method == "initialize" {
			w.Header().Set("Mcp-Session-Id", "s")
			reply(t, w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
			return
		}
		w.WriteHeader(202)
	}
	in, agent := io.Pipe()
	server := httptest.NewServer(answering(t, handle))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answers, out := io.Pipe()
	b := &bridge{client: &client{server.URL, "fn-key", &http.Client{Transport: transport}}, out: out, err: io.Discard, running: map[string]context.CancelFunc{}}
	done := make(chan error)
	go func() { done <- b.run(t.Context(), in) }()
	reply(t, agent, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`+"\n")
	if _, err := io.ReadFull(answers, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, answers) }() // ends with the pipe
	reply(t, agent, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	reply(t, agent, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`+"\n")
	if err := agent.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	for method, want := range map[string][4]string{
		"initialize":                {"", "", "", ""},
		"notifications/initialized": {"s", "2025-11-25", "", ""},
		"tools/call":                {"s", "2026-07-28", "tools/call", "ask"},
	} {
		h := seen[method]
		got := [4]string{h.Get("Mcp-Session-Id"), h.Get("Mcp-Protocol-Version"), h.Get("Mcp-Method"), h.Get("Mcp-Name")}
		if got != want || h.Get("Authorization") != "Bearer fn-key" || h.Get("Accept") != "application/json, text/event-stream" {
			t.Errorf("%s: %v", method, h)
		}
	}
}

func TestTheBridgeEndsWhereItCannotWork(t *testing.T) {
	old := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(404)
		reply(t, w, `{"error":{"message":"There is no such path.","code":"not_found"}}`)
	}
	if out, _, err := bridged(t, old, ""); out != "" || err == nil || !strings.Contains(err.Error(), "has no /mcp; its version is older") {
		t.Errorf("%q %v", out, err)
	}
	none := answering(t, func(http.ResponseWriter, *http.Request, string) { t.Error("the message was sent") })
	if _, _, err := bridged(t, none, strings.Repeat("a", maxLine+1)); err == nil || !strings.Contains(err.Error(), "is longer than 4194304 bytes") {
		t.Error(err)
	}
}
