package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	gopenai "github.com/sashabaranov/go-openai"
)

// readers ask by the clients of sights, in all formats: each prepares itself and
// returns what asks, on any goroutine. Its name is the client's, or that of several.
var readers = map[string]func(t *testing.T, w *world) func() map[string]reading{
	"openai-node":          readByScript("openai-node", scripted["openai-node"], "formats"),
	"openai-python":        readByScript("openai-python", scripted["openai-python"], "formats"),
	"openai-python 2":      readByScript("openai-python 2", scripted["openai-python 2"], "formats"),
	"frameworks of Node":   readByScript("", openaiNode, "frameworks"),
	"frameworks of Python": readByScript("", pythonFrameworks, "frameworks"),
	"openai-go":            readByOpenAIGo,
	"go-openai":            readByGoOpenAI,
}

func readByScript(client string, install func(*testing.T) []string, suite string) func(*testing.T, *world) func() map[string]reading {
	return func(t *testing.T, w *world) func() map[string]reading {
		command, env := install(t), w.env(client)
		maps.Copy(env, map[string]string{
			"HOST": w.url, "FORMATS": strings.Join(formatsOf(client), ","), "CASES": strings.Join(cases, ","),
		})
		return func() map[string]reading { return run[reading](t, command, suite, env) }
	}
}

// readAll asks everything that a client of Go is asked.
func readAll(client string, ask func(name, base, way, model string) (reading, *shownError)) map[string]reading {
	found := map[string]reading{}
	for _, model := range scenariosOfFormats(client) {
		part := strings.Split(model, "/")
		r, err := ask(part[0], part[1], part[3], model)
		r.Error = err
		found[model] = r.located()
	}
	return found
}

func readByOpenAIGo(t *testing.T, w *world) func() map[string]reading {
	service := openai.NewChatCompletionService(option.WithAPIKey(w.chatKey), option.WithHTTPClient(httpClient(t)), option.WithMaxRetries(0))
	requests := goRequests(w.picture())
	asked := map[string]map[string]bool{"events": {"events": true}, "in_message": {"in_message": true}}
	ask := func(name, format, way, model string) (reading, *shownError) {
		params := requests["converted"]
		if name == "tools" {
			params = requests["tools"]
		}
		params.Model = model
		options := []option.RequestOption{option.WithBaseURL(w.assistantURL(format))}
		if extension := asked[way]; extension != nil { // it has no type
			options = append(options, option.WithJSONSet("citation_options", extension))
		}
		if !sights["openai-go"][way].streams {
			completion, err := service.New(t.Context(), params, options...)
			if err != nil {
				return reading{}, goFailure(err)
			}
			return goReading(completion), nil
		}
		return goReadStream(service.NewStreaming(t.Context(), params, options...), way == "accumulator")
	}
	return func() map[string]reading { return readAll("openai-go", ask) }
}

// goReading reads a completion by the SDK's types, and what they do not know from their JSON.
func goReading(completion *openai.ChatCompletion) reading {
	s, message := goWhole(*completion).Choices[0], completion.Choices[0].Message
	return reading{
		Text: s.Text, Tools: s.ToolCalls, Annotations: s.Annotations,
		Citations:     decoded(completion.JSON.ExtraFields["citations"].Raw()),
		SearchResults: decoded(completion.JSON.ExtraFields["search_results"].Raw()),
		Context:       decoded(message.JSON.ExtraFields["context"].Raw()),
		InMessage:     decoded(message.JSON.ExtraFields["citations"].Raw()),
	}
}

// goReadStream reads chunks, or with the accumulator's types what it put together of them.
func goReadStream(chunks *ssestream.Stream[openai.ChatCompletionChunk], accumulated bool) (reading, *shownError) {
	defer func() { _ = chunks.Close() }() // read
	var (
		seen  reading
		final openai.ChatCompletionAccumulator
		text  collector
	)
	for chunks.Next() {
		chunk := chunks.Current()
		final.AddChunk(chunk)
		goAdd(&text, chunk)
		seen.top(chunk.JSON.ExtraFields["citations"].Raw(), chunk.JSON.ExtraFields["search_results"].Raw())
		if event := decoded(chunk.JSON.ExtraFields["citation"].Raw()); event != nil {
			seen.Events = append(seen.Events, event)
		}
		for _, c := range chunk.Choices {
			if context := decoded(c.Delta.JSON.ExtraFields["context"].Raw()); context != nil {
				seen.Context = context
			}
		}
	}
	if accumulated && len(final.Choices) > 0 {
		s := goWhole(final.ChatCompletion).Choices[0]
		return reading{Text: s.Text, Tools: s.ToolCalls, Annotations: s.Annotations}, goFailure(chunks.Err())
	}
	if len(text.shown.Choices) > 0 {
		s := text.shown.Choices[0]
		seen.Text, seen.Tools, seen.Annotations = s.Text, s.ToolCalls, s.Annotations
	}
	return seen, goFailure(chunks.Err())
}

func readByGoOpenAI(t *testing.T, w *world) func() map[string]reading {
	o := &communitySDK{t: t, w: w, http: httpClient(t)}
	requests := communityRequests(t, w.picture())
	ask := func(name, format, way, model string) (reading, *shownError) {
		request := requests["converted"]
		if name == "tools" {
			request = requests["tools"]
		}
		request.Model = model
		client := o.with(w.assistantURL(format), w.chatKey)
		if way == "create" {
			completion, err := client.CreateChatCompletion(t.Context(), request)
			if err != nil {
				return reading{}, communityFailure(err)
			}
			s := communityWhole(completion)
			return reading{Text: s.Choices[0].Text, Tools: s.Choices[0].ToolCalls}, nil
		}
		return o.readStream(t.Context(), client, request, way == "raw")
	}
	return func() map[string]reading { return readAll("go-openai", ask) }
}

// readStream reads a stream by the SDK's types, and with raw what they drop.
func (o *communitySDK) readStream(
	ctx context.Context, client *gopenai.Client, request gopenai.ChatCompletionRequest, raw bool,
) (reading, *shownError) {
	chunks, err := client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return reading{}, communityFailure(err)
	}
	defer func() { _ = chunks.Close() }() // read
	var (
		seen reading
		text collector
	)
	for {
		var chunk rawChunk
		if raw {
			var body []byte
			if body, err = chunks.RecvRaw(); err == nil {
				seen.chunk(o.t, string(body))
				err = json.Unmarshal(body, &chunk)
			}
		} else {
			chunk, err = communityRecv(chunks)
		}
		if err != nil {
			break
		}
		communityAdd(&text, chunk)
	}
	seen.Text = text.shown.text()
	if len(text.shown.Choices) > 0 {
		seen.Tools = text.shown.Choices[0].ToolCalls
	}
	if errors.Is(err, io.EOF) {
		return seen, nil
	}
	return seen, communityFailure(err)
}
