package conformance

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// The question that the scenarios ask, and where its answer stands.
const (
	demoQuestion = "How many vacation days do I get per year?"
	answeredBy   = "employee-handbook.pdf"
	answeredPage = 4
)

// startDemo serves the demo, which needs neither a key nor a model, until every
// document of it is ready.
func startDemo(t *testing.T) *program {
	t.Helper()
	documents, err := os.ReadDir(filepath.Join("..", "demo", "documents"))
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, []string{"--demo"})
	poll(t, "every document of the demo is ready", func() bool { return p.documentsReady("handbook", len(documents)) })
	return p
}

// TestUnchangedSDKsAskTheDemo drives the demo with each SDK and compares what
// it shows with what plain HTTP says.
func TestUnchangedSDKsAskTheDemo(t *testing.T) {
	p := startDemo(t)
	truth := p.ask("/v1/chat/completions", map[string]any{
		"model": "handbook", "messages": []map[string]string{{"role": "user", "content": demoQuestion}},
	})
	checkCitations(t, truth, answeredBy, answeredPage)
	env := map[string]string{
		"BASE_URL": p.url + "/v1", "ASSISTANT_URL": p.url + "/assistants/handbook/v1",
		// Strangers may ask less often, and do not learn which assistants there are.
		"API_KEY": adminKey, "MODEL": "handbook", "QUESTION": demoQuestion,
	}
	for name, install := range chosen(scripted) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run[shown](t, install(t), "demo", env)
			checkDemo(t, got, truth)
			checkDemoErrors(t, got)
			if m := got["models"].Models; m == nil || !slices.Contains(m.IDs, "handbook") || m.One.ID != "handbook" || m.One.Object != "model" {
				t.Errorf("models: %+v", m)
			}
		})
	}
}

func checkDemo(t *testing.T, got map[string]shown, truth answer) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		g := got[name]
		switch name {
		case "models", "unknown_model", "unknown_model_streamed", "unknown_model_retrieved", "no_messages", "wrong_key":
			continue
		case "create_about_nothing", "stream_about_nothing", "helper_about_nothing":
			c, ok := g.Citations.(map[string]any)
			if !ok || c["status"] != "no_sources" || !reflect.DeepEqual(c["sources"], []any{}) || g.text() == "" {
				t.Errorf("%s: %+v", name, g)
			}
			continue
		}
		if g.Error != nil || len(g.Choices) != 1 || g.text() != truth.Choices[0].Message.Content || g.Choices[0].FinishReason != truth.Choices[0].FinishReason {
			t.Errorf("%s: the SDK shows %+v (%+v), the server sent %+v", name, g, g.Error, truth)
			continue
		}
		if !reflect.DeepEqual(g.Citations, truth.Citations) {
			t.Errorf("%s: the SDK shows the citations\n%v\nthe server sent\n%v", name, g.Citations, truth.Citations)
		}
		switch name {
		case "stream", "async_stream", "stream_usage", "stream_in_url":
			if g.Chunks < 3 || g.Object != "chat.completion.chunk" || g.CitationsChunks != 1 || !g.CitationsOnFinish {
				t.Errorf("%s: %+v", name, g)
			}
			if usage := name == "stream_usage"; usage != (g.UsageChoices != nil) || usage && *g.UsageChoices != 0 {
				t.Errorf("%s: choices of the usage chunk: %v", name, g.UsageChoices)
			}
			continue
		case "helper":
			if g.TextOfEvents != g.text() {
				t.Errorf("%s: the events say %q", name, g.TextOfEvents)
			}
		case "response":
			if g.RequestID == "" || g.AssistantHeader == "" || g.CitationsHeader != "cited" {
				t.Errorf("%s: headers: %+v", name, g)
			}
		}
		if g.Object != "chat.completion" || name != "create_in_url" && g.Model != truth.Model {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

func checkDemoErrors(t *testing.T, got map[string]shown) {
	t.Helper()
	unknown := shownError{Class: "NotFoundError", Status: 404, Type: "invalid_request_error", Param: "model", Code: "model_not_found"}
	for name, want := range map[string]shownError{
		"unknown_model":           unknown,
		"unknown_model_streamed":  unknown,
		"unknown_model_retrieved": unknown,
		"no_messages":             {Class: "BadRequestError", Status: 400, Type: "invalid_request_error", Param: "messages", Code: "missing_required_parameter"},
		"wrong_key":               {Class: "AuthenticationError", Status: 401, Type: "invalid_request_error", Code: "invalid_api_key"},
	} {
		e := got[name].Error
		if e == nil || e.Message == "" || e.RequestID == "" {
			t.Errorf("%s: no error, message or request id: %+v", name, e)
			continue
		}
		want.Message, want.RequestID, want.RetryAfter = e.Message, e.RequestID, e.RetryAfter
		if *e != want {
			t.Errorf("%s: %+v, want %+v", name, *e, want)
		}
	}
}
