package conformance

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// wantChoices are what the model said, as every client has to show it.
var wantChoices = map[string][]shownChoice{
	"question":       {{Text: answerText, FinishReason: "stop"}},
	"converted":      {{Text: answerText, FinishReason: "stop"}},
	"images":         {{Text: answerText, FinishReason: "stop"}},
	"tools_answered": {{Text: answerText, FinishReason: "stop"}},
	"choices":        {{Text: answerText, FinishReason: "stop"}, {Index: 1, Text: otherText, FinishReason: "stop"}},
	"structured":     {{Text: jsonText, FinishReason: "stop"}},
	"logprobs":       {{Text: otherText, FinishReason: "stop", Logprobs: []string{"It is 27 days ", "[", "1", "]."}}},
	"tools": {{FinishReason: "tool_calls", ToolCalls: []shownToolCall{
		{"call_leeds", "local_holidays", leedsArguments}, {"call_osaka", "local_holidays", osakaArguments},
	}}},
}

// wantStatus is the status of the citations.
var wantStatus = map[string]string{
	"question": "cited", "converted": "cited", "images": "cited", "tools_answered": "cited", "choices": "cited", "logprobs": "cited",
	"tools": "skipped", "structured": "skipped",
}

// TestEveryClientShowsEveryAnswer asks everything in all ways of all clients.
// Each has to show what the model server said, with the citations that plain
// HTTP shows, where WIRE says that the client can be read; and the model server
// has to get what the client sent.
func TestEveryClientShowsEveryAnswer(t *testing.T) {
	w := startWorld(t)
	truths := map[string]answer{}
	for _, scenario := range names(w.requests) {
		truths[scenario] = w.truth(scenario)
		checkTruth(t, scenario, truths[scenario])
	}
	// The tools' answers change neither the question nor the answer to it.
	truths["tools_answered"] = w.toolsAnswered()
	t.Run("clients", func(t *testing.T) {
		for name, k := range chosen(clients) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got := k.prepare(t, w)("answers")
				for _, way := range names(k.views) {
					for _, scenario := range scenariosOf(k.views[way]) {
						g := got[scenario+"/"+way]
						checkAnswer(t, k.views[way], scenario+"/"+way, g, truths)
						w.checkSent(t, k.views[way], scenario+"/"+name+"/"+way)
						if scenario == "tools" && g.Answered != nil {
							checkAnswer(t, k.views[way], "tools_answered/"+way, *g.Answered, truths)
							w.checkSent(t, k.views[way], "tools_answered/"+name+"/"+way)
						}
					}
				}
			})
		}
	})
	w.checkNothingFetched()
}

// checkNothingFetched proves that pictures are the model server's to fetch.
func (w *world) checkNothingFetched() {
	w.t.Helper()
	w.upstream.mu.Lock()
	defer w.upstream.mu.Unlock()
	if n := w.upstream.fetched; n != 0 {
		w.t.Errorf("%d addresses in requests were fetched", n)
	}
}

func scenariosOf(v view) []string {
	if v.parses {
		return []string{"question", "structured"}
	}
	return []string{"question", "converted", "tools", "choices", "structured", "logprobs", "images"}
}

// checkTruth proves that there is something to compare with.
func checkTruth(t *testing.T, scenario string, truth answer) {
	t.Helper()
	c, _ := truth.Citations.(map[string]any)
	sources, _ := c["sources"].([]any)
	if c["status"] != wantStatus[scenario] || len(sources) != 2 {
		t.Fatalf("%s: plain HTTP shows %+v", scenario, truth)
	}
	annotated := truth.Choices[0].Message.Annotations != nil
	if annotated != (wantStatus[scenario] == "cited") {
		t.Fatalf("%s: plain HTTP shows the annotations %v", scenario, truth.Choices[0].Message.Annotations)
	}
}

func (w *world) toolsAnswered() answer {
	w.t.Helper()
	request := map[string]any{"model": "tools_answered/plain HTTP/json"}
	for name, value := range w.requests["tools"] {
		request[name] = value
	}
	messages, _ := request["messages"].([]any)
	request["messages"] = append(slices.Clone(messages), answeredTools...)
	return w.ask("/assistants/manual/v1/chat/completions", request)
}

// answeredTools are the messages that follow when the tools were called.
var answeredTools = []any{
	map[string]any{"role": "assistant", "tool_calls": []any{
		map[string]any{"id": "call_leeds", "type": "function", "function": map[string]any{"name": "local_holidays", "arguments": leedsArguments}},
		map[string]any{"id": "call_osaka", "type": "function", "function": map[string]any{"name": "local_holidays", "arguments": osakaArguments}},
	}},
	map[string]any{"role": "tool", "tool_call_id": "call_leeds", "content": "8 days"},
	map[string]any{"role": "tool", "tool_call_id": "call_osaka", "content": "9 days"},
}

func checkAnswer(t *testing.T, v view, name string, got shown, truths map[string]answer) {
	t.Helper()
	scenario, _, _ := strings.Cut(name, "/")
	truth, want := truths[scenario], wantChoices[scenario]
	if got.Error != nil || len(got.Choices) != len(want) {
		t.Errorf("%s: %d choices, error %+v", name, len(got.Choices), got.Error)
		return
	}
	for i, choice := range want {
		annotations := truth.Choices[i].Message.Annotations
		if v.losesAnnotations {
			annotations = nil
		}
		checkChoice(t, name, v, got.Choices[i], choice, annotations)
	}
	object := "chat.completion"
	if v.streams && !v.helper {
		object = "chat.completion.chunk"
	}
	if got.Object != object || got.Model != "gpt-4o-2024-08-06" || got.Usage != 42 {
		t.Errorf("%s: %q of model %q with %d tokens", name, got.Object, got.Model, got.Usage)
	}
	if v.streams && !v.helper && (got.UsageChoices == nil || *got.UsageChoices != 0) {
		t.Errorf("%s: choices of the usage chunk: %v", name, got.UsageChoices)
	}
	checkShownCitations(t, name, v, got, truth.Citations)
}

func checkChoice(t *testing.T, name string, v view, got, want shownChoice, annotations any) {
	t.Helper()
	if !reflect.DeepEqual(got.Annotations, annotations) {
		t.Errorf("%s: annotations of choice %d\n%v\nwant\n%v", name, want.Index, got.Annotations, annotations)
	}
	if v.parses && strings.HasPrefix(name, "structured/") {
		want.Parsed = map[string]any{"days": 27.0, "note": "see [1]"}
	}
	if !reflect.DeepEqual(got.Parsed, want.Parsed) && (want.Parsed != nil || !strings.HasPrefix(name, "structured/")) {
		t.Errorf("%s: parsed is %v, want %v", name, got.Parsed, want.Parsed)
	}
	got.Annotations, got.Parsed, want.Parsed = nil, nil, nil
	if len(got.ToolCalls) == 0 {
		got.ToolCalls = nil
	}
	if len(got.Logprobs) == 0 {
		got.Logprobs = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the client shows\n%+v\nthe model server said\n%+v", name, got, want)
	}
}

// checkShownCitations proves that the client shows the citations exactly where
// the README says.
func checkShownCitations(t *testing.T, name string, v view, got shown, truth any) {
	t.Helper()
	want := truth
	if v.losesCitations {
		want = nil
	}
	if !reflect.DeepEqual(got.Citations, want) {
		t.Errorf("%s: the client shows the citations\n%v\nwant\n%v", name, got.Citations, want)
	}
	if v.streams && !v.losesCitations && (got.CitationsChunks != 1 || !got.CitationsOnFinish) {
		t.Errorf("%s: citations on %d chunks, on the finish chunk: %v", name, got.CitationsChunks, got.CitationsOnFinish)
	}
	want = nil
	if v.kept {
		want = truth
	}
	if v.helper && !reflect.DeepEqual(got.FinalCitations, want) {
		t.Errorf("%s: the helper's final object shows the citations\n%v\nwant\n%v", name, got.FinalCitations, want)
	}
}

// checkSent proves that the model server got what the client sent: every member
// of the request, the messages behind our own.
func (w *world) checkSent(t *testing.T, v view, name string) {
	t.Helper()
	got := w.upstream.requests(name)
	if len(got) != 1 {
		t.Errorf("%s: the model server was asked %d times", name, len(got))
		return
	}
	sent := got[0]
	if auth := sent.header.Get("Authorization"); auth != "Bearer "+upstreamKey {
		t.Errorf("%s: the model server got the key %q", name, auth)
	}
	scenario, _, _ := strings.Cut(name, "/")
	request := w.requests[strings.TrimSuffix(scenario, "_answered")]
	for member, want := range request {
		got, ok := sent.fields[member]
		switch {
		case member == "messages":
			want, _ := want.([]any)
			if scenario == "tools_answered" {
				want = append(slices.Clone(want), answeredTools...)
			}
			checkMessages(t, name, got, want)
		case member == "response_format" && v.parses:
			checkSchemaName(t, name, got)
		case v.forgets && strings.HasPrefix(member, "x_"):
			if ok {
				t.Errorf("%s: %s was sent after all", name, member)
			}
		case !reflect.DeepEqual(got, want):
			t.Errorf("%s: the model server got %s\n%v\nwant\n%v", name, member, got, want)
		}
	}
	if streamed, _ := sent.fields["stream"].(bool); streamed != v.streams {
		t.Errorf("%s: stream is %v", name, streamed)
	}
}

// checkSchemaName looks at a schema that the SDK made of a type.
func checkSchemaName(t *testing.T, name string, got any) {
	t.Helper()
	format, _ := got.(map[string]any)
	schema, _ := format["json_schema"].(map[string]any)
	if format["type"] != "json_schema" || schema["name"] != "Vacation" {
		t.Errorf("%s: the model server got the response format %v", name, got)
	}
}

func checkMessages(t *testing.T, name string, got any, want []any) {
	t.Helper()
	messages, _ := got.([]any)
	if len(messages) != len(want)+1 {
		t.Errorf("%s: the model server got %d messages, want %d", name, len(messages), len(want)+1)
		return
	}
	ours, _ := messages[0].(map[string]any)
	block, _ := ours["content"].(string)
	if ours["role"] != "system" || !strings.Contains(block, "27 vacation days") || !strings.Contains(block, `"offices.md"`) {
		t.Errorf("%s: the first message is %v", name, ours)
	}
	for i, m := range messages[1:] {
		message, _ := m.(map[string]any)
		withoutDecoration(message)
		if !reflect.DeepEqual(message, want[i]) {
			t.Errorf("%s: message %d is\n%v\nwant\n%v", name, i+1, message, want[i])
		}
	}
}

// withoutDecoration removes what SDKs repeat in an assistant's message, each in
// its own way: what is null or empty, and what their helpers add to a call.
func withoutDecoration(message map[string]any) {
	for member, value := range message {
		if value == nil || value == "" || reflect.DeepEqual(value, []any{}) {
			delete(message, member)
		}
	}
	calls, _ := message["tool_calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		delete(call, "index")
		function, _ := call["function"].(map[string]any)
		delete(function, "parsed_arguments")
	}
}
