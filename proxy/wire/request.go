package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	maxMessages = 10_000
	maxFields   = 10_000 // top-level members; real requests have a few dozen
	maxN        = 128
	maxTopK     = 50

	maxCollections = 1000
)

// A Request is a chat completion request: the bytes the client sent, what was
// read from them, and the edits to be made.
type Request struct {
	body     []byte
	fields   []field
	list     span // of the value of messages
	messages []message

	model        string
	hasModel     bool
	stream       bool
	includeUsage bool
	n            int
	ext          Extensions

	edits edits
}

// A field is a top-level member.
type field struct{ key, value span } // the key without its quotes

// A message is where an element of messages keeps what is read or edited.
type message struct {
	at      span
	role    span // of the value
	content span // of the value
	last    int  // end of the last member's value, or after the opening brace
	empty   bool // there is no member
}

// A Message is what one message says: its role and its text, the content or
// the text parts joined by LF, decoded.
type Message struct{ Role, Text string }

// Extensions are Footnote's own members of a request.
type Extensions struct {
	Retrieval RetrievalOptions
	Citations CitationOptions
	Debug     DebugOptions
	// MetadataFilter reports that the member is present.
	MetadataFilter bool
}

// CitationOptions are the request's wishes for how citations are sent.
type CitationOptions struct {
	Events    bool // each marker in the stream, as soon as it is complete
	InMessage bool // the object in the message, too
	Uncited   bool // the factual sentences without a marker
}

// RetrievalOptions are the request's wishes for retrieval; nil where it has none.
type RetrievalOptions struct {
	Enabled  *bool
	TopK     *int
	Passages []Passage // of the client's own
	Only     bool      // nothing but the passages is used
	// Collections are the ids of those to search, of the assistant's; nil: all of them.
	Collections []string
}

// extensions never reach the upstream.
var extensions = []string{"citation_options", "retrieval_options", "metadata_filter", "debug_options"}

// ReadRequest checks what Footnote reads of a request and nothing else. The
// error is an [*Error]. The request keeps body, which must not change any more.
func ReadRequest(body []byte) (*Request, error) {
	r := &Request{body: body, n: 1}
	problem, e := r.readMembers()
	if e == nil {
		e = r.checkKeys(readFields)
	}
	if e != nil {
		return nil, e
	}
	if problem == nil {
		problem = r.checkFields()
	}
	if problem != nil {
		return nil, problem
	}
	return r, nil
}

// readMembers records the members of the body. e is set if it is not a JSON object,
// problem if anything else is wrong.
func (r *Request) readMembers() (problem, e *Error) {
	body := r.body
	if bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")) {
		return nil, invalidJSON("The request body begins with a byte order mark; send plain UTF-8.")
	}
	start := skipSpace(body, 0)
	switch {
	case start == len(body):
		return nil, invalidJSON("The request body is empty; send a JSON object.")
	case body[start] != '{':
		return nil, invalidJSON("The request body must be a JSON object.")
	}
	// The first problem is kept while the rest is still checked as JSON: that a body
	// is not JSON is the more useful error.
	w := walk(body, start, 0)
	for w.member() {
		f := field{key: w.key}
		if problem == nil && w.is("messages") && w.kind() == '[' {
			problem = r.readMessages(&w)
			f.value = r.list
		} else {
			f.value = w.skip()
		}
		if len(r.fields) < maxFields {
			r.fields = append(r.fields, f)
		} else if problem == nil {
			problem = &Error{"invalid_value", "", fmt.Sprintf("The request has more than %d members.", maxFields)}
		}
	}
	switch end := w.i; {
	case end == tooDeep:
		return nil, invalidJSON(fmt.Sprintf("The request body nests deeper than %d levels.", maxDepth))
	case end < 0:
		return nil, invalidJSON("The request body is not valid JSON.")
	case skipSpace(body, end) < len(body):
		return nil, invalidJSON("There is something after the JSON object in the request body.")
	case !utf8.Valid(body):
		return nil, InvalidUTF8()
	}
	return problem, nil
}

// readMessages records the messages of the list at w.i and moves w past it.
func (r *Request) readMessages(w *walker) *Error {
	var problem *Error
	start := w.i
	list := walk(w.b, w.i, w.depth)
	for list.element() {
		switch {
		case problem != nil:
			list.skip()
		case len(r.messages) == maxMessages:
			problem = &Error{"invalid_value", "messages", fmt.Sprintf("'messages' has more than %d items.", maxMessages)}
			list.skip()
		case list.kind() != '{':
			param := fmt.Sprintf("messages[%d]", len(r.messages))
			problem = &Error{"invalid_type", param, fmt.Sprintf("'%s' must be an object.", param)}
			list.skip()
		default:
			r.messages = append(r.messages, readMessage(&list))
		}
	}
	w.i = list.i
	r.list = span{start, max(start, list.i)}
	return problem
}

// readMessage records the message at list.i and moves list past it. Of several
// members with one name the last counts, as at the upstreams.
func readMessage(list *walker) message {
	m := message{at: span{start: list.i}, last: list.i + 1, empty: true}
	w := walk(list.b, list.i, list.depth)
	for w.member() {
		role, content := w.is("role"), w.is("content")
		v := w.skip()
		if role {
			m.role = v
		}
		if content {
			m.content = v
		}
		m.last, m.empty = v.end, false
	}
	list.i = w.i
	m.at.end = max(w.i, m.at.start)
	return m
}

// Forget drops the bytes of the request and all edits, so that a long answer
// need not hold them. Afterwards only Stream, IncludeUsage and N may be asked.
func (r *Request) Forget() {
	*r = Request{stream: r.stream, includeUsage: r.includeUsage, n: r.n}
}

// find returns the value of the top-level member called name.
func (r *Request) find(name string) span {
	for _, f := range r.fields {
		if keyIs(f.key.of(r.body), name) {
			return f.value
		}
	}
	return span{}
}

// Has reports whether the client sent a top-level member of that name.
func (r *Request) Has(field string) bool { return !r.find(field).none() }

// Size is the length of the request as the client sent it, in bytes.
func (r *Request) Size() int { return len(r.body) }

// Raw returns the value of a top-level member as the client wrote it, nil when
// there is none. It must not be changed.
func (r *Request) Raw(field string) []byte {
	v := r.find(field)
	if v.none() {
		return nil
	}
	return v.of(r.body)
}

// Model returns the model the client named, "" when it named none.
func (r *Request) Model() string { return r.model }

// HasModel reports whether the client sent a model.
func (r *Request) HasModel() bool { return r.hasModel }

// Stream reports whether the client asked for a stream.
func (r *Request) Stream() bool { return r.stream }

// IncludeUsage reports whether the client asked for a usage frame in its stream.
func (r *Request) IncludeUsage() bool { return r.includeUsage }

// N returns how many choices the client asked for, 1 when it did not say.
func (r *Request) N() int { return r.n }

// Extensions returns Footnote's own members of the request.
func (r *Request) Extensions() Extensions { return r.ext }

// MaxTokens returns the bound on the answer that the client set, as
// max_completion_tokens or max_tokens, and whether it set a usable one.
func (r *Request) MaxTokens() (int, bool) {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, err := strconv.Atoi(string(r.find(name).of(r.body))); err == nil && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// JSONMode reports whether the answer must be JSON, by response_format.
func (r *Request) JSONMode() bool {
	kind, _ := findText(r.body, r.find("response_format"), "type")
	return kind == "json_object" || kind == "json_schema"
}

// ForcedTool reports whether the model has to call a tool, by tool_choice or
// by the older function_call.
func (r *Request) ForcedTool() bool {
	if _, named := findText(r.body, r.find("function_call"), "name"); named {
		return true
	}
	choice := r.find("tool_choice")
	if word, ok := textValue(r.body, choice); ok {
		return word == "required" || word == "any"
	}
	kind, _ := findText(r.body, choice, "type")
	switch kind {
	case "", "auto", "none":
		return false
	case "allowed_tools":
		mode, _ := findText(r.body, find(r.body, choice, "allowed_tools"), "mode")
		return mode == "required"
	default:
		return true
	}
}

// HasFiles reports whether the request carries documents for the model to read: parts
// of the type file or input_file in its messages, or Cohere's documents.
func (r *Request) HasFiles() bool {
	if documents := r.find("documents"); !documents.none() && r.body[documents.start] == '[' {
		return true
	}
	for _, m := range r.messages {
		if hasFilePart(r.body, m.content) {
			return true
		}
	}
	return false
}

func hasFilePart(b []byte, content span) bool {
	if content.none() || b[content.start] != '[' {
		return false
	}
	for w := walk(b, content.start, 0); w.element(); {
		part := w.skip()
		if b[part.start] != '{' {
			continue
		}
		switch kind, _ := findText(b, part, "type"); kind {
		case "file", "input_file", "document":
			return true
		}
	}
	return false
}

// Messages returns the messages as the client sent them, edits not included.
func (r *Request) Messages() []Message {
	all := make([]Message, len(r.messages))
	for i, m := range r.messages {
		all[i] = Message{Role: r.role(m), Text: contentText(r.body, m.content, "\n")}
	}
	return all
}

// LastUserText returns the text of the last message of the user; "" when there
// is none or it has no text, as with an image alone.
func (r *Request) LastUserText() string {
	for i := len(r.messages) - 1; i >= 0; i-- {
		if r.role(r.messages[i]) == "user" {
			return contentText(r.body, r.messages[i].content, "\n")
		}
	}
	return ""
}

func (r *Request) role(m message) string {
	switch raw := m.role.of(r.body); string(raw) { // without making strings of the usual ones
	case `"user"`:
		return "user"
	case `"assistant"`:
		return "assistant"
	case `"system"`:
		return "system"
	case `"tool"`:
		return "tool"
	}
	role, _ := textValue(r.body, m.role)
	return role
}

// contentText returns the text of a content value: a string, or the text parts
// of a list, joined by sep.
func contentText(b []byte, content span, sep string) string {
	if text, ok := textValue(b, content); ok {
		return text
	}
	var all []byte
	eachTextPart(b, content, func(text span) {
		if len(all) > 0 {
			all = append(all, sep...)
		}
		all = appendUnquoted(all, b[text.start+1:text.end-1])
	})
	return string(all)
}

// eachTextPart calls do with the string value of every text part of a list.
// Parts of other kinds, such as images and refusals, are passed over.
func eachTextPart(b []byte, content span, do func(text span)) {
	if content.none() || b[content.start] != '[' {
		return
	}
	for w := walk(b, content.start, 0); w.element(); {
		part := w.skip()
		switch b[part.start] {
		case '"':
			do(part)
		case '{':
			kind, _ := findText(b, part, "type")
			text := find(b, part, "text")
			if (kind == "text" || kind == "input_text" || kind == "output_text") && !text.none() && b[text.start] == '"' {
				do(text)
			}
		}
	}
}
