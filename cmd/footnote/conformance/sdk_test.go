package conformance

import (
	"reflect"
	"slices"
	"testing"
)

// The question that every scenario asks, and where its answer stands.
const (
	question     = "How many vacation days do I get per year?"
	answeredBy   = "employee-handbook.pdf"
	answeredPage = 4
)

// TestUnchangedSDKsReadTextAndCitations drives one server with all SDKs and
// compares what each of them shows with what plain HTTP says.
func TestUnchangedSDKsReadTextAndCitations(t *testing.T) {
	s := startServer(t)
	truth := s.ask("handbook", question)
	checkCitations(t, truth, answeredBy, answeredPage)

	for name, set := range map[string]func(*testing.T) sdk{"node": openaiNode, "python": openaiPython} {
		t.Run(name, func(t *testing.T) {
			k := set(t)
			// The demo is public; SDKs insist on sending some key.
			env := map[string]string{"BASE_URL": s.url + "/v1", "API_KEY": "any", "MODEL": "handbook", "QUESTION": question}
			t.Run("whole answers", func(t *testing.T) { wholeAnswers(t, k, env, truth) })
			t.Run("streamed answers", func(t *testing.T) { streamedAnswers(t, k, env, truth) })
			t.Run("a question about nothing", func(t *testing.T) { noSources(t, k, env) })
			t.Run("models", func(t *testing.T) { models(t, k, env) })

			// Without a valid key nobody learns which assistants there are, so errors need one.
			env["API_KEY"] = adminKey
			t.Run("errors", func(t *testing.T) { failures(t, k, env) })

			// The assistant in the base URL: the client keeps its own idea of a model.
			env["BASE_URL"], env["MODEL"] = s.url+"/assistants/handbook/v1", "gpt-4o"
			t.Run("assistant in the base URL", func(t *testing.T) {
				for _, scenario := range []string{"create", "stream"} {
					var got shown
					k.run(t, scenario, env, &got)
					compare(t, got, truth)
				}
			})
		})
	}
}

// shown is what a scenario prints about an answer.
type shown struct {
	Object, Model, Text string
	FinishReason        string `json:"finish_reason"`
	Choices             int
	Citations           any

	// Of the response's headers.
	RequestID       string `json:"request_id"`
	AssistantHeader string `json:"assistant_header"`
	CitationsHeader string `json:"citations_header"`

	// Of streams.
	TextOfEvents      string `json:"text_of_events"`
	Chunks, Deltas    int
	Finishes          int
	CitationsChunks   int  `json:"citations_chunks"`
	CitationsOnFinish bool `json:"citations_on_finish"`
	UsageChoices      *int `json:"usage_choices"`
}

func compare(t *testing.T, got shown, want answer) {
	t.Helper()
	if got.Text != want.Choices[0].Message.Content {
		t.Errorf("the SDK shows the text %q, the server sent %q", got.Text, want.Choices[0].Message.Content)
	}
	if got.FinishReason != want.Choices[0].FinishReason {
		t.Errorf("the SDK shows the finish reason %q, the server sent %q", got.FinishReason, want.Choices[0].FinishReason)
	}
	if !reflect.DeepEqual(got.Citations, want.Citations) {
		t.Errorf("the SDK shows the citations\n%v\nthe server sent\n%v", got.Citations, want.Citations)
	}
}

func wholeAnswers(t *testing.T, k sdk, env map[string]string, truth answer) {
	scenarios := []string{"create", "response"}
	if k.name == "openai-python" {
		scenarios = append(scenarios, "async_create")
	}
	for _, scenario := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			var got shown
			k.run(t, scenario, env, &got)
			compare(t, got, truth)
			if got.Choices != 1 || got.Object != "chat.completion" || got.Model != truth.Model {
				t.Errorf("%+v", got)
			}
			if scenario == "response" && (got.RequestID == "" || got.AssistantHeader == "" || got.CitationsHeader != "cited") {
				t.Errorf("headers: %+v", got)
			}
		})
	}
}

func streamedAnswers(t *testing.T, k sdk, env map[string]string, truth answer) {
	scenarios := []string{"stream", "stream_usage", "helper"}
	if k.name == "openai-python" {
		scenarios = append(scenarios, "async_stream")
	}
	for _, scenario := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			var got shown
			k.run(t, scenario, env, &got)
			compare(t, got, truth)
			if scenario == "helper" {
				if got.TextOfEvents != got.Text || got.Object != "chat.completion" || got.Choices != 1 {
					t.Errorf("%+v", got)
				}
				return
			}
			if got.Deltas < 2 || got.Finishes != 1 || got.Object != "chat.completion.chunk" {
				t.Errorf("%+v", got)
			}
			if got.CitationsChunks != 1 || !got.CitationsOnFinish {
				t.Errorf("citations are on %d chunks, on the finish chunk: %v", got.CitationsChunks, got.CitationsOnFinish)
			}
			if withUsage := scenario == "stream_usage"; withUsage != (got.UsageChoices != nil) || withUsage && *got.UsageChoices != 0 {
				t.Errorf("choices of the usage chunk: %v", got.UsageChoices)
			}
		})
	}
}

func noSources(t *testing.T, k sdk, env map[string]string) {
	asked := map[string]string{"QUESTION": "Who composed the opera Turandot?"}
	for name, value := range env {
		if name != "QUESTION" {
			asked[name] = value
		}
	}
	for _, scenario := range []string{"create", "stream", "helper"} {
		var got shown
		k.run(t, scenario, asked, &got)
		c, ok := got.Citations.(map[string]any)
		if !ok || c["status"] != "no_sources" || !reflect.DeepEqual(c["sources"], []any{}) || got.Text == "" {
			t.Errorf("%s: %+v", scenario, got)
		}
	}
}

func models(t *testing.T, k sdk, env map[string]string) {
	var got struct {
		IDs []string
		One struct{ ID, Object string }
	}
	k.run(t, "models", env, &got)
	if !slices.Contains(got.IDs, "handbook") || got.One.ID != "handbook" || got.One.Object != "model" {
		t.Errorf("%+v", got)
	}
}

// shownError is what an SDK shows of an error.
type shownError struct {
	Class     string
	Status    int
	Message   string
	Type      string
	Param     string
	Code      string
	RequestID string `json:"request_id"`
}

func failures(t *testing.T, k sdk, env map[string]string) {
	got := map[string]shownError{}
	k.run(t, "errors", env, &got)
	unknown := shownError{Class: "NotFoundError", Status: 404, Type: "invalid_request_error", Param: "model", Code: "model_not_found"}
	want := map[string]shownError{
		"unknown_model":           unknown,
		"unknown_model_streamed":  unknown,
		"unknown_model_retrieved": unknown,
		"no_messages":             {Class: "BadRequestError", Status: 400, Type: "invalid_request_error", Param: "messages", Code: "missing_required_parameter"},
		"wrong_key":               {Class: "AuthenticationError", Status: 401, Type: "invalid_request_error", Code: "invalid_api_key"},
	}
	if len(got) != len(want) {
		t.Errorf("%d errors, want %d", len(got), len(want))
	}
	for name, w := range want {
		g := got[name]
		if g.Message == "" || g.RequestID == "" {
			t.Errorf("%s: no message or no request id: %+v", name, g)
		}
		g.Message, g.RequestID = "", ""
		if g != w {
			t.Errorf("%s: %+v, want %+v", name, g, w)
		}
	}
}
