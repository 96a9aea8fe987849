package responses

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"footnote/proxy/apierr"
	"footnote/proxy/filters"
	"footnote/proxy/jsonbody"
)

// fileSearch is the type of the only tool.
const fileSearch = "file_search"

// maxPassages bounds the passages that file search finds.
const maxPassages = 50

// readTools reads the tool file_search, which says where and for what the assistant's
// documents are searched. There are no other tools.
func (in *request) readTools(name string, raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return apierr.InvalidType(name, "tools must be a list of tools.")
	}
	for i, tool := range list {
		at := fmt.Sprintf("%s[%d]", name, i)
		var head struct {
			Type *string `json:"type"`
		}
		if json.Unmarshal(tool, &head) != nil || head.Type == nil {
			return apierr.InvalidType(at+".type", at+".type must be a string.")
		}
		if *head.Type != fileSearch {
			return unsupported(at, "The only tool is file_search, not "+shown(*head.Type)+". For tools of your own use /v1/chat/completions.")
		}
		if in.searches {
			return apierr.Invalid(at, "The tool file_search can be there once.")
		}
		if err := in.readFileSearch(tool, at); err != nil {
			return err
		}
	}
	in.tools = raw
	return nil
}

func (in *request) readFileSearch(raw json.RawMessage, at string) error {
	var tool struct {
		Type    string          `json:"type" want:"a string" required:"true"`
		Stores  []string        `json:"vector_store_ids" want:"a list of ids" required:"true"`
		Limit   json.RawMessage `json:"max_num_results" want:"a whole number"`
		Filters json.RawMessage `json:"filters" want:"an object"`
		Ranking json.RawMessage `json:"ranking_options" want:"an object"`
	}
	if err := jsonbody.Decode(raw, &tool); err != nil {
		return jsonbody.Within(at, err)
	}
	if len(tool.Stores) == 0 || len(tool.Stores) > 1000 {
		return apierr.Invalid(at+".vector_store_ids", at+".vector_store_ids must have from 1 to 1000 ids.")
	}
	in.searches = true
	in.retrieval["collections"] = tool.Stores
	if given(tool.Limit) {
		var limit int
		if err := readInto(&limit, at+".max_num_results", tool.Limit, "a whole number"); err != nil {
			return err
		}
		if limit < 1 || limit > maxPassages {
			return apierr.Invalid(at+".max_num_results", fmt.Sprintf("%s.max_num_results must be a whole number from 1 to %d.", at, maxPassages))
		}
		in.retrieval["top_k"] = limit
	}
	all, err := filters.Read(tool.Filters, at+".filters")
	if err != nil {
		return err
	}
	if len(all) > 1 {
		return unsupported(at+".filters", `Alternatives ("or", "in" with several values) are supported by /v1/vector_stores/{id}/search only.`)
	}
	if !all[0].IsZero() {
		in.filter = &all[0]
	}
	return readRanking(tool.Ranking, at+".ranking_options")
}

// rankers are those of OpenAI, all of which are this server's own.
var rankers = []string{"auto", "none", "default-2024-08-21", "default-2024-11-15"}

func readRanking(raw json.RawMessage, at string) error {
	if !given(raw) {
		return nil
	}
	var in struct {
		Ranker    *string  `json:"ranker" want:"a string"`
		Threshold *float64 `json:"score_threshold" want:"a number"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil {
		return jsonbody.Within(at, err)
	}
	if in.Ranker != nil && !slices.Contains(rankers, *in.Ranker) {
		return apierr.Invalid(at+".ranker", at+".ranker must be one of "+strings.Join(rankers, ", ")+".")
	}
	if in.Threshold != nil && *in.Threshold != 0 {
		return unsupported(at+".score_threshold", "The least score of a passage is the assistant's setting retrieval_score_threshold; leave score_threshold out.")
	}
	return nil
}

// readToolChoice reads whether the tool is used, which it is for every question unless the
// choice is none.
func (in *request) readToolChoice(name string, raw json.RawMessage) error {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		switch word {
		case "auto", "required":
			return nil
		case "none":
			in.unused = true
			return nil
		}
		return apierr.Invalid(name, "tool_choice must be auto, required, none or file_search.")
	}
	var choice struct {
		Type string `json:"type" want:"a string" required:"true"`
	}
	if err := jsonbody.Decode(raw, &choice); err != nil || choice.Type != fileSearch {
		return unsupported(name, "tool_choice must be auto, required, none or {\"type\": \"file_search\"}.")
	}
	return nil
}

// readFormat reads the form of the text, which the chat calls response_format.
func (in *request) readFormat(name string, raw json.RawMessage) error {
	var text struct {
		Format    json.RawMessage `json:"format" want:"an object"`
		Verbosity json.RawMessage `json:"verbosity" want:"a string"`
	}
	if err := jsonbody.Decode(raw, &text); err != nil {
		return jsonbody.Within(name, err)
	}
	in.text = raw
	if given(text.Verbosity) {
		if err := readInto(new(string), name+".verbosity", text.Verbosity, "a string"); err != nil {
			return err
		}
		in.direct["verbosity"] = text.Verbosity
	}
	if !given(text.Format) {
		return nil
	}
	at := name + ".format"
	var format struct {
		Type        string          `json:"type" want:"a string" required:"true"`
		Name        json.RawMessage `json:"name" want:"a string"`
		Schema      json.RawMessage `json:"schema" want:"an object"`
		Strict      json.RawMessage `json:"strict" want:"true or false"`
		Description json.RawMessage `json:"description" want:"a string"`
	}
	if err := jsonbody.Decode(text.Format, &format); err != nil {
		return jsonbody.Within(at, err)
	}
	schema := map[string]json.RawMessage{}
	for member, value := range map[string]json.RawMessage{"name": format.Name, "schema": format.Schema, "strict": format.Strict, "description": format.Description} {
		if given(value) {
			schema[member] = value
		}
	}
	switch format.Type {
	case "text", "json_object":
		if len(schema) > 0 {
			return apierr.Invalid(at, at+" of the type "+format.Type+" has no other members.")
		}
		if format.Type == "text" {
			return nil
		}
	case "json_schema":
		if err := checkSchema(at, schema); err != nil {
			return err
		}
	default:
		return apierr.Invalid(at+".type", at+".type must be one of text, json_schema, json_object.")
	}
	chat := map[string]any{"type": format.Type}
	if len(schema) > 0 {
		chat["json_schema"] = schema
	}
	body, err := encode(chat)
	in.direct["response_format"] = body
	return err
}

// checkSchema checks what is said of a JSON schema, which the model server reads.
func checkSchema(at string, schema map[string]json.RawMessage) error {
	var object map[string]json.RawMessage
	for _, member := range []string{"name", "schema"} {
		if schema[member] == nil {
			return apierr.Missing(at + "." + member)
		}
	}
	if json.Unmarshal(schema["schema"], &object) != nil {
		return apierr.InvalidType(at+".schema", at+".schema must be an object.")
	}
	for member, into := range map[string]any{"name": new(string), "description": new(string), "strict": new(bool)} {
		if raw := schema[member]; raw != nil && json.Unmarshal(raw, into) != nil {
			return apierr.InvalidType(at+"."+member, at+"."+member+" has the wrong type.")
		}
	}
	return nil
}

// renamed returns the error of a chat with the name of the parameter that the client has
// sent; nil: it has that name already, or is no error of ours.
func (in *request) renamed(body []byte) []byte {
	const theirs = "retrieval_options.collections"
	var got apierr.Body
	if !in.searches || json.Unmarshal(body, &got) != nil || got.Error.Param == nil || *got.Error.Param != theirs {
		return nil
	}
	at := "tools[0].vector_store_ids"
	got.Error.Param = &at
	out, err := json.Marshal(got)
	if err != nil {
		return nil
	}
	return out
}
