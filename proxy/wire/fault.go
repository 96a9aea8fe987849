package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxPlainError bounds an error that is plain text.
const maxPlainError = 2_000

// ErrorObject reads an upstream's report of a failure in any of the forms that
// upstreams use: OpenAI's error object (llama.cpp's with a numeric code,
// Google's in a list), Anthropic's, OpenRouter's inside a frame, an error that
// is a string (Ollama), FastAPI's detail, a bare message, a list of errors, or
// one line of plain text. ok is false for anything else: an answer, HTML, broken
// JSON. The words are the upstream's; [Redact] removes what must not leave.
func ErrorObject(data []byte) (message, typ, param, code string, ok bool) {
	data = bytes.TrimSpace(TrimMark(data))
	switch {
	case len(data) == 0:
		return "", "", "", "", false
	case data[0] == '{', data[0] == '[':
		return AnsweredError(data)
	case data[0] != '"':
		return plainError(data)
	case skipValue(data, 0, 0) == len(data):
		message, _ = textValue(data, span{0, len(data)})
	}
	return message, "", "", "", message != ""
}

// AnsweredError is [ErrorObject] for an answer with a status of success. Only a JSON
// object or list counts there: text may be anything, such as a whole answer that
// cannot be read or a traceback, and must not become a message.
func AnsweredError(data []byte) (message, typ, param, code string, ok bool) {
	data = bytes.TrimSpace(TrimMark(data))
	if len(data) == 0 || data[0] != '{' && data[0] != '[' || skipValue(data, 0, 0) != len(data) {
		return "", "", "", "", false
	}
	at := span{0, len(data)}
	if data[0] == '[' {
		if at = firstElement(data, at); at.none() || data[at.start] != '{' {
			return "", "", "", "", false
		}
	}
	f := readFault(data, at)
	return f.message, f.typ, f.param, f.code, f.found
}

// A fault is an error report in the making.
type fault struct {
	message, typ, param, code string
	found                     bool
}

// readFault reads the error report in the object at top.
func readFault(b []byte, top span) fault {
	report := find(b, top, "error")
	hasChoices := isNonEmptyList(find(b, top, "choices").of(b))
	switch {
	case isReport(report.of(b)) && b[report.start] == '{':
		return faultOf(b, report)
	case isReport(report.of(b)):
		// Other members may say more than the bare error.
		f := faultOf(b, top)
		if text, ok := textValue(b, report); ok && f.message == "" {
			f.message = text
		}
		return f
	case hasChoices:
		return choiceFault(b, find(b, top, "choices"))
	}
	if errors := find(b, top, "errors"); isReport(errors.of(b)) {
		if b[errors.start] == '[' {
			errors = firstElement(b, errors)
		}
		if text, ok := textValue(b, errors); ok {
			return fault{message: text, found: true}
		}
		return faultOf(b, errors)
	}
	if detail := find(b, top, "detail"); isReport(detail.of(b)) && b[detail.start] != '"' {
		if b[detail.start] == '[' { // FastAPI lists what is wrong with the request
			detail = firstElement(b, detail)
		}
		return faultOf(b, detail)
	}
	f := faultOf(b, top)
	f.found = f.message != ""
	return f
}

// choiceFault finds the error that OpenRouter puts on a choice.
func choiceFault(b []byte, list span) fault {
	for _, c := range readChoices(b, list, "delta") {
		reason, _ := textValue(b, c.finish)
		if report := find(b, c.at, "error"); reason == "error" && isReport(report.of(b)) {
			if text, ok := textValue(b, report); ok {
				return fault{message: text, found: true}
			}
			return faultOf(b, report)
		}
	}
	return fault{}
}

// faultOf reads the members of an error object.
func faultOf(b []byte, at span) fault {
	f := fault{found: true}
	for _, name := range []string{"message", "detail", "error_description", "msg", "title"} {
		if text, ok := findText(b, at, name); ok && text != "" {
			f.message = text
			break
		}
	}
	f.typ, _ = findText(b, at, "type")
	f.param, _ = findText(b, at, "param")
	f.code = scalarText(b, find(b, at, "code"))
	return f
}

// scalarText returns a string decoded, or a number as it is written.
func scalarText(b []byte, s span) string {
	if text, ok := textValue(b, s); ok {
		return text
	}
	if raw := s.of(b); len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw)
	}
	return ""
}

func firstElement(b []byte, list span) span {
	if w := walk(b, list.start, 0); w.element() {
		return w.skip()
	}
	return span{}
}

// plainError takes a short line of text for a report, such as "Internal Server Error",
// but neither a web page, a traceback nor the remains of JSON.
func plainError(data []byte) (message, typ, param, code string, ok bool) {
	text := string(data)
	isText := len(text) <= maxPlainError && !isEvents(data) && utf8.ValidString(text) && data[0] != '<' &&
		skipScalar(data, 0) != len(data) && strings.IndexFunc(text, isControl) < 0
	if !isText {
		return "", "", "", "", false
	}
	return text, "", "", "", true
}

// isEvents reports whether data begins as an event stream does.
func isEvents(data []byte) bool {
	return data[0] == ':' || bytes.HasPrefix(data, []byte("data:")) || bytes.HasPrefix(data, []byte("event:"))
}

func isControl(r rune) bool { return r < ' ' && r != '\t' }
