package proxy_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A failer is a test, or one try of a property's.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A reading is what a client makes of an event stream. It is read in the
// plainest way, with nothing of the code under test: lines, then JSON.
type reading struct {
	events    []string // the data of every event before the end
	choices   map[int]*said
	end       string // "[DONE]", the code of an error frame, or "" for neither
	citations string // our object
}

// said is what one choice said. Its texts are as they are encoded in JSON: a
// surrogate pair may stand in two deltas.
type said struct {
	text, refusal, reasoning string
	calls                    []*call
	function                 call // the older way
	finish                   string
}

// A call is a tool call in pieces.
type call struct{ id, name, arguments string }

// readEvents reads a stream as clients do.
func readEvents(t failer, raw []byte) reading {
	t.Helper()
	r := reading{choices: map[int]*said{}}
	text := strings.TrimPrefix(string(raw), "\xEF\xBB\xBF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for _, event := range strings.Split(text, "\n\n") {
		var data []string
		for _, line := range strings.Split(event, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
		}
		joined := strings.TrimSpace(strings.Join(data, "\n"))
		switch {
		case joined == "":
			continue
		case strings.HasPrefix(joined, "[DONE]"):
			r.end = "[DONE]"
			return r
		case joined[0] != '{' || !json.Valid([]byte(joined)):
			return r // cut, or no event of a model's
		}
		if r.read(t, joined); r.end != "" {
			return r
		}
		r.events = append(r.events, joined)
	}
	return r
}

// frame is what a reading looks at in a frame.
type frame struct {
	Error   json.RawMessage
	Choices []struct {
		Index        int
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content, Refusal, Reasoning json.RawMessage
			ReasoningContent            json.RawMessage                   `json:"reasoning_content"`
			FunctionCall                *struct{ Name, Arguments string } `json:"function_call"`
			ToolCalls                   []struct {
				Index    int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	Citations json.RawMessage
}

func (r *reading) read(t failer, data string) {
	t.Helper()
	var f frame
	if err := json.Unmarshal([]byte(data), &f); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if f.Choices == nil && f.Error != nil {
		var report struct{ Code string }
		_ = json.Unmarshal(f.Error, &report) // an upstream's need not have one
		r.end = "error " + report.Code
		return
	}
	if bytes.HasPrefix(f.Citations, []byte("{")) {
		if r.citations != "" {
			t.Errorf("two citations objects: %s", data)
		}
		r.citations = string(f.Citations)
	}
	for _, c := range f.Choices {
		s := r.choices[c.Index]
		if s == nil {
			s = &said{}
			r.choices[c.Index] = s
		}
		s.text += contentOf(c.Delta.Content)
		s.refusal += inside(c.Delta.Refusal)
		s.reasoning += inside(c.Delta.Reasoning) + inside(c.Delta.ReasoningContent)
		if c.FinishReason != "" {
			s.finish = c.FinishReason
		}
		if f := c.Delta.FunctionCall; f != nil {
			s.function.name += f.Name
			s.function.arguments += f.Arguments
		}
		for _, piece := range c.Delta.ToolCalls {
			i := slices.IndexFunc(s.calls, func(known *call) bool { return piece.ID == "" || known.id == piece.ID })
			if piece.ID == "" {
				i = len(s.calls) - 1
			}
			if i < 0 {
				s.calls, i = append(s.calls, &call{id: piece.ID}), len(s.calls)
			}
			if s.calls[i].name != piece.Function.Name {
				s.calls[i].name += piece.Function.Name
			}
			s.calls[i].arguments += piece.Function.Arguments
		}
	}
}

// inside is a JSON string without its quotes; "" for anything else.
func inside(raw json.RawMessage) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return string(raw[1 : len(raw)-1])
}

// contentOf is the text of a content: a string, or a list of parts.
func contentOf(raw json.RawMessage) string {
	var parts []struct {
		Type string
		Text json.RawMessage
	}
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &parts) != nil {
		return inside(raw)
	}
	text := ""
	for _, p := range parts {
		if p.Type == "text" {
			text += inside(p.Text)
		}
	}
	return text
}

// plain is a text of a reading as a reader sees it.
func plain(t failer, encoded string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(`"`+encoded+`"`), &text); err != nil {
		t.Fatalf("%q: %v", encoded, err)
	}
	return text
}

// texts are what the choices said, in order.
func (r reading) texts(t failer) []string {
	t.Helper()
	var all []string
	for _, i := range slices.Sorted(maps.Keys(r.choices)) {
		all = append(all, plain(t, r.choices[i].text))
	}
	return all
}

// answer is the JSON answer that says the same.
func (r reading) answer(t failer) []byte {
	t.Helper()
	type object map[string]any
	var choices []object
	for _, i := range slices.Sorted(maps.Keys(r.choices)) {
		s := r.choices[i]
		message := object{"role": "assistant", "content": json.RawMessage(`"` + s.text + `"`)}
		if s.refusal != "" {
			message["refusal"] = json.RawMessage(`"` + s.refusal + `"`)
		}
		if s.reasoning != "" {
			message["reasoning_content"] = json.RawMessage(`"` + s.reasoning + `"`)
		}
		var calls []object
		for _, c := range s.calls {
			calls = append(calls, object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.arguments}})
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		if s.function.name != "" {
			message["function_call"] = object{"name": s.function.name, "arguments": s.function.arguments}
		}
		finish := s.finish
		if finish == "" {
			finish = "stop"
		}
		choices = append(choices, object{"index": i, "message": message, "finish_reason": finish})
	}
	raw, err := json.Marshal(object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
