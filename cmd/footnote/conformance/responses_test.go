package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// A responded is what an SDK shows of a response.
type responded struct {
	ID, Status, Text, Cited string
	Annotations             []map[string]any
	Sources, Tokens         int
	Stored                  bool
	Events                  []any
	Error                   map[string]any
}

// responding is the sample assistant, which stores its answers and reads a vector store of
// one file, whose id is returned.
func responding(t *testing.T) (p *program, store string) {
	t.Helper()
	p = start(t, []string{"--demo"})
	client := openai.NewClient(option.WithBaseURL(p.url+"/v1"), option.WithAPIKey(adminKey), option.WithHTTPClient(httpClient(t)))
	made, err := client.VectorStores.New(t.Context(), openai.VectorStoreNewParams{Name: openai.String("Harbour")})
	if err != nil {
		t.Fatal(err)
	}
	file, err := client.VectorStores.Files.UploadAndPoll(t.Context(), made.ID, openai.FileNewParams{
		File: openai.File(strings.NewReader("# Harbour\n\nThe harbour closes at nine in the evening.\n"), "harbour.md", "text/markdown"), Purpose: openai.FilePurposeAssistants,
	}, 20)
	if err != nil || file.Status != openai.VectorStoreFileStatusCompleted {
		t.Fatalf("%+v, %v", file, err)
	}
	settings := map[string]any{"store_history": true, "collections": []string{made.ID}}
	body, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if code := p.do(http.MethodPatch, "/v1.0/assistants/handbook/settings", "application/json", body, nil); code != http.StatusOK {
		t.Fatalf("change the settings: %d", code)
	}
	return p, made.ID
}

// eventsOfAResponse are the kinds of events of a stream, in order.
var eventsOfAResponse = []any{
	"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
	"response.output_text.annotation.added", "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
}

// TestUnchangedSDKsGetResponses asks the sample assistant by each SDK's API of responses,
// streamed and not.
func TestUnchangedSDKsGetResponses(t *testing.T) {
	for name, install := range chosen(scripted) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, store := responding(t)
			got := run[responded](t, install(t), "responses", map[string]string{"BASE_URL": p.url + "/v1", "API_KEY": adminKey, "STORE": store})
			answered := []string{"create", "items", "stream", "helper", "conversation", "reference"}
			if name != "openai-node" {
				answered = append(answered, "async")
			}
			for _, scenario := range answered {
				g := got[scenario]
				if g.Error != nil || g.Status != "completed" || !g.Stored || g.Tokens == 0 && scenario != "conversation" || g.Sources == 0 || g.Cited != "cited" || len(g.Annotations) == 0 {
					t.Errorf("%s: %+v", scenario, g)
				}
				if scenario != "conversation" && !strings.Contains(g.Text, "27 vacation days") {
					t.Errorf("%s: %q", scenario, g.Text)
				}
				for _, a := range g.Annotations {
					if a["type"] != "file_citation" || a["file_id"] == "" || a["filename"] == "" || a["index"].(float64) <= 0 {
						t.Errorf("%s: annotation %v", scenario, a)
					}
				}
			}
			if events := got["stream"].Events; !slices.Equal(events, eventsOfAResponse) {
				t.Errorf("events of a stream: %v", events)
			}
			if g := got["helper"]; !slices.Equal(g.Events, []any{g.Text}) {
				t.Errorf("the helper's deltas are %v, its text is %q", g.Events, g.Text)
			}
			if events := got["conversation"].Events; !slices.Equal(events, []any{true, true, "NotFoundError"}) {
				t.Errorf("a conversation: %v", events)
			}
			if g := got["file_search"]; g.Error != nil || len(g.Annotations) != 1 || g.Annotations[0]["filename"] != "harbour.md" || g.Sources != 1 {
				t.Errorf("file search: %+v", g)
			}
			for scenario, want := range map[string]struct{ class, code, param string }{
				"unsupported":        {"BadRequestError", "unsupported_parameter", "tools[0]"},
				"unsupported_stream": {"BadRequestError", "unsupported_parameter", "tools[0]"},
				"picture":            {"BadRequestError", "unsupported_parameter", "input[0].content[0]"},
				"missing":            {"NotFoundError", "model_not_found", "model"},
				"forgotten":          {"BadRequestError", "invalid_value", "previous_response_id"},
			} {
				if e := got[scenario].Error; e["class"] != want.class || e["code"] != want.code || e["param"] != want.param {
					t.Errorf("%s: %v", scenario, e)
				}
			}
		})
	}
}

func TestOpenAIGoGetsResponses(t *testing.T) {
	p, _ := responding(t)
	ctx := t.Context()
	client := openai.NewClient(option.WithBaseURL(p.url+"/v1"), option.WithAPIKey(adminKey), option.WithHTTPClient(httpClient(t)))
	params := responses.ResponseNewParams{
		Model: "handbook", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("How many vacation days do I get per year?")},
	}
	whole, err := client.Responses.New(ctx, params)
	if err != nil || !strings.Contains(whole.OutputText(), "27 vacation days") || whole.Output[0].Content[0].Annotations[0].Type != "file_citation" {
		t.Errorf("a response: %+v, %v", whole, err)
	}
	stream := client.Responses.NewStreaming(ctx, params)
	var events []any
	var text strings.Builder
	for stream.Next() {
		ev := stream.Current()
		if len(events) == 0 || events[len(events)-1] != ev.Type {
			events = append(events, ev.Type)
		}
		if ev.Type == "response.output_text.delta" {
			text.WriteString(ev.Delta)
		}
	}
	if err := stream.Err(); err != nil || !slices.Equal(events, eventsOfAResponse) || text.String() != whole.OutputText() {
		t.Errorf("a stream: %v, %q, %v", events, text.String(), err)
	}
}
