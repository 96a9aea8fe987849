package extractive

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxChoices is OpenAI's bound of n.
const maxChoices = 128

// params are the parts of a request that this answerer honours.
type params struct {
	N              *int    `json:"n"`
	MaxTokens      *int    `json:"max_tokens"`
	MaxCompletion  *int    `json:"max_completion_tokens"`
	Stop           stopSet `json:"stop"`
	ResponseFormat *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// A stopSet is one string or several.
type stopSet []string

func (s *stopSet) UnmarshalJSON(raw []byte) error {
	var one *string
	if json.Unmarshal(raw, &one) == nil {
		if one != nil {
			*s = stopSet{*one}
		}
		return nil
	}
	var several []string
	if err := json.Unmarshal(raw, &several); err != nil {
		return errStop
	}
	*s = several
	return nil
}

var errStop = errors.New("stop is neither a string nor a list of strings")

// readParams reads a request's parameters; refusal is the body of a 400.
func readParams(body []byte) (p params, refusal []byte) {
	if len(body) == 0 {
		return p, nil
	}
	err := json.Unmarshal(body, &p)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		return p, refuse(wrong.Field, "invalid_type", fmt.Sprintf("The parameter %s has the wrong type.", wrong.Field))
	case errors.Is(err, errStop):
		return p, refuse("stop", "invalid_type", "The parameter stop must be a string or a list of strings.")
	default:
		return p, refuse("", "invalid_json", "The request is no JSON object.")
	}
	if p.N != nil && (*p.N < 1 || *p.N > maxChoices) {
		return p, refuse("n", "invalid_value", fmt.Sprintf("The parameter n must be between 1 and %d.", maxChoices))
	}
	for name, limit := range map[string]*int{"max_tokens": p.MaxTokens, "max_completion_tokens": p.MaxCompletion} {
		if limit != nil && *limit < 1 {
			return p, refuse(name, "invalid_value", fmt.Sprintf("The parameter %s must be at least 1.", name))
		}
	}
	return p, nil
}

func refuse(param, code, message string) []byte {
	body := map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}
	if param != "" {
		body["param"] = param
	}
	return encode(map[string]any{"error": body})
}

func (p params) jsonMode() bool {
	return p.ResponseFormat != nil && strings.HasPrefix(p.ResponseFormat.Type, "json")
}

// limit is the largest number of tokens of the answer, 0 for none.
func (p params) limit() int {
	switch {
	case p.MaxCompletion != nil:
		return *p.MaxCompletion
	case p.MaxTokens != nil:
		return *p.MaxTokens
	}
	return 0
}

// shape puts a text into the form that the request asked for.
func (p params) shape(text string) completion {
	if p.jsonMode() {
		text = string(encode(map[string]string{"answer": text}))
	}
	a := completion{choices: 1, finish: "stop", usageChunk: p.StreamOptions != nil && p.StreamOptions.IncludeUsage}
	if p.N != nil {
		a.choices = *p.N
	}
	for _, stop := range p.Stop {
		if before, _, found := strings.Cut(text, stop); found && stop != "" {
			text = before
		}
	}
	a.pieces = pieces(text)
	if limit := p.limit(); limit > 0 && len(a.pieces) > limit {
		a.pieces, a.finish = a.pieces[:limit], "length"
	}
	return a
}

// pieces cuts a text before each run of spaces; joined they are the text again. Text
// without spaces is cut every few characters.
func pieces(text string) []string {
	const most = 12 // code points; longer than nearly every word
	var out []string
	start, runes, space := 0, 0, true
	for i, r := range text {
		isSpace := r == ' ' || r == '\n'
		if i > start && (isSpace && !space || runes == most) {
			out = append(out, text[start:i])
			start, runes = i, 0
		}
		space = isSpace
		runes++
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
