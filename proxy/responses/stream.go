package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
	"footnote/proxy/sse"
)

// maxEvent bounds one event of a chat.
const maxEvent = 8 << 20

// stream answers with events. The chat writes its stream to a translator, which writes each
// event on as it comes: nothing is held back, and a slow client slows the chat.
func (h *Handler) stream(c *gin.Context, in *request, r *http.Request, caller access.Principal, memory *front.Share) {
	t := &translator{h: h, in: in, to: c.Writer, header: http.Header{}, memory: memory}
	defer func() {
		reason := recover()
		if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) && t.ended {
			return // a chat breaks off after its error; here the last event says that it failed
		}
		if reason != nil {
			panic(reason)
		}
	}()
	h.deps.Chat(t, r, caller)
	if t.refused() {
		copyHeaders(c.Writer.Header(), t.header)
		c.Writer.Header()["Content-Type"] = t.header["Content-Type"]
		_ = refuse(c.Writer, in, t.status, t.refusal.Bytes()) // it never fails
	}
}

// A translator makes the events of a response from the stream of a chat that is written to
// it. It implements [http.ResponseWriter].
type translator struct {
	h      *Handler
	in     *request
	to     gin.ResponseWriter
	header http.Header // of the chat
	memory *front.Share

	status  int
	refusal bytes.Buffer // the body of an answer that is no stream
	rest    []byte       // the beginning of an event

	object      *response
	sequence    int
	begun       bool // the message has begun
	ended       bool // the last event is out
	refusing    bool // the text is a refusal
	text        strings.Builder
	finish      string
	annotations []json.RawMessage
	got         completion // the rest of the answer
}

// Header implements [http.ResponseWriter].
func (t *translator) Header() http.Header { return t.header }

// refused reports whether the chat has answered otherwise than with a stream.
func (t *translator) refused() bool { return t.status != 0 && t.object == nil }

// WriteHeader implements [http.ResponseWriter]. The response begins with the chat's stream.
func (t *translator) WriteHeader(status int) {
	if t.status != 0 {
		return
	}
	t.status = status
	if status != http.StatusOK || !strings.HasPrefix(t.header.Get("Content-Type"), "text/event-stream") {
		return
	}
	h := t.to.Header()
	copyHeaders(h, t.header)
	h.Set("Content-Type", "text/event-stream")
	h.Del("Content-Length")
	t.to.WriteHeader(http.StatusOK)
	t.object = t.in.object(t.header, t.h.deps.Now())
	for _, name := range []string{"response.created", "response.in_progress"} {
		// An error shows again with the first event of the chat.
		_ = t.send(name, event{Response: t.object})
	}
}

// Write implements [http.ResponseWriter]. It takes events, whole or in pieces.
func (t *translator) Write(p []byte) (int, error) {
	t.WriteHeader(http.StatusOK)
	switch {
	case t.refused():
		return t.refusal.Write(p)
	case t.ended:
		return len(p), nil
	case len(t.rest) == 0 && string(p) == sse.KeepAlive:
		return t.to.Write(p)
	}
	t.rest = append(t.rest, p...)
	if len(t.rest) > maxEvent {
		return 0, sse.ErrTooLong
	}
	end := lastEnd(t.rest)
	if end == 0 {
		return len(p), nil
	}
	events := sse.NewReader(bytes.NewReader(t.rest[:end]), maxEvent)
	for {
		ev, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = t.take(ev.Data)
		}
		if err != nil {
			return 0, err
		}
	}
	t.rest = append(t.rest[:0], t.rest[end:]...)
	return len(p), nil
}

// lastEnd returns where the last whole event ends; 0: there is none.
func lastEnd(b []byte) int {
	end := 0
	for _, blank := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		if i := bytes.LastIndex(b, []byte(blank)); i >= 0 {
			end = max(end, i+len(blank))
		}
	}
	return end
}

// Flush implements [http.Flusher].
func (t *translator) Flush() {
	if t.object != nil {
		t.to.Flush()
	}
}

// Unwrap lets the chat set the deadlines of the connection.
func (t *translator) Unwrap() http.ResponseWriter { return t.to }

// take reads the data of an event of the chat.
func (t *translator) take(data []byte) error {
	if sse.IsDone(data) {
		return t.complete()
	}
	var chunk chatAnswer
	if len(data) == 0 || json.Unmarshal(data, &chunk) != nil {
		return nil //nolint:nilerr // a frame that the chat passes on and nobody understands
	}
	if chunk.Error != nil {
		return t.fail(chunk.Error.Code, chunk.Error.Message)
	}
	if chunk.Usage != nil {
		t.got.usage = chunk.Usage.usage()
	}
	if chunk.Citations != nil {
		t.got.citations, t.got.retrieval = chunk.Citations, chunk.Retrieval
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.Finish != "" {
			t.finish = choice.Finish
		}
		t.annotations = append(t.annotations, choice.Delta.Annotations...)
		if err := t.write(choice.Delta.Content, false); err != nil {
			return err
		}
		if err := t.write(choice.Delta.Refusal, true); err != nil {
			return err
		}
	}
	return nil
}

// write passes on a piece of the text, or of a refusal.
func (t *translator) write(piece string, refusal bool) error {
	if piece == "" || t.begun && refusal != t.refusing {
		return nil
	}
	if err := t.memory.Take(2 * len(piece)); err != nil { // the text, and the last events that have it
		e := apierr.ObjectOf(err)
		return errors.Join(t.fail(e.Code, e.Message), err)
	}
	if err := t.begin(refusal); err != nil {
		return err
	}
	t.text.WriteString(piece)
	if refusal {
		return t.send("response.refusal.delta", event{ItemID: t.object.itemID(), OutputIndex: zero, ContentIndex: zero, Delta: &piece})
	}
	return t.send("response.output_text.delta", event{ItemID: t.object.itemID(), OutputIndex: zero, ContentIndex: zero, Delta: &piece, Logprobs: none})
}

// begin sends the events before the first piece of the text.
func (t *translator) begin(refusal bool) error {
	if t.begun {
		return nil
	}
	t.begun, t.refusing = true, refusal
	message := t.object.message(statusInProgress)
	return errors.Join(
		t.send("response.output_item.added", event{OutputIndex: zero, Item: &message}),
		t.send("response.content_part.added", event{ItemID: message.ID, OutputIndex: zero, ContentIndex: zero, Part: &part{refused: refusal}}),
	)
}

// complete sends the events at the end of an answer.
func (t *translator) complete() error {
	if err := t.begin(false); err != nil {
		return err
	}
	text := t.text.String()
	t.got.finish, t.got.annotations = t.finish, t.annotations
	if t.refusing {
		t.got.refusal = text
	} else {
		t.got.text = text
	}
	t.object.answered(t.got)
	message := t.object.Output[0]
	whole := message.Content[0]
	var errs []error
	send := func(name string, e event) {
		e.ItemID, e.OutputIndex, e.ContentIndex = message.ID, zero, zero
		errs = append(errs, t.send(name, e))
	}
	if t.refusing {
		send("response.refusal.done", event{Refusal: &text})
	} else {
		for i, annotation := range whole.annotations {
			send("response.output_text.annotation.added", event{AnnotationIndex: &i, Annotation: annotation})
		}
		send("response.output_text.done", event{Text: &text, Logprobs: none})
	}
	send("response.content_part.done", event{Part: &whole})
	errs = append(errs, t.send("response.output_item.done", event{OutputIndex: zero, Item: &message}))
	last := "response." + t.object.Status // completed, or incomplete
	errs = append(errs, t.send(last, event{Response: t.object}))
	t.ended = true
	return errors.Join(errs...)
}

// fail sends the last event of a response that failed.
func (t *translator) fail(code, message string) error {
	t.object.Status, t.object.Error, t.object.Usage = statusFailed, &fault{Code: code, Message: message}, t.got.usage
	if t.begun {
		t.object.Output = []item{t.object.message(statusIncomplete, part{refused: t.refusing, text: t.text.String()})}
	}
	t.ended = true
	return t.send("response.failed", event{Response: t.object})
}

// An event is one of a response's stream. Each kind has some of the members.
type event struct {
	Type            string          `json:"type"`
	Sequence        int             `json:"sequence_number"`
	Response        *response       `json:"response,omitempty"`
	ItemID          string          `json:"item_id,omitempty"`
	OutputIndex     *int            `json:"output_index,omitempty"`
	ContentIndex    *int            `json:"content_index,omitempty"`
	Item            *item           `json:"item,omitempty"`
	Part            *part           `json:"part,omitempty"`
	Delta           *string         `json:"delta,omitempty"`
	Text            *string         `json:"text,omitempty"`
	Refusal         *string         `json:"refusal,omitempty"`
	AnnotationIndex *int            `json:"annotation_index,omitempty"`
	Annotation      json.RawMessage `json:"annotation,omitempty"`
	Logprobs        *[]string       `json:"logprobs,omitempty"`
}

// The only index of an output and its content, and log probabilities that are not there.
var (
	zero = new(int)
	none = &[]string{}
)

// send writes an event.
func (t *translator) send(name string, e event) error {
	e.Type, e.Sequence = name, t.sequence
	t.sequence++
	data, err := encode(e)
	if err != nil {
		return err
	}
	_, err = t.to.Write(sse.AppendData([]byte("event: "+name+"\n"), data))
	return err
}
