package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// A dialect is a way in which a model server reports a failure under status 200.
type dialect struct {
	name   string
	wire   string // the bytes in the stream; {words} is where the message stands
	status int    // of the answer when nothing went out before
	code   string
}

var dialects = []dialect{
	{"OpenAI", `data: {"error":{"message":"{words}","type":"server_error","param":null,"code":null}}` + "\n\n", 502, "upstream_error"},
	{"OpenAI, rate limit", `data: {"error":{"message":"{words}","type":"tokens","param":null,"code":"rate_limit_exceeded"}}` + "\n\n", 429, "upstream_rate_limited"},
	{"OpenAI, context", `data: {"error":{"message":"{words}","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}` + "\n\n", 400, "context_length_exceeded"},
	{"OpenAI, named event", "event: error\n" + `data: {"error":{"message":"{words}","type":"server_error"}}` + "\n\n", 502, "upstream_error"},
	{"Anthropic", "event: error\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"{words}"}}` + "\n\n", 503, "overloaded"},
	{"Anthropic, unnamed", `data: {"type":"error","error":{"type":"api_error","message":"{words}"}}` + "\n\n", 502, "upstream_error"},
	{"OpenRouter", `data: {"id":"g","object":"chat.completion.chunk","created":1,"model":"m","provider":"P","error":{"code":502,"message":"{words}"},` +
		`"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"error"}]}` + "\n\n", 502, "upstream_error"},
	{"OpenRouter, in the choice", `data: {"id":"g","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":429,"message":"{words}"}}]}` + "\n\n", 429, "upstream_rate_limited"},
	{"llama.cpp, its own line", `error: {"code":500,"message":"{words}","type":"server_error"}` + "\n\n", 502, "upstream_error"},
	{"llama.cpp, its own line with [DONE]", `error: {"code":503,"message":"{words}","type":"unavailable_error"}` + "\n\ndata: [DONE]\n\n", 503, "overloaded"},
	{"llama.cpp, numeric code", `data: {"error":{"code":400,"message":"{words}","type":"exceed_context_size_error","n_ctx":4096}}` + "\n\n", 400, "upstream_error"},
	{"vLLM with [DONE]", `data: {"error":{"message":"{words}","type":"InternalServerError","param":null,"code":500}}` + "\n\ndata: [DONE]\n\n", 502, "upstream_error"},
	{"vLLM, bare object", `data: {"object":"error","message":"{words}","type":"BadRequestError","param":null,"code":400}` + "\n\ndata: [DONE]\n\n", 400, "upstream_error"},
	{"LiteLLM", `data: {"error":{"message":"{words}","type":null,"param":null,"code":"500"}}` + "\n\n", 502, "upstream_error"},
	{"a string", `data: {"error":"{words}"}` + "\n\n", 502, "upstream_error"},
	{"a string, framed by nothing", `{"error":"{words}"}` + "\n", 502, "upstream_error"},
	{"FastAPI", `data: {"detail":"{words}"}` + "\n\n", 502, "upstream_error"},
	{"FastAPI, a list", `data: {"detail":[{"loc":["body"],"msg":"{words}","type":"value_error","input":"` + canaryPrompt + `"}]}` + "\n\n", 502, "upstream_error"},
	{"plain text", "{words}\n\n", 502, "upstream_error"},
	{"a message and nothing else", `data: {"message":"{words}"}` + "\n\n", 502, "upstream_error"},
	{"our key refused", `data: {"error":{"message":"{words}","type":"invalid_request_error","code":"invalid_api_key"}}` + "\n\n", 502, "upstream_auth_failed"},
}

// words are what every report says: something for people, and everything that
// must not get out.
func words(far string) string {
	return fmt.Sprintf("Something broke at %s (http://%s/v1, key %s, see /srv/models/private/model.gguf)", far, far, canaryKey)
}

func TestUpstreamFaultsErrorDialects(t *testing.T) {
	text := says("The fox [1]")
	for _, d := range dialects {
		serve := func(before ...string) func(t *testing.T) modelServer {
			return func(t *testing.T) modelServer {
				s := upstreamtest.New(t)
				s.Play(sends(before...).Then(upstreamtest.Chunk(strings.ReplaceAll(d.wire, "{words}", words(s.Addr()))), upstreamtest.EndStream()))
				return s
			}
		}
		heard := "Something broke at"
		if d.code == "upstream_auth_failed" {
			heard = "credentials"
		}
		playFaults(t, []fault{
			{id: "U-030 in mid-stream: " + d.name, ask: asStream, serve: serve(text), want: outcome{code: d.code, says: heard, frames: []string{text}}},
			{id: "U-030 behind the finish chunk: " + d.name, ask: asStream, serve: serve(text, stops()), want: outcome{code: d.code, says: heard, frames: []string{text, stops()}}},
			{id: "U-031 as the first frame: " + d.name, ask: asStream, serve: serve(), want: outcome{status: d.status, code: d.code, says: heard}},
			{id: "U-030 collected for JSON: " + d.name, ask: asJSON, serve: serve(text), want: outcome{status: d.status, code: d.code, says: heard}},
			{id: "U-030 collected for JSON, behind the finish chunk: " + d.name, ask: asJSON, serve: serve(text, stops()), want: outcome{status: d.status, code: d.code, says: heard}},
		})
	}
}

// A report that repeats what we put into the prompt says only that there was one.
func TestUpstreamFaultsReportsThatQuoteThePrompt(t *testing.T) {
	text := says("The fox [1]")
	report := fmt.Sprintf(`{"error":{"message":"Cannot parse: [{'role': 'system', 'content': '%s %s'}]","type":"invalid_request_error","code":"bad_prompt"}}`, canaryPrompt, canarySource[10:])
	long := `{"error":{"message":"` + strings.Repeat("é", 1<<20) + `"}}`
	quiet := func(o outcome) outcome { o.says = "The model server reported an error."; return o }
	playFaults(t, []fault{
		{id: "U-030 the prompt in the report, in mid-stream", ask: asStream, script: ends(text, report), want: quiet(cut("bad_prompt", text))},
		{id: "U-031 the prompt in the report, at first", ask: asStream, script: ends(report), want: quiet(refuses(400, "bad_prompt"))},
		{id: "U-012 the prompt in the report, under 200", script: upstreamtest.JSON(report), want: quiet(refuses(400, "bad_prompt"))},
		{id: "U-030 a report of 2 MiB", ask: asStream, script: ends(text, long), want: cut("upstream_error", text)},
	})
}

func TestUpstreamFaultsErrorsUnderStatus200(t *testing.T) {
	for _, c := range []struct {
		name, body, kind string
		status           int
		code, says       string
	}{
		{"an error object", `{"error":{"message":"{words}","type":"server_error"}}`, "", 502, "upstream_error", "Something broke"},
		{"a rate limit", `{"error":{"message":"{words}","type":"rate_limit_error","code":"rate_limit_exceeded"}}`, "", 429, "upstream_rate_limited", "Something broke"},
		{"a complaint about the request", `{"error":{"message":"{words}","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, "", 400, "context_length_exceeded", "Something broke"},
		{"a string", `{"error":"{words}"}`, "", 502, "upstream_error", "Something broke"},
		{"a detail", `{"detail":"{words}"}`, "", 502, "upstream_error", "Something broke"},
		{"a list of errors", `[{"error":{"code":503,"message":"{words}","status":"UNAVAILABLE"}}]`, "", 503, "overloaded", "Something broke"},
		{"plain text", "{words}", "text/plain", 502, invalid, "The upstream's answer is no chat completion."},
		{"plain text that claims to be JSON", "{words}", "application/json", 502, invalid, "The upstream's answer is no chat completion."},
		{"a traceback", "Traceback (most recent call last):\n  File \"/srv/app.py\", line 7, in chat\n{words}", "text/plain", 502, invalid, "The upstream's answer is no chat completion."},
		{"a byte order mark", "\ufeff" + `{"error":"{words}"}`, "", 502, "upstream_error", "Something broke"},
		{"our key refused", `{"error":{"message":"{words}","type":"authentication_error"}}`, "", 502, "upstream_auth_failed", "credentials"},
		{"an error beside empty choices", `{"choices":[],"error":{"message":"{words}","code":502}}`, "", 502, "upstream_error", "Something broke"},
		{"no words", `[{"error":{}}]`, "", 502, invalid, ""},
		{"words that are markup", "<html><body>{words}</body></html>", "text/html", 502, invalid, ""},
	} {
		playFaults(t, []fault{{id: "U-012 error under 200: " + c.name, serve: func(t *testing.T) modelServer {
			s := upstreamtest.New(t)
			var headers []string
			if c.kind != "" {
				headers = []string{"Content-Type: " + c.kind}
			}
			s.Play(upstreamtest.Status(200, strings.ReplaceAll(c.body, "{words}", words(s.Addr())), headers...))
			return s
		}, want: outcome{status: c.status, code: c.code, says: c.says}}})
	}
}
