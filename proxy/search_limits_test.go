package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/search"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	searched       = `{"query":"Which flow?","assistant":"support"}`
	searchedStream = `{"query":"Which flow?","assistant":"support","stream":true}`
	unanswered     = `{"query":"Which flow?","assistant":"support","synthesize":false}`
)

// limitedSearch returns a fixture with limits, what moves their clock, and a key's header.
func limitedSearch(t *testing.T, of assistants.Limits, timings search.Timings, scripts ...upstreamtest.Script) (*fixture, *upstreamtest.Server, func(time.Duration), []string) {
	t.Helper()
	up := upstreamtest.New(t, scripts...)
	limits, pass := newLimits(t)
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), hits: searchHits(.9), limits: limits, searches: timings})
	key := f.keys.add(func(k *assistants.Key) { k.Limits, k.Scopes = of, []assistants.Scope{assistants.ScopeSearch} })
	return f, up, pass, []string{"Authorization", "Bearer " + key}
}

// withUsage is an answer of a model server that counts its tokens.
func withUsage(prompt, completion string) string {
	return strings.TrimSuffix(modelSays("OAuth [1]."), "}") + `,"usage":{"prompt_tokens":` + prompt + `,"completion_tokens":` + completion + `}}`
}

func TestTheAnswerOfASearchHasTokensAndOthersHaveNone(t *testing.T) {
	f, up, pass, key := limitedSearch(t, assistants.Limits{TokensPerMinute: limitOf(100)}, search.Timings{Grace: 1}, upstreamtest.JSON(withUsage("90", "10")))
	if resp, body := f.search("", searched, key...); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.StatusCode, body)
	}
	resp, body := f.search("", searched, key...)
	if resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, "This key has reached its limit of 100 tokens a minute; try again in 60 seconds.") || up.Count() != 1 {
		t.Error(resp.StatusCode, body, up.Count())
	}
	wantHeaders(t, resp, map[string]string{"Retry-After": "60"})
	for path, body := range map[string]string{"": unanswered, "/quick": searched} {
		if resp, answer := f.search(path, body, key...); resp.StatusCode != http.StatusOK {
			t.Error(path, resp.StatusCode, answer)
		}
	}
	pass(time.Minute)
	if resp, body := f.search("", searched, key...); resp.StatusCode != http.StatusOK {
		t.Error("a minute later:", resp.StatusCode, body)
	}
}

func TestTheAnswerOfASearchUsesTheQuotaAlsoWhereTheModelServerDoesNotCount(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"counted":     upstreamtest.JSON(withUsage("900", "100")),
		"not counted": upstreamtest.JSON(modelSays(strings.Repeat("word ", 1000) + "[1].")),
		"streamed":    upstreamtest.SSE(delta("OAuth [1]."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":100}}`),
	} {
		t.Run(name, func(t *testing.T) {
			f, up, _, key := limitedSearch(t, assistants.Limits{TokensPerMonth: limitOf(1000)}, search.Timings{Grace: 1}, script)
			body := searched
			if name == "streamed" {
				body = searchedStream
			}
			if resp, answer := f.search("", body, key...); resp.StatusCode != http.StatusOK {
				t.Fatal(resp.StatusCode, answer)
			}
			resp, answer := f.search("", body, key...)
			if resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(answer, `"code":"insufficient_quota"`) || up.Count() != 1 {
				t.Error(resp.StatusCode, answer, up.Count())
			}
		})
	}
}

func TestASearchStreamCountsUntilItIsMade(t *testing.T) {
	free := make(chan struct{})
	f, _, _, key := limitedSearch(t, assistants.Limits{ConcurrentStreams: limitOf(1)}, search.Timings{}, heldBack(free))
	resp := f.open(f.searchRequest("", searchedStream, key...))
	refused, body := f.search("", searchedStream, key...)
	if refused.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, `"code":"concurrency_limit_exceeded"`) {
		t.Errorf("a second stream: %d %s", refused.StatusCode, body)
	}
	if resp, body := f.search("", unanswered, key...); resp.StatusCode != http.StatusOK {
		t.Errorf("a search that is no stream: %d %s", resp.StatusCode, body)
	}
	if n := f.limits.Streams(); n != 1 {
		t.Errorf("%d streams are open", n)
	}
	close(free)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
	if n := f.limits.Streams(); n != 0 {
		t.Errorf("%d streams are open after the end", n)
	}
}

func TestASearchStreamThatIsResumedCountsOnce(t *testing.T) {
	free := make(chan struct{})
	close(free)
	f, up, _, key := limitedSearch(t, assistants.Limits{SearchesPerMinute: limitOf(1)}, search.Timings{}, heldBack(free))
	_, body := f.search("", searchedStream, key...)
	whole := strings.SplitAfter(body, "\n\n")
	_, id, _ := strings.Cut(strings.Split(whole[0], "\n")[1], ": ")
	resp, rest := f.search("", searchedStream, append([]string{"Last-Event-ID", id}, key...)...)
	if resp.StatusCode != http.StatusOK || rest != strings.Join(whole[1:], "") || up.Count() != 1 {
		t.Errorf("resumed: %d %s; %d calls", resp.StatusCode, rest, up.Count())
	}
	if resp, body := f.search("", searchedStream, key...); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a new stream beyond the limit: %d %s", resp.StatusCode, body)
	}
	if refused := f.limits.Refused(); len(refused) != 1 || refused[access.Refusal{Of: "key", Limit: assistants.SearchesPerMinute}] != 1 {
		t.Errorf("refused: %v", refused)
	}
}

// heldBack is a stream that ends when free is closed.
func heldBack(free <-chan struct{}) upstreamtest.Script {
	return upstreamtest.Stream().Then(upstreamtest.Event(delta("OAuth [1].")), func(c *upstreamtest.Conn) error {
		select {
		case <-free:
		case <-c.Gone():
		}
		return nil
	}, upstreamtest.Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`), upstreamtest.Event("[DONE]"))
}
