package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

// openaiGo drives openai-go. It reads nothing from the environment, as its
// services are made without its client.
func openaiGo(t *testing.T, w *world) suites {
	o := &goSDK{t: t, w: w, service: openai.NewChatCompletionService(
		option.WithBaseURL(w.base), option.WithAPIKey(w.chatKey), option.WithHTTPClient(httpClient(t)),
	)}
	return func(suite string) map[string]shown {
		return together(map[string]func() map[string]func() shown{"answers": o.answers, "faults": o.faults, "silence": o.silence}[suite]())
	}
}

type goSDK struct {
	t       *testing.T
	w       *world
	service openai.ChatCompletionService
}

// goAsk asks in one of the SDK's ways, and returns the message that a next turn
// would repeat in addition to what is shown.
type goAsk func(params openai.ChatCompletionNewParams, options ...option.RequestOption) (shown, openai.ChatCompletionMessageParamUnion, error)

func (o *goSDK) ways(ctx context.Context) map[string]goAsk {
	return map[string]goAsk{
		"create": func(params openai.ChatCompletionNewParams, options ...option.RequestOption) (shown, openai.ChatCompletionMessageParamUnion, error) {
			completion, err := o.service.New(ctx, params, options...)
			if err != nil {
				return shown{}, openai.ChatCompletionMessageParamUnion{}, err
			}
			s := goWhole(*completion)
			s.Citations = decoded(completion.JSON.ExtraFields["citations"].Raw())
			return s, completion.Choices[0].Message.ToParam(), nil
		},
		"stream": func(params openai.ChatCompletionNewParams, options ...option.RequestOption) (shown, openai.ChatCompletionMessageParamUnion, error) {
			events, _, err := o.stream(ctx, params, options, nil)
			return events, turn(events), err
		},
		"accumulator": func(params openai.ChatCompletionNewParams, options ...option.RequestOption) (shown, openai.ChatCompletionMessageParamUnion, error) {
			events, final, err := o.stream(ctx, params, options, nil)
			if err != nil || len(final.Choices) == 0 {
				return events, openai.ChatCompletionMessageParamUnion{}, err
			}
			s := goWhole(final.ChatCompletion)
			s.FinalCitations = decoded(final.JSON.ExtraFields["citations"].Raw())
			s.Citations, s.CitationsChunks, s.CitationsOnFinish = events.Citations, events.CitationsChunks, events.CitationsOnFinish
			return s, final.Choices[0].Message.ToParam(), nil
		},
	}
}

// stream collects chunks by hand and with the accumulator, until the stream
// ends or enough says so.
func (o *goSDK) stream(
	ctx context.Context, params openai.ChatCompletionNewParams, options []option.RequestOption, enough func(shown) bool,
) (shown, openai.ChatCompletionAccumulator, error) {
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	chunks := o.service.NewStreaming(ctx, params, options...)
	defer func() { _ = chunks.Close() }() // read, or left
	var (
		events collector
		final  openai.ChatCompletionAccumulator
	)
	for chunks.Next() {
		chunk := chunks.Current()
		if !final.AddChunk(chunk) {
			o.t.Errorf("the accumulator refuses %s", chunk.RawJSON())
		}
		goAdd(&events, chunk)
		if enough != nil && enough(events.shown) {
			return events.shown, final, nil
		}
	}
	return events.shown, final, chunks.Err()
}

func goAdd(events *collector, chunk openai.ChatCompletionChunk) {
	finish := len(chunk.Choices) > 0 && chunk.Choices[0].FinishReason != ""
	events.chunk(string(chunk.Object), chunk.Model, decoded(chunk.JSON.ExtraFields["citations"].Raw()), finish)
	for _, c := range chunk.Choices {
		known := events.choice(int(c.Index))
		known.Text += c.Delta.Content
		for _, call := range c.Delta.ToolCalls {
			known.call(int(call.Index)).add(call.ID, call.Function.Name, call.Function.Arguments)
		}
		known.Logprobs = append(known.Logprobs, goTokens(c.Logprobs.Content)...)
		if a := decoded(c.Delta.JSON.ExtraFields["annotations"].Raw()); a != nil {
			known.Annotations = a
		}
		known.FinishReason += c.FinishReason
	}
	if chunk.JSON.Usage.Valid() {
		events.usage(int(chunk.Usage.TotalTokens), len(chunk.Choices))
	}
}

func goTokens(content []openai.ChatCompletionTokenLogprob) []string {
	var tokens []string
	for _, token := range content {
		tokens = append(tokens, token.Token)
	}
	return tokens
}

// goWhole is what a completion shows, or the accumulator's.
func goWhole(completion openai.ChatCompletion) shown {
	s := shown{Object: string(completion.Object), Model: completion.Model, Usage: int(completion.Usage.TotalTokens)}
	for _, c := range completion.Choices {
		choice := shownChoice{Index: int(c.Index), Text: c.Message.Content, FinishReason: c.FinishReason, Logprobs: goTokens(c.Logprobs.Content)}
		for i, call := range c.Message.ToolCalls {
			choice.call(i).add(call.ID, call.Function.Name, call.Function.Arguments)
		}
		if len(c.Message.Annotations) > 0 {
			choice.Annotations = decoded(c.Message.JSON.Annotations.Raw())
		}
		s.Choices = append(s.Choices, choice)
	}
	return s
}

// turn is the message that a loop over chunks puts together by hand.
func turn(s shown) openai.ChatCompletionMessageParamUnion {
	var message openai.ChatCompletionAssistantMessageParam
	if s.text() != "" {
		message.Content.OfString = openai.String(s.text())
	}
	if len(s.Choices) > 0 {
		for _, call := range s.Choices[0].ToolCalls {
			message.ToolCalls = append(message.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
					ID:       call.ID,
					Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: call.Arguments},
				},
			})
		}
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &message}
}

func goRequests(picture string) map[string]openai.ChatCompletionNewParams {
	plain := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asks)}
	return map[string]openai.ChatCompletionNewParams{
		"question":  {Messages: plain, Temperature: openai.Float(0.5)},
		"converted": {Messages: plain},
		"choices":   {Messages: plain, N: openai.Int(2)},
		"logprobs":  {Messages: plain, Logprobs: openai.Bool(true), TopLogprobs: openai.Int(2)},
		"structured": {Messages: plain, ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "Vacation", Schema: vacationSchema, Strict: openai.Bool(true),
			}},
		}},
		"images": {Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(asksPicture),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL, Detail: "low"}),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: picture}),
		})}},
		"tools": {
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asksOffices)},
			Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name: "local_holidays", Description: openai.String(toolPurpose), Parameters: officeSchema, Strict: openai.Bool(true),
			})},
			ToolChoice:        openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("auto")},
			ParallelToolCalls: openai.Bool(true),
		},
	}
}

func (o *goSDK) answers() map[string]func() shown {
	scenarios := map[string]func() shown{}
	for way, ask := range o.ways(o.t.Context()) {
		for name, params := range goRequests(o.w.picture()) {
			scenarios[name+"/"+way] = func() shown {
				params.Model = name + "/openai-go/" + way
				var options []option.RequestOption
				if name == "question" {
					options = append(options, option.WithJSONSet("x_vendor", vendor)) // it has no type
				}
				s, message, err := ask(params, options...)
				s.Error = goFailure(err)
				if name != "tools" || err != nil {
					return s
				}
				params.Model = "tools_answered/openai-go/" + way
				params.Messages = append(slices.Clone(params.Messages), message)
				for i, call := range s.Choices[0].ToolCalls {
					params.Messages = append(params.Messages, openai.ToolMessage(toolResults[i], call.ID))
				}
				answered, _, err := ask(params)
				answered.Error = goFailure(err)
				s.Answered = &answered
				return s
			}
		}
	}
	return scenarios
}

func (o *goSDK) faults() map[string]func() shown {
	plain := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asks)}
	scenarios := map[string]func() shown{}
	for way, ask := range o.ways(o.t.Context()) {
		put := func(name, model string, messages []openai.ChatCompletionMessageParamUnion, options ...option.RequestOption) {
			scenarios[name+"/"+way] = func() shown {
				s, _, err := ask(openai.ChatCompletionNewParams{Model: model, Messages: messages}, options...)
				s.Error = goFailure(err)
				return s
			}
		}
		for _, name := range slices.Concat(names(refused), names(broken)) {
			put(name, name+"/openai-go/"+way, plain)
		}
		put("bad_request", "bad_request/openai-go/"+way, plain, option.WithJSONSet("messages", []string{}))
		put("wrong_key", "wrong_key/openai-go/"+way, plain, option.WithAPIKey("fn-not-a-key-of-this-server"))
		put("wrong_scope", "wrong_scope/openai-go/"+way, plain, option.WithAPIKey(o.w.searchKey))
		put("unknown_model", "unknown_model/openai-go/"+way, plain, option.WithBaseURL(o.w.rootURL()))
		put("no_model", "manual", plain)
		scenarios["too_fast/"+way] = func() shown {
			params := openai.ChatCompletionNewParams{Model: "too_fast/openai-go/" + way, Messages: plain}
			return untilRefused(func() shown {
				s, _, err := ask(params, option.WithBaseURL(o.w.publicURL()), option.WithAPIKey("any"), option.WithMaxRetries(0))
				s.Error = goFailure(err)
				return s
			})
		}
		put("too_large", "too_large/openai-go/"+way, []openai.ChatCompletionMessageParamUnion{openai.UserMessage(strings.Repeat("x", 3<<20))})
	}
	scenarios["left/stream"] = func() shown {
		params := openai.ChatCompletionNewParams{Model: "left/openai-go/stream", Messages: plain}
		s, _, err := o.stream(o.t.Context(), params, nil, func(s shown) bool { return s.text() != "" })
		s.Error = goFailure(err)
		return s
	}
	scenarios["left/context"] = func() shown {
		ctx, cancel := context.WithCancel(o.t.Context())
		defer cancel()
		params := openai.ChatCompletionNewParams{Model: "left/openai-go/context", Messages: plain}
		s, _, err := o.stream(ctx, params, nil, func(s shown) bool {
			if s.text() != "" {
				cancel()
			}
			return false
		})
		s.Error = goFailure(err)
		return s
	}
	return scenarios
}

func (o *goSDK) silence() map[string]func() shown {
	scenarios := map[string]func() shown{}
	for _, name := range []string{"silence", "silence_error"} {
		scenarios[name+"/stream"] = func() shown {
			params := openai.ChatCompletionNewParams{Model: name + "/openai-go/stream"}
			params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asks)}
			s, _, err := o.stream(o.t.Context(), params, nil, nil)
			s.Error = goFailure(err)
			return s
		}
	}
	return scenarios
}

// goFailure is what an error shows. In mid-stream it is the event that has the fields.
func goFailure(err error) *shownError {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		return &shownError{
			Class: "Error", Status: e.StatusCode, Message: e.Message, Type: e.Type, Param: e.Param, Code: e.Code,
			RequestID: e.Response.Header.Get("X-Request-Id"), RetryAfter: e.Response.Header.Get("Retry-After"),
		}
	}
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok {
		var body struct{ Error shownError }
		if json.Unmarshal(e.Event.Data, &body) == nil && strings.Contains(e.Message, body.Error.Message) {
			body.Error.Class = "StreamError"
			return &body.Error
		}
	}
	return &shownError{Class: "other", Message: err.Error()}
}
