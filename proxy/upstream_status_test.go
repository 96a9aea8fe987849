package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/proxy/chat"
	"footnote/proxy/upstream/upstreamtest"
)

// A refusal as model servers write it, with white space and members that an
// encoder would lose.
const refused = "{\"error\": {\"message\":\"No.\\u00e9\", \"type\":\"x\",\n \"param\":null,\"code\":\"c\", \"extra\":[1.0]}}\n"

func TestUpstreamFaultsRetryAfter(t *testing.T) {
	wait := func(after, ms, retry string) outcome {
		o := passes(429, refused)
		o.header = map[string]string{"Retry-After": after, "Retry-After-Ms": ms, "X-Should-Retry": retry, "Content-Type": "application/json",
			"X-Ratelimit-Remaining-Requests": "0"}
		return o
	}
	limited := func(headers ...string) upstreamtest.Script {
		return upstreamtest.Status(429, refused, append(headers, "x-ratelimit-remaining-requests: 0", "Date: Sat, 21 Nov 2026 14:00:00 GMT")...)
	}
	playFaults(t, []fault{
		{id: "U-006 two seconds", script: limited("Retry-After: 2"), want: wait("2", "2000", "")},
		{id: "U-006 sixty seconds", script: limited("Retry-After: 60"), want: wait("60", "60000", "")},
		{id: "U-006 sixty-one seconds", script: limited("Retry-After: 61"), want: wait("61", "61000", "false")},
		{id: "U-006 ten minutes", script: limited("Retry-After: 600"), want: wait("600", "600000", "false")},
		{id: "U-006 a fraction", script: limited("Retry-After: 1.5"), want: wait("2", "1500", "")},
		{id: "U-006 a date", script: limited("Retry-After: Sat, 21 Nov 2026 14:00:30 GMT"), want: wait("30", "30000", "")},
		{id: "U-006 a date that has passed", script: limited("Retry-After: Sat, 21 Nov 2026 13:00:00 GMT"), want: wait("0", "0", "")},
		{id: "U-006 a date far away", script: limited("Retry-After: Tue, 24 Nov 2026 14:00:00 GMT"), want: wait("259200", "259200000", "false")},
		{id: "U-006 milliseconds", script: limited("retry-after-ms: 1200"), want: wait("2", "1200", "")},
		{id: "U-006 both", script: limited("Retry-After: 7", "retry-after-ms: 6500"), want: wait("7", "6500", "")},
		{id: "U-006 negative", script: limited("Retry-After: -5"), want: wait("1", "1000", "")},
		{id: "U-006 infinite", script: limited("Retry-After: inf"), want: wait("1", "1000", "")},
		{id: "U-006 words", script: limited("Retry-After: soon"), want: wait("1", "1000", "")},
		{id: "U-006 none", script: limited(), want: wait("1", "1000", "")},
	})
}

func TestUpstreamFaultsOurKeyIsRefused(t *testing.T) {
	want := refuses(502, "upstream_auth_failed")
	want.header = map[string]string{"X-Should-Retry": "false", "Www-Authenticate": "", "Content-Type": "application/json"}
	body := `{"error":{"message":"Incorrect API key provided: ` + canaryKey + `. See http://10.0.0.7/keys","type":"invalid_request_error","code":"invalid_api_key"}}`
	playFaults(t, []fault{
		{id: "U-007 401", script: upstreamtest.Status(401, body, "WWW-Authenticate: Bearer realm=canary"), want: want},
		{id: "U-007 403", script: upstreamtest.Status(403, body), want: want},
		{id: "U-007 407", script: upstreamtest.Status(407, body), want: want},
		{id: "U-007 401 with markup", script: upstreamtest.Status(401, "<html>"+canaryKey+"</html>", "Content-Type: text/html"), want: want},
		{id: "U-007 401 without a body", script: upstreamtest.Status(401, ""), want: want},
	})
}

// A wrong base URL of the upstream must not look like a wrong one of Footnote.
func TestUpstreamFaultsPathsThatItDoesNotHave(t *testing.T) {
	missing := func(status int) outcome {
		want := refuses(status, "upstream_not_found")
		want.header = map[string]string{"X-Should-Retry": "false", "Content-Type": "application/json"}
		return want
	}
	playFaults(t, []fault{
		{id: "U-009 text", script: upstreamtest.Status(404, "404 page not found\n", "Content-Type: text/plain"), want: missing(404)},
		{id: "U-009 markup", script: upstreamtest.Status(404, "<html>Not Found</html>", "Content-Type: text/html"), want: missing(404)},
		{id: "U-009 no body", script: upstreamtest.Status(404, ""), want: missing(404)},
		{id: "U-009 an empty object", script: upstreamtest.Status(404, "{}"), want: missing(404)},
		{id: "U-009 an empty list", script: upstreamtest.Status(404, "[]"), want: missing(404)},
		{id: "U-009 FastAPI", script: upstreamtest.Status(404, `{"detail":"Not Found"}`), want: missing(404)},
		{id: "U-009 llama.cpp", script: upstreamtest.Status(404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`), want: missing(404)},
		{id: "U-009 FastAPI, another method", script: upstreamtest.Status(405, `{"detail":"Method Not Allowed"}`), want: missing(405)},
	})
}

func TestAHeaderWithOurKeyIsLeftOut(t *testing.T) {
	want := answers(okAnswer)
	want.header = map[string]string{"X-Ratelimit-Limit-Requests": "9", "X-Ratelimit-Key": "", "Openai-Processing-Ms": ""}
	playFaults(t, []fault{{id: "an echo", ask: asJSON, want: want, script: upstreamtest.Status(200, okAnswer,
		"x-ratelimit-limit-requests: 9", "x-ratelimit-key: Bearer "+canaryKey, "openai-processing-ms: "+canaryKey)}})
}

func TestUpstreamFaultsRefusalsKeepStatusAndBody(t *testing.T) {
	tooLong := `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`
	filtered := `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"}}}}}`
	rows := []fault{
		{id: "U-008 context length", script: upstreamtest.Status(400, tooLong), want: passes(400, tooLong)},
		{id: "U-008 content filter", script: upstreamtest.Status(400, filtered), want: passes(400, filtered)},
		{id: "U-008 unsupported parameter", script: upstreamtest.Status(422, `{"detail":[{"loc":["body","n"],"msg":"x"}]}`), want: passes(422, `{"detail":[{"loc":["body","n"],"msg":"x"}]}`)},
		{id: "U-008 too large", script: upstreamtest.Status(413, refused), want: passes(413, refused)},
		{id: "U-008 our key in the words", script: upstreamtest.Status(400, `{"error":"`+canaryKey+`"}`), want: passes(400, `{"error":"`+strings.Repeat("*", len(canaryKey))+`"}`)},
		{id: "U-009 no such model", script: upstreamtest.Status(404, refused), want: passes(404, refused)},
		{id: "U-009 no such model, as a list", script: upstreamtest.Status(404, "["+refused+"]"), want: passes(404, "["+refused+"]")},
		{id: "U-009 no such model, without words", script: upstreamtest.Status(404, `{"x":1}`), want: passes(404, `{"x":1}`)},
		{id: "U-010 markup of a gateway", script: upstreamtest.Status(502, "<html><h1>502 Bad Gateway</h1></html>\r\n", "Content-Type: text/html; charset=utf-8"),
			want: outcome{status: 502, body: "<html><h1>502 Bad Gateway</h1></html>\r\n", header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}},
		{id: "U-010 no body", script: upstreamtest.Status(500, ""), want: passes(500, "")},
		{id: "U-010 an event stream", script: upstreamtest.Status(500, "data: {\"error\":{\"message\":\"x\"}}\n\n", "Content-Type: text/event-stream"),
			want: passes(500, "data: {\"error\":{\"message\":\"x\"}}\n\n")},
		{id: "U-010 a status that nobody knows", script: upstreamtest.Status(418, refused), want: passes(418, refused)},
		{id: "U-010 body without an announced length", script: upstreamtest.Raw(upstreamtest.Head(500, "Connection: close"), refused).Then(upstreamtest.Closes()), want: passes(500, refused)},
		{id: "U-010 body that breaks off", script: upstreamtest.Raw(upstreamtest.Head(500, "Content-Length: 999"), refused).Then(upstreamtest.Resets()), want: refuses(502, interrupted)},
		{id: "U-010 body without end", script: upstreamtest.Raw(upstreamtest.Head(500, "Transfer-Encoding: chunked")).Then(upstreamtest.Repeat(1<<20, "400\r\n"+strings.Repeat("x", 1<<10)+"\r\n")), want: refuses(502, invalid)},
	}
	for _, status := range []string{"500", "502", "503", "504", "520", "529", "408", "409"} {
		code := map[string]int{"500": 500, "502": 502, "503": 503, "504": 504, "520": 520, "529": 529, "408": 408, "409": 409}[status]
		want := passes(code, refused)
		want.header = map[string]string{"Retry-After": "7", "Retry-After-Ms": "7000", "Openai-Processing-Ms": "12", "Set-Cookie": "", "Server": ""}
		rows = append(rows, fault{id: "U-010 status " + status, want: want,
			script: upstreamtest.Status(code, refused, "Retry-After: 7", "Openai-Processing-Ms: 12", "Set-Cookie: a=b", "Server: canary")})
	}
	playFaults(t, rows)
}

// A refusal that comes after the 200 is committed is an error frame.
func TestUpstreamFaultsRefusalsAfterThe200(t *testing.T) {
	for _, c := range []struct {
		status     int
		code, says string
	}{{429, "upstream_rate_limited", "slow down"}, {400, "context_length_exceeded", "too long"}, {500, "upstream_error", "Internal Server Error"}, {401, "upstream_auth_failed", "credentials"}} {
		body := map[int]string{
			429: `{"error":{"message":"slow down","type":"rate_limit_error"}}`, 400: `{"error":{"message":"too long","code":"context_length_exceeded"}}`,
			500: "<html>" + canaryKey, 401: canaryKey,
		}[c.status]
		for _, citing := range []bool{false, true} {
			goOn := make(chan struct{})
			r := newRig(t, fault{timings: chat.Timings{FirstFrame: time.Millisecond, KeepAlive: time.Millisecond},
				script: upstreamtest.Script{upstreamtest.Wait(goOn)}.Then(upstreamtest.Status(c.status, body)...)}, citing)
			resp := r.begin(asStream) // the 200 is out
			close(goOn)
			r.check(r.finish(resp), outcome{code: c.code, says: c.says})
		}
	}
}

func TestUpstreamFaultsRedirects(t *testing.T) {
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
		for _, where := range []string{"http://169.254.169.254/latest/meta-data/", "/elsewhere", "//evil.test/", "http://127.0.0.1:1/v1/chat/completions", ""} {
			want := refuses(502, invalid)
			want.header = map[string]string{"Location": ""}
			script := upstreamtest.Status(status, refused, "Location: "+where)
			if status == http.StatusNotModified {
				script = upstreamtest.Raw(upstreamtest.Head(status, "Location: "+where))
			}
			playFaults(t, []fault{{id: "U-011 " + http.StatusText(status) + " to " + where, script: script, want: want}})
		}
	}
}

func TestUpstreamFaultsRedirectsReachNobody(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		other := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
		playFaults(t, []fault{{id: "U-011 " + http.StatusText(status) + " to a host that listens",
			script: upstreamtest.Status(status, "", "Location: "+other.URL()+"/chat/completions"), want: refuses(502, invalid)}})
		if other.Accepted() != 0 {
			t.Errorf("status %d is followed", status)
		}
	}
}
