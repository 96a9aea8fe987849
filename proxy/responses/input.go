package responses

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// maxInput bounds the items of an input.
const maxInput = 10_000

// readInput reads a text, or a list of messages.
func readInput(raw json.RawMessage) ([]message, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil, apierr.Invalid("input", "input must not be empty.")
		}
		return []message{{Role: "user", Content: text}}, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, apierr.InvalidType("input", "input must be a string, or a list of messages.")
	}
	if len(items) == 0 || len(items) > maxInput {
		return nil, apierr.Invalid("input", fmt.Sprintf("input must have from 1 to %d messages.", maxInput))
	}
	list := make([]message, len(items))
	for i, item := range items {
		m, err := readItem(item, fmt.Sprintf("input[%d]", i))
		if err != nil {
			return nil, err
		}
		list[i] = m
	}
	return list, nil
}

// roles are those of messages, by their names in chats. A developer's message is a system's,
// which every model server knows.
var roles = map[string]string{"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}

// readItem reads a message. One that a response had may be sent back as it was.
func readItem(raw json.RawMessage, at string) (message, error) {
	var head struct {
		Type *string `json:"type"`
	}
	if json.Unmarshal(raw, &head) == nil && head.Type != nil && *head.Type == "item_reference" {
		return readReference(raw, at)
	}
	if json.Unmarshal(raw, &head) == nil && head.Type != nil && *head.Type != "message" {
		return message{}, unsupported(at, "Only messages are supported as input, not items of the type "+shown(*head.Type)+".")
	}
	var in struct {
		Type    json.RawMessage `json:"type" want:"a string"`
		ID      json.RawMessage `json:"id" want:"a string"`
		Status  json.RawMessage `json:"status" want:"a string"`
		Role    string          `json:"role" want:"a string" required:"true"`
		Content json.RawMessage `json:"content" want:"a string, or a list of parts" required:"true"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil {
		return message{}, jsonbody.Within(at, err)
	}
	for name, value := range map[string]json.RawMessage{"type": in.Type, "id": in.ID, "status": in.Status} {
		if given(value) {
			if err := readInto(new(string), at+"."+name, value, "a string"); err != nil {
				return message{}, err
			}
		}
	}
	role, known := roles[in.Role]
	if !known {
		return message{}, apierr.Invalid(at+".role", at+".role must be one of user, assistant, system, developer.")
	}
	var text string
	if json.Unmarshal(in.Content, &text) == nil && given(in.Content) {
		return message{Role: role, Content: text}, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(in.Content, &parts) != nil || !given(in.Content) {
		return message{}, apierr.InvalidType(at+".content", at+".content must be a string, or a list of parts.")
	}
	if len(parts) == 0 {
		return message{}, apierr.Invalid(at+".content", at+".content must not be empty.")
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		var err error
		if texts[i], err = readPart(part, fmt.Sprintf("%s.content[%d]", at, i)); err != nil {
			return message{}, err
		}
	}
	return joined(role, texts), nil
}

// readReference reads a reference to a message that a response had, which some SDKs send
// instead of the message.
func readReference(raw json.RawMessage, at string) (message, error) {
	var in struct {
		Type string `json:"type" want:"a string"`
		ID   string `json:"id" want:"a string" required:"true"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil {
		return message{}, jsonbody.Within(at, err)
	}
	if in.ID == "" {
		return message{}, apierr.Invalid(at+".id", at+".id must not be empty.")
	}
	return message{Role: "assistant", reference: in.ID}, nil
}

// joined is the message with several parts. Those of an answer are one text, as they were
// made.
func joined(role string, texts []string) message {
	if len(texts) == 1 || role == "assistant" {
		return message{Role: role, Content: strings.Join(texts, "")}
	}
	parts := make([]map[string]string, len(texts))
	for i, text := range texts {
		parts[i] = map[string]string{"type": "text", "text": text}
	}
	return message{Role: role, Content: parts}
}

// textParts are the types of parts with a text, by the name of the member that has it.
var textParts = map[string]string{"input_text": "text", "output_text": "text", "refusal": "refusal"}

// readPart reads a part of a message, which must be a text.
func readPart(raw json.RawMessage, at string) (string, error) {
	members, err := jsonbody.Members(raw)
	if err != nil {
		return "", jsonbody.Within(at, err)
	}
	var kind string
	if members["type"] == nil {
		return "", apierr.Missing(at + ".type")
	}
	if err := readInto(&kind, at+".type", members["type"], "a string"); err != nil {
		return "", err
	}
	member, known := textParts[kind]
	if !known {
		return "", unsupported(at, "Only text is supported as input, not parts of the type "+shown(kind)+
			". Upload files as documents, and the assistant answers from them.")
	}
	for name := range members {
		if !slices.Contains([]string{"type", member, "annotations", "logprobs"}, name) {
			return "", apierr.Unsupported(at + "." + name)
		}
	}
	if members[member] == nil {
		return "", apierr.Missing(at + "." + member)
	}
	var text *string
	if json.Unmarshal(members[member], &text) != nil || text == nil {
		return "", apierr.InvalidType(at+"."+member, at+"."+member+" must be a string.")
	}
	return *text, nil
}

// shown is a name that a client has sent, as a message repeats it.
func shown(name string) string {
	const longest = 64
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(name, ""))
}
