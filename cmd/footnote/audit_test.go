package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

type auditEntry struct {
	Action, Result, Code, Query, Address, Model string
	Status                                      int
	KeyID                                       string   `json:"key_id"`
	UserID                                      string   `json:"user_id"`
	RequestID                                   string   `json:"request_id"`
	AssistantID                                 string   `json:"assistant_id"`
	TargetID                                    string   `json:"target_id"`
	DocumentIDs                                 []string `json:"document_ids"`
	CollectionIDs                               []string `json:"collection_ids"`
	ResultCount                                 int      `json:"result_count"`
}

// notReadOnly are the routes that make no change although they are not GET, and are
// not searches: what they do is not in the audit log. What the tools of /mcp do is there
// as a search, a check or a chat; see TestAgentsLeaveTracesInTheAuditLog. Batches are done
// at once, so that cancelling one is always refused.
var notReadOnly = []string{"POST /v1/embeddings", "POST /mcp", "POST /v1/vector_stores/:store/file_batches/:batch/cancel"}

// TestEveryRouteThatChangesSomethingIsAudited walks the router: each request that is
// no mere reading has a row in the audit log, with what it answered, and no row has an
// answer, a passage or a key.
func TestEveryRouteThatChangesSomethingIsAudited(t *testing.T) {
	t.Parallel()
	onEveryDatabase(t, `{"enable_rag":true,"upstream":"builtin:extractive"}`, func(t *testing.T, w *accessWorld) {
		admin := caller{name: "configured admin", secret: testAdminKey, scope: "admin", tenant: assistants.DefaultTenant}
		walked, before := 0, len(w.audit("limit=1000")) // of the furniture
		for _, r := range w.app.server.Routes() {
			route := r.Method + " " + r.Path
			if r.Method == http.MethodGet || r.Method == http.MethodHead || slices.Contains(notReadOnly, route) {
				continue
			}
			walked++
			owner := w.cells(r.Method, r.Path, []caller{admin})[0]
			got := w.run(owner)
			if got.status != owner.rule.ok {
				t.Errorf("%s: %v", route, got)
			}
			events := w.audit("limit=1000")
			if len(events) != before+walked {
				t.Fatalf("after %s, %d of %d requests are in the audit log", route, len(events)-before, walked)
			}
			if route == "DELETE /v1/responses/:answer" {
				got.status = http.StatusNoContent // of the control API, which this is a request to
			}
			if e := events[0]; !strings.HasPrefix(e.RequestID, "req_") || e.Status != got.status || e.Action == "" || e.KeyID != "key_configured_admin" || !strings.HasPrefix(e.Address, "10.0.0.") {
				t.Errorf("%s: %+v after %d", route, e, got.status)
			}
		}
		if walked < 24 {
			t.Errorf("only %d routes were walked", walked)
		}
		raw := w.json("GET", "/v1.0/audit?limit=1000", testAdminKey, "").body
		for _, secret := range []string{"The office opens", "sk-new", testAdminKey, `"fn-`} {
			if strings.Contains(raw, secret) {
				t.Errorf("%q is in the audit log", secret)
			}
		}
	})
}

func (w *accessWorld) audit(query string) []auditEntry {
	w.t.Helper()
	var p struct{ Data []auditEntry }
	if got := w.json("GET", "/v1.0/audit?"+query, testAdminKey, ""); got.status != 200 || json.Unmarshal([]byte(got.body), &p) != nil {
		w.t.Fatalf("the audit log: %v", got)
	}
	return p.Data
}

// TestChatsAreAudited asks the whole program well and badly.
func TestChatsAreAudited(t *testing.T) {
	t.Parallel()
	far := modelServer(t)
	dir, env := t.TempDir(), []string{"FOOTNOTE_UPSTREAM_URL=" + far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m"}
	p := start(t, dir, nil, env...)
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Plain", "settings": map[string]any{"enable_rag": true}}, nil); status != 201 {
		t.Fatal(status)
	}
	const answer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a canary answer"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	const last = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`
	const counted = `{"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":2}}`
	const frame = `{"id":"c","choices":[{"index":0,"delta":{"content":"a canary answer"}}]}`
	ask := func(model, stream string) {
		req, err := http.NewRequest("POST", p.url+"/v1/chat/completions", strings.NewReader(
			`{"model":"`+model+`","stream":`+stream+`,"user":"kim","messages":[{"role":"user","content":"What about `+model+`?"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+testAdminKey)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body) // a stream that failed breaks off
	}
	far.Play(upstreamtest.JSON(answer))
	ask("plain", "false")
	far.Play(upstreamtest.Stream().Then(upstreamtest.Event(frame), upstreamtest.Closes()))
	ask("plain", "true")
	far.Play(upstreamtest.Status(401, `{"error":{"message":"no"}}`))
	ask("plain", "false")
	ask("nobody", "false")
	var page struct{ Data []auditEntry }
	if status := p.json("GET", "/v1.0/audit?action=chat", nil, &page); status != 200 || len(page.Data) != 4 {
		t.Fatalf("%d %+v", status, page)
	}
	for i, want := range []auditEntry{
		{Result: "refused", Status: 404, Code: "model_not_found", Query: "What about nobody?", Model: "nobody"},
		{Result: "failed", Status: 502, Code: "upstream_auth_failed", Query: "What about plain?", Model: "m"},
		{Result: "failed", Status: 200, Code: "upstream_stream_interrupted", Query: "What about plain?", Model: "m"},
		{Result: "ok", Status: 200, Query: "What about plain?", Model: "m"},
	} {
		got := page.Data[i]
		if got.Result != want.Result || got.Status != want.Status || got.Code != want.Code || got.Query != want.Query || got.Model != want.Model || got.UserID != "kim" ||
			(want.Model == "m") != (got.AssistantID != "") || (want.Model == "m") != (len(got.CollectionIDs) == 1) {
			t.Errorf("event %d: %+v, want %+v", i, got, want)
		}
	}
	far.Play(upstreamtest.SSE(frame, last, counted, "[DONE]"))
	ask("plain", "true")
	wantUsage := func(when string, requests, prompt, completion int) {
		t.Helper()
		var usage struct {
			Total struct {
				Requests, Refused, Failed int
				Tokens                    struct{ Requests, Prompt, Completion int }
				FirstByte                 struct{ Requests int } `json:"first_byte_ms"`
			}
		}
		status := p.json("GET", "/v1.0/usage", nil, &usage)
		if got := usage.Total; status != 200 || got.Requests != requests || got.Refused != 1 || got.Failed != 2 || got.Tokens.Prompt != prompt ||
			got.Tokens.Completion != completion || got.FirstByte.Requests != requests-2 {
			t.Errorf("usage %s: %d %+v", when, status, got)
		}
	}
	wantUsage("before", 5, 27, 5)
	p.kill()
	p = start(t, dir, nil, env...)
	wantUsage("after kill -9", 5, 27, 5)
	if status := p.json("GET", "/v1.0/audit?action=chat", nil, &page); status != 200 || len(page.Data) != 5 {
		t.Errorf("after kill -9: %d %+v", status, page)
	}
	far.Play(upstreamtest.JSON(answer))
	ask("plain", "false")
	p.stop(os.Interrupt)
	p = start(t, dir, nil, env...)
	if status := p.json("GET", "/v1.0/audit?action=chat", nil, &page); status != 200 || len(page.Data) != 6 {
		t.Errorf("after a stop: %d, %d events", status, len(page.Data))
	}
	wantUsage("after a stop", 6, 34, 8)
}

func TestCommandsWithoutAServerAreAudited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(binary, "keys", "create", "--name", "second", "--scope", "chat", "--data-dir", dir)
	cmd.Dir, cmd.Env = dir, bareEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := start(t, dir, nil)
	var page struct{ Data []auditEntry }
	if status := p.json("GET", "/v1.0/audit?action=key.create", nil, &page); status != 200 || len(page.Data) != 1 || page.Data[0].Result != "ok" || page.Data[0].Status != 201 {
		t.Errorf("%d %+v", status, page.Data)
	}
}
