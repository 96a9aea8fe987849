package responses

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy/sse"
)

func chunk(delta, more string) string {
	return `data: {"id":"c1","choices":[{"index":0,"delta":` + delta + more + "}]}\n\n"
}

var citedStream = []string{
	chunk(`{"role":"assistant","content":""}`, ""), chunk(`{"content":"It is "}`, ""), chunk(`{"content":"27 [1]."}`, ""),
	`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"citations":{"status":"cited","sources":[{"index":1,"document_id":"doc_a","document_name":"a.pdf"}],"markers":[{"start":9,"indices":[1]}]}}` + "\n\n",
	`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}` + "\n\n", sse.Done,
}

func names(list []sent) (all []string) {
	for _, s := range list {
		all = append(all, strings.TrimPrefix(s.name, "response."))
	}
	return all
}

func TestAStreamHasOpenAIsEventsHoweverItIsWritten(t *testing.T) {
	w := newWorld(t)
	want := []string{
		"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
		"output_text.annotation.added", "output_text.done", "content_part.done", "output_item.done", "completed",
	}
	text := strings.Join(citedStream, "")
	for size := range 9 {
		pieces := citedStream
		if size > 0 {
			pieces = nil
			for piece := range slices.Chunk([]byte(text), size*size) {
				pieces = append(pieces, string(piece))
			}
		}
		w.chat = streams(pieces...)
		got := w.events(`{"model":"handbook","input":"x","stream":true}`)
		if !slices.Equal(names(got), want) {
			t.Fatalf("in pieces of %d: %v", size*size, names(got))
		}
		last := got[len(got)-1].data["response"]
		if at(last, "id") != "ans_1" || at(last, "status") != "completed" || at(last, "output", 0, "content", 0, "text") != "It is 27 [1]." ||
			at(last, "output", 0, "content", 0, "annotations", 0, "file_id") != "doc_a" || at(last, "usage", "total_tokens") != 10.0 || at(last, "citations", "status") != "cited" {
			t.Errorf("the response: %v", last)
		}
		if got[4].data["delta"] != "It is " || got[4].data["item_id"] != "msg_ans_1" || got[6].data["annotation_index"] != 0.0 || got[7].data["text"] != "It is 27 [1]." {
			t.Errorf("events %v", got)
		}
	}
	if w.asked["stream"] != true || fmt.Sprint(w.asked["stream_options"]) != "map[include_usage:true]" {
		t.Errorf("the chat was asked for %v", w.asked)
	}
}

// TestEventsGoOutAsTheyCome has a chat that goes on only when the client has read what is
// there already.
func TestEventsGoOutAsTheyCome(t *testing.T) {
	w := newWorld(t)
	read := make(chan struct{})
	w.chat = func(rw http.ResponseWriter, r *http.Request) {
		streams(sse.KeepAlive, chunk(`{"content":"one"}`, ""))(rw, r)
		<-read
		streams(chunk(`{"content":" two"}`, ""), sse.Done)(rw, r)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/v1/responses", strings.NewReader(`{"input":"x","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	events := sse.NewReader(resp.Body, 1<<20)
	for {
		ev, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(ev.Data), `"delta":"one"`) {
			break
		}
	}
	close(read)
	rest := ""
	for {
		ev, err := events.Next()
		if err != nil {
			break
		}
		rest += ev.Name + " "
	}
	if !strings.HasSuffix(rest, "response.completed ") {
		t.Errorf("the rest: %s", rest)
	}
}

func TestAStreamThatFailsEndsWithItsError(t *testing.T) {
	w := newWorld(t)
	broken := "data: {\"error\":{\"message\":\"It broke off.\",\"type\":\"upstream_error\",\"param\":null,\"code\":\"upstream_stream_interrupted\"}}\n\n"
	for begun, pieces := range map[bool][]string{false: {broken}, true: {chunk(`{"content":"It is"}`, ""), broken, chunk(`{"content":"late"}`, "")}} {
		w.chat = func(rw http.ResponseWriter, r *http.Request) {
			streams(pieces...)(rw, r)
			panic(http.ErrAbortHandler) // as the chat does
		}
		got := w.events(`{"input":"x","stream":true}`)
		last := got[len(got)-1]
		if last.name != "response.failed" || at(last.data, "response", "error", "code") != "upstream_stream_interrupted" || at(last.data, "response", "status") != "failed" {
			t.Errorf("begun %v: %v", begun, got)
		}
		if text := at(last.data, "response", "output", 0, "content", 0, "text"); begun && text != "It is" || !begun && text != nil {
			t.Errorf("begun %v: the text is %v", begun, text)
		}
	}
	w.chat = streams(chunk(`{"content":"`+strings.Repeat("a", 600<<10)+`"}`, ""))
	got := w.events(`{"input":"x","stream":true}`)
	if last := got[len(got)-1]; last.name != "response.failed" || at(last.data, "response", "error", "code") != "overloaded" {
		t.Errorf("without room: %s %v", last.name, at(last.data, "response", "error"))
	}
}

func TestStreamsEndAsTheirAnswersDo(t *testing.T) {
	w := newWorld(t)
	w.chat = streams(chunk(`{"refusal":"I will"}`, ""), chunk(`{"refusal":" not."}`, `,"finish_reason":"stop"`), sse.Done)
	got := w.events(`{"input":"x","stream":true}`)
	if want := []string{"created", "in_progress", "output_item.added", "content_part.added", "refusal.delta", "refusal.delta", "refusal.done", "content_part.done", "output_item.done", "completed"}; !slices.Equal(names(got), want) {
		t.Errorf("a refusal: %v", names(got))
	}
	w.chat = streams(chunk(`{"content":"It"}`, `,"finish_reason":"length"`), sse.Done)
	got = w.events(`{"input":"x","stream":true}`)
	if last := got[len(got)-1]; last.name != "response.incomplete" || at(last.data, "response", "incomplete_details", "reason") != "max_output_tokens" {
		t.Errorf("a bound: %v", last)
	}
	w.chat = streams(chunk(`{}`, `,"finish_reason":"stop"`), sse.Done)
	got = w.events(`{"input":"x","stream":true}`)
	if last := got[len(got)-1]; last.name != "response.completed" || at(last.data, "response", "output", 0, "content", 0, "text") != "" {
		t.Errorf("no text: %v", names(got))
	}
}

func TestAResponseContinuesAStoredOne(t *testing.T) {
	w := newWorld(t)
	answer := func(id, thread, question string, minute int, change func(*assistants.Answer)) {
		a := assistants.Answer{
			ID: assistants.AnswerID(id), TenantID: "default", Assistant: "asst_a", Thread: assistants.ThreadID(thread), Key: "key_test", Model: "m", Question: question, Text: "A to " + question,
			Finish: "stop", Outcome: assistants.AnswerComplete, CreatedAt: noon.AddDate(0, 0, minute), Tokens: &assistants.Tokens{Prompt: 5, Completion: 2},
		}
		if change != nil {
			change(&a)
		}
		w.answers = append(w.answers, a)
	}
	answer("ans_1", "thr_1", "one", 1, nil)
	answer("ans_2", "thr_2", "elsewhere", 2, nil)
	answer("ans_3", "thr_1", "broken", 3, func(a *assistants.Answer) { a.Outcome, a.Code = assistants.AnswerFailed, "upstream_stalled" })
	answer("ans_4", "thr_1", "two", 4, nil)
	answer("ans_5", "thr_1", "later", 5, nil)
	answer("ans_6", "thr_1", "theirs", 6, func(a *assistants.Answer) { a.Key = "key_other" })
	w.chat = says(200, `{"choices":[{"message":{"content":"a"}}]}`)
	got := w.respond(200, `{"input":"three","instructions":"i","previous_response_id":"ans_4"}`)
	want := "[map[content:i role:system] map[content:one role:user] map[content:A to one role:assistant] map[content:two role:user] map[content:A to two role:assistant] map[content:three role:user]]"
	if fmt.Sprint(w.asked["messages"]) != want || w.header.Get(threadHeader) != "thr_1" || got["previous_response_id"] != "ans_4" || w.flushed == 0 {
		t.Errorf("asked %v in the conversation %q", w.asked["messages"], w.header.Get(threadHeader))
	}
	w.respond(200, `{"input":[{"role":"user","content":"one"},{"type":"item_reference","id":"msg_ans_1"},{"role":"user","content":"more"}]}`)
	if want := "[map[content:one role:user] map[content:A to one role:assistant] map[content:more role:user]]"; fmt.Sprint(w.asked["messages"]) != want {
		t.Errorf("with a reference %v", w.asked["messages"])
	}
	for _, id := range []string{"msg_ans_6", "msg_ans_9", "rs_1"} { // another key's, none, and no message
		if code, param := faultOf(w.respond(400, `{"input":[{"role":"user","content":"x"},{"type":"item_reference","id":"`+id+`"}]}`)); code != "invalid_value" || param != "input[1].id" {
			t.Errorf("%s: %s %s", id, code, param)
		}
	}
	many := strings.Repeat(`{"type":"item_reference","id":"msg_ans_1"},`, 101)
	if code, param := faultOf(w.respond(400, `{"input":[`+many+`{"role":"user","content":"x"}]}`)); code != "invalid_value" || param != "input" {
		t.Errorf("too many references: %s %s", code, param)
	}
	w.respond(400, `{"input":"x","previous_response_id":"ans_6"}`) // another key's
	w.caller.Anonymous, w.caller.Key = true, assistants.Key{}
	w.respond(400, `{"input":"x","previous_response_id":"ans_4"}`)
	if resp, _ := w.send("GET", "/v1/responses/ans_4", ""); resp.StatusCode != 401 {
		t.Errorf("without a key: %d", resp.StatusCode)
	}
}

func TestStoredResponsesAreShownAndDeleted(t *testing.T) {
	w := newWorld(t)
	w.answers = []assistants.Answer{
		{ID: "ans_1", TenantID: "default", Key: "key_test", Model: "m", Text: "It is.", Finish: "stop", Outcome: assistants.AnswerComplete, User: "u", CreatedAt: noon, Tokens: &assistants.Tokens{Prompt: 5, Completion: 2}},
		{ID: "ans_2", TenantID: "default", Key: "key_test", Model: "m", Text: "It", Outcome: assistants.AnswerFailed, Code: "upstream_stalled", CreatedAt: noon},
		{ID: "ans_3", TenantID: "default", Key: "key_test", Model: "m", Text: "It", Outcome: assistants.AnswerInterrupted, CreatedAt: noon},
	}
	for id, want := range map[string]string{"ans_1": "completed", "ans_2": "failed", "ans_3": "incomplete"} {
		resp, raw := w.send("GET", "/v1/responses/"+id, "")
		if resp.StatusCode != 200 || !strings.Contains(string(raw), `"status":"`+want+`","background"`) || !strings.Contains(string(raw), `"id":"`+id+`"`) {
			t.Errorf("%s: %d %s", id, resp.StatusCode, raw)
		}
	}
	for query, param := range map[string]string{"stream=true": "stream", "include=x": "include", "include[]=x": "include[]", "starting_after=1": "starting_after"} {
		resp, raw := w.send("GET", "/v1/responses/ans_1?"+query, "")
		if resp.StatusCode != 400 || !strings.Contains(string(raw), `"param":"`+param+`"`) {
			t.Errorf("%s: %d %s", query, resp.StatusCode, raw)
		}
	}
	if resp, _ := w.send("GET", "/v1/responses/ans_1?stream=false", ""); resp.StatusCode != 200 {
		t.Errorf("no stream: %d", resp.StatusCode)
	}
	for _, id := range []string{"ans_9", "resp_1", "ans_A"} {
		if resp, _ := w.send("GET", "/v1/responses/"+id, ""); resp.StatusCode != 404 {
			t.Errorf("%s: %d", id, resp.StatusCode)
		}
	}
	w.chat = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) }
	if resp, raw := w.send("DELETE", "/v1/responses/ans_1", ""); resp.StatusCode != 200 || string(raw) != `{"id":"ans_1","object":"response","deleted":true}` || w.path != "DELETE /v1.0/history/ans_1" {
		t.Errorf("deleted: %d %s by %s", resp.StatusCode, raw, w.path)
	}
	w.chat = says(403, `{"error":{"message":"No.","type":"permission_error","param":null,"code":"permission_denied"}}`)
	if resp, raw := w.send("DELETE", "/v1/responses/ans_1", ""); resp.StatusCode != 403 || !strings.Contains(string(raw), "permission_denied") {
		t.Errorf("refused: %d %s", resp.StatusCode, raw)
	}
	if resp, _ := w.send("DELETE", "/v1/responses/other", ""); resp.StatusCode != 404 {
		t.Errorf("no id: %d", resp.StatusCode)
	}
}
