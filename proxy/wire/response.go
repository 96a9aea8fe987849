package wire

import "errors"

var (
	// errNoCompletion says that a body is no chat completion.
	errNoCompletion = errors.New("wire: not a chat completion: no JSON object")
	// ErrNoChoices says that a body is a JSON object, but has no choice.
	ErrNoChoices = errors.New("wire: not a chat completion: no list of choices, or an empty one")
)

// A Response is a chat completion as the upstream sent it.
type Response struct {
	body    []byte
	choices []choice
	usage   span
}

// A choice is where an element of choices keeps what is read or edited.
type choice struct {
	at     span
	index  int
	holder span // of the value of message, or of delta
	finish span // of the value of finish_reason
}

// A Choice is what one choice of an answer says.
type Choice struct {
	Index        int
	Text         string // the content or its text parts, decoded
	ToolCalls    bool   // the model calls a tool
	FinishReason string
}

// ReadResponse checks that body is one JSON object with a list of choices that
// has at least one. The response keeps body, which must not change any more. With
// [ErrNoChoices] comes the response of an object without choices.
func ReadResponse(body []byte) (*Response, error) {
	start := skipSpace(body, 0)
	if start == len(body) || body[start] != '{' {
		return nil, errNoCompletion
	}
	r, list := &Response{body: body}, span{}
	w := walk(body, start, 0)
	for w.member() {
		switch string(decodedKey(w.key.of(body))) {
		case "choices":
			list = w.skip()
		case "usage":
			r.usage = w.skip()
		default:
			w.skip()
		}
	}
	if w.i < 0 || skipSpace(body, w.i) < len(body) {
		return nil, errNoCompletion
	}
	if r.choices = readChoices(body, list, "message"); len(r.choices) == 0 {
		return r, ErrNoChoices
	}
	return r, nil
}

// ID returns the id of an answer, or of a frame of one; "" if it has none.
func ID(data []byte) string {
	top, ok := topObject(data)
	if !ok {
		return ""
	}
	text, _ := textValue(data, find(data, top, "id"))
	return text
}

// topObject checks that body is one JSON object and returns where it stands.
func topObject(body []byte) (span, bool) {
	start := skipSpace(body, 0)
	if start == len(body) || body[start] != '{' {
		return span{}, false
	}
	end := skipValue(body, start, 0)
	if end < 0 || skipSpace(body, end) < len(body) {
		return span{}, false
	}
	return span{start, end}, true
}

// readChoices notes the objects of a list of choices; holder is the name of the
// member that holds the text. b must be valid JSON.
func readChoices(b []byte, list span, holder string) []choice {
	if list.none() || b[list.start] != '[' {
		return nil
	}
	var all []choice
	for w := walk(b, list.start, 0); w.element(); {
		if w.kind() != '{' {
			w.skip()
			continue
		}
		c, index := choice{index: len(all)}, span{}
		m := walk(b, w.i, 0)
		for m.member() {
			switch string(decodedKey(m.key.of(b))) {
			case holder:
				c.holder = m.skip()
			case "finish_reason":
				c.finish = m.skip()
			case "index":
				index = m.skip()
			default:
				m.skip()
			}
		}
		c.at = span{w.i, m.i}
		w.i = m.i
		if n, ok := smallInt(index.of(b)); ok {
			c.index = n
		}
		all = append(all, c)
	}
	return all
}

// Choices returns what the choices say, in the order of the answer.
func (r *Response) Choices() []Choice {
	all := make([]Choice, len(r.choices))
	for i, c := range r.choices {
		content, calls := contentAndCalls(r.body, c.holder)
		all[i] = Choice{Index: c.index, Text: contentText(r.body, content, ""), ToolCalls: calls}
		all[i].FinishReason, _ = textValue(r.body, c.finish)
	}
	return all
}

// contentAndCalls returns the content of a message, and whether the message calls a tool
// or, the older way, a function. b must be valid JSON.
func contentAndCalls(b []byte, message span) (content span, calls bool) {
	if message.none() || b[message.start] != '{' {
		return span{}, false
	}
	var tools, function span
	for w := walk(b, message.start, 0); w.member(); {
		switch string(decodedKey(w.key.of(b))) {
		case "content":
			content = w.skip()
		case "tool_calls":
			tools = w.skip()
		case "function_call":
			function = w.skip()
		default:
			w.skip()
		}
	}
	return content, isNonEmptyList(tools.of(b)) || isObject(function.of(b))
}

// isNonEmptyList reports whether raw is a list with items.
func isNonEmptyList(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '[' && raw[skipSpace(raw, 1)] != ']'
}

// isObject reports whether raw is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// smallInt reads an index: digits only, few enough not to overflow.
func smallInt(raw []byte) (int, bool) {
	const digits = 9
	if len(raw) == 0 || len(raw) > digits {
		return 0, false
	}
	n := 0
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}
