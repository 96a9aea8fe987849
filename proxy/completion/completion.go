// Package completion asks a model server for a text that Footnote itself wants: for the
// stages of retrieval, and for the answers of searches.
//
// It obeys one rule: the prompt and the answer are the caller's, and nothing of them is
// in an error. It knows no handler, no index and no database.
package completion

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"footnote/proxy/sse"
	"footnote/proxy/tracing"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// maxAnswer bounds the text of an answer, and each event of a stream, in bytes.
const maxAnswer = 256 << 10

// ErrEmpty says that the model answered without text.
var ErrEmpty = errors.New("the model's answer holds no text")

// A Request is what a model is asked. The newest models refuse max_tokens and other
// temperatures than their default; older servers do not know max_completion_tokens.
type Request struct {
	Model               string    `json:"model"`
	Messages            []Message `json:"messages"`
	Stream              bool      `json:"stream,omitempty"`
	MaxTokens           int       `json:"max_tokens,omitempty"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
	Temperature         *float64  `json:"temperature,omitempty"`
}

// A Message is one message of a prompt.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A Call is a request, with what answerers need that are not language models.
type Call struct {
	Request
	Question string
	Passages func() []upstream.Passage                    // nil: there are none
	Reword   func(question string, texts []string) string // as in [upstream.Call]
	Naming   []string                                     // likewise
	Observe  func(status int)                             // gets the status of each answer, 0 for none
	Counted  func(prompt, answer int64)                   // gets the tokens as the server counts them; the last call is right; nil: nobody asks
}

// A Target is a model at a model server.
type Target struct {
	Client upstream.Client
	Model  string
}

// AskInTurn sends a request and passes the text of the answer to write as it comes. The
// first target that works is asked, and each other one after a failure, until a piece of
// an answer was written. A refusal is a failure, too: the request is this program's, so
// that another model may take it. A server that refuses the request with 400 gets it once
// more in the form of the newest models.
//
// The error is the context's, or tells of all that failed: each failure is an
// [*upstream.Error], [ErrEmpty], or names a status. write may have had a part of the
// answer by then.
func AskInTurn(ctx context.Context, targets []Target, c Call, write func(piece string)) error {
	var failures []error
	wrote := false
	for targets = slices.Clone(targets); len(targets) > 0 && !wrote; {
		chosen, attempt := upstream.Next(len(targets), func(i int) *upstream.Health { return upstream.HealthOf(targets[i].Client) })
		c.Model = targets[chosen].Model
		err := ask(ctx, targets[chosen].Client, attempt, c, func(piece string) {
			wrote = true
			write(piece)
		})
		if err == nil || ctx.Err() != nil {
			return err
		}
		failures = append(failures, err)
		targets = slices.Delete(targets, chosen, chosen+1)
	}
	return errors.Join(failures...)
}

// ask sends a request to one server, and once more if that refuses it.
func ask(ctx context.Context, client upstream.Client, attempt upstream.Attempt, c Call, write func(string)) error {
	status, err := send(ctx, client, attempt, c, write)
	if status == http.StatusBadRequest {
		c.MaxTokens, c.MaxCompletionTokens, c.Temperature = 0, c.MaxTokens, nil
		_, err = send(ctx, client, upstream.HealthOf(client).Begin(), c, write)
	}
	return err
}

// send makes one call.
func send(ctx context.Context, client upstream.Client, attempt upstream.Attempt, c Call, write func(string)) (status int, err error) {
	ctx, span := tracing.StartCall(ctx, "completion")
	span.Text("footnote.upstream.id", upstream.HealthOf(client).ID())
	span.Bool("footnote.upstream.stream", c.Stream)
	span.Text("gen_ai.operation.name", "chat")
	span.Text("gen_ai.request.model", c.Model)
	defer func() {
		span.Int("http.response.status_code", status)
		if err != nil {
			_, cause := outcomeOf(ctx, status, err)
			span.Fail(cmp.Or(cause, "canceled"))
		}
		span.End()
	}()
	defer func() { attempt.End(outcomeOf(ctx, status, err)) }()
	body, err := json.Marshal(c.Request)
	if err != nil {
		return 0, err
	}
	resp, err := client.Chat(ctx, upstream.Call{Body: body, Stream: c.Stream, Model: c.Model, Question: c.Question, Passages: c.Passages, Reword: c.Reword, Naming: c.Naming})
	if err != nil {
		c.Observe(0)
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read or is not needed
	c.Observe(resp.Status)
	if resp.Status == http.StatusOK && !c.Stream {
		attempt.FirstByte()
	}
	if resp.Status != http.StatusOK {
		return resp.Status, fmt.Errorf("the upstream answered %s", http.StatusText(resp.Status))
	}
	wrote := false
	each := func(piece string) {
		if piece != "" {
			attempt.FirstByte()
			wrote = true
			write(piece)
		}
	}
	source, isStream := open(resp, c.Stream)
	if isStream {
		err = readStream(resp, source, each, c.counted)
	} else {
		err = readWhole(resp, source, each, c.counted)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err == nil && !wrote {
		err = ErrEmpty
	}
	return resp.Status, err
}

// outcomeOf is how a call ended for the health of its upstream, and its cause.
func outcomeOf(ctx context.Context, status int, err error) (upstream.Outcome, string) {
	switch {
	case err != nil && ctx.Err() != nil:
		return upstream.Abandoned, ""
	case status != 0 && status != http.StatusOK:
		return upstream.OutcomeOfStatus(status), strconv.Itoa(status)
	case err == nil, errors.Is(err, ErrEmpty):
		return upstream.Answered, ""
	}
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		return upstream.OutcomeOf(err), e.Code
	}
	return upstream.Abandoned, ""
}

func (c *Call) counted(usage wire.Usage, ok bool) {
	if ok && c.Counted != nil {
		c.Counted(usage.Prompt, usage.Completion)
	}
}

// open returns the body of an answer, and whether it is a stream: by its type, or, where a
// stream was asked for, by how it begins, since some servers send it under another type.
func open(resp *upstream.Response, asked bool) (io.Reader, bool) {
	if strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream") {
		return resp.Body, true
	}
	buffered := bufio.NewReader(resp.Body)
	return buffered, asked && sse.Detect(buffered)
}

func readWhole(resp *upstream.Response, body io.Reader, each func(string), counted func(wire.Usage, bool)) error {
	raw, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return err
	}
	raw = wire.TrimMark(raw)
	if message, typ, param, code, ok := wire.AnsweredError(raw); ok {
		return resp.Reported(message, typ, param, code)
	}
	answer, err := wire.ReadResponse(raw)
	if err != nil {
		return err
	}
	counted(answer.Usage())
	each(answer.Choices()[0].Text)
	return nil
}

// readStream reads the first choice of a stream to its end.
func readStream(resp *upstream.Response, body io.Reader, each func(string), counted func(wire.Usage, bool)) error {
	events := sse.NewReader(body, maxAnswer)
	var frame wire.Frame
	finished, size := false, 0
	for {
		ev, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && finished:
			resp.Complete()
			return nil
		case errors.Is(err, io.EOF):
			return upstream.Interrupted(io.ErrUnexpectedEOF)
		case err != nil:
			return err
		case ev.ErrorLine != nil || ev.Name == "error":
			return upstream.Reported("The upstream reported an error.", "", "", "")
		case sse.IsDone(ev.Data):
			resp.Complete()
			return nil
		case len(bytes.TrimSpace(ev.Data)) == 0:
			continue
		}
		if err := wire.ScanFrame(ev.Data, &frame); err != nil {
			return upstream.Invalid("The upstream's stream could not be read.")
		}
		if frame.Error {
			return upstream.Reported("The upstream reported an error.", "", "", "")
		}
		counted(frame.Usage(ev.Data))
		for _, choice := range frame.Choices {
			if choice.Index != 0 {
				continue
			}
			finished = finished || choice.FinishReason != ""
			if size += len(choice.Content); size > maxAnswer {
				return upstream.Invalid("The upstream's answer is too large.")
			}
			each(choice.Content)
		}
	}
}
