package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

type keptAnswer struct {
	ID, Question, Answer, Outcome, Code string
	ThreadID                            string `json:"thread_id"`
	UserID                              string `json:"user_id"`
	CompletionID                        string `json:"completion_id"`
	FinishReason                        string `json:"finish_reason"`
	CitationStatus                      string `json:"citation_status"`
	ReferencedIndices                   []int  `json:"referenced_indices"`
	Citations                           struct {
		Sources []map[string]any
		Markers []struct{ Start, End int }
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
}

func (p *process) history(query string) []keptAnswer {
	p.t.Helper()
	var page struct{ Data []keptAnswer }
	if status := p.json("GET", "/v1.0/assistants/things/history"+query, nil, &page); status != 200 {
		p.t.Fatal(status)
	}
	return page.Data
}

// chat sends a chat request to the assistant "things" and returns headers and body.
func (p *process) chat(ctx context.Context, more string, headers ...string) (http.Header, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", p.url+"/v1/chat/completions",
		strings.NewReader(`{"model":"things","user":"kim","messages":[{"role":"user","content":"How much honey does a colony need, and when does wax melt?"}]`+more+`}`))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body) // a stream that failed breaks off
	return resp.Header, string(body)
}

// textOf joins the texts of a stream's frames.
func textOf(t *testing.T, stream string) (text string) {
	t.Helper()
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var frame struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &frame); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		for _, c := range frame.Choices {
			text += c.Delta.Content
		}
	}
	return text
}

const (
	historyAnswer = `{"id":"c-1","choices":[{"index":0,"message":{"role":"assistant","content":"Wax melts at 63 °C [2]. It needs 20 kg of honey [1]."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	historyFrame  = `{"id":"c-2","choices":[{"index":0,"delta":{"content":"Wax melts at 63 °C [2]. It needs 20 kg of honey [1]."}}]}`
	historyLast   = `{"id":"c-2","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	historyUsage  = `{"id":"c-2","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":2}}`
	renumbered    = "Wax melts at 63 °C [1]. It needs 20 kg of honey [2]."
)

// historyWorld starts a server whose assistant things stores its answers.
func historyWorld(t *testing.T, dir string) (*process, *upstreamtest.Server, []string) {
	t.Helper()
	far := modelServer(t)
	env := []string{"FOOTNOTE_UPSTREAM_URL=" + far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m"}
	p := evalWorld(t, dir, "", env...)
	settings := map[string]any{"store_history": true, "enable_citations": true, "citation_renumber": true, "citation_link_mode": "Public", "retrieval_score_threshold": 0}
	if status := p.json("PATCH", "/v1.0/assistants/things/settings", settings, nil); status != 200 {
		t.Fatal(status)
	}
	return p, far, env
}

// TestAnswersAreKeptAsTheClientGotThem asks as clients do, in JSON and in streams.
func TestAnswersAreKeptAsTheClientGotThem(t *testing.T) {
	t.Parallel()
	p, far, _ := historyWorld(t, t.TempDir())
	for name, c := range map[string]struct {
		script upstreamtest.Script
		more   string
		text   func(body string) string
		kept   keptAnswer
	}{
		"JSON": {upstreamtest.JSON(historyAnswer), "", func(body string) string {
			var answer struct {
				Choices []struct{ Message struct{ Content string } }
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Choices) != 1 {
				t.Fatalf("%v in %s", err, body)
			}
			return answer.Choices[0].Message.Content
		}, keptAnswer{CompletionID: "c-1"}},
		"a stream": {upstreamtest.SSE(historyFrame, historyLast, historyUsage, "[DONE]"), `,"stream":true`, func(body string) string { return textOf(t, body) }, keptAnswer{CompletionID: "c-2"}},
	} {
		far.Play(c.script)
		header, body := p.chat(t.Context(), c.more)
		kept := p.history("?completion_id=" + c.kept.CompletionID)
		if len(kept) != 1 {
			t.Fatalf("%s: %d answers are kept", name, len(kept))
		}
		got := kept[0]
		if text := c.text(body); got.Answer != text || text != renumbered {
			t.Errorf("%s: the client got %q, kept is %q", name, text, got.Answer)
		}
		if got.ID != header.Get("X-Footnote-Answer") || got.ThreadID != header.Get("X-Thread-Id") || got.Outcome != "complete" || got.FinishReason != "stop" ||
			got.UserID != "kim" || !strings.HasPrefix(got.Question, "How much honey") || got.Usage == nil || got.Usage.Prompt == 0 {
			t.Errorf("%s: %+v, headers %v", name, got, header)
		}
		if got.CitationStatus != "cited" || len(got.ReferencedIndices) != 2 || len(got.Citations.Markers) != 2 {
			t.Errorf("%s: %+v", name, got)
		}
		for i, m := range got.Citations.Markers {
			if marker := string([]rune(got.Answer)[m.Start:m.End]); marker != []string{"[1]", "[2]"}[i] {
				t.Errorf("%s: marker %d is %q", name, i, marker)
			}
		}
		if !strings.Contains(body, "download_url") {
			t.Errorf("%s: the client got no links: %s", name, body)
		}
		for _, source := range got.Citations.Sources {
			if source["download_url"] != nil || source["document_id"] == nil {
				t.Errorf("%s: kept with a link: %v", name, source)
			}
		}
	}
}

// TestListsOfSourcesAreNotKept: a list in the answer has links that let anyone in.
func TestListsOfSourcesAreNotKept(t *testing.T) {
	t.Parallel()
	p, far, _ := historyWorld(t, t.TempDir())
	for more, script := range map[string]upstreamtest.Script{
		"":               upstreamtest.JSON(historyAnswer),
		`,"stream":true`: upstreamtest.SSE(historyFrame, historyLast, historyUsage, "[DONE]"),
	} {
		far.Play(script)
		if _, body := p.chat(t.Context(), more, "X-Footnote-Citation-Format", "markdown"); !strings.Contains(body, "**Sources**") || !strings.Contains(body, "v1.0/links") {
			t.Errorf("%q: the client got no list with links: %s", more, body)
		}
	}
	kept := p.history("")
	if len(kept) != 2 {
		t.Fatalf("%d answers are kept", len(kept))
	}
	for _, a := range kept {
		if a.Answer != renumbered || a.CitationStatus != "cited" || len(a.Citations.Markers) != 2 {
			t.Errorf("kept: %+v", a)
		}
	}
	var raw any
	if status := p.json("GET", "/v1.0/assistants/things/history", nil, &raw); status != 200 || strings.Contains(fmt.Sprint(raw), "v1.0/links") {
		t.Errorf("%d, kept with links: %v", status, raw)
	}
}

// TestAnswersBelongToConversations shows how clients name them.
func TestAnswersBelongToConversations(t *testing.T) {
	t.Parallel()
	p, far, _ := historyWorld(t, t.TempDir())
	ask := func(headers ...string) string {
		far.Play(upstreamtest.JSON(historyAnswer))
		header, _ := p.chat(t.Context(), "", headers...)
		return header.Get("X-Thread-Id")
	}
	first := ask()
	if second := ask(); second == first {
		t.Error("two questions without a thread have the same")
	}
	if again := ask("X-Thread-Id", first); again != first {
		t.Errorf("%s is continued as %s", first, again)
	}
	if own := ask("X-OpenWebUI-Chat-Id", "2f1c-77"); own != "2f1c-77" {
		t.Errorf("a chat client's own id became %s", own)
	}
	odd := ask("X-Thread-Id", "Gespräch 7/§")
	if again := ask("X-Thread-Id", "Gespräch 7/§"); again != odd || !strings.HasPrefix(odd, "thr_") {
		t.Errorf("an id with other characters became %s, then %s", odd, again)
	}
	var threads struct {
		Total int
		Data  []struct {
			ID, Title string
			Answers   int
		}
	}
	if status := p.json("GET", "/v1.0/assistants/things/threads?count=true", nil, &threads); status != 200 || threads.Total != 4 || threads.Data[0].ID != odd || threads.Data[0].Answers != 2 || !strings.HasPrefix(threads.Data[0].Title, "How much") {
		t.Errorf("%d %+v", status, threads)
	}
	if got := p.history("?thread_id=" + first + "&sort=created_at"); len(got) != 2 {
		t.Errorf("%d answers in a conversation of two", len(got))
	}
}

// TestOnlyAnswersAreKept shows what is not, and what is of answers that broke off.
func TestOnlyAnswersAreKept(t *testing.T) {
	t.Parallel()
	p, far, _ := historyWorld(t, t.TempDir())
	far.Play(upstreamtest.Status(400, `{"error":{"message":"no"}}`))
	p.chat(t.Context(), "")
	for more, value := range map[string]string{`,"store":false`: "", `,"store":true`: "OFF"} {
		far.Play(upstreamtest.JSON(historyAnswer))
		if header, _ := p.chat(t.Context(), more, "X-Footnote-History", value); header.Get("X-Footnote-Answer") != "" || header.Get("X-Thread-Id") != "" {
			t.Errorf("an answer that is not to be stored: %v", header)
		}
	}
	if _, body := p.chat(t.Context(), "", "X-Footnote-History", "of"); !strings.Contains(body, `"param":"X-Footnote-History"`) {
		t.Errorf("a misspelled header: %s", body)
	}
	if kept := p.history(""); len(kept) != 0 {
		t.Errorf("kept: %+v", kept)
	}

	far.Play(upstreamtest.Stream().Then(upstreamtest.Event(historyFrame), upstreamtest.Closes()))
	p.chat(t.Context(), `,"stream":true`)
	if kept := p.history(""); len(kept) != 1 || kept[0].Outcome != "failed" || kept[0].Code != "upstream_stream_interrupted" || kept[0].Answer != renumbered {
		t.Errorf("a stream that broke off: %+v", kept)
	}

	far.Play(upstreamtest.Stream().Then(upstreamtest.Event(historyFrame), upstreamtest.Hangs()))
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", p.url+"/v1/chat/completions",
		strings.NewReader(`{"model":"things","stream":true,"messages":[{"role":"user","content":"Who stays?"}]}`))
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
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Error(err)
	}
	leave()
	eventually(t, "the answer that the client left is kept", func() bool { return len(p.history("")) == 2 })
	if kept := p.history("")[0]; kept.Outcome != "interrupted" || kept.Question != "Who stays?" {
		t.Errorf("an answer that the client left: %+v", kept)
	}

	if status := p.json("PATCH", "/v1.0/assistants/things/settings", map[string]any{"store_history": false}, nil); status != 200 {
		t.Fatal(status)
	}
	far.Play(upstreamtest.JSON(historyAnswer))
	if header, _ := p.chat(t.Context(), ""); header.Get("X-Footnote-Answer") != "" {
		t.Errorf("switched off: %v", header)
	}
	if kept := p.history(""); len(kept) != 2 {
		t.Errorf("switched off: %d answers are kept", len(kept))
	}
}

// TestTheHistorySurvivesItsServerAndDeletionDeletes kills and stops the server, and
// reads the file of the database.
func TestTheHistorySurvivesItsServerAndDeletionDeletes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, far, env := historyWorld(t, dir)
	far.Play(upstreamtest.JSON(historyAnswer))
	p.chat(t.Context(), "")
	if kept := p.history(""); len(kept) != 1 {
		t.Fatalf("kept: %+v", kept)
	}
	p.kill()
	p = start(t, dir, nil, env...)
	far.Play(upstreamtest.JSON(strings.Replace(historyAnswer, "20 kg", "many kg", 1)))
	p.chat(t.Context(), "")
	p.stop(os.Interrupt)
	p = start(t, dir, nil, env...)
	if kept := p.history(""); len(kept) != 2 || !strings.Contains(kept[0].Answer, "many kg") {
		t.Fatalf("after a kill and a stop: %+v", kept)
	}
	inFile := func() bool {
		t.Helper()
		raw, err := os.ReadFile(filepath.Join(dir, "footnote.db"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(raw), "many kg")
	}
	p.stop(os.Interrupt)
	if !inFile() {
		t.Fatal("the answer is not readable in the file before it is deleted")
	}
	p = start(t, dir, nil, env...)
	if status := p.json("DELETE", "/v1.0/assistants/things/history?all=true", nil, nil); status != 200 {
		t.Fatal(status)
	}
	if kept := p.history(""); len(kept) != 0 {
		t.Errorf("deleted, and kept: %+v", kept)
	}
	p.stop(os.Interrupt)
	if inFile() {
		t.Error("the answer is still readable in the file of the database")
	}
}
