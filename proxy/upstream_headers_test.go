package proxy_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// The header lists of the contract, in both directions and exactly: what the
// client sends beyond them stays here, what the upstream sends beyond them too.
func TestHeadersThatTravel(t *testing.T) {
	noise := []string{
		"Cookie", "Idempotency-Key", "X-Idempotency-Key", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-Ip", "X-Api-Key",
		"Origin", "Referer", "Accept-Language", "X-Stainless-Lang", "Openai-Organization", "Openai-Project", "X-Footnote-Assistant", "Tracestate", "Te", "X-Portkey-Custom-Host",
	}
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream=%v", stream), func(t *testing.T) {
			answer := upstreamtest.Status(200, okAnswer, answerHeaders...)
			if stream {
				answer = upstreamtest.Stream(answerHeaders...).Then(ends(says("x"), stops(), "[DONE]")[1:]...)
			}
			up := upstreamtest.New(t, answer)
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil)})
			req := chatRequest(t, fmt.Sprintf(`{"model":"support","stream":%v,"messages":[{"role":"user","content":"hi"}]}`, stream))
			for _, name := range noise {
				req.Header.Set(name, "support")
			}
			req.Header.Set("Accept", "text/plain")
			req.Header.Set("User-Agent", "canary")
			req.Header.Set("OpenAI-Beta", "x=1")
			req.Header.Set("Traceparent", "00-1-2-03")
			resp, _ := f.send(req)

			want := map[string]string{
				"Authorization": "Bearer sk-upstream", "Content-Type": "application/json", "Content-Length": fmt.Sprint(len(up.Last().Body)),
				"Accept": "application/json", "User-Agent": "footnote", "Openai-Beta": "x=1", "Traceparent": "00-1-2-03",
			}
			if stream {
				want["Accept"], want["Accept-Encoding"] = "text/event-stream", "identity"
			}
			compareHeaders(t, "to the upstream", up.Last().Header, want)

			back := map[string]string{
				"Content-Type": "application/json", "Content-Length": fmt.Sprint(len(okAnswer)), "Retry-After": "2", "Retry-After-Ms": "2000", "X-Ratelimit-Limit-Tokens": "9",
				"Openai-Processing-Ms": "12", "X-Footnote-Assistant": "support",
			}
			if stream {
				delete(back, "Content-Length")
				back["Content-Type"], back["X-Accel-Buffering"], back["Cache-Control"] = "text/event-stream", "no", "no-cache"
			}
			for _, name := range []string{"Date", "X-Request-Id"} {
				back[name] = resp.Header.Get(name)
			}
			if back["X-Request-Id"] == "canary" || back["X-Request-Id"] == "" {
				t.Errorf("the request id is %q", back["X-Request-Id"])
			}
			compareHeaders(t, "to the client", resp.Header, back)
		})
	}
}

var answerHeaders = []string{
	"Set-Cookie: a=b", "Server: canary", "X-Request-Id: canary", "Openai-Organization: canary", "Openai-Version: 1", "X-Amz-Id: canary", "Via: canary", "Cf-Ray: canary",
	"Access-Control-Allow-Origin: *", "Location: http://canary.test/", "Www-Authenticate: Bearer", "X-Footnote-Citations: canary", "X-Should-Retry: true",
	"Retry-After: 2", "x-ratelimit-limit-tokens: 9", "openai-processing-ms: 12", "Strict-Transport-Security: max-age=1", "Link: </x>", "Cache-Control: public",
}

func compareHeaders(t *testing.T, where string, got http.Header, want map[string]string) {
	t.Helper()
	flat := map[string]string{}
	for name, values := range got {
		flat[name] = strings.Join(values, ", ")
	}
	if !maps.Equal(flat, want) {
		t.Errorf("headers %s\n got %v\nwant %v\n(%v)", where, flat, want, slices.Sorted(maps.Keys(flat)))
	}
}
