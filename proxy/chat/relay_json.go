package chat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// maxAnswerBytes bounds an answer that is held in memory as a whole.
const maxAnswerBytes = 64 << 20

// maxErrorBytes bounds an upstream's error body.
const maxErrorBytes = 1 << 20

// readAnswer reads a whole body into buffer, which may be nil; more than limit
// bytes, or fewer than the upstream promised, is an invalid response and
// nothing of it is passed on.
func readAnswer(ctx context.Context, r io.Reader, limit int64, buffer []byte) ([]byte, error) {
	b := bytes.NewBuffer(buffer[:0])
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	body := b.Bytes()
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, upstream.Interrupted(err)
	case int64(len(body)) > limit:
		return nil, upstream.Invalid("The upstream's answer is too large.")
	}
	return body, nil
}

// answerJSON relays an answer that is sent as a whole.
func (h *Handler) answerJSON(ctx context.Context, c *gin.Context, ex *exchange) error {
	resp, err := h.ask(ctx, c, ex)
	if refused, ok := errors.AsType[*refusal](err); ok {
		ex.answering()
		refused.write(c)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read, or given up
	setHeaders(c.Writer.Header(), upstream.ClientHeaders(resp.Header))
	if isEventStream(resp) {
		return h.collectStream(ctx, c, ex)
	}
	body, err := readAnswer(ctx, resp.Body, maxAnswerBytes, ex.buffers.answer)
	if err != nil {
		return err
	}
	ex.buffers.answer = body
	return h.sendJSON(c, ex, body)
}

// collectStream turns the stream of an upstream that was asked for JSON into JSON.
func (h *Handler) collectStream(ctx context.Context, c *gin.Context, ex *exchange) error {
	collector := wire.NewCollector()
	events := sse.NewReader(io.LimitReader(ex.answer.Body, maxAnswerBytes), maxEventBytes)
	var chunk wire.Frame
	for {
		ev, err := events.Next()
		if err == nil && !sse.IsDone(ev.Data) {
			if err := ex.readChunk(ev, &chunk); err != nil {
				return err
			}
			if err := collector.Add(ev.Data); err != nil {
				return upstream.Invalid("The upstream's stream could not be read.")
			}
			continue
		}
		switch {
		case err == nil:
			ex.answer.Complete()
			collector.Finish()
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case errors.Is(err, sse.ErrTooLong):
			return upstream.Invalid("An event of the upstream's stream is too large.")
		case collector.Finished() < ex.req.N(): // else only [DONE] is missing
			return upstream.Interrupted(err)
		}
		body, err := collector.JSON()
		if err != nil {
			return upstream.Interrupted(err)
		}
		c.Header("Content-Type", "application/json")
		return h.sendJSON(c, ex, body)
	}
}

// sendJSON adds our members to a chat completion and writes it.
func (h *Handler) sendJSON(c *gin.Context, ex *exchange, body []byte) error {
	answer, err := wire.ReadResponse(body)
	if err != nil {
		if fault := ex.bodyFault(body); fault != nil {
			return fault
		}
		return upstream.Invalid("The upstream's answer is no chat completion.")
	}
	body, err = ex.attach(answer, body)
	if err != nil {
		return err
	}
	if ex.citesOn() && ex.status != "" {
		c.Header("X-Footnote-Citations", ex.status)
	}
	ex.answering()
	WriteBody(c, http.StatusOK, body)
	return nil
}

// RelayWhole passes an upstream's whole answer on as it came.
func RelayWhole(ctx context.Context, c *gin.Context, resp *upstream.Response) error {
	header, limit := upstream.ClientHeaders(resp.Header), int64(maxAnswerBytes)
	if resp.Status != http.StatusOK {
		header, limit = upstream.RefusalHeaders(resp.Status, resp.Header), maxErrorBytes
	}
	answer, err := readAnswer(ctx, resp.Body, limit, nil)
	if err != nil {
		return err
	}
	setHeaders(c.Writer.Header(), header)
	WriteBody(c, resp.Status, answer)
	return nil
}

// WriteBody writes a whole answer with its length.
func WriteBody(c *gin.Context, status int, body []byte) {
	h := c.Writer.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Writer.WriteHeader(status)
	_, _ = c.Writer.Write(body) // the client left: there is nobody to tell
}

// bodyFault reads an error object out of an answer that came with status 200.
func (ex *exchange) bodyFault(body []byte) error {
	message, typ, param, code, ok := wire.ErrorObject(body)
	if !ok {
		return nil
	}
	if ex.quotes(message) {
		message = "" // only that there was an error
	}
	return ex.answer.Reported(message, typ, param, code)
}
