package extractive

import "fmt"

// turns are the messages of a request. Their text is not read here: the question comes
// with the call.
type turns []struct {
	Role    role `json:"role"`
	Content form `json:"content"`
}

// A role is who says a message, as JSON.
type role string

func (r *role) UnmarshalJSON(raw []byte) error {
	*r = role(raw)
	return nil
}

// mayBeSilent reports whether messages of the role may have the content null: an
// assistant may have called tools instead.
func (r role) mayBeSilent() bool { return r == `"assistant"` || r == `"function"` }

// A form is the first byte of a content's JSON; 0: there is none.
type form byte

func (f *form) UnmarshalJSON(raw []byte) error {
	*f = form(raw[0])
	return nil
}

// check returns the body of a 400 for the first message whose content is no text and
// no list of parts, as OpenAI refuses it; nil if there is none.
func (t turns) check() []byte {
	for i, m := range t {
		switch {
		case m.Content == '"', m.Content == '[':
		case m.Role.mayBeSilent() && (m.Content == 0 || m.Content == 'n'):
		default:
			param, code, fault := fmt.Sprintf("messages[%d].content", i), "invalid_type", "has the wrong type"
			if m.Content == 0 {
				code, fault = "missing_required_parameter", "is missing"
			}
			return refuse(param, code, fmt.Sprintf("The parameter %s %s. Send a string or a list of parts.", param, fault))
		}
	}
	return nil
}
