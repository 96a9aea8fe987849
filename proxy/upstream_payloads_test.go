package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// chunk is a chunk of choice 0 with a delta in JSON.
func chunk(delta string) string {
	return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

func TestUpstreamFaultsUsage(t *testing.T) {
	text := says("The fox [1]")
	const count = `{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"cost":0.10}`
	with := func(frame, usage string) string { return strings.TrimSuffix(frame, "}") + `,"usage":` + usage + `}` }
	alone := `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":` + count + `}`
	behind := `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{}}],"usage":` + count + `}`
	rows := []fault{
		{id: "U-028 with empty choices", ask: asStream, script: ends(text, stops(), alone, "[DONE]"), want: streams(text, stops(), alone)},
		{id: "U-028 with empty choices before the finish chunk", ask: asStream, script: ends(text, alone, stops(), "[DONE]"), want: streams(text, alone, stops())},
		{id: "U-028 with empty choices at first", ask: asStream, script: ends(alone, text, stops(), "[DONE]"), want: streams(alone, text, stops())},
		{id: "U-028 with choices behind the finish chunk", ask: asStream, script: ends(text, stops(), behind, "[DONE]"), want: streams(text, stops(), behind)},
		{id: "U-028 twice behind the finish chunk", ask: asStream, script: ends(text, stops(), behind, alone, "[DONE]"), want: streams(text, stops(), behind, alone)},
		{id: "U-028 in every chunk", ask: asStream, script: ends(with(text, count), with(text, count), with(stops(), count), "[DONE]"),
			want: streams(with(text, count), with(text, count), with(stops(), count))},
		{id: "U-028 behind the finish chunk, no [DONE]", ask: asStream, script: ends(text, stops(), alone), want: streams(text, stops(), alone)},
		{id: "U-028 JSON without usage", ask: asJSON, script: upstreamtest.JSON(okAnswer), want: answers(okAnswer)},
	}
	for _, odd := range []string{"null", "{}", `{"prompt_tokens":-5,"total_tokens":-1}`, `{"total_tokens":1000000000000000000}`, `{"total_tokens":1e400}`,
		`{"total_tokens":"13"}`, `[]`, `7`, `{"total_tokens":99999999999999999999999999999999}`} {
		answer := strings.TrimSuffix(okAnswer, "}") + `,"usage":` + odd + `}`
		rows = append(rows,
			fault{id: "U-028 usage " + odd, ask: asStream, script: ends(with(text, odd), with(stops(), odd), "[DONE]"), want: streams(with(text, odd), with(stops(), odd))},
			fault{id: "U-028 usage " + odd, ask: asJSON, script: upstreamtest.JSON(answer), want: answers(answer)})
	}
	playFaults(t, rows)
}

// Parsers of JSON refuse what is not UTF-8, so the client gets U+FFFD in its place.
func TestBytesThatAreNotUTF8AreReplaced(t *testing.T) {
	broken, whole := "\xf0\x9f and \xff [1]", "\ufffd and \ufffd [1]"
	raw := func(text string) string { return strings.Replace(says("TEXT"), "TEXT", text, 1) }
	answer := func(text string) string {
		return `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}]}`
	}
	playFaults(t, []fault{
		{id: "in a stream", ask: asStream, script: ends(raw("The fox"), raw(broken), stops(), "[DONE]"), want: streams(raw("The fox"), raw(whole), stops())},
		{id: "in JSON", ask: asJSON, script: upstreamtest.JSON(answer(broken)), want: answers(answer(whole))},
	})
}

func TestUpstreamFaultsToolCalls(t *testing.T) {
	calls := []string{
		chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}]}`),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"list\": "}}]}`),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"[1"}}]}`),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"]}"}}]}`),
	}
	late := []string{
		chunk(`{"tool_calls":[{"index":2,"function":{"name":"b","arguments":"[1]"}}]}`),
		chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"arguments":"[2]"}},{"index":2,"id":"late","type":"function"}]}`),
		chunk(`{"tool_calls":[{"index":7,"id":"y","function":{"name":"c","arguments":"{}"}}]}`),
	}
	legacy := []string{chunk(`{"function_call":{"name":"f","arguments":"[1]"}}`), chunk(`{"function_call":{"arguments":"[2]"}}`)}
	end := endsWith(0, `"tool_calls"`)
	list := func(frames ...any) []string {
		var all []string
		for _, f := range frames {
			switch f := f.(type) {
			case string:
				all = append(all, f)
			case []string:
				all = append(all, f...)
			}
		}
		return all
	}
	for name, frames := range map[string][]string{
		"U-035 arguments in pieces with a marker":  list(calls, end),
		"U-035 beside text":                        list(says("See [1]"), calls, end),
		"U-035 text behind them":                   list(calls, says("See [1]"), end),
		"U-035 index gaps and late ids":            list(late, end),
		"U-035 parallel":                           list(calls, late, end),
		"U-035 the old form":                       list(legacy, endsWith(0, `"function_call"`)),
		"U-035 behind a first finish chunk":        list(says("x [1]"), stops(), calls, end),
		"U-035 an empty list":                      list(chunk(`{"tool_calls":[]}`), says("x [1]"), stops()),
		"U-035 null":                               list(chunk(`{"content":null,"tool_calls":null}`), says("x [1]"), stops()),
		"U-035 text as parts":                      list(chunk(`{"content":[{"type":"text","text":"x [1]"}]}`), stops()),
		"U-036 reasoning_content":                  list(chunk(`{"role":"assistant","content":null,"reasoning_content":"so [2]"}`), says("x [1]"), stops()),
		"U-036 reasoning":                          list(chunk(`{"reasoning":"so [2]","reasoning_details":[{"type":"reasoning.text","text":"[2]"}]}`), says("x [1]"), stops()),
		"U-036 thinking":                           list(chunk(`{"thinking":"so [2]"}`), chunk(`{"content":"","thinking_blocks":[{"thinking":"[2]"}]}`), says("x [1]"), stops()),
		"U-037 refusal":                            list(chunk(`{"refusal":"No [2]"}`), chunk(`{"refusal":"."}`), stops()),
		"U-037 audio":                              list(chunk(`{"audio":{"id":"a","transcript":"[2]"}}`), chunk(`{"audio":{"data":"AAAA","expires_at":1}}`), stops()),
		"U-037 logprobs":                           list(strings.Replace(says("x [1]"), `"finish_reason"`, `"logprobs":{"content":[{"token":"[2]","logprob":-1.0e-5,"bytes":[91],"top_logprobs":[]}]},"finish_reason"`, 1), stops()),
		"U-037 annotations of the upstream":        list(says("x [1]"), chunk(`{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.test","title":"A","start_index":0,"end_index":1}}]}`), stops()),
		"U-037 citations of the upstream, early":   list(`{"citations":["https://a.test"],`+says("x [1]")[1:], stops()),
		"U-037 citations of the upstream, at last": list(says("x [1]"), `{"citations":["https://a.test"],`+stops()[1:]),
		"U-041 ids, models and times that change": list(says("a [1]"), strings.NewReplacer(`"id":"c"`, `"id":"d"`, `"model":"m"`, `"model":"other"`, `"created":1`, `"created":2`).Replace(says("b")),
			strings.NewReplacer(`"id":"c",`, "").Replace(stops())),
		"U-041 members nobody knows":           list(`{"x":{"y":[1.0,-0.0,1e-7]},`+says("a [1]")[1:], strings.TrimSuffix(stops(), "}")+` , "obfuscation":"aB\u0033" }`),
		"U-041 an object of another name":      list(strings.ReplaceAll(says("a [1]"), "chat.completion.chunk", "chat.completion"), strings.ReplaceAll(stops(), "chat.completion.chunk", "")),
		"U-045 our prompt and a source echoed": list(says(canaryPrompt), says(canarySource), stops()),
	} {
		playFaults(t, []fault{{id: name, ask: asStream, script: ends(append(frames, "[DONE]")...), want: streams(frames...)}})
	}
}

func TestUpstreamFaultsAnswersBitExact(t *testing.T) {
	answer := func(message string) string {
		return fmt.Sprintf("{ \"id\":\"c\",\n\t\"choices\":[{\"index\":0,\"message\":%s,\"finish_reason\":\"stop\",\"content_filter_results\":{\"hate\":{\"filtered\":false}}}],\"usage\":{\"total_tokens\":13}}\n", message)
	}
	for name, message := range map[string]string{
		"U-035 tool calls":                  `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\": [1]}"}},{"id":"u","type":"custom","custom":{"name":"g","input":"[2]"}}]}`,
		"U-035 tool calls beside text":      `{"role":"assistant","content":"See [1]","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"[2]"}}]}`,
		"U-036 reasoning":                   `{"role":"assistant","content":"x [1]","reasoning_content":"[2]","reasoning":"[2]","thinking":"[2]"}`,
		"U-037 refusal":                     `{"role":"assistant","content":null,"refusal":"No [2]"}`,
		"U-037 audio":                       `{"role":"assistant","content":null,"audio":{"id":"a","data":"AAAA","transcript":"[2]","expires_at":1}}`,
		"U-037 annotations of the upstream": `{"role":"assistant","content":"x [1]","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.test","title":"A","start_index":0,"end_index":1}}]}`,
		"U-037 content as parts":            `{"role":"assistant","content":[{"type":"text","text":"x [1]"},{"type":"reference","ids":[2]}]}`,
		"U-045 our prompt and source":       fmt.Sprintf(`{"role":"assistant","content":%q}`, canaryPrompt+canarySource),
	} {
		playFaults(t, []fault{{id: name, ask: asJSON, script: upstreamtest.JSON(answer(message)), want: answers(answer(message))}})
	}
}
