package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/chat"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	wholeAnswer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"The fox"},"finish_reason":"stop"}]}`
	deltaAnswer = `{"id":"c","choices":[{"index":0,"delta":{"content":"The fox"},"finish_reason":null}]}`
	lastAnswer  = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

// withFallback is a server whose assistant has a stored upstream as its fallback.
func withFallback(t *testing.T, first, second *upstreamtest.Server) *fixture {
	t.Helper()
	u := storedAt(second.URL())
	u.Timeouts.FirstToken = 30 * time.Second
	return newFixture(t, fixture{
		upstreamURL: first.URL(), settings: mergeSettings(t, []byte(`{"upstream_fallbacks":[{"upstream":"gone"},{"upstream":"far","model":"second-model"}]}`)),
		stored: shelf{upstreams: map[string]assistants.Upstream{"default/far": u}}, timings: chat.Timings{FirstFrame: time.Minute},
	})
}

func askEither(t *testing.T, f *fixture, stream bool) (*http.Response, string) {
	t.Helper()
	body := `{"model":"support","messages":[{"role":"user","content":"hi"}]}`
	if stream {
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	}
	resp, got := f.send(chatRequest(t, body))
	return resp, string(got)
}

// Every second call fails in another way, and no client sees it, nor a word twice.
func TestAFallbackAnswersWhateverFailedBeforeTheFirstByte(t *testing.T) {
	limited := upstreamtest.Status(429, `{"error":{"message":"slow","type":"rate_limit_error"}}`, "Retry-After: 7")
	for _, stream := range []bool{false, true} {
		good := upstreamtest.JSON(wholeAnswer)
		if stream {
			good = upstreamtest.SSE(deltaAnswer, lastAnswer, "[DONE]")
		}
		faults := map[string]upstreamtest.Script{
			"reset": upstreamtest.Reset(), "close": upstreamtest.Close(), "limit": limited,
			"fault": upstreamtest.Status(500, `{}`), "overload": upstreamtest.Status(503, `{}`), "auth": upstreamtest.Status(401, `{}`),
			"error under 200":  upstreamtest.JSON(`{"error":{"message":"busy","type":"overloaded_error"}}`),
			"nothing but head": upstreamtest.Stream().Then(upstreamtest.EndStream()),
			"an error event":   upstreamtest.SSE(`{"error":{"message":"busy","type":"overloaded_error"}}`),
		}
		for name, fault := range faults {
			first, second := upstreamtest.New(t), upstreamtest.New(t)
			f := withFallback(t, first, second)
			for _, broken := range []bool{true, false} {
				first.Play(good)
				if broken {
					first.Play(fault)
				}
				second.Play(good)
				resp, body := askEither(t, f, stream)
				who := map[bool]string{true: "fallback-2", false: "primary"}[broken]
				if resp.StatusCode != 200 || strings.Count(body, "The fox") != 1 || strings.Contains(body, "error") ||
					resp.Header.Get("X-Footnote-Upstream") != who || resp.Header.Get("Retry-After") != "" {
					t.Errorf("stream %t, %s, broken %t: %d %v %s", stream, name, broken, resp.StatusCode, resp.Header, body)
				}
			}
			if got := string(second.Last().Body); second.Count() != 1 || !strings.Contains(got, `"model":"second-model"`) || strings.Contains(got, "base-model") {
				t.Errorf("stream %t, %s: the fallback was asked %d times, with %s", stream, name, second.Count(), got)
			}
		}
	}
}

func TestAClientsFaultAndAnAnswerThatHasBegunHaveNoFallback(t *testing.T) {
	cut := upstreamtest.Stream().Then(upstreamtest.Event(deltaAnswer), upstreamtest.Resets())
	for _, c := range []struct {
		script upstreamtest.Script
		stream bool
		status int
		says   string
	}{
		{upstreamtest.Status(400, `{"error":{"message":"bad"}}`), false, 400, "bad"},
		{upstreamtest.Status(400, `{"error":{"message":"bad"}}`), true, 400, "bad"},
		{upstreamtest.Status(404, `{"error":{"message":"no model"}}`), false, 404, "no model"},
		{cut, true, 200, "upstream_stream_interrupted"},
	} {
		first, second := upstreamtest.New(t, c.script), upstreamtest.New(t, upstreamtest.JSON(wholeAnswer))
		resp, body := askEither(t, withFallback(t, first, second), c.stream)
		if resp.StatusCode != c.status || !strings.Contains(body, c.says) || strings.Count(body, "The fox") > 1 || second.Count() != 0 {
			t.Errorf("%d %s; the fallback was asked %d times", resp.StatusCode, body, second.Count())
		}
	}
}

func TestIfEveryUpstreamFailsTheClientGetsTheErrorOfTheFirst(t *testing.T) {
	for _, stream := range []bool{false, true} {
		first := upstreamtest.New(t, upstreamtest.Status(429, `{"error":{"message":"first"}}`, "Retry-After: 7"))
		second := upstreamtest.New(t, upstreamtest.Status(400, `{"error":{"message":"second"}}`))
		resp, body := askEither(t, withFallback(t, first, second), stream)
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" || !strings.Contains(body, "first") || second.Count() != 1 {
			t.Errorf("stream %t: %d %v %s", stream, resp.StatusCode, resp.Header, body)
		}
	}
}

func TestAnUpstreamThatSendsNoTokenInTimeIsReplaced(t *testing.T) {
	first := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Hangs()))
	second := upstreamtest.New(t, upstreamtest.SSE(deltaAnswer, lastAnswer, "[DONE]"))
	slow, far := storedAt(first.URL()), storedAt(second.URL())
	slow.Timeouts.FirstToken, far.ID = short, "up_2"
	f := newFixture(t, fixture{
		upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, []byte(`{"upstream":"slow","upstream_fallbacks":[{"upstream":"far"}]}`)),
		stored: shelf{upstreams: map[string]assistants.Upstream{"default/slow": slow, "default/far": far}},
	})
	if resp, body := askEither(t, f, true); resp.StatusCode != 200 || strings.Count(body, "The fox") != 1 || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
