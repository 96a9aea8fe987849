package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/front"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

const (
	// maxAnswerBytes bounds an answer that is held in memory as a whole.
	maxAnswerBytes = 64 << 20
	// maxErrorBytes bounds an upstream's error body.
	maxErrorBytes = 1 << 20
	// maxEventBytes bounds one event of an upstream's stream: a line of 8 MiB and its end.
	maxEventBytes = 8<<20 + len("\n")
)

// A reply is an upstream's answer and how to read failures in it.
type reply struct {
	*upstream.Response
	in    *inbound
	found *grounded
}

// open returns a body of the answer to read, and whether it is a stream. A client that
// asked for one gets it also from a server that sends it under another Content-Type.
func (r *reply) open(body io.Reader) (io.Reader, bool) {
	if r.isStream() {
		return body, true
	}
	buffered := bufio.NewReader(body)
	return buffered, sse.Detect(buffered)
}

// isStream reports whether the answer is a stream by its type, whatever was asked for.
func (r *reply) isStream() bool {
	return strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "text/event-stream")
}

// fault returns the error that a refusal or an event reports, or nil.
func (r *reply) fault(body []byte) error {
	message, typ, param, code, ok := wire.ErrorObject(body)
	if !ok {
		return nil
	}
	return r.reported(message, typ, param, code)
}

// notCompletion returns the error for an answer with status 200 that is no chat
// completion: the one that it reports, if it does.
func (r *reply) notCompletion(body []byte) error {
	if message, typ, param, code, ok := wire.AnsweredError(body); ok {
		return r.reported(message, typ, param, code)
	}
	return upstream.Invalid("The upstream's answer is no chat completion.")
}

// reportsError reports whether an answer with status 200 is the report of a failure.
func reportsError(body []byte) bool {
	_, _, _, _, ok := wire.AnsweredError(body) //nolint:dogsled // only whether there is one
	return ok
}

func (r *reply) reported(message, typ, param, code string) error {
	if quotes(message, ourPrompt(r.in, r.found)) {
		message = "" // the prompt must not come back in it: the client learns only that there was an error
	}
	return r.Reported(message, typ, param, code)
}

// readFrame scans an event. Its error is the failure that the event reports, or
// says that the event is not a frame.
func (r *reply) readFrame(ev *sse.Event, frame *wire.Frame) error {
	if fault := r.eventFault(ev); fault != nil {
		return fault
	}
	err := wire.ScanFrame(ev.Data, frame)
	if frame.Error || err != nil && bytes.HasPrefix(ev.Data, []byte("[")) { // Google sends errors as a list
		if fault := r.fault(ev.Data); fault != nil {
			return fault
		}
	}
	if err != nil {
		return upstream.Invalid("The upstream's stream could not be read.")
	}
	return nil
}

// eventFault returns the failure that an event reports without being a frame: a
// named error event, or llama.cpp's `error:` line.
func (r *reply) eventFault(ev *sse.Event) error {
	report := ev.ErrorLine
	if ev.Name == "error" {
		report = ev.Data
	}
	if report == nil {
		return nil
	}
	if fault := r.fault(report); fault != nil {
		return fault
	}
	return upstream.Reported("The upstream reported an error.", "", "", "")
}

// A refusal is an upstream's answer with a status other than 200. The client
// gets its status and body as they came.
type refusal struct {
	reply  *reply
	header http.Header
	body   []byte
}

// Error names the status only; the body is for the client.
func (r *refusal) Error() string {
	return "the upstream answered " + http.StatusText(r.reply.Status)
}

func (r *refusal) write(c *gin.Context) {
	maps.Copy(c.Writer.Header(), r.header)
	WriteBody(c, r.reply.Status, r.body)
}

// streamError returns the error that reports the refusal in a stream that has begun.
func (r *refusal) streamError() error {
	if fault := r.reply.fault(r.body); fault != nil {
		return fault
	}
	return upstream.Reported(r.Error()+".", "", "", "")
}

// cleanJSON drops the byte order mark of an answer, as that of a stream is, and replaces
// what is not UTF-8: JSON parsers refuse both.
func cleanJSON(body []byte) []byte {
	if clean := wire.TrimMark(body); len(clean) < len(body) {
		body = append(body[:0], clean...) // in place, because the buffer is used again
	}
	return validText(body)
}

// validText replaces what is not UTF-8.
func validText(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// workCopies is how many copies of an answer exist, besides its body, while its
// texts are scanned and it is written anew.
const workCopies = 2

// readAnswer reads a whole body into buffer, which may be nil. More than limit
// bytes, or fewer than the upstream promised, are an error, and the client gets
// nothing of them. It takes memory only as data comes.
func readAnswer(ctx context.Context, r io.Reader, limit int64, buffer []byte, memory *front.Share) ([]byte, error) {
	body := buffer[:0]
	for {
		if len(body) == cap(body) {
			const least = 4 << 10
			grow := max(least, cap(body)/2)
			if err := memory.Take(grow); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, cap(body)+grow), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, upstream.Invalid("The upstream's answer is too large.")
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil && context.Cause(ctx) != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, upstream.Interrupted(err)
		}
	}
}

// unknownPath returns the error for an answer that a server gives for paths that it
// does not have: 404 or 405 without JSON about the request. It returns nil for other
// answers, such as one about an unknown model, which Google sends as a list.
func unknownPath(status int, body []byte) error {
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		return nil
	}
	var (
		object map[string]json.RawMessage
		list   []json.RawMessage
	)
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return nil
	}
	if json.Unmarshal(body, &object) == nil && len(object) > 0 && !fastAPIUnknown[string(object["detail"])] && !isLlamaUnknown(object["error"]) {
		return nil
	}
	return upstream.NotFound(status)
}

// isLlamaUnknown reports whether an error is what llama.cpp says of a path that it
// does not have.
func isLlamaUnknown(raw json.RawMessage) bool {
	var e struct{ Message string }
	return json.Unmarshal(raw, &e) == nil && e.Message == "File Not Found"
}

// fastAPIUnknown are what servers on FastAPI say of a path that they do not have.
var fastAPIUnknown = map[string]bool{`"Not Found"`: true, `"Method Not Allowed"`: true}

// RelayWhole passes an upstream's whole answer on as it came, and returns it.
func RelayWhole(ctx context.Context, c *gin.Context, resp *upstream.Response, memory *front.Share) ([]byte, error) {
	header, limit := upstream.ClientHeaders(resp.Header), int64(maxAnswerBytes)
	if resp.Status != http.StatusOK {
		header, limit = upstream.RefusalHeaders(resp.Status, resp.Header), maxErrorBytes
	}
	answer, err := readAnswer(ctx, resp.Body, limit, nil, memory)
	if err == nil {
		err = unknownPath(resp.Status, answer)
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(c.Writer.Header(), header)
	WriteBody(c, resp.Status, answer)
	return answer, nil
}

// WriteBody writes a whole answer with its length.
func WriteBody(c *gin.Context, status int, body []byte) {
	h := c.Writer.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	sender := front.SenderOf(c.Request)
	held := sender.Hold(len(body))
	c.Writer.WriteHeader(status)
	_, _ = c.Writer.Write(body) // it fails only when the client has left
	if held {
		c.Writer.Flush()
		_ = sender.Send() // likewise
	}
}

// ourPrompt yields what the server put into a prompt: the assistant's system
// prompt, its instructions for citing, and the passages.
func ourPrompt(in *inbound, found *grounded) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(in.settings.SystemPrompt) {
			return
		}
		for part := range strings.SplitSeq(in.settings.CitationPrompt, assistants.SourcesPlace) {
			if !yield(part) {
				return
			}
		}
		for _, p := range found.passages(false) {
			if !yield(p.Text) {
				return
			}
		}
	}
}
