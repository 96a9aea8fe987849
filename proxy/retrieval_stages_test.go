package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
	"footnote/assistants/retrieval"
)

// answering is an upstream that answers each call with what say makes of it, and
// keeps what it was asked.
type answering struct {
	mu    sync.Mutex
	calls []map[string]any
	say   func(call map[string]any) (status int, text string)
}

func (u *answering) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		call := map[string]any{}
		if err := errors.Join(err, json.Unmarshal(raw, &call)); err != nil {
			t.Error(err)
		}
		u.mu.Lock()
		u.calls = append(u.calls, call)
		status, text := u.say(call)
		u.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		content, err := json.Marshal(text)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, content)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func askSupport(t *testing.T, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req
}

const twoTurns = `{"model":"support","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"How was 2022?"},{"role":"assistant","content":"Good [1]."},{"role":"user","content":"and 2023?"}]%s}`

func ragSettings() assistants.Settings {
	s := assistants.DefaultSettings()
	s.EnableRAG, s.EnableCitations = true, true
	return s
}

func TestRetrievalGetsConversationFilterAndSettings(t *testing.T) {
	up := &answering{say: func(map[string]any) (int, string) { return 200, "Fine." }}
	set := ragSettings()
	set.RetrievalLabelFilter = &assistants.LabelFilter{Required: []string{"hr"}}
	set.Collections = []string{"coll_other"}
	set.TextWeight, set.RetrievalIncludeNeighbors, set.EnableReranking = 0.4, 2, true
	five := 5
	set.ContextTopK = &five
	var got retrieval.Query
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: set, retrieve: func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
		got = q
		return retrieval.Result{}, nil
	}})
	resp, body := f.send(askSupport(t, fmt.Sprintf(twoTurns, `,"metadata_filter":{"excluded_tags":[{"key":"state","condition":"Equals","value":"draft"}]},"retrieval_options":{"top_k":7}`)))
	if resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	if got.Text != "and 2023?" || len(got.Before) != 3 || got.Before[1] != (retrieval.Turn{Role: "user", Text: "How was 2022?"}) {
		t.Errorf("asked %q after %+v", got.Text, got.Before)
	}
	if len(got.Filter.Labels.Required) != 1 || len(got.Filter.Tags.Excluded) != 1 || fmt.Sprint(got.Collections) != "[coll_test coll_other]" {
		t.Errorf("filter %+v in %v", got.Filter, got.Collections)
	}
	if got.TopK != 7 || got.Keep != 5 || got.TextWeight != 0.4 || got.Neighbors != 2 || got.Rerank == nil || got.Rewrite != nil || got.Model == nil || got.Strict {
		t.Errorf("%+v", got)
	}
	if len(up.calls) != 1 || up.calls[0]["metadata_filter"] != nil || up.calls[0]["retrieval_options"] != nil {
		t.Errorf("the upstream saw %v", up.calls)
	}
}

func TestAQuestionThatNeedsNoDocumentsIsSkipped(t *testing.T) {
	up := &answering{say: func(map[string]any) (int, string) { return 200, "You are welcome." }}
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: ragSettings(), retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{Unneeded: true}, nil
	}})
	resp, body := f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	if resp.Header.Get("X-Footnote-Citations") != "skipped" || !strings.Contains(string(body), `"status":"skipped"`) {
		t.Errorf("%v %s", resp.Header, body)
	}
	if got := fmt.Sprint(up.calls[0]["messages"]); strings.Contains(got, "ources") {
		t.Errorf("sources in %s", got)
	}
}

func TestWarningsAndSkippedStagesAreTold(t *testing.T) {
	up := &answering{say: func(map[string]any) (int, string) { return 200, "Fine." }}
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: ragSettings(), retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{Trace: retrieval.Trace{Mode: assistants.SearchFullText, Cached: true, Warnings: []string{"Searched for words only."}, Skipped: map[string]string{"rerank": "no model", "gate": "first"}}}, nil
	}})
	_, body := f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	for _, want := range []string{`"warnings":["Searched for words only."]`, `"cached":true`, `"skipped_stages":{"gate":"first","rerank":"no model"}`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

func TestStagesAskTheAssistantsModel(t *testing.T) {
	up := &answering{say: func(call map[string]any) (int, string) { return 200, fmt.Sprint("heard ", call["max_tokens"]) }}
	var text string
	var failed error
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: ragSettings(), retrieve: func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		text, failed = q.Model.Complete(ctx, retrieval.Prompt{Messages: []retrieval.Turn{{Role: "system", Text: "Judge."}, {Role: "user", Text: "é"}}, MaxTokens: 3, Temperature: 0.7})
		return retrieval.Result{}, nil
	}})
	f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	if failed != nil || text != "heard 3" {
		t.Fatalf("%q, %v", text, failed)
	}
	call := up.calls[0]
	if call["model"] != "base-model" || call["temperature"] != 0.7 || call["stream"] != nil || fmt.Sprint(call["messages"]) != "[map[content:Judge. role:system] map[content:é role:user]]" {
		t.Errorf("%v", call)
	}
}

func TestModelsThatRefuseOlderParametersAreAskedByNewerOnes(t *testing.T) {
	up := &answering{say: func(call map[string]any) (int, string) {
		if call["max_tokens"] != nil || call["temperature"] != nil {
			return 400, "no"
		}
		return 200, "RETRIEVE"
	}}
	var text string
	var failed error
	ask := func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		text, failed = q.Model.Complete(ctx, retrieval.Prompt{Messages: []retrieval.Turn{{Role: "user", Text: "x"}}, MaxTokens: 3})
		return retrieval.Result{}, nil
	}
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: ragSettings(), retrieve: ask})
	f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	if failed != nil || text != "RETRIEVE" || up.calls[1]["max_completion_tokens"] != 3.0 {
		t.Errorf("%q, %v, %v", text, failed, up.calls)
	}
	up.say = func(map[string]any) (int, string) { return 500, "secret words" }
	f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	if failed == nil || strings.Contains(failed.Error(), "secret") {
		t.Errorf("%v", failed)
	}
}

func TestNeighboursAreGivenAndTheSourceStaysTheHit(t *testing.T) {
	up := &answering{say: func(map[string]any) (int, string) { return 200, "The fee was raised to 5 Euro in May [1]." }}
	chunk := assistants.Chunk{ID: "chunk_1", DocumentID: "doc_1", Index: 4, Text: "The fee was 4 Euro before.", CharStart: 100, CharEnd: 126, Page: 2, PageEnd: 2}
	given := &assistants.JoinedPassages{Text: "Prices of the baths.\n" + chunk.Text + "\nThe fee was raised to 5 Euro in May.", CharStart: 79, Page: 1,
		PageStarts: []assistants.PageStart{{Page: 1, CharStart: 79}, {Page: 2, CharStart: 100}, {Page: 3, CharStart: 127}}}
	score := 8.5
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: ragSettings(), retrieve: func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{Hits: []assistants.Hit{{Chunk: chunk, Document: assistants.Document{ID: "doc_1", Name: "prices.pdf"}, Score: 0.7, Given: given, RerankScore: &score}}}, nil
	}})
	_, body := f.send(askSupport(t, fmt.Sprintf(twoTurns, "")))
	if got := fmt.Sprint(up.calls[0]["messages"]); !strings.Contains(got, "Prices of the baths.\nThe fee was 4 Euro before.\nThe fee was raised") {
		t.Errorf("the model saw %s", got)
	}
	for _, want := range []string{`"excerpt":"The fee was 4 Euro before."`, `"char_start":100,"char_end":126`, `"page_number":2,"page_end":2`, `"rerank_score":8.5`,
		`"quote":{"index":1,"text":"The fee was raised to 5 Euro in May.","char_start":127,"char_end":163,"page_number":3}`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}
