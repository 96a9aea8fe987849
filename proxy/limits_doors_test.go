package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy"
	"footnote/proxy/access"
	"footnote/proxy/upstream/upstreamtest"
)

// usedOf is what a key has used of its limits.
func usedOf(t *testing.T, limits *access.Limits, id assistants.KeyID, of assistants.Limits) map[assistants.Limit]int64 {
	t.Helper()
	list, err := limits.Uses(t.Context(), assistants.DefaultTenant, string(id), of)
	if err != nil {
		t.Fatal(err)
	}
	used := map[assistants.Limit]int64{}
	for _, u := range list {
		if u.Used != nil {
			used[u.Limit] = *u.Used
		}
	}
	return used
}

// TestCallsOfAModelBesidesTheAnswerCountAsTokens has two stages of retrieval and the
// summary of a long conversation ask the model, which counts 100 tokens for each call.
func TestCallsOfAModelBesidesTheAnswerCountAsTokens(t *testing.T) {
	counted := func(text string) upstreamtest.Script {
		return upstreamtest.JSON(strings.TrimSuffix(modelSays(text), "}") + `,"usage":{"prompt_tokens":90,"completion_tokens":10}}`)
	}
	up := upstreamtest.New(t, counted("Stable [1]."))
	limits, _ := newLimits(t)
	log := &auditLog{noted: make(chan struct{}, 9)}
	stage := func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		for range 2 {
			if _, err := q.Model.Complete(ctx, retrieval.Prompt{Messages: []retrieval.Turn{{Role: "user", Text: "x"}}, MaxTokens: 3}); err != nil {
				t.Error(err)
			}
		}
		return retrieval.Result{Hits: manyHits(1)}, nil
	}
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: compacting(), retrieve: stage, limits: limits, audit: log})
	of := assistants.Limits{TokensPerMinute: limitOf(100_000)}
	var id assistants.KeyID
	key := f.keys.add(func(k *assistants.Key) { k.Limits, id = of, k.ID })
	resp, body := f.send(f.post(t, "/v1/chat/completions", longConversation(t), "Authorization", "Bearer "+key))
	if resp.StatusCode != http.StatusOK || up.Count() != 4 {
		t.Fatal(resp.StatusCode, string(body), up.Count())
	}
	<-log.noted
	if e := log.last(); e.Chat.Tokens == nil || *e.Chat.Tokens != (assistants.Tokens{Prompt: 360, Completion: 40}) {
		t.Errorf("usage gets %+v", e.Chat.Tokens)
	}
	if used := usedOf(t, limits, id, of); used[assistants.TokensPerMinute] != 400 || used[assistants.TokensPerMonth] != 400 {
		t.Errorf("used %v", used)
	}
}

// TestAStreamThatIsNotCountedIsEstimatedWithItsPassages asks for a stream without its
// usage, so that nobody says how large the prompt was.
func TestAStreamThatIsNotCountedIsEstimatedWithItsPassages(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.SSE(deltaAnswer, lastAnswer, "[DONE]"))
	limits, _ := newLimits(t)
	hits := searchHits(.9)
	hits[0].Chunk.Text = strings.Repeat("Words of a passage. ", 200) // 4,000 bytes
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: ragSettings(), hits: hits, limits: limits})
	of := assistants.Limits{TokensPerMinute: limitOf(100_000)}
	var id assistants.KeyID
	key := f.keys.add(func(k *assistants.Key) { k.Limits, id = of, k.ID })
	if resp, body := f.send(f.post(t, "/v1/chat/completions", strings.Replace(limitedChat, "{", `{"stream":true,`, 1), "Authorization", "Bearer "+key)); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, string(body))
	}
	if n := usedOf(t, limits, id, of)[assistants.TokensPerMinute]; n < 1000 || n > 3000 {
		t.Errorf("%d tokens", n)
	}
}

func TestEmbeddingsByTheNameOfAnAssistantCountAgainstItsLimits(t *testing.T) {
	limits, _ := newLimits(t)
	settings := assistants.DefaultSettings()
	settings.RequestsPerMinute = limitOf(1)
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:1", settings: settings, limits: limits, embeddings: proxy.Embeddings{Local: letters{}}})
	for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if status, got := f.embed(t, `{"model":"support","input":"1"}`); status != want || want != http.StatusOK && !strings.Contains(got.Error.Message, "This assistant has reached its limit of 1 requests a minute") {
			t.Error(i, status, got.Error)
		}
	}
	if status, got := f.embed(t, `{"model":"letters","input":"1"}`); status != http.StatusOK {
		t.Error("by the model's own name:", status, got.Error)
	}
}

// TestAFallbackAnswersResponses has the first upstream fail in every way that is not the
// client's fault.
func TestAFallbackAnswersResponses(t *testing.T) {
	for name, fault := range map[string]upstreamtest.Script{
		"reset": upstreamtest.Reset(), "limit": upstreamtest.Status(429, `{}`), "fault": upstreamtest.Status(500, `{}`),
		"auth": upstreamtest.Status(401, `{}`), "an error under 200": upstreamtest.JSON(`{"error":{"message":"busy","type":"overloaded_error"}}`),
		"an error event": upstreamtest.SSE(`{"error":{"message":"busy","type":"overloaded_error"}}`),
	} {
		for body, good := range map[string]upstreamtest.Script{
			`{"model":"support","input":"hi"}`:               upstreamtest.JSON(wholeAnswer),
			`{"model":"support","input":"hi","stream":true}`: upstreamtest.SSE(deltaAnswer, lastAnswer, "[DONE]"),
		} {
			first, second := upstreamtest.New(t, fault), upstreamtest.New(t, good)
			f := withFallback(t, first, second)
			resp, got := f.send(f.post(t, "/v1/responses", body))
			if resp.StatusCode != http.StatusOK || !strings.Contains(string(got), "The fox") || strings.Count(string(got), `"delta":"The fox"`) > 1 || resp.Header.Get("X-Footnote-Upstream") != "fallback-2" {
				t.Errorf("%s, %s: %d %v %s", name, body, resp.StatusCode, resp.Header, got)
			}
			if asked := string(second.Last().Body); first.Count() != 1 || second.Count() != 1 || !strings.Contains(asked, `"model":"second-model"`) {
				t.Errorf("%s: asked %d and %d times, with %s", name, first.Count(), second.Count(), asked)
			}
		}
	}
}

// TestAnAnswerOfASearchIsCountedAsUsage looks at what usage is counted from.
func TestAnAnswerOfASearchIsCountedAsUsage(t *testing.T) {
	for _, c := range []struct {
		body, script string
		hits         []assistants.Hit
		want         *assistants.ChatOutcome // without its time
	}{
		{searched, withUsage("90", "10"), searchHits(.9), &assistants.ChatOutcome{Tokens: &assistants.Tokens{Prompt: 90, Completion: 10}, Citations: "cited", FirstByte: 1}},
		{searched, modelSays("No idea."), searchHits(.9), &assistants.ChatOutcome{Citations: "none", FirstByte: 1}},
		{searched, modelSays("No idea."), nil, &assistants.ChatOutcome{Citations: "no_sources"}},
		{unanswered, modelSays("No idea."), searchHits(.9), nil},
	} {
		log := &auditLog{noted: make(chan struct{}, 9)}
		up := upstreamtest.New(t, upstreamtest.JSON(c.script))
		f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: c.hits, audit: log})
		if resp, body := f.search("", c.body); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, body)
		}
		<-log.noted
		got := log.last().Chat
		if got != nil && got.FirstByte > 0 {
			got.FirstByte = 1
		}
		if shown, want := showOutcome(got), showOutcome(c.want); shown != want {
			t.Errorf("%s of %d hits: %s, want %s", c.body, len(c.hits), shown, want)
		}
	}
}

func showOutcome(o *assistants.ChatOutcome) string {
	if o == nil || o.Tokens == nil {
		return fmt.Sprintf("%+v", o)
	}
	return fmt.Sprintf("%+v %+v %s", *o.Tokens, o.FirstByte, o.Citations)
}
