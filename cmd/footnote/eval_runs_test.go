package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"footnote/assistants/evaluation"
	"footnote/proxy/upstream/upstreamtest"
)

type evalRunAnswer struct {
	ID, Status string
	Progress   struct{ Done, Total int }
	Summary    *evaluation.Summary
}

// goldLines are the gold questions of evalWorld.
const goldLines = `{"id":"honey","document":"bees.md","question":"How much honey does a colony need for the winter?","passage":"20 kg of honey"}
{"id":"wax","document":"bees","question":"When does wax melt?","passage":"Wax melts at 63"}
`

// evalWorld starts the program with an assistant that knows one file, and two gold questions.
func evalWorld(t *testing.T, dir, upstream string, env ...string) *process {
	t.Helper()
	p := start(t, dir, nil, env...)
	settings := map[string]any{"enable_rag": true, "enable_citations": true}
	if upstream != "" {
		settings["upstream"] = upstream
	}
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "things", "settings": settings}, nil); status != 201 {
		t.Fatal(status)
	}
	form, contentType := formOf(t, "bees.md", "# Honey\n\nA colony needs 20 kg of honey to come through the winter.\n\n# Wax\n\nWax melts at 63 °C.\n")
	var doc struct{ ID, Searchable string }
	if status := p.request("POST", "/v1.0/assistants/things/documents", contentType, strings.NewReader(form), &doc); status != 202 {
		t.Fatal(status)
	}
	eventually(t, "the document is found", func() bool {
		p.json("GET", "/v1.0/documents/"+doc.ID, nil, &doc)
		return doc.Searchable != "none"
	})
	if status := p.request("POST", "/v1.0/assistants/things/eval/questions/import", "application/jsonl", strings.NewReader(goldLines), nil); status != 200 {
		t.Fatal(status)
	}
	return p
}

// TestRunsOfTheServerAgreeWithTheCommand asks the same questions by both ways.
func TestRunsOfTheServerAgreeWithTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := evalWorld(t, dir, "builtin:extractive")
	if status := p.json("PATCH", "/v1.0/assistants/things/settings", map[string]any{"store_history": true}, nil); status != 200 {
		t.Fatal(status)
	}
	var made evalRunAnswer
	if status := p.json("POST", "/v1.0/assistants/things/eval/runs", map[string]any{"answers": true}, &made); status != 202 {
		t.Fatal(status)
	}
	eventually(t, "the run ends", func() bool {
		p.json("GET", "/v1.0/eval/runs/"+made.ID, nil, &made)
		return made.Status != "running"
	})
	if err := os.WriteFile(dir+"/gold.jsonl", []byte(goldLines), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := run(t, dir, "eval", "--url", p.url, "--key", testAdminKey, "--assistant", "things", "--json", "gold.jsonl")
	var command struct{ Summary evaluation.Summary }
	if err := json.Unmarshal([]byte(stdout), &command); err != nil || code != 0 {
		t.Fatalf("%d %s %v", code, stderr, err)
	}
	got, want := made.Summary, command.Summary
	if made.Status != "completed" || got == nil || got.Chat == nil || got.Document != want.Document || got.Passage != want.Passage || got.Failed != 0 ||
		got.Chat.Cites != want.Chat.Cites || got.Chat.Supported != want.Chat.Supported || got.Chat.Cites == 0 {
		t.Errorf("the server %+v %+v\nthe command %+v %+v", got, got.Chat, want, want.Chat)
	}
	if kept := p.history(""); len(kept) > 0 {
		t.Errorf("gold questions are in the history: %+v", kept)
	}
}

// TestAKilledServerLeavesNoRunRunning kills the server while its model thinks
// about the second question.
func TestAKilledServerLeavesNoRunRunning(t *testing.T) {
	t.Parallel()
	const answer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"It is so [1]."},"finish_reason":"stop"}]}`
	for name, end := range map[string]func(p *process){"kill -9": func(p *process) { p.kill() }, "SIGTERM": func(p *process) { p.stop(os.Interrupt) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := modelServer(t)
			far.Play(upstreamtest.JSON(answer), upstreamtest.Hang())
			dir := t.TempDir()
			env := []string{"FOOTNOTE_UPSTREAM_URL=" + far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m"}
			p := evalWorld(t, dir, "", env...)
			var run evalRunAnswer
			if status := p.json("POST", "/v1.0/assistants/things/eval/runs", map[string]any{"answers": true}, &run); status != 202 {
				t.Fatal(status)
			}
			eventually(t, "a question is done", func() bool {
				p.json("GET", "/v1.0/eval/runs/"+run.ID, nil, &run)
				return run.Progress.Done == 1
			})
			end(p)
			p = start(t, dir, nil, env...)
			if status := p.json("GET", "/v1.0/eval/runs/"+run.ID, nil, &run); status != 200 || run.Status != "interrupted" || run.Progress.Done != 1 || run.Summary == nil || run.Summary.Questions != 1 {
				t.Errorf("%d %+v %+v", status, run, run.Summary)
			}
			var list struct{ Data []evaluation.Outcome }
			if status := p.json("GET", "/v1.0/eval/runs/"+run.ID+"/results", nil, &list); status != 200 || len(list.Data) != 1 || list.Data[0].Chat == nil {
				t.Errorf("%d %+v", status, list)
			}
			if status := p.json("POST", "/v1.0/assistants/things/eval/runs", map[string]any{}, &run); status != http.StatusAccepted {
				t.Errorf("the next run: %d", status)
			}
		})
	}
}
