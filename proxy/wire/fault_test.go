package wire

import (
	"strings"
	"testing"
)

// report is what ErrorObject returns.
type report struct {
	message, typ, param, code string
	ok                        bool
}

func TestErrorsOfAllDialectsAreRead(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       report
	}{
		{"OpenAI", `{"error":{"message":"Invalid 'n'.","type":"invalid_request_error","param":"n","code":"invalid_value"}}`, report{"Invalid 'n'.", "invalid_request_error", "n", "invalid_value", true}},
		{"OpenAI with nulls", `{"error":{"message":"Bad","type":"server_error","param":null,"code":null}}`, report{"Bad", "server_error", "", "", true}},
		{"OpenAI, escaped", `{"error":{"message":"caf\u00e9 \"x\""}}`, report{"café \"x\"", "", "", "", true}},
		{"Azure", `{"error":{"code":"content_filter","message":"filtered","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, report{"filtered", "", "", "content_filter", true}},
		{"llama.cpp", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, report{"Loading model", "unavailable_error", "", "503", true}},
		{"llama.cpp's error line", `{"code":500,"message":"no slot","type":"server_error"}`, report{"no slot", "server_error", "", "500", true}},
		{"LiteLLM", `{"error":{"message":"litellm.RateLimitError","type":null,"param":null,"code":"429"}}`, report{"litellm.RateLimitError", "", "", "429", true}},
		{"vLLM, older", `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}`, report{"too long", "BadRequestError", "", "400", true}},
		{"Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`, report{"Overloaded", "overloaded_error", "", "", true}},
		{"Anthropic without a message", `{"type":"error","error":{"type":"overloaded_error"}}`, report{"", "overloaded_error", "", "", true}},
		{"OpenRouter", `{"id":"gen","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider down","metadata":{"raw":"x"}}}`, report{"Provider down", "", "", "502", true}},
		{"OpenRouter on the choice", `{"choices":[{"delta":{},"finish_reason":"error","error":{"code":"x","message":"down"}}]}`, report{"down", "", "", "x", true}},
		{"a string on the choice", `{"choices":[{"finish_reason":"error","error":"down"}]}`, report{"down", "", "", "", true}},
		{"Ollama", `{"error":"model 'x' not found"}`, report{"model 'x' not found", "", "", "", true}},
		{"a string beside a message", `{"timestamp":1,"status":500,"error":"Internal Server Error","message":"boom","path":"/v1"}`, report{"boom", "", "", "", true}},
		{"OAuth", `{"error":"invalid_token","error_description":"expired"}`, report{"expired", "", "", "", true}},
		{"true beside a message", `{"error":true,"message":"boom","code":"E1"}`, report{"boom", "", "", "E1", true}},
		{"an error that says nothing", `{"error":true}`, report{"", "", "", "", true}},
		{"FastAPI", `{"detail":"Not Found"}`, report{"Not Found", "", "", "", true}},
		{"FastAPI's validation", `{"detail":[{"loc":["body","n"],"msg":"not an int","type":"type_error"},{"msg":"more"}]}`, report{"not an int", "type_error", "", "", true}},
		{"FastAPI with an object", `{"detail":{"message":"no","code":7}}`, report{"no", "", "", "7", true}},
		{"problem+json", `{"type":"about:blank","title":"Bad","status":400,"detail":"worse"}`, report{"worse", "about:blank", "", "", true}},
		{"problem+json without detail", `{"title":"Bad","status":400}`, report{"Bad", "", "", "", true}},
		{"a bare message", `{"message":"no Route matched with those values"}`, report{"no Route matched with those values", "", "", "", true}},
		{"Cloudflare", `{"success":false,"errors":[{"code":7003,"message":"no route"}],"messages":[]}`, report{"no route", "", "", "7003", true}},
		{"a list of strings", `{"errors":["first","second"]}`, report{"first", "", "", "", true}},
		{"Google", `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`, report{"quota", "", "", "429", true}},
		{"a JSON string", `"boom"`, report{"boom", "", "", "", true}},
		{"plain text", "Internal Server Error\n", report{"Internal Server Error", "", "", "", true}},
		{"plain text of two lines", "upstream connect error\r\nreset\n", report{}},
		{"a traceback", "Traceback (most recent call last):\n  File \"/srv/app.py\", line 7\nKeyError: 'x'\n", report{}},
		{"a byte order mark", "\ufeff{\"error\":\"x\"}", report{"x", "", "", "", true}},
		{"a byte order mark before text", "\ufeffBad Gateway", report{"Bad Gateway", "", "", "", true}},
		{"a byte order mark before an answer", "\ufeff{\"choices\":[{\"message\":{}}]}", report{}},
		{"white space around", "\n {\"error\":\"x\"} \n", report{"x", "", "", "", true}},
		{"the last of double members", `{"error":{"message":"a","message":"b"}}`, report{"b", "", "", "", true}},
		{"a code that is a fraction", `{"error":{"message":"a","code":-1.5}}`, report{"a", "", "", "-1.5", true}},
		{"a code that is an object", `{"error":{"message":"a","code":{"x":1},"type":["t"],"param":7}}`, report{"a", "", "", "", true}},

		{"nothing", "", report{}},
		{"white space", " \n", report{}},
		{"an answer", `{"id":"x","choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}`, report{}},
		{"an answer with a null error", `{"error":null,"choices":[{"delta":{}}]}`, report{}},
		{"an answer with a detail", `{"detail":"x","choices":[{"delta":{}}]}`, report{}},
		{"an answer that ended in error without saying why", `{"choices":[{"delta":{},"finish_reason":"error"}]}`, report{}},
		{"an answer whose error is not its end", `{"choices":[{"delta":{},"finish_reason":"stop","error":"x"}]}`, report{}},
		{"a native answer of Ollama", `{"model":"m","message":{"role":"assistant","content":"x"},"done":true}`, report{}},
		{"an empty object", `{}`, report{}},
		{"an empty error", `{"error":{}}`, report{}},
		{"other JSON", `{"data":[1]}`, report{}},
		{"an empty message", `{"message":""}`, report{}},
		{"a list without an error", `[1]`, report{}},
		{"an empty list", `[]`, report{}},
		{"an empty string", `""`, report{}},
		{"null", `null`, report{}},
		{"a number", `500`, report{}},
		{"HTML", "<html><body><h1>502 Bad Gateway</h1></body></html>", report{}},
		{"HTML after a line end", "\n<!DOCTYPE html>", report{}},
		{"broken JSON", `{"error":{"message":"x"`, report{}},
		{"a broken string", `"boom`, report{}},
		{"two documents", `{"error":"x"}{"error":"y"}`, report{}},
		{"an event stream out of place", "data: {\"choices\":[]}\n\ndata: [DONE]", report{}},
		{"a named event out of place", "event: error\ndata: x", report{}},
		{"a comment out of place", ": wait", report{}},
		{"binary", "\x1f\x8b\x08\x00", report{}},
		{"control characters", "bell\x07", report{}},
		{"no UTF-8", "b\xff", report{}},
		{"a long text", strings.Repeat("x ", 2000), report{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got report
			got.message, got.typ, got.param, got.code, got.ok = ErrorObject([]byte(c.data))
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestTextUnderAStatusOfSuccessIsNoError(t *testing.T) {
	for data, want := range map[string]report{
		"Internal Server Error": {}, `"boom"`: {}, "\ufeffboom": {}, "": {}, "<html>": {}, `{"error":"x"} y`: {}, `{"choices":[]}`: {},
		`{"error":"x"}`: {"x", "", "", "", true}, "\ufeff [{\"error\":{\"message\":\"x\",\"code\":7}}]\n": {"x", "", "", "7", true},
	} {
		var got report
		if got.message, got.typ, got.param, got.code, got.ok = AnsweredError([]byte(data)); got != want {
			t.Errorf("%q: %+v, want %+v", data, got, want)
		}
	}
}

func TestNoAnswerIsTakenForAnError(t *testing.T) {
	for name, body := range corpus(t, "responses") {
		if message, _, _, _, ok := ErrorObject(body); ok {
			t.Errorf("%s: %q", name, message)
		}
	}
	for name, stream := range corpus(t, "streams") {
		for _, f := range frames(stream) {
			if message, _, _, _, ok := ErrorObject(f); ok && !strings.Contains(string(f), `"choices":[]`) {
				t.Errorf("%s: %q in %s", name, message, f)
			}
		}
	}
}

func TestAFrameThatIsAnErrorIsReadAsOne(t *testing.T) {
	for _, data := range []string{
		`{"error":{"message":"x"}}`, `{"error":"x"}`, `{"detail":"x"}`, `{"detail":[{"msg":"x"}]}`, `{"message":"x"}`, `{"type":"error","error":{"type":"x"}}`,
		`{"choices":[{"finish_reason":"error","delta":{}}],"error":{"code":1}}`, `{"choices":[{"finish_reason":"error","error":"x"}]}`, `{"error":true}`,
	} {
		var c Frame
		if err := ScanFrame([]byte(data), &c); err != nil || !c.Error {
			t.Errorf("%s: ScanFrame sees no error (%v)", data, err)
		}
		if _, _, _, _, ok := ErrorObject([]byte(data)); !ok {
			t.Errorf("%s: ErrorObject sees no error", data)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"The model is overloaded.": "The model is overloaded.",
		"Invalid value for 'messages[0].content'.":                            "Invalid value for 'messages[0].content'.",
		"This model's maximum context length is 8192 tokens, got 9000 (1:2).": "This model's maximum context length is 8192 tokens, got 9000 (1:2).",
		"model gpt-4.1-mini or llama3.1:8b not found, e.g. at 12:30:45":       "model gpt-4.1-mini or llama3.1:8b not found, e.g. at 12:30:45",
		"Post \"https://api.example.com/v1/chat?key=abc\": EOF":               "Post \"[url]\": EOF",
		"see http://10.0.0.1:8080/x.":                                         "see [url]",
		"redis://user:pw@cache:6379/0 refused":                                "[url] refused",
		"http://[fe80::1%eth0]:80/x is down":                                  "[url] is down",
		"dial tcp 127.0.0.1:11434: connect: connection refused":               "dial tcp [address]: connect: connection refused",
		"dial tcp [::1]:8080: refused":                                        "dial tcp [address]: refused",
		"from 2001:db8:0:1:1:1:1:1 to 2001:db8::5":                            "from [address] to [address]",
		"169.254.169.254 is not allowed":                                      "[address] is not allowed",
		"lookup ollama.internal on 10.0.0.2:53: no such host":                 "lookup [host] on [address]: no such host",
		"lookup model-server.prod.acme on x":                                  "lookup [host] on x",
		"connect to localhost:8000 or ollama:11434 or vllm.svc.cluster.local": "connect to [host] or [host] or [host]",
		"gpu-3.acme.com:443 reset":                                            "[host] reset",
		"Incorrect API key provided: sk-abcd1234efgh.":                        "Incorrect API key provided: [secret].",
		"Incorrect API key provided: sk-proj-ab*****************xyz":          "Incorrect API key provided: [secret]",
		"key fn-0123456789abcdef0123 is unknown":                              "key [secret] is unknown",
		"Authorization: Bearer abcdefgh":                                      "Authorization: [secret] [secret]",
		"header bearer eyJhbGciOi.x":                                          "header bearer [secret]",
		"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.sig expired":                 "token [secret] expired",
		"api_key=abcdefgh&x":                                                  "api_key=[secret]",
		`{"api-key": "abcdefgh"}`:                                             `{"api-key": "[secret]"}`,
		"password: hunter22":                                                  "password: [secret]",
		"AIzaSyA1234567890abcdefg and AKIAIOSFODNN7EXAMPLE":                   "[secret] and [secret]",
		"digest 0123456789abcdef0123456789abcdef":                             "digest [secret]",
		"failed to open /srv/models/llama/ggml.bin":                           "failed to open [path]",
		"failed to open '/home/me/x.gguf' (C:\\models\\x.gguf)":               "failed to open '[path]' ([path])",
		"use and/or, 1/2, n/a":                                                "use and/or, 1/2, n/a",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

func TestNothingSecretSurvivesRedaction(t *testing.T) {
	secrets := []string{"sk-live-0123456789abcdef", "fn-9f8e7d6c5b4a39281706", "https://internal.acme.com:8443/v1", "10.1.2.3", "10.1.2.3:8080", "fd00::1:2", "[fd00::1]:80", "db.acme.internal", "/var/lib/footnote/secret.key"}
	frames := []string{"%s", "x %s y", "(%s)", "\"%s\"", "'%s'", "a=%s,", "%s: refused", "dial tcp %s", "<%s>", "[%s]", "%s\n%s"}
	for _, s := range secrets {
		for _, f := range frames {
			message := strings.ReplaceAll(f, "%s", s)
			if got := Redact(message); strings.Contains(got, s) {
				t.Errorf("%q became %q", message, got)
			}
		}
	}
}
