package proxy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/chat"
	"footnote/proxy/search"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// handClock is a clock that the test moves.
type handClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *handClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// withBreakers is withFallback with circuit breakers on a clock of the test.
func withBreakers(t *testing.T, first, second *upstreamtest.Server) (*fixture, *handClock) {
	t.Helper()
	return hurried(t, first, second, time.Minute)
}

// hurried is withBreakers where the first upstream has a limited time to answer.
func hurried(t *testing.T, first, second *upstreamtest.Server, limit time.Duration) (*fixture, *handClock) {
	t.Helper()
	hurry := func(c *upstream.HTTPConfig) { c.Timeouts = upstream.Timeouts{FirstToken: limit, Total: limit} }
	clock := &handClock{at: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	return newFixture(t, fixture{
		upstreamURL: first.URL(), settings: mergeSettings(t, []byte(`{"upstream_fallbacks":[{"upstream":"far","model":"second-model"}]}`)),
		stored: shelf{upstreams: map[string]assistants.Upstream{"default/far": storedAt(second.URL())}}, timings: chat.Timings{FirstFrame: time.Minute}, clock: clock.now, configure: hurry,
	}), clock
}

func good(stream bool) upstreamtest.Script {
	if stream {
		return upstreamtest.SSE(deltaAnswer, lastAnswer, "[DONE]")
	}
	return upstreamtest.JSON(wholeAnswer)
}

// wantAnswer asks, and wants one whole answer of an upstream.
func wantAnswer(t *testing.T, f *fixture, stream bool, who string) {
	t.Helper()
	resp, body := askEither(t, f, stream)
	if resp.StatusCode != 200 || strings.Count(body, "The fox") != 1 || resp.Header.Get("X-Footnote-Upstream") != who {
		t.Errorf("stream %t: %d by %q, want %q: %s", stream, resp.StatusCode, resp.Header.Get("X-Footnote-Upstream"), who, body)
	}
}

func TestAnUpstreamThatKeepsFailingIsAskedAfterItsFallbackUntilItAnswersAgain(t *testing.T) {
	for _, stream := range []bool{false, true} {
		first, second := upstreamtest.New(t, upstreamtest.Status(503, `{}`)), upstreamtest.New(t, good(stream))
		f, clock := withBreakers(t, first, second)
		for range 20 {
			wantAnswer(t, f, stream, "fallback-1")
		}
		if first.Count() != 5 || f.metric(`footnote_upstream_up{upstream="default"}`) != "0" || f.metric(`footnote_upstream_fallbacks_total{cause="circuit_open"}`) != "15" {
			t.Errorf("stream %t: it was asked %d times, want 5; up is %s", stream, first.Count(), f.metric(`footnote_upstream_up{upstream="default"}`))
		}
		clock.advance(5 * time.Second)
		for range 3 { // one call tries it, and fails
			wantAnswer(t, f, stream, "fallback-1")
		}
		if first.Count() != 6 {
			t.Errorf("stream %t: it was asked %d times, want 6", stream, first.Count())
		}
		clock.advance(10 * time.Second)
		first.Play(good(stream))
		for range 3 {
			wantAnswer(t, f, stream, "primary")
		}
		if got := string(first.Last().Body); first.Count() != 9 || f.metric(`footnote_upstream_up{upstream="default"}`) != "1" || !strings.Contains(got, "base-model") {
			t.Errorf("stream %t: it was asked %d times, want 9, at last with %s", stream, first.Count(), got)
		}
	}
}

func TestABreakerRefusesNothing(t *testing.T) {
	for _, stream := range []bool{false, true} {
		// The only upstream is asked each time.
		only := upstreamtest.New(t, upstreamtest.Status(503, `{"error":{"message":"the only one"}}`))
		f := newFixture(t, fixture{upstreamURL: only.URL(), settings: mergeSettings(t, nil)})
		for range 8 {
			if resp, body := askEither(t, f, stream); resp.StatusCode != 503 || !strings.Contains(body, "the only one") {
				t.Errorf("stream %t: %d %s", stream, resp.StatusCode, body)
			}
		}
		only.Play(good(stream))
		wantAnswer(t, f, stream, "")
		if only.Count() != 9 || f.metric(`footnote_upstream_up{upstream="default"}`) != "1" {
			t.Errorf("stream %t: it was asked %d times, want 9", stream, only.Count())
		}

		// Where all fail, each is asked, and the error is the primary's.
		first := upstreamtest.New(t, upstreamtest.Status(503, `{"error":{"message":"first"}}`))
		second := upstreamtest.New(t, upstreamtest.Status(500, `{"error":{"message":"second"}}`))
		f, _ = withBreakers(t, first, second)
		for n := 1; n <= 8; n++ {
			resp, body := askEither(t, f, stream)
			if resp.StatusCode != 503 || !strings.Contains(body, "first") || first.Count() != n || second.Count() != n || resp.Header.Get("X-Footnote-Upstream") == "fallback-1" {
				t.Errorf("stream %t: %d %v %s after %d and %d calls", stream, resp.StatusCode, resp.Header, body, first.Count(), second.Count())
			}
		}
		// The first answers where only its fallback fails, before its pause is over.
		first.Play(good(stream))
		wantAnswer(t, f, stream, "primary")
	}
}

// While the first is passed over, its fallback may refuse what the first would take.
func TestAFallbackThatRefusesBeforeTheFirstWasAskedDoesNotDecide(t *testing.T) {
	for _, stream := range []bool{false, true} {
		first, second := upstreamtest.New(t, upstreamtest.Reset()), upstreamtest.New(t, good(stream))
		f, _ := withBreakers(t, first, second)
		for range 5 {
			wantAnswer(t, f, stream, "fallback-1")
		}
		first.Play(good(stream))
		second.Play(upstreamtest.Status(400, `{"error":{"message":"context too long for me"}}`))
		wantAnswer(t, f, stream, "primary")
		if got := string(first.Last().Body); !strings.Contains(got, `"model":"base-model"`) {
			t.Errorf("the first was asked with %s", got)
		}
	}
}

func TestWhatIsNotTheUpstreamsFaultOpensNoBreaker(t *testing.T) {
	for _, status := range []int{400, 401, 404, 429} {
		first, second := upstreamtest.New(t, upstreamtest.Status(status, `{"error":{"message":"no"}}`)), upstreamtest.New(t, good(false))
		f, _ := withBreakers(t, first, second)
		for range 8 {
			askEither(t, f, false)
		}
		if first.Count() != 8 || f.metric(`footnote_upstream_up{upstream="default"}`) != "1" || f.metric(`footnote_upstream_calls_total{outcome="answered",upstream="default"}`) != "8" {
			t.Errorf("%d: it was asked %d times, want 8", status, first.Count())
		}
	}
}

func TestAnUpstreamThatIsGoneIsPassedOver(t *testing.T) {
	for _, stream := range []bool{false, true} {
		first, second := upstreamtest.New(t), upstreamtest.New(t, good(stream))
		f, _ := withBreakers(t, first, second)
		first.Close()
		for range 8 {
			wantAnswer(t, f, stream, "fallback-1")
		}
		if failed, skipped := f.metric(`footnote_upstream_fallbacks_total{cause="upstream_connect_failed"}`), f.metric(`footnote_upstream_fallbacks_total{cause="circuit_open"}`); failed != "5" || skipped != "3" {
			t.Errorf("stream %t: %s chats met the upstream that is gone, want 5, and %s passed it over, want 3", stream, failed, skipped)
		}
	}
}

// A client that leaves says nothing about the upstream, even while it is tried again.
func TestAClientThatLeavesLeavesTheBreakerAsItIs(t *testing.T) {
	first, second := upstreamtest.New(t, upstreamtest.Status(503, `{}`)), upstreamtest.New(t, good(false))
	f, clock := withBreakers(t, first, second)
	for range 5 {
		wantAnswer(t, f, false, "fallback-1")
	}
	clock.advance(5 * time.Second)
	gone := make(chan struct{})
	first.Play(upstreamtest.Script{upstreamtest.Tell(gone), upstreamtest.Hangs()})
	ctx, leave := context.WithCancel(t.Context())
	req := chatRequest(t, `{"model":"support","messages":[{"role":"user","content":"hi"}]}`).WithContext(ctx)
	req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(f.url, "http://")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	go func() { <-gone; leave() }()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal(resp.StatusCode)
	}
	eventually(t, "the call is abandoned", func() bool {
		return f.metric(`footnote_upstream_calls_total{outcome="abandoned",upstream="default"}`) == "1"
	})
	first.Play(good(false))
	wantAnswer(t, f, false, "primary")
}

// The load of the issue: half of an upstream's calls fail, each in another way before the
// first byte; no client sees it, nor a word twice.
func TestWithAnUpstreamThatFailsHalfOfItsCallsEveryAnswerIsWholeAndHasEachWordOnce(t *testing.T) {
	const requests, clients = 400, 8
	words := make([]string, 40)
	for i := range words {
		words[i] = fmt.Sprintf("word%02d ", i)
	}
	for _, stream := range []bool{false, true} {
		answer := upstreamtest.JSON(`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"` + strings.Join(words, "") + `"},"finish_reason":"stop"}]}`)
		if stream {
			var frames []string
			for _, w := range words {
				frames = append(frames, strings.Replace(deltaAnswer, "The fox", w, 1))
			}
			answer = upstreamtest.SSE(append(frames, lastAnswer, "[DONE]")...)
		}
		faults := []upstreamtest.Script{
			upstreamtest.Reset(), upstreamtest.Close(), upstreamtest.Status(500, `{}`), upstreamtest.Status(503, `{}`), upstreamtest.Status(429, `{}`),
			upstreamtest.JSON(`{"error":{"message":"busy","type":"overloaded_error"}}`), upstreamtest.Stream().Then(upstreamtest.EndStream()),
			upstreamtest.SSE(`{"error":{"message":"busy","type":"overloaded_error"}}`), upstreamtest.Stream().Then(upstreamtest.Resets()), upstreamtest.Hang(),
		}
		random := rand.New(rand.NewPCG(18, 1))
		scripts := make([]upstreamtest.Script, requests)
		for i := range scripts {
			if scripts[i] = answer; i%2 == 0 {
				scripts[i] = faults[random.IntN(len(faults))]
			}
		}
		random.Shuffle(requests, func(i, j int) { scripts[i], scripts[j] = scripts[j], scripts[i] })
		first, second := upstreamtest.New(t), upstreamtest.New(t, answer)
		first.Play(scripts...)
		f, clock := hurried(t, first, second, short)
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				for range requests / clients {
					checkWords(t, f, stream, words)
					clock.advance(time.Second)
				}
			})
		}
		group.Wait()
		if first.Count() < requests/4 || second.Count() < requests/4 || first.Count()+second.Count() > 2*requests {
			t.Errorf("stream %t: %d calls of the first and %d of the second", stream, first.Count(), second.Count())
		}
		if f.metric(`footnote_requests_total{method="POST",route="/v1/chat/completions",status="200"}`) != fmt.Sprint(requests) {
			t.Errorf("stream %t: not every request is counted as answered", stream)
		}
	}
}

func checkWords(t *testing.T, f *fixture, stream bool, words []string) {
	req := chatRequest(t, fmt.Sprintf(`{"model":"support","stream":%t,"messages":[{"role":"user","content":"hi"}]}`, stream))
	req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(f.url, "http://")
	req.Header.Set("Authorization", "Bearer "+adminKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	body, err := readBody(resp)
	_ = resp.Body.Close() // read
	if err != nil || resp.StatusCode != 200 || strings.Contains(string(body), "error") || stream != strings.HasSuffix(string(body), "data: [DONE]\n\n") {
		t.Errorf("stream %t: %d %v %s", stream, resp.StatusCode, err, body)
	}
	for _, w := range words {
		if n := strings.Count(string(body), w); n != 1 {
			t.Errorf("stream %t by %s: %q comes %d times", stream, resp.Header.Get("X-Footnote-Upstream"), w, n)
		}
	}
}

// Searches fall back as chats do.
func TestTheAnswerOfASearchHasTheFallbacksOfTheAssistant(t *testing.T) {
	for _, stream := range []bool{false, true} {
		answer := upstreamtest.JSON(strings.Replace(wholeAnswer, "The fox", "The fox [1]", 1))
		if stream {
			answer = upstreamtest.SSE(strings.Replace(deltaAnswer, "The fox", "The fox [1]", 1), lastAnswer, "[DONE]")
		}
		first, second := upstreamtest.New(t, upstreamtest.Status(503, `{}`)), upstreamtest.New(t, answer)
		f := newFixture(t, fixture{
			upstreamURL: first.URL(), hits: searchHits(.9), searches: search.Timings{Grace: 1},
			settings: mergeSettings(t, []byte(`{"upstream_fallbacks":[{"upstream":"gone"},{"upstream":"far","model":"second-model"}]}`)),
			stored:   shelf{upstreams: map[string]assistants.Upstream{"default/far": storedAt(second.URL())}},
		})
		for range 7 {
			resp, body := f.search("", fmt.Sprintf(`{"query":"Which?","assistant":"support","stream":%t}`, stream))
			if resp.StatusCode != 200 || !strings.Contains(body, "The fox [1]") || strings.Contains(body, "unavailable") {
				t.Errorf("stream %t: %d %s", stream, resp.StatusCode, body)
			}
		}
		if got := string(second.Last().Body); first.Count() != 5 || second.Count() != 7 || !strings.Contains(got, `"model":"second-model"`) {
			t.Errorf("stream %t: the first was asked %d times, want 5; the fallback %d times, want 7, with %s", stream, first.Count(), second.Count(), got)
		}
	}
}
