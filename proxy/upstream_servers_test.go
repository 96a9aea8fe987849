package proxy_test

import (
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// What real servers send, quirk by quirk: every frame passes as it came, and
// the citations find the chunk they belong on.
func TestUpstreamFaultsQuirksOfServers(t *testing.T) {
	llama := func(delta, finish, more string) string {
		return `{"choices":[{"finish_reason":` + finish + `,"index":0,"delta":` + delta + `}],"created":1767225600,"id":"chatcmpl-x","model":"gguf","system_fingerprint":"b7000","object":"chat.completion.chunk"` + more + `}`
	}
	llamaUsage := `{"choices":[],"created":1767225600,"id":"chatcmpl-x","model":"gguf","system_fingerprint":"b7000","object":"chat.completion.chunk","usage":{"completion_tokens":4,"prompt_tokens":9,"total_tokens":13},` +
		`"timings":{"cache_n":0,"prompt_n":9,"prompt_ms":12.5,"predicted_per_second":88.123456789}}`
	lite := func(choice string) string {
		return `{"id":"chatcmpl-y","created":1767225600,"model":"gpt","object":"chat.completion.chunk","choices":[{"index":0,` + choice + `}]}`
	}
	azureFilter := `{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`
	azure := func(choice string) string {
		return `{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},` + choice + `,"index":0,"logprobs":null}],"created":1,"id":"c","model":"gpt-4o","object":"chat.completion.chunk","system_fingerprint":"fp"}`
	}
	router := func(delta, finish string) string {
		return `{"id":"gen-1","provider":"P","model":"m/x","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `,"native_finish_reason":` + finish + `,"logprobs":null}]}`
	}
	vllm := func(delta, finish string) string {
		return `{"id":"chatcmpl-v","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + `,"stop_reason":null,"token_ids":null}]}`
	}
	ollama := func(text, finish string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"llama3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"` + text + `"},"finish_reason":` + finish + `}]}`
	}
	type server struct {
		name   string
		frames []string
		noise  string // before every event
	}
	for _, s := range []server{
		{"llama.cpp", []string{llama(`{"role":"assistant","content":null}`, "null", ""), llama(`{"content":"The fox [1]"}`, "null", ""), llama(`{}`, `"stop"`, ""), llamaUsage}, ""},
		{"llama.cpp, timings on the finish chunk", []string{llama(`{"role":"assistant","content":null}`, "null", ""), llama(`{"content":"x [1]"}`, "null", ""), llama(`{}`, `"stop"`, `,"timings":{"prompt_n":9}`)}, ""},
		{"llama.cpp, prompt progress", []string{llama(`{"role":"assistant","content":null}`, "null", `,"prompt_progress":{"total":9,"cache":0,"processed":4,"time_ms":1}`), llama(`{"content":"x [1]"}`, "null", ""), llama(`{}`, `"length"`, "")}, ""},
		{"LiteLLM, no null members", []string{lite(`"delta":{"content":"The fox [1]","role":"assistant"}`), lite(`"delta":{"content":" runs"}`), lite(`"finish_reason":"stop","delta":{}`)}, ""},
		{"LiteLLM, the finish chunk in two", []string{lite(`"delta":{"content":"x [1]"}`), lite(`"delta":{"content":"."}`), lite(`"finish_reason":"stop","delta":{}`), lite(`"delta":{}`)}, ""},
		{"LiteLLM, usage behind the finish chunk", []string{lite(`"delta":{"content":"x [1]"}`), lite(`"finish_reason":"stop","delta":{}`),
			`{"id":"chatcmpl-y","created":1,"model":"gpt","object":"chat.completion.chunk","choices":[{"index":0,"delta":{}}],"usage":{"total_tokens":13}}`}, ""},
		{"Azure", []string{azureFilter, azure(`"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null`), azure(`"delta":{"content":"The fox [1]"},"finish_reason":null`), azure(`"delta":{},"finish_reason":"stop"`)}, ""},
		{"Azure, filtered in mid-answer", []string{azureFilter, azure(`"delta":{"content":"The fox [1]"},"finish_reason":null`), azure(`"delta":{},"finish_reason":"content_filter"`)}, ""},
		{"Azure, asynchronous filter", []string{azureFilter, azure(`"delta":{"content":"The fox [1]"},"finish_reason":null`),
			`{"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"check_offset":44,"start_offset":44,"end_offset":198}}]}`,
			azure(`"delta":{},"finish_reason":"stop"`),
			`{"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"check_offset":506,"start_offset":506,"end_offset":571}}]}`}, ""},
		{"OpenRouter", []string{router(`{"role":"assistant","content":""}`, "null"), router(`{"role":"assistant","content":"The fox [1]"}`, "null"), router(`{"role":"assistant","content":""}`, `"stop"`),
			`{"id":"gen-1","provider":"P","model":"m/x","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null,"native_finish_reason":null}],"usage":{"total_tokens":13,"cost":0.00014}}`},
			": OPENROUTER PROCESSING\n\n"},
		{"vLLM", []string{vllm(`{"role":"assistant","content":""}`, "null"), vllm(`{"content":"The fox [1]","reasoning_content":null}`, "null"), vllm(`{"content":""}`, `"stop"`),
			`{"id":"chatcmpl-v","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"total_tokens":13,"completion_tokens":4}}`}, ""},
		{"Ollama", []string{ollama("The fox", "null"), ollama(" [1]", "null"), ollama("", `"stop"`)}, ""},
		{"Mistral, everything on the last chunk", []string{says("The fox"), `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" [1]"},"finish_reason":"stop"}],"usage":{"total_tokens":13}}`}, ""},
		{"Perplexity, lists on every chunk", []string{`{"id":"c","model":"sonar","citations":["https://a.test"],"search_results":[{"title":"A","url":"https://a.test"}],"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"The fox [1]"},"delta":{"role":"assistant","content":"The fox [1]"}}]}`,
			`{"id":"c","model":"sonar","citations":["https://a.test"],"search_results":[{"title":"A","url":"https://a.test"}],"object":"chat.completion.chunk","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"The fox [1]"},"delta":{"role":"assistant","content":""}}]}`}, ""},
	} {
		script := upstreamtest.Stream()
		for _, f := range append(s.frames, "[DONE]") {
			script = script.Then(upstreamtest.Chunk(s.noise + "data: " + f + "\n\n"))
		}
		playFaults(t, []fault{{id: "quirks: " + s.name, ask: asStream, script: script.Then(upstreamtest.EndStream()), want: streams(s.frames...)}})
	}
}

func TestUpstreamFaultsQuirksOfServersRefusing(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"llama.cpp loads its model":    {503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`},
		"llama.cpp, context":           {400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`},
		"LiteLLM":                      {400, `{"error":{"message":"litellm.BadRequestError: x","type":null,"param":null,"code":"400"}}`},
		"vLLM":                         {404, `{"object":"error","message":"The model does not exist.","type":"NotFoundError","param":null,"code":404}`},
		"Azure, deployment":            {404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`},
		"Ollama":                       {404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`},
		"OpenRouter":                   {402, `{"error":{"message":"Insufficient credits","code":402},"user_id":"u"}`},
		"Gemini, a list around errors": {400, `[{"error":{"code":400,"message":"x","status":"INVALID_ARGUMENT"}}]`},
	} {
		playFaults(t, []fault{{id: "quirks: " + name, script: upstreamtest.Status(c.status, c.body), want: passes(c.status, c.body)}})
	}
}
