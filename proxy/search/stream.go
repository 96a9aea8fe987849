package search

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/sse"
)

// codeService is the code of a stream's error event.
const codeService = "SERVICE_ERROR"

// What clients read whose stream cannot go on.
const (
	messageBehind    = "The stream was read too slowly, and events were lost. Search again."
	messageAbandoned = "The answer was not finished, because no client read it. Search again."
)

// Events of a stream. Their names are the values of type.
type (
	textEvent struct { // status and token
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	citationEvent struct {
		Type string   `json:"type"`
		Data Citation `json:"data"`
	}
	doneEvent struct {
		Type            string   `json:"type"`
		Confidence      float64  `json:"confidence"`
		ConfidenceLevel string   `json:"confidence_level"`
		ResultCount     int      `json:"result_count"`
		Results         []Result `json:"results"`
		Message         string   `json:"message,omitempty"`
		Warnings        []string `json:"warnings"`
	}
	errorEvent struct {
		Type        string   `json:"type"`
		Code        string   `json:"code"`
		Message     string   `json:"message"`
		ResultCount int      `json:"result_count"`
		Results     []Result `json:"results"`
	}
)

// stream answers with events: those of a stream that the client resumes, or of a new one.
// The answer is made in a goroutine of its own, so that it outlives a connection that
// breaks.
func (j *job) stream(c *gin.Context) error {
	s, next, err := j.open(c)
	if err != nil {
		j.record(c.Request.Context(), "search", err)
		return err
	}
	defer s.leave()
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	c.Status(http.StatusOK)
	j.deps.Front.StreamStarted()
	defer j.deps.Front.StreamEnded()
	return j.copyEvents(c, s, next)
}

// open returns the stream that the client resumes, or a new one, and the number of the
// first event to send.
func (j *job) open(c *gin.Context) (s *stream, next int, err error) {
	ctx, who := c.Request.Context(), owner{j.caller.Tenant, j.caller.Key.ID}
	if last := c.GetHeader("Last-Event-ID"); last != "" {
		at, ok := positionOf(last)
		if !ok {
			return nil, 0, unknownStream()
		}
		s, known := j.streams.resume(at, who, j.in)
		if !known {
			s, err = j.elsewhere(ctx, at, who, j.in)
		}
		if errors.Is(err, assistants.ErrNotFound) || known && s == nil {
			err = unknownStream()
		}
		return s, at.next, err
	}
	pass, err := j.admit(ctx, "search") // only a new one counts against limits
	if err != nil {
		return nil, 0, err
	}
	making, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s = j.streams.begin(who, j.in, cancel)
	j.sharer.share(s)
	j.work.Go(func() { j.produce(making, cancel, s, pass) })
	return s, 0, nil
}

// unknownStream is the answer to an id that leads to no stream of the client. A new
// answer would repeat to the client what it has already.
func unknownStream() error {
	e := apierr.NotFound()
	e.Message = "There is no stream to resume from this Last-Event-ID with this key and request: streams are kept for a minute. " +
		"Send the request without the header to search again."
	return e
}

// bindToServer ends a stream with the server, or in its drain as soon as no client reads it.
func (h *Handler) bindToServer(cancel context.CancelCauseFunc, s *stream) (unhook func()) {
	stop := context.AfterFunc(h.deps.Stop, func() { cancel(context.Cause(h.deps.Stop)) })
	drain := context.AfterFunc(h.deps.Drained, s.drain)
	return func() { stop(); drain() }
}

// copyEvents sends the events of a stream from one on, until it ends or the client leaves.
func (j *job) copyEvents(c *gin.Context, s *stream, next int) error {
	out := http.NewResponseController(c.Writer)
	idle := time.NewTicker(j.cfg.Timings.KeepAlive)
	defer idle.Stop()
	for {
		events, ended, changed, err := s.from(next)
		if err != nil {
			return j.endBehind(c, s, next, err)
		}
		for _, ev := range events {
			if _, err := c.Writer.Write(ev); err != nil {
				return nil //nolint:nilerr // the client has left, and may resume
			}
		}
		next += len(events)
		if out.Flush() != nil || ended {
			return nil
		}
		select {
		case <-c.Request.Context().Done():
			return nil
		case <-changed:
			idle.Reset(j.cfg.Timings.KeepAlive)
		case <-idle.C:
			if _, err := c.Writer.WriteString(sse.KeepAlive); err != nil {
				return nil //nolint:nilerr // the client has left, and may resume
			}
		}
	}
}

// endBehind ends a response that cannot go on with an error event. Its id is that of the
// event that is gone, so that nothing is resumed from it.
func (j *job) endBehind(c *gin.Context, s *stream, next int, reason error) error {
	j.deps.Log.Warn("a stream ended before its end", "request_id", j.event.RequestID, "error", reason)
	message := messageBehind
	if errors.Is(reason, errLost) {
		message = messageLost
	}
	ev, err := frame("error", s.id+"-"+strconv.Itoa(next), errorEvent{Type: "error", Code: codeService, Message: message, Results: []Result{}})
	if err != nil {
		return err
	}
	if _, err := c.Writer.Write(ev); err != nil {
		return nil //nolint:nilerr // the client has left
	}
	return nil
}

// produce makes the answer of a stream.
func (j *job) produce(ctx context.Context, cancel context.CancelCauseFunc, s *stream, pass *access.Pass) {
	defer cancel(nil)
	unhook := j.bindToServer(cancel, s)
	defer unhook()
	failure := error(apierr.Internal()) // unless search returns
	defer func() {
		reason := recover()
		pass.Release(j.tokens)
		if reason != nil {
			j.deps.Log.Error("a search panicked", "request_id", j.event.RequestID, "reason", reason)
			s.fail(apierr.ObjectOf(failure).Message)
		}
		j.record(ctx, "search", failure)
		s.end()
	}()
	a, err := j.search(ctx, s)
	failure = err
	pass.Release(j.tokens) // before the client sees the end, and asks again
	switch {
	case errors.Is(err, errAbandoned): // another server may still send it to a client
		s.fail(messageAbandoned)
	case err != nil:
		s.fail(apierr.ObjectOf(err).Message)
	case a.Message == messageUnsynthesized:
		s.add("error", errorEvent{Type: "error", Code: codeService, Message: a.Message, ResultCount: a.ResultCount, Results: a.Results})
	default:
		s.add("done", doneEvent{
			Type: "done", Confidence: a.Confidence, ConfidenceLevel: a.ConfidenceLevel, ResultCount: a.ResultCount,
			Results: a.Results, Message: a.Message, Warnings: a.Warnings,
		})
	}
}

// The listener that a stream is.
func (s *stream) status(text string)  { s.add("status", textEvent{"status", text}) }
func (s *stream) token(text string)   { s.add("token", textEvent{"token", text}) }
func (s *stream) citation(c Citation) { s.add("citation", citationEvent{"citation", c}) }

// errAbandoned ends an answer that no client reads.
var errAbandoned = errors.New("the client has left and did not come back")

// frame renders an event.
func frame(name, id string, value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return sse.AppendData([]byte("event: "+name+"\nid: "+id+"\n"), data), nil
}
