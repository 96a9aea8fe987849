package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
	"footnote/proxy/wire"
)

// maxText bounds the text of a check, in code points.
const maxText = 100_000

// A request is what the client wants checked, and by what: an assistant's documents,
// or passages.
type request struct {
	text      string
	assistant string
	passages  []wire.Passage // nil: the assistant's documents
	filter    assistants.Filter
}

func readRequest(body []byte) (request, error) {
	var in struct {
		Text      *string         `json:"text" want:"a string" required:"yes"`
		Assistant *string         `json:"assistant" want:"a string"`
		Passages  json.RawMessage `json:"passages" want:"a list of passages"`
		Filter    json.RawMessage `json:"metadata_filter" want:"an object"`
	}
	var r request
	if !utf8.Valid(body) {
		return r, wire.InvalidUTF8()
	}
	if err := jsonbody.Decode(body, &in); err != nil {
		return r, err
	}
	r.text = *in.Text
	switch {
	case strings.TrimSpace(r.text) == "":
		return r, apierr.Invalid("text", "text must not be empty.")
	case utf8.RuneCountInString(r.text) > maxText:
		return r, apierr.Invalid("text", fmt.Sprintf("text has more than %d characters. Check it in parts.", maxText))
	}
	switch {
	case in.Assistant == nil && in.Passages == nil:
		return r, apierr.Missing("assistant")
	case in.Assistant != nil && in.Passages != nil:
		return r, apierr.Invalid("passages", "Send either assistant or passages.")
	case in.Passages != nil && in.Filter != nil:
		return r, apierr.Invalid("metadata_filter", "metadata_filter needs an assistant.")
	case in.Passages != nil:
		return r, r.readPassages(in.Passages)
	}
	r.assistant = *in.Assistant
	if in.Filter == nil || string(in.Filter) == "null" {
		return r, nil
	}
	var err error
	r.filter, err = assistants.ParseFilter(in.Filter)
	return r, err
}

func (r *request) readPassages(raw []byte) (err error) {
	if r.passages, err = wire.ReadPassages("passages", raw); err != nil {
		return err
	}
	switch {
	case string(raw) == "null":
		return apierr.InvalidType("passages", "passages must be a list of passages.")
	case len(r.passages) == 0:
		return apierr.Invalid("passages", "passages must hold at least one passage.")
	}
	return nil
}
