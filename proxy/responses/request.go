package responses

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// A request is what a client asks for. Members of the chat request are kept as they are.
type request struct {
	model        string
	instructions *string
	input        []message
	stream       bool
	store        *bool
	previous     string
	metadata     map[string]string
	tools        json.RawMessage // as they were sent
	searches     bool            // the tools ask for file search
	limit        *int            // of the answer's tokens
	temperature  *float64
	topP         *float64
	user         *string
	text         json.RawMessage // as it was sent
	effort       *string
	retrieval    map[string]any             // retrieval_options that the tools come to
	filter       *assistants.Filter         // that the tools come to; nil: none
	unused       bool                       // tool_choice is none
	direct       map[string]json.RawMessage // members that the chat reads as they are
}

// A message is one of the chat's. Content is a string, or a list of parts.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
	// reference is the id of a message that a response had, whose text is still to be
	// found; "": the message is whole.
	reference string
}

// readers read the members of a request that may be there. null is as if absent.
var readers = map[string]func(in *request, name string, raw json.RawMessage) error{
	"model": func(in *request, name string, raw json.RawMessage) error { return readText(&in.model, name, raw) },
	"input": func(in *request, name string, raw json.RawMessage) (err error) {
		in.input, err = readInput(raw)
		return err
	},
	"instructions": func(in *request, name string, raw json.RawMessage) error {
		return readOptional(&in.instructions, name, raw, "a string")
	},
	"stream": func(in *request, name string, raw json.RawMessage) error {
		return readInto(&in.stream, name, raw, "true or false")
	},
	"store": func(in *request, name string, raw json.RawMessage) error {
		return readOptional(&in.store, name, raw, "true or false")
	},
	"previous_response_id": func(in *request, name string, raw json.RawMessage) error { return readText(&in.previous, name, raw) },
	"metadata":             (*request).readMetadata,
	"max_output_tokens":    (*request).readLimit,
	"temperature": func(in *request, name string, raw json.RawMessage) error {
		return readNumber(&in.temperature, name, raw, 2)
	},
	"top_p": func(in *request, name string, raw json.RawMessage) error { return readNumber(&in.topP, name, raw, 1) },
	"user": func(in *request, name string, raw json.RawMessage) error {
		return readOptional(&in.user, name, raw, "a string")
	},
	"tools":             (*request).readTools,
	"tool_choice":       (*request).readToolChoice,
	"text":              (*request).readFormat,
	"reasoning":         (*request).readReasoning,
	"stream_options":    (*request).readStreamOptions,
	"safety_identifier": (*request).passText,
	"prompt_cache_key":  (*request).passText,
	"metadata_filter":   (*request).pass,
	"retrieval_options": (*request).pass,
	"parallel_tool_calls": func(_ *request, name string, raw json.RawMessage) error {
		return readInto(new(bool), name, raw, "true or false")
	},
	"include":        only("[]", "The sources of a response are in its member citations; leave include out."),
	"background":     only("false", "A response is made while the client waits; leave background out, or use stream."),
	"truncation":     only(`"disabled"`, "truncation must be disabled. The assistant's setting enable_compaction summarises long conversations."),
	"service_tier":   only(`"auto"`, "service_tier must be auto: there is one tier."),
	"top_logprobs":   only("0", "A response has no log probabilities; leave top_logprobs out."),
	"max_tool_calls": only("", "Responses call no tools but file_search, once; leave max_tool_calls out."),
	"conversation":   only("", "There are no conversations; use previous_response_id with an assistant whose setting store_history is on."),
	"prompt":         only("", "There are no stored prompts; use the assistant's system_prompt, or instructions."),
}

// only accepts one value of a member, which says what this server does anyway.
func only(value, remedy string) func(*request, string, json.RawMessage) error {
	return func(_ *request, name string, raw json.RawMessage) error {
		if same(raw, value) {
			return nil
		}
		return unsupported(name, remedy)
	}
}

// same compares JSON values.
func same(raw json.RawMessage, value string) bool {
	var a, b any
	if value == "" || json.Unmarshal(raw, &a) != nil || json.Unmarshal([]byte(value), &b) != nil {
		return false
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// readRequest reads the body of a request.
func readRequest(body []byte) (*request, error) {
	if !utf8.Valid(body) {
		return nil, apierr.New(400, "invalid_utf8", "The request body is not UTF-8 text.")
	}
	members, err := jsonbody.Members(body)
	if err != nil {
		return nil, err
	}
	in := &request{direct: map[string]json.RawMessage{}, retrieval: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		read, known := readers[name]
		if !known {
			return nil, apierr.Unsupported(name)
		}
		if !given(members[name]) {
			continue
		}
		if err := read(in, name, members[name]); err != nil {
			return nil, err
		}
	}
	if in.input == nil {
		return nil, apierr.Missing("input")
	}
	if _, twice := in.direct["retrieval_options"]; twice && len(in.retrieval) > 0 {
		return nil, apierr.Invalid("retrieval_options", "Send either retrieval_options, or the tool file_search.")
	}
	if _, twice := in.direct["metadata_filter"]; twice && in.filter != nil {
		return nil, apierr.Invalid("metadata_filter", "Send either metadata_filter, or the filters of the tool file_search.")
	}
	return in, nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

func readInto[T any](into *T, name string, raw json.RawMessage, want string) error {
	if json.Unmarshal(raw, into) != nil {
		return apierr.InvalidType(name, name+" must be "+want+".")
	}
	return nil
}

func readOptional[T any](into **T, name string, raw json.RawMessage, want string) error {
	*into = new(T)
	return readInto(*into, name, raw, want)
}

// readText reads a text that is not empty.
func readText(into *string, name string, raw json.RawMessage) error {
	if err := readInto(into, name, raw, "a string"); err != nil {
		return err
	}
	if *into == "" {
		return apierr.Invalid(name, name+" must not be empty; leave it out instead.")
	}
	return nil
}

// readNumber reads a number from 0 to most.
func readNumber(into **float64, name string, raw json.RawMessage, most float64) error {
	if err := readOptional(into, name, raw, "a number"); err != nil {
		return err
	}
	if **into < 0 || **into > most {
		return apierr.Invalid(name, fmt.Sprintf("%s must be a number from 0 to %v.", name, most))
	}
	return nil
}

func (in *request) readLimit(name string, raw json.RawMessage) error {
	if err := readOptional(&in.limit, name, raw, "a whole number"); err != nil {
		return err
	}
	if *in.limit < 1 {
		return apierr.Invalid(name, name+" must be at least 1.")
	}
	return nil
}

// readMetadata reads what the client wants repeated in the response.
func (in *request) readMetadata(name string, raw json.RawMessage) (err error) {
	in.metadata, err = jsonbody.Metadata(name, raw)
	return err
}

// readReasoning reads how much the model is to think. Thoughts are not shown.
func (in *request) readReasoning(name string, raw json.RawMessage) error {
	var r struct {
		Effort  json.RawMessage `json:"effort" want:"a string"`
		Summary json.RawMessage `json:"summary" want:"a string"`
	}
	if err := jsonbody.Decode(raw, &r); err != nil {
		return jsonbody.Within(name, err)
	}
	if given(r.Summary) {
		return unsupported(name+".summary", "A response does not show the model's thoughts; leave reasoning.summary out.")
	}
	if !given(r.Effort) {
		return nil
	}
	if err := readOptional(&in.effort, name+".effort", r.Effort, "a string"); err != nil {
		return err
	}
	if *in.effort == "" {
		return apierr.Invalid(name+".effort", name+".effort must not be empty; leave it out instead.")
	}
	return nil
}

// readStreamOptions accepts a wish about padding, of which streams have none.
func (in *request) readStreamOptions(name string, raw json.RawMessage) error {
	var options struct {
		Obfuscation json.RawMessage `json:"include_obfuscation" want:"true or false"`
	}
	if err := jsonbody.Decode(raw, &options); err != nil {
		return jsonbody.Within(name, err)
	}
	if given(options.Obfuscation) {
		return readInto(new(bool), name+".include_obfuscation", options.Obfuscation, "true or false")
	}
	return nil
}

// pass hands a member on to the chat, which reads it.
func (in *request) pass(name string, raw json.RawMessage) error {
	in.direct[name] = raw
	return nil
}

func (in *request) passText(name string, raw json.RawMessage) error {
	if err := readInto(new(string), name, raw, "a string"); err != nil {
		return err
	}
	return in.pass(name, raw)
}

// chat is the chat request that the request becomes, after the messages of earlier turns.
func (in *request) chat(before []message) ([]byte, error) {
	var messages []message
	if in.instructions != nil && *in.instructions != "" {
		messages = append(messages, message{Role: "system", Content: *in.instructions})
	}
	body := map[string]any{"messages": slices.Concat(messages, before, in.input)}
	for name, raw := range in.direct {
		body[name] = raw
	}
	if in.model != "" {
		body["model"] = in.model
	}
	if in.stream {
		body["stream"], body["stream_options"] = true, map[string]bool{"include_usage": true}
	}
	if in.limit != nil {
		body["max_completion_tokens"] = *in.limit
	}
	if in.temperature != nil {
		body["temperature"] = *in.temperature
	}
	if in.topP != nil {
		body["top_p"] = *in.topP
	}
	if in.user != nil {
		body["user"] = *in.user
	}
	if in.effort != nil {
		body["reasoning_effort"] = *in.effort
	}
	if in.filter != nil {
		body[assistants.FilterField] = map[string]any{
			"required_tags": conditions(in.filter.Tags.Required), "excluded_tags": conditions(in.filter.Tags.Excluded),
		}
	}
	if len(in.retrieval) > 0 {
		if in.unused {
			in.retrieval["enabled"] = false
		}
		body["retrieval_options"] = in.retrieval
	}
	return encode(body)
}

// conditions returns conditions as the chat reads them, never nil. Those that compare with
// nothing have no value.
func conditions(list []assistants.TagCondition) []map[string]string {
	all := make([]map[string]string, len(list))
	for i, c := range list {
		all[i] = map[string]string{"key": c.Key, "condition": c.Condition}
		if c.Condition != assistants.TagIsNull && c.Condition != assistants.TagIsNotNull {
			all[i]["value"] = c.Value
		}
	}
	return all
}
