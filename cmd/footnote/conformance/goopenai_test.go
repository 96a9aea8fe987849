package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	gopenai "github.com/sashabaranov/go-openai"
)

// goOpenAI drives sashabaranov/go-openai.
func goOpenAI(t *testing.T, w *world) suites {
	o := &communitySDK{t: t, w: w, http: httpClient(t)}
	o.client = o.with(w.base, w.chatKey)
	return func(suite string) map[string]shown {
		return together(map[string]func() map[string]func() shown{"answers": o.answers, "faults": o.faults, "silence": o.silence}[suite]())
	}
}

type communitySDK struct {
	t      *testing.T
	w      *world
	http   *http.Client
	client *gopenai.Client
}

func (o *communitySDK) with(baseURL, key string) *gopenai.Client {
	config := gopenai.DefaultConfig(key)
	config.BaseURL, config.HTTPClient = baseURL, o.http
	return gopenai.NewClientWithConfig(config)
}

// communityAsk asks in one of the SDK's ways, and returns the message that a
// next turn would repeat in addition to what is shown.
type communityAsk func(client *gopenai.Client, request gopenai.ChatCompletionRequest) (shown, error)

func (o *communitySDK) ways(ctx context.Context) map[string]communityAsk {
	return map[string]communityAsk{
		"create": func(client *gopenai.Client, request gopenai.ChatCompletionRequest) (shown, error) {
			completion, err := client.CreateChatCompletion(ctx, request)
			if err != nil {
				return shown{}, err
			}
			return communityWhole(completion), nil
		},
		"stream": func(client *gopenai.Client, request gopenai.ChatCompletionRequest) (shown, error) {
			return o.stream(ctx, client, request, communityRecv)
		},
		// Raw gives the JSON of each event, for what the types have no field for.
		"raw": func(client *gopenai.Client, request gopenai.ChatCompletionRequest) (shown, error) {
			return o.stream(ctx, client, request, communityRecvRaw)
		},
	}
}

// A rawChunk is a chunk with what the SDK's types leave out.
type rawChunk struct {
	gopenai.ChatCompletionStreamResponse
	Choices   []rawChoice `json:"choices"`
	Citations any         `json:"citations"`
}

type rawChoice struct {
	gopenai.ChatCompletionStreamChoice
	Delta rawDelta `json:"delta"`
}

type rawDelta struct {
	gopenai.ChatCompletionStreamChoiceDelta
	Annotations any `json:"annotations"`
}

func communityRecv(chunks *gopenai.ChatCompletionStream) (chunk rawChunk, err error) {
	chunk.ChatCompletionStreamResponse, err = chunks.Recv()
	for _, c := range chunk.ChatCompletionStreamResponse.Choices {
		chunk.Choices = append(chunk.Choices, rawChoice{ChatCompletionStreamChoice: c, Delta: rawDelta{ChatCompletionStreamChoiceDelta: c.Delta}})
	}
	return chunk, err
}

func communityRecvRaw(chunks *gopenai.ChatCompletionStream) (chunk rawChunk, err error) {
	raw, err := chunks.RecvRaw()
	if err != nil {
		return chunk, err
	}
	return chunk, json.Unmarshal(raw, &chunk)
}

func (o *communitySDK) stream(
	ctx context.Context, client *gopenai.Client, request gopenai.ChatCompletionRequest,
	recv func(*gopenai.ChatCompletionStream) (rawChunk, error),
) (shown, error) {
	request.StreamOptions = &gopenai.StreamOptions{IncludeUsage: true}
	var events collector
	chunks, err := client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return events.shown, err
	}
	defer func() { _ = chunks.Close() }() // read, or left
	for {
		chunk, err := recv(chunks)
		if errors.Is(err, io.EOF) {
			return events.shown, nil
		}
		if err != nil {
			return events.shown, err
		}
		communityAdd(&events, chunk)
		if strings.HasPrefix(request.Model, "left/") && events.shown.text() != "" {
			return events.shown, nil
		}
	}
}

func communityAdd(events *collector, chunk rawChunk) {
	finish := len(chunk.Choices) > 0 && chunk.Choices[0].FinishReason != ""
	events.chunk(chunk.Object, chunk.Model, chunk.Citations, finish)
	for _, c := range chunk.Choices {
		known := events.choice(c.Index)
		known.Text += c.Delta.Content
		for _, call := range c.Delta.ToolCalls {
			known.call(*call.Index).add(call.ID, call.Function.Name, call.Function.Arguments)
		}
		if c.Logprobs != nil {
			for _, token := range c.Logprobs.Content {
				known.Logprobs = append(known.Logprobs, token.Token)
			}
		}
		if c.Delta.Annotations != nil {
			known.Annotations = c.Delta.Annotations
		}
		known.FinishReason += string(c.FinishReason)
	}
	if chunk.Usage != nil {
		events.usage(chunk.Usage.TotalTokens, len(chunk.Choices))
	}
}

func communityWhole(completion gopenai.ChatCompletionResponse) shown {
	s := shown{Object: completion.Object, Model: completion.Model, Usage: completion.Usage.TotalTokens}
	for _, c := range completion.Choices {
		choice := shownChoice{Index: c.Index, Text: c.Message.Content, FinishReason: string(c.FinishReason)}
		for i, call := range c.Message.ToolCalls {
			choice.call(i).add(call.ID, call.Function.Name, call.Function.Arguments)
		}
		if c.LogProbs != nil {
			for _, token := range c.LogProbs.Content {
				choice.Logprobs = append(choice.Logprobs, token.Token)
			}
		}
		s.Choices = append(s.Choices, choice)
	}
	return s
}

func communityMessages(text string) []gopenai.ChatCompletionMessage {
	return []gopenai.ChatCompletionMessage{{Role: gopenai.ChatMessageRoleUser, Content: text}}
}

func communityRequests(t *testing.T, picture string) map[string]gopenai.ChatCompletionRequest {
	schema, err := json.Marshal(vacationSchema)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]gopenai.ChatCompletionRequest{
		"question":  {Messages: communityMessages(asks), Temperature: 0.5},
		"converted": {Messages: communityMessages(asks)},
		"choices":   {Messages: communityMessages(asks), N: 2},
		"logprobs":  {Messages: communityMessages(asks), LogProbs: true, TopLogProbs: 2},
		"structured": {Messages: communityMessages(asks), ResponseFormat: &gopenai.ChatCompletionResponseFormat{
			Type:       gopenai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &gopenai.ChatCompletionResponseFormatJSONSchema{Name: "Vacation", Schema: json.RawMessage(schema), Strict: true},
		}},
		"images": {Messages: []gopenai.ChatCompletionMessage{{Role: gopenai.ChatMessageRoleUser, MultiContent: []gopenai.ChatMessagePart{
			{Type: gopenai.ChatMessagePartTypeText, Text: asksPicture},
			{Type: gopenai.ChatMessagePartTypeImageURL, ImageURL: &gopenai.ChatMessageImageURL{URL: dataURL, Detail: "low"}},
			{Type: gopenai.ChatMessagePartTypeImageURL, ImageURL: &gopenai.ChatMessageImageURL{URL: picture}},
		}}}},
		"tools": {
			Messages: communityMessages(asksOffices), ToolChoice: "auto", ParallelToolCalls: true,
			Tools: []gopenai.Tool{{Type: gopenai.ToolTypeFunction, Function: &gopenai.FunctionDefinition{
				Name: "local_holidays", Description: toolPurpose, Parameters: officeSchema, Strict: true,
			}}},
		},
	}
}

func (o *communitySDK) answers() map[string]func() shown {
	scenarios := map[string]func() shown{}
	for way, ask := range o.ways(o.t.Context()) {
		for name, request := range communityRequests(o.t, o.w.picture()) {
			scenarios[name+"/"+way] = func() shown {
				request.Model = name + "/go-openai/" + way
				s, err := ask(o.client, request)
				s.Error = communityFailure(err)
				if name != "tools" || err != nil {
					return s
				}
				message := gopenai.ChatCompletionMessage{Role: gopenai.ChatMessageRoleAssistant}
				results := []gopenai.ChatCompletionMessage{}
				for i, call := range s.Choices[0].ToolCalls {
					message.ToolCalls = append(message.ToolCalls, gopenai.ToolCall{
						ID: call.ID, Type: gopenai.ToolTypeFunction, Function: gopenai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
					})
					results = append(results, gopenai.ChatCompletionMessage{Role: gopenai.ChatMessageRoleTool, ToolCallID: call.ID, Content: toolResults[i]})
				}
				request.Model = "tools_answered/go-openai/" + way
				request.Messages = slices.Concat(request.Messages, []gopenai.ChatCompletionMessage{message}, results)
				answered, err := ask(o.client, request)
				answered.Error = communityFailure(err)
				s.Answered = &answered
				return s
			}
		}
	}
	return scenarios
}

func (o *communitySDK) faults() map[string]func() shown {
	scenarios := map[string]func() shown{}
	for way, ask := range o.ways(o.t.Context()) {
		put := func(name, model string, client *gopenai.Client, messages []gopenai.ChatCompletionMessage) {
			scenarios[name+"/"+way] = func() shown {
				s, err := ask(client, gopenai.ChatCompletionRequest{Model: model, Messages: messages})
				s.Error = communityFailure(err)
				return s
			}
		}
		for _, name := range slices.Concat(names(refused), names(broken)) {
			put(name, name+"/go-openai/"+way, o.client, communityMessages(asks))
		}
		put("bad_request", "bad_request/go-openai/"+way, o.client, []gopenai.ChatCompletionMessage{})
		put("wrong_key", "wrong_key/go-openai/"+way, o.with(o.w.base, "fn-not-a-key-of-this-server"), communityMessages(asks))
		put("wrong_scope", "wrong_scope/go-openai/"+way, o.with(o.w.base, o.w.searchKey), communityMessages(asks))
		put("unknown_model", "unknown_model/go-openai/"+way, o.with(o.w.rootURL(), o.w.chatKey), communityMessages(asks))
		put("no_model", "manual", o.client, communityMessages(asks))
		scenarios["too_fast/"+way] = func() shown {
			request := gopenai.ChatCompletionRequest{Model: "too_fast/go-openai/" + way, Messages: communityMessages(asks)}
			return untilRefused(func() shown {
				s, err := ask(o.with(o.w.publicURL(), "any"), request)
				s.Error = communityFailure(err)
				return s
			})
		}
		put("too_large", "too_large/go-openai/"+way, o.client, communityMessages(strings.Repeat("x", 3<<20)))
		if way != "create" {
			put("left", "left/go-openai/"+way, o.client, communityMessages(asks))
		}
	}
	return scenarios
}

func (o *communitySDK) silence() map[string]func() shown {
	scenarios := map[string]func() shown{}
	for _, name := range []string{"silence", "silence_error"} {
		scenarios[name+"/stream"] = func() shown {
			request := gopenai.ChatCompletionRequest{Model: name + "/go-openai/stream", Messages: communityMessages(asks)}
			s, err := o.stream(o.t.Context(), o.client, request, communityRecv)
			s.Error = communityFailure(err)
			return s
		}
	}
	return scenarios
}

// communityFailure is what an error shows.
func communityFailure(err error) *shownError {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*gopenai.APIError](err)
	if !ok {
		return &shownError{Class: "other", Message: err.Error()}
	}
	s := &shownError{Class: "APIError", Status: e.HTTPStatusCode, Message: e.Message, Type: e.Type}
	if e.Param != nil {
		s.Param = *e.Param
	}
	if code, ok := e.Code.(string); ok {
		s.Code = code
	}
	return s
}
