package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

func TestWhatIsNoCompletionIsRefused(t *testing.T) {
	for _, body := range []string{
		"", " ", "null", "[]", `"x"`, "1", "{}", "<html><body>hi</body></html>", "Internal Server Error",
		`{"choices":null}`, `{"choices":{}}`, `{"choices":"x"}`, `{"choices":[]}`, `{"choices":[ ]}`, `{"choices":[null]}`, `{"choices":["x",1]}`,
		`{"error":{"message":"x"}}`, `{"choice":[{}]}`, `{"Choices":[{}]}`, `[{"choices":[{}]}]`, `{"message":{"role":"assistant","content":"native"}}`,
		`{"choices":[{}]`, `{"choices":[{}]}}`, `{"choices":[{}]} trailing`, `{"choices":[{}]}{"choices":[{}]}`, `{"choices":[{"message":{"content":"cut`,
	} {
		r, err := ReadResponse([]byte(body))
		if isObject := json.Valid([]byte(body)) && body[0] == '{'; err == nil || errors.Is(err, ErrNoChoices) != isObject || (r != nil) != isObject {
			t.Errorf("%s: %+v, %v", body, r, err)
		}
	}
}

func TestEveryPrefixOfAnAnswerIsRefused(t *testing.T) {
	for name, body := range corpus(t, "responses") {
		top, _ := topObject(body)
		for i := range top.end {
			if _, err := ReadResponse(body[:i]); err == nil {
				t.Fatalf("%s: %d of %d bytes were taken for an answer", name, i, len(body))
			}
		}
	}
}

func TestWhatTheChoicesSay(t *testing.T) {
	want := map[string][]Choice{
		"openai":          {{0, "Revenue grew 15% [1].", false, "stop"}},
		"llama_cpp":       {{0, "Hi [1]", false, "stop"}},
		"litellm":         {{0, "Hi", false, "stop"}},
		"ollama":          {{0, "Hi", false, "stop"}},
		"openrouter":      {{0, "Hi", false, "stop"}},
		"perplexity":      {{0, "text [1][2]", false, "stop"}},
		"azure":           {{0, "Hi [doc1]", false, "stop"}},
		"tool_calls":      {{0, "", true, "tool_calls"}},
		"function_call":   {{0, "", true, "function_call"}},
		"three_choices":   {{2, "c", false, "length"}, {0, "a", false, "stop"}, {1, "b", false, "content_filter"}},
		"parts":           {{0, "one two", false, "stop"}},
		"logprobs":        {{0, "Hi", false, "stop"}},
		"behind_footnote": {{0, "Hi [1]", false, "stop"}},
		"sparse":          {{0, "", false, ""}},
		"white_space":     {{0, "x", false, ""}},
	}
	all := corpus(t, "responses")
	for name, body := range all {
		r, err := ReadResponse(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.Choices(); !reflect.DeepEqual(got, want[name]) {
			t.Errorf("%s: got %+v, want %+v", name, got, want[name])
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d files, %d expectations", len(all), len(want))
	}
}

func TestOddChoices(t *testing.T) {
	for body, want := range map[string]Choice{
		`{"index":7,"message":{"content":"a\u0062\n"}}`:                         {Index: 7, Text: "ab\n"},
		`{"index":-1,"message":{"content":"a"}}`:                                {Text: "a"},
		`{"index":"1","message":{"content":"a"}}`:                               {Text: "a"},
		`{"index":99999999999,"message":{"content":"a"}}`:                       {Text: "a"},
		`{"index":null,"message":null,"finish_reason":null}`:                    {},
		`{"message":{"content":null,"refusal":"no"}}`:                           {},
		`{"message":{"content":5}}`:                                             {},
		`{"message":{"content":{"text":"x"}}}`:                                  {},
		`{"message":{"content":"a","content":"b"}}`:                             {Text: "b"},
		`{"message":{"content":"a","tool_calls":[]}}`:                           {Text: "a"},
		`{"message":{"content":"a","tool_calls":[ ]}}`:                          {Text: "a"},
		`{"message":{"content":"a","tool_calls":null,"function_call":null}}`:    {Text: "a"},
		`{"message":{"content":"a","tool_calls":[{}]}}`:                         {Text: "a", ToolCalls: true},
		`{"message":{"reasoning_content":"think [2]","content":"a"}}`:           {Text: "a"},
		`{"delta":{"content":"a"},"text":"b","finish_reason":"eos"}`:            {FinishReason: "eos"},
		`{"message":{"content":"a"},"finish_reason":"st\u006fp"}`:               {Text: "a", FinishReason: "stop"},
		`{"message":{"content":"a"},"finish_reason":3}`:                         {Text: "a"},
		`{"mess\u0061ge":{"cont\u0065nt":"a"}}`:                                 {Text: "a"},
		`{"message":{"content":"\ud83d\ude00 \ude00"}}`:                         {Text: "😀 \ufffd"},
		`{"message":{"content":["x",{"type":"text","text":"y"},{"type":"z"}]}}`: {Text: "xy"},
	} {
		r, err := ReadResponse([]byte(`{"choices":[` + body + `]}`))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := r.Choices(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}
