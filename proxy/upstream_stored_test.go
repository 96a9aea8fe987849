package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

// shelf finds stored upstreams by tenant and name, or fails.
type shelf struct {
	upstreams map[string]assistants.Upstream
	fails     error
}

// KnownUpstream finds one.
func (s shelf) KnownUpstream(_ context.Context, tenant assistants.TenantID, ref string) (assistants.Upstream, error) {
	if s.fails != nil {
		return assistants.Upstream{}, s.fails
	}
	u, ok := s.upstreams[string(tenant)+"/"+ref]
	if !ok {
		return u, assistants.ErrNotFound
	}
	return u, nil
}

func storedAt(base string) assistants.Upstream {
	return assistants.Upstream{ID: "up_1", TenantID: assistants.DefaultTenant, BaseURL: base, APIKey: assistants.NewSecret("sk-stored"), DefaultModel: "stored-model"}
}

func TestAnAssistantIsAnsweredByTheUpstreamItNames(t *testing.T) {
	const answer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
	def, far := upstreamtest.New(t, upstreamtest.JSON(answer)), upstreamtest.New(t, upstreamtest.JSON(answer))
	sealed, bare := storedAt(far.URL()), storedAt(far.URL())
	sealed.APIKey = assistants.SealedSecret("v1:canary")
	bare.DefaultModel = ""
	name := "far"
	settings := mergeSettings(t, nil)
	settings.Upstream = &name
	for what, c := range map[string]struct {
		shelf  shelf
		status int
		says   string
	}{
		"it is there":                  {shelf{upstreams: map[string]assistants.Upstream{"default/far": storedAt(far.URL())}}, 200, `"content":"ok"`},
		"it is another tenant's":       {shelf{upstreams: map[string]assistants.Upstream{"other/far": storedAt(far.URL())}}, 503, "upstream_unavailable"},
		"its secrets are lost":         {shelf{upstreams: map[string]assistants.Upstream{"default/far": sealed}}, 503, "FOOTNOTE_SECRET_KEY"},
		"nobody knows a model":         {shelf{upstreams: map[string]assistants.Upstream{"default/far": bare}}, 503, "upstream_model_missing"},
		"the store is away":            {shelf{fails: fmt.Errorf("canary: %w", assistants.ErrUnavailable)}, 503, "storage_unavailable"},
		"what is stored is no address": {shelf{upstreams: map[string]assistants.Upstream{"default/far": storedAt("canary")}}, 503, "upstream_unavailable"},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFixture(t, fixture{upstreamURL: def.URL(), settings: settings, stored: c.shelf, passthrough: true})
			for _, stream := range []string{"false", "true"} {
				before := far.Count()
				resp, body := f.send(chatRequest(t, `{"model":"support","stream":`+stream+`,"messages":[{"role":"user","content":"hi"}]}`))
				if resp.StatusCode != c.status || !strings.Contains(string(body), c.says) || strings.Contains(string(body), "canary") {
					t.Errorf("stream %s: %d %s, want %d %s", stream, resp.StatusCode, body, c.status, c.says)
				}
				if c.status == 200 {
					if got := far.Last(); got.Header.Get("Authorization") != "Bearer sk-stored" || !strings.Contains(string(got.Body), `"model":"stored-model"`) {
						t.Errorf("asked with %v %s", got.Header, got.Body)
					}
				} else if far.Count() != before {
					t.Error("it was asked")
				}
			}
			if def.Count() != 0 {
				t.Error("the default upstream was asked in its place")
			}
		})
	}
}

func TestPassThroughStaysWithTheDefaultUpstream(t *testing.T) {
	def, far := upstreamtest.New(t, upstreamtest.JSON(`{"data":[{"id":"theirs"}]}`)), upstreamtest.New(t, upstreamtest.JSON(`{"data":[{"id":"stored"}]}`))
	name := "far"
	settings := mergeSettings(t, nil)
	settings.Upstream = &name
	f := newFixture(t, fixture{upstreamURL: def.URL(), settings: settings, passthrough: true,
		stored: shelf{upstreams: map[string]assistants.Upstream{"default/far": storedAt(far.URL())}}})
	if _, body := f.send(httptest.NewRequest(http.MethodGet, "/v1/models", nil)); !strings.Contains(string(body), "theirs") || strings.Contains(string(body), "stored") {
		t.Errorf("models %s", body)
	}
	def.Play(upstreamtest.JSON(`{"id":"c","choices":[]}`))
	for _, model := range []string{"far", "up_1", "any"} { // no client chooses an upstream (S-06)
		f.send(chatRequest(t, `{"model":"`+model+`","messages":[{"role":"user","content":"hi"}],"base_url":"`+far.URL()+`","api_base":"`+far.URL()+`","upstream":"far"}`))
	}
	if far.Count() != 0 || def.Count() != 4 {
		t.Errorf("the stored upstream was asked %d times, the default one %d times", far.Count(), def.Count())
	}
}

// A slow model server gets more or less time than others, and the error says
// which setting gives it more.
func TestAStoredUpstreamHasTimeoutsOfItsOwn(t *testing.T) {
	settings := mergeSettings(t, []byte(`{"upstream":"slow"}`))
	text := says("The fox")
	for name, c := range map[string]struct {
		body    string
		script  upstreamtest.Script
		within  assistants.UpstreamTimeouts
		status  int
		setting string
	}{
		"first token": {streamRequest, upstreamtest.Hang(), assistants.UpstreamTimeouts{FirstToken: short}, 504, "first_token_timeout"},
		"idle":        {streamRequest, sends(text).Then(upstreamtest.Hangs()), assistants.UpstreamTimeouts{Idle: short}, 200, "idle_timeout"},
		"total":       {strings.Replace(streamRequest, "true", "false", 1), upstreamtest.Hang(), assistants.UpstreamTimeouts{Total: short}, 504, "total_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			slow := storedAt(upstreamtest.New(t, c.script).URL())
			slow.Timeouts = c.within
			f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: settings, stored: shelf{upstreams: map[string]assistants.Upstream{"default/slow": slow}}})
			resp, body := f.send(chatRequest(t, c.body))
			if resp.StatusCode != c.status || !strings.Contains(string(body), "0.3 s") || !strings.Contains(string(body), "raises "+c.setting+" of the upstream (FOOTNOTE_UPSTREAM_"+strings.ToUpper(c.setting)+")") {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}
