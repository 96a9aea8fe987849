package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/proxy/upstream/upstreamtest"
)

const beesText = "# Honey\n\nBees eat what they store. A colony needs 20 kg of honey to come through the winter.\n"

// startWithBees runs a server whose assistant "bees" has one document.
func startWithBees(t *testing.T) *process {
	t.Helper()
	dir := t.TempDir()
	p := start(t, dir, nil)
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte(beesText), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := run(t, dir, "ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "bees", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	return p
}

// key makes a key.
func (p *process) key(body map[string]any) string {
	p.t.Helper()
	var made struct{ Key string }
	body["name"] = "agent"
	if status := p.json("POST", "/v1.0/keys", body, &made); status != 201 {
		p.t.Fatal(status)
	}
	return made.Key
}

const beesSource = "\n\n(Source: bees.md, page N/A, chunk 0)"

func TestAnAgentSearchesAsksAndReads(t *testing.T) {
	t.Parallel()
	p := startWithBees(t)
	key := p.key(map[string]any{"scopes": []string{"chat", "search"}})
	for name, reach := range agents {
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				a := newAgent(t, reach(t, p, key), version)
				if got := a.InitializeResult(); got.ProtocolVersion != version || got.ServerInfo.Name != "footnote" || got.Instructions == "" {
					t.Errorf("%+v", got)
				}
				if got := a.tools(); !slices.Equal(got, []string{"ask", "check", "search"}) {
					t.Errorf("tools %v", got)
				}
				a.searches()
				a.checks()
				a.asks()
				a.reads()
			})
		}
	}
}

// Agents get the citations in the form of chats, whatever the assistant's other clients get.
func TestTheSettingsOfAnAssistantDoNotBreakItsTools(t *testing.T) {
	t.Parallel()
	p := startWithBees(t)
	a := newAgent(t, agents["http"](t, p, testAdminKey), "2025-11-25")
	for _, settings := range []map[string]any{
		{"citation_format": "markdown"}, {"citation_format": "perplexity", "citation_numbering": "document"},
		{"marker_mode": "strip", "citation_renumber": true}, {"enable_citations": false},
	} {
		if status := p.json("PATCH", "/v1.0/assistants/bees/settings", settings, nil); status != 200 {
			t.Fatal(status)
		}
		result, texts := a.call("ask", map[string]any{"question": "How much honey does a colony need to come through the winter?"}, nil)
		var out struct{ Citations *struct{ Sources []any } }
		a.structured(result, &out)
		cites := settings["enable_citations"] == nil
		if result.IsError || !strings.Contains(texts[0], "20 kg of honey") || cites != (out.Citations != nil) || cites && len(out.Citations.Sources) != 1 || strings.Contains(texts[0], "Sources") {
			t.Errorf("%v: %v %q", settings, result.IsError, texts)
		}
	}
}

// What a key may not do or see is as if it did not exist.
func TestAnAgentSeesWhatItsKeyMaySee(t *testing.T) {
	t.Parallel()
	p := startWithBees(t)
	var other struct{ ID string }
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Wasps", "settings": map[string]any{"enable_rag": true, "enable_citations": true}}, &other); status != 201 {
		t.Fatal(status)
	}
	open := func(body map[string]any) *agent { return newAgent(t, agents["http"](t, p, p.key(body)), "2025-11-25") }
	refused := func(a *agent, tool string, arguments map[string]any, want string) {
		t.Helper()
		if result, texts := a.call(tool, arguments, nil); !result.IsError || len(texts) != 1 || !strings.Contains(texts[0], want) {
			t.Errorf("%v %q, want %q", result.IsError, texts, want)
		}
	}
	query := map[string]any{"query": "How much honey in winter?"}

	searcher := open(map[string]any{"scopes": []string{"search"}})
	if got := searcher.tools(); !slices.Equal(got, []string{"check", "search"}) {
		t.Errorf("tools %v", got)
	}
	if _, err := searcher.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Why?"}}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Error(err)
	}
	refused(searcher, "search", query, "Name an assistant. This key may use bees, wasps.")
	refused(searcher, "search", map[string]any{"query": "a", "assistant": "hornets"}, `The assistant "hornets" does not exist or you do not have access to it.`)
	refused(searcher, "search", map[string]any{"query": "  "}, "query must not be empty.")
	refused(searcher, "search", map[string]any{"query": strings.Repeat("a", 501)}, "maxLength")
	refused(searcher, "search", map[string]any{"query": "a", "limit": 51}, "maximum")
	refused(searcher, "search", map[string]any{"query": "a", "limt": 5}, "limt")
	refused(searcher, "search", map[string]any{}, "query")

	chatter := open(map[string]any{"scopes": []string{"chat"}, "assistants": []string{other.ID}})
	if got := chatter.tools(); !slices.Equal(got, []string{"ask"}) {
		t.Errorf("tools %v", got)
	}
	// The only assistant that the key sees needs no name.
	if result, texts := chatter.call("ask", map[string]any{"question": "How much honey?"}, nil); result.IsError || !strings.Contains(strings.Join(texts, "\n"), "This assistant has no documents yet.") {
		t.Errorf("%v %q", result.IsError, texts)
	}
	refused(chatter, "ask", map[string]any{"question": "Why?", "assistant": "bees"}, `The assistant "bees" does not exist or you do not have access to it.`)
	if list, err := chatter.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	uri := "footnote://documents/" + p.documents("bees")[0].ID
	if _, err := chatter.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "There is no such resource") {
		t.Error(err)
	}

	bound := open(map[string]any{"scopes": []string{"search"}, "default_assistant": other.ID})
	if result, texts := bound.call("search", query, nil); result.IsError || len(texts) == 0 || !strings.Contains(texts[0], "No passage") {
		t.Errorf("the default assistant: %v %q", result.IsError, texts)
	}
	orphan := open(map[string]any{"scopes": []string{"search"}, "assistants": []string{other.ID}, "default_assistant": other.ID})
	if status := p.json("DELETE", "/v1.0/assistants/wasps", nil, nil); status != 204 {
		t.Fatal(status)
	}
	refused(orphan, "search", query, "This key may use no assistant.")
}

func TestAgentsLeaveTracesInTheAuditLog(t *testing.T) {
	t.Parallel()
	p := startWithBees(t)
	key := p.key(map[string]any{"scopes": []string{"chat", "search"}})
	a := newAgent(t, agents["http"](t, p, key), "2025-11-25")
	a.call("search", map[string]any{"query": "honey in winter"}, nil)
	a.call("ask", map[string]any{"question": "How much honey does a colony need?"}, nil)
	var log struct {
		Data []struct {
			Action, Query, Address string
			RequestID              string `json:"request_id"`
			KeyName                string `json:"key_name"`
			ResultCount            int    `json:"result_count"`
			Result                 string
		}
	}
	if status := p.json("GET", "/v1.0/audit?action=search&action=chat", nil, &log); status != 200 || len(log.Data) != 2 {
		t.Fatalf("%d %+v", status, log)
	}
	slices.Reverse(log.Data)
	for i, want := range [][2]string{{"search", "honey in winter"}, {"chat", "How much honey does a colony need?"}} {
		e := log.Data[i]
		if e.Action != want[0] || e.Query != want[1] || e.Address != "127.0.0.1" || e.KeyName != "agent" || e.ResultCount != 1 || e.Result != "ok" {
			t.Errorf("%+v", e)
		}
		eventually(t, "the access log has the request", func() bool { return strings.Contains(p.stderr.String(), e.RequestID) })
	}
}

// An agent that cancels, or leaves, ends the work of the model.
func TestACancelledCallEndsItsWork(t *testing.T) {
	t.Parallel()
	far := modelServer(t, upstreamtest.Hang())
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_API_KEY=k", "FOOTNOTE_UPSTREAM_MODEL=m")
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Plain"}, nil); status != 201 {
		t.Fatal(status)
	}
	for name, reach := range agents {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				before := far.Count()
				a := newAgent(t, reach(t, p, testAdminKey), version)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					_, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Why?"}})
					done <- err
				}()
				far.WaitRequests(before + 1)
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				far.WaitConns(0)
			})
		}
	}
}

// Standard output carries the protocol and nothing else, also without a server.
func TestTheProgramForAgentsWorksOnADataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bees.md"), []byte(beesText), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if _, stderr, code := run(t, dir, "ingest", "--data-dir", data, "--assistant", "bees", "--create", "bees.md"); code != 0 {
		t.Fatal(stderr)
	}
	cmd := exec.CommandContext(t.Context(), binary, "mcp", "--data-dir", data)
	cmd.Env, cmd.Dir = bareEnv(), dir
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}

{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"search","arguments":{"query":"honey in winter"}}}
{"jsonrpc":"2.0","id":3,"method":"prompts/list"}
{"jsonrpc":"2.0","id":4}
nonsense
`)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var m struct {
			Version string `json:"jsonrpc"`
			ID      any
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Version != "2.0" {
			t.Errorf("standard output has %q", lines.Text())
		}
		answers[fmt.Sprint(m.ID)] = lines.Text()
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"1": `"protocolVersion":"2025-11-25"`, "two": "(Source: bees.md, page N/A, chunk 0)", "3": "-32601", "4": "-32603", "<nil>": "-32603"} {
		if !strings.Contains(answers[id], want) {
			t.Errorf("the answer to %s is %s", id, answers[id])
		}
	}
}

func TestTheProgramForAgentsSaysWhyItCannotStart(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil)
	for _, c := range []struct{ url, key, want string }{
		{p.url, "fn-wrong", "does not know this key, or it has expired. Set --key or FOOTNOTE_API_KEY to one of its keys."},
		{p.url, "", "requires a key. Set --key or FOOTNOTE_API_KEY to one of its keys."},
		{"http://127.0.0.1:1", "k", "the server at http://127.0.0.1:1 does not answer"},
	} {
		stdout, stderr, code := run(t, t.TempDir(), "mcp", "--url", c.url, "--key", c.key)
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%d %q %q", code, stdout, stderr)
		}
	}
}

// A request with the wrong key gets the challenge of its scheme, one of a page in a
// browser is refused whatever its key.
func TestWhoMayNotSpeakToAgentsDoor(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "FOOTNOTE_CORS_ORIGINS=https://app.example")
	bare := start(t, t.TempDir(), nil)
	for _, c := range []struct {
		p           *process
		key, origin string
		status      int
		code        string
	}{
		{p, "", "", 401, "invalid_api_key"},
		{p, "fn-wrong", "", 401, "invalid_api_key"},
		{p, "sk-else", "", 401, "invalid_api_key"},
		{p, testAdminKey, "", 200, ""},
		{p, testAdminKey, "https://app.example", 200, ""},
		{p, testAdminKey, "http://evil.example:8080", 403, "origin_not_allowed"},
		{bare, testAdminKey, "http://evil.example:8080", 403, "origin_not_allowed"},
		{bare, testAdminKey, bare.url, 403, "origin_not_allowed"},
	} {
		req, err := http.NewRequest("POST", c.p.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if c.key != "" {
			req.Header.Set("Api-Key", c.key)
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.status || !strings.Contains(string(body), c.code) || (c.status == 401) != (resp.Header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%+v: %d %s %v", c, resp.StatusCode, body, resp.Header)
		}
	}
}
