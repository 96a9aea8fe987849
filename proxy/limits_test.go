package proxy_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/upstream/upstreamtest"
)

// noMonths keeps no counts of months.
type noMonths struct{}

func (noMonths) MonthCount(context.Context, assistants.TenantID, string, time.Time) (assistants.MonthCount, error) {
	return assistants.MonthCount{}, nil
}
func (noMonths) AddMonthCounts(context.Context, []assistants.MonthCount) error { return nil }
func (noMonths) RemoveMonthCounts(context.Context, time.Time) error            { return nil }

// newLimits returns limits, and what moves their clock.
func newLimits(t *testing.T) (*access.Limits, func(time.Duration)) {
	t.Helper()
	var mu sync.Mutex
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	limits := access.NewLimits(access.LimitsConfig{Months: noMonths{}, Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	t.Cleanup(func() {
		if err := limits.Close(); err != nil {
			t.Error(err)
		}
	})
	return limits, func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
}

func limitOf(value int) *int { return &value }

func wantHeaders(t *testing.T, resp *http.Response, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := resp.Header.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
}

const limitedChat = `{"model":"support","messages":[{"role":"user","content":"hi"}]}`

func TestAChatBeyondTheKeysLimitIsRefusedAsByOpenAIAndAsksNoModel(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	limits, pass := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	key := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{RequestsPerMinute: limitOf(2)} })
	ask := func() (*http.Response, string) {
		resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
		return resp, string(body)
	}
	resp, body := ask()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, body)
	}
	wantHeaders(t, resp, map[string]string{"X-Ratelimit-Limit-Requests": "2", "X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Reset-Requests": "1m0s", "X-Ratelimit-Limit-Tokens": ""})
	pass(10 * time.Second)
	if resp, body = ask(); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, body)
	}
	pass(20 * time.Second)
	resp, body = ask()
	want := `{"error":{"message":"This key has reached its limit of 2 requests a minute; try again in 30 seconds.","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`
	if resp.StatusCode != http.StatusTooManyRequests || body != want {
		t.Fatal(resp.StatusCode, body)
	}
	wantHeaders(t, resp, map[string]string{"Retry-After": "30", "Retry-After-Ms": "30000", "X-Should-Retry": "", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "40s"})
	if asked := len(up.Requests()); asked != 2 {
		t.Errorf("the model was asked %d times", asked)
	}
	pass(30 * time.Second) // as the answer says
	if resp, body = ask(); resp.StatusCode != http.StatusOK {
		t.Error(resp.StatusCode, body)
	}
	if resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat)); resp.StatusCode != http.StatusOK {
		t.Error("another key: ", resp.StatusCode, string(body))
	}
	if got := f.metrics(t); !strings.Contains(got, `footnote_limit_refusals_total{limit="requests_per_minute",of="key"} 1`) || !strings.Contains(got, "footnote_limit_streams 0") {
		t.Error("metrics lack the refusal")
	}
}

func (f *fixture) metrics(t *testing.T) string {
	t.Helper()
	resp, body := f.send(httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode)
	}
	return string(body)
}

func TestTheAssistantsLimitHoldsForAllCallersTogether(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	limits, _ := newLimits(t)
	settings := assistants.DefaultSettings()
	settings.RequestsPerMinute, settings.PublicAccess = limitOf(2), true
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: settings, limits: limits})
	one := f.keys.add(func(*assistants.Key) {})
	for i, header := range [][]string{{"Authorization", "Bearer " + one}, {"Authorization", "Bearer no-footnote-key"}, {"Authorization", "Bearer " + adminKey}} {
		resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, header...))
		if i < 2 && resp.StatusCode != http.StatusOK || i == 2 && (resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(body), "This assistant has reached its limit of 2 requests a minute")) {
			t.Error(i, resp.StatusCode, string(body))
		}
	}
}

func TestWhatTheCallerMayNotSeeIsNotLimitedButNotFound(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	key := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{RequestsPerMinute: limitOf(0)} })
	for body, want := range map[string]int{
		strings.Replace(limitedChat, "support", "nowhere", 1): http.StatusNotFound,
		`{"model":"support"}`: http.StatusBadRequest,
		limitedChat:           http.StatusTooManyRequests,
	} {
		if resp, got := f.send(f.post(t, "/v1/chat/completions", body, "Authorization", "Bearer "+key)); resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", body, resp.StatusCode, got, want)
		}
	}
}

func TestOurLimitsReplaceTheModelServersWhereWeHaveSome(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.Status(http.StatusOK, okAnswer, "X-Ratelimit-Limit-Requests: 5000", "X-Ratelimit-Remaining-Requests: 4999",
		"X-Ratelimit-Reset-Requests: 12ms", "X-Ratelimit-Limit-Tokens: 160000"))
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	limited := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{RequestsPerMinute: limitOf(9)} })
	resp, _ := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+limited))
	wantHeaders(t, resp, map[string]string{"X-Ratelimit-Limit-Requests": "9", "X-Ratelimit-Remaining-Requests": "8", "X-Ratelimit-Reset-Requests": "1m0s", "X-Ratelimit-Limit-Tokens": "160000"})
	free := f.keys.add(func(*assistants.Key) {})
	resp, _ = f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+free))
	wantHeaders(t, resp, map[string]string{"X-Ratelimit-Limit-Requests": "5000", "X-Ratelimit-Remaining-Requests": "4999", "X-Ratelimit-Reset-Requests": "12ms"})
}

func TestTokensAreCountedAsTheModelServerDoes(t *testing.T) {
	answer := strings.Replace(okAnswer, `{`, `{"usage":{"prompt_tokens":700,"completion_tokens":290,"total_tokens":990},`, 1)
	up := upstreamtest.New(t, upstreamtest.JSON(answer))
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	key := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{TokensPerMinute: limitOf(990)} })
	resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
	if resp.StatusCode != http.StatusOK || !json.Valid(body) {
		t.Fatal(resp.StatusCode, string(body))
	}
	resp, body = f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
	if resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(body), "limit of 990 tokens a minute") {
		t.Error(resp.StatusCode, string(body))
	}
	wantHeaders(t, resp, map[string]string{"X-Ratelimit-Limit-Tokens": "990", "X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "1m0s"})
}

func TestAQuotaThatIsUsedUpIsInsufficientQuota(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(okAnswer))
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: assistants.DefaultSettings(), limits: limits})
	key := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{RequestsPerMonth: limitOf(1)} })
	f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
	resp, body := f.send(f.post(t, "/v1/chat/completions", limitedChat, "Authorization", "Bearer "+key))
	want := `{"error":{"message":"This key has used up its quota of 1 requests a month; try again from 2026-12-01 UTC, or ask its administrator for more.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`
	if resp.StatusCode != http.StatusTooManyRequests || string(body) != want {
		t.Error(resp.StatusCode, string(body))
	}
	wantHeaders(t, resp, map[string]string{"X-Should-Retry": "false", "Retry-After": "561600"})
}

// TestAStreamIsCountedUntilItsClientLeaves opens a stream that does not end, and leaves.
func TestAStreamIsCountedUntilItsClientLeaves(t *testing.T) {
	began, free := make(chan struct{}, 4), make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"},\"finish_reason\":null}]}\n\n")
		w.(http.Flusher).Flush()
		began <- struct{}{}
		<-r.Context().Done()
		free <- struct{}{}
	}))
	t.Cleanup(up.Close)
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL + "/v1", settings: assistants.DefaultSettings(), limits: limits})
	key := f.keys.add(func(k *assistants.Key) { k.Limits = assistants.Limits{ConcurrentStreams: limitOf(1)} })
	body := strings.Replace(limitedChat, `{`, `{"stream":true,`, 1)
	for range 3 {
		ctx, leave := context.WithCancel(t.Context())
		resp := f.open(f.post(t, "/v1/chat/completions", body, "Authorization", "Bearer "+key).WithContext(ctx))
		<-began
		if resp.StatusCode != http.StatusOK || limits.Streams() != 1 {
			t.Fatal(resp.StatusCode, limits.Streams())
		}
		second, raw := f.send(f.post(t, "/v1/chat/completions", body, "Authorization", "Bearer "+key))
		if second.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(raw), `"code":"concurrency_limit_exceeded"`) {
			t.Fatal(second.StatusCode, string(raw))
		}
		leave()
		_ = resp.Body.Close() // it was left
		<-free
		for limits.Streams() > 0 { // the handler ends now
			if t.Context().Err() != nil {
				t.Fatal("the stream still counts")
			}
			f.send(httptest.NewRequest(http.MethodGet, "/healthz", nil))
		}
	}
}

func TestEmbeddingsAreRequestsWithTokens(t *testing.T) {
	limits, _ := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1", settings: assistants.DefaultSettings(), limits: limits, embeddings: proxy.Embeddings{Local: letters{}}})
	key := f.keys.add(func(k *assistants.Key) {
		k.Limits = assistants.Limits{RequestsPerMinute: limitOf(3), TokensPerMinute: limitOf(10)}
	})
	status, _ := f.embed(t, `{"model":"letters","input":"12345"}`, "Authorization", "Bearer "+key)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	resp, body := f.send(f.post(t, embeddingsPath, `{"model":"letters","input":"12345"}`, "Authorization", "Bearer "+key))
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, string(body))
	}
	wantHeaders(t, resp, map[string]string{"X-Ratelimit-Remaining-Requests": "1", "X-Ratelimit-Remaining-Tokens": "0"})
	if status, got := f.embed(t, `{"model":"letters","input":"1"}`, "Authorization", "Bearer "+key); status != http.StatusTooManyRequests || !strings.Contains(got.Error.Message, "10 tokens a minute") {
		t.Error(status, got.Error)
	}
	if status, got := f.embed(t, `{"model":"elsewhere","input":"1"}`, "Authorization", "Bearer "+key); status != http.StatusNotFound {
		t.Error("a model that does not exist: ", status, got.Error)
	}
}
