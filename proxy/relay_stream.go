package proxy

import (
	"context"
	"errors"
	"io"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// maxEventBytes bounds one event of an upstream's stream.
const maxEventBytes = 8 << 20

// A streamRelay forwards one event stream. Events go out as they came, but for
// the last finish chunk, which gets our members: so each finish chunk is held
// until the next event shows whether it was the last.
type streamRelay struct {
	ex    *exchange
	w     *streamWriter
	chunk wire.Chunk

	held     []byte // the data of a finish chunk
	ended    map[int]bool
	attached bool
	sawText  bool
	sawTool  bool
	last     []byte // data of the newest chunk, to copy id and model from
	frame    []byte // reused
}

// relayStream forwards an event stream; every way it can end is exactly one
// terminal: [DONE], an error frame, or a real status when nothing went out yet.
func (s *Server) relayStream(ctx context.Context, cancel context.CancelCauseFunc, c *gin.Context, ex *exchange, body io.Reader) error {
	w := newStreamWriter(c, s.cfg.Timings, cancel, func() { ex.answering(); streamHeaders(c) })
	r := &streamRelay{ex: ex, w: w, ended: map[int]bool{}}
	err := r.run(ctx, sse.NewReader(body, maxEventBytes))
	return s.endStream(c, ex, w, err)
}

// streamJSON gives a client that asked for a stream the JSON answer of an
// upstream that does not stream.
func (s *Server) streamJSON(ctx context.Context, cancel context.CancelCauseFunc, c *gin.Context, ex *exchange, body io.Reader) error {
	w := newStreamWriter(c, s.cfg.Timings, cancel, func() { ex.answering(); streamHeaders(c) })
	err := func() error {
		answer, err := readAnswer(ctx, body, maxAnswerBytes)
		if err != nil {
			return err
		}
		frames, err := wire.StreamFromJSON(answer, ex.req.IncludeUsage())
		if err != nil {
			if fault := bodyFault(answer); fault != nil {
				return fault
			}
			return upstream.Invalid("The upstream's answer is no chat completion.")
		}
		r := &streamRelay{ex: ex, w: w, ended: map[int]bool{}}
		for _, data := range frames {
			if err := r.take(sse.Event{Data: data}); err != nil {
				return err
			}
		}
		return r.done()
	}()
	return s.endStream(c, ex, w, err)
}

// endStream turns the end of a relay into what the client gets to see.
func (s *Server) endStream(c *gin.Context, ex *exchange, w *streamWriter, err error) error {
	begun := w.end()
	switch {
	case err == nil:
		w.frame([]byte(sse.Done), true)
		return nil
	case errors.Is(err, errClientGone), c.Request.Context().Err() != nil:
		return nil //nolint:nilerr // nobody is left to be told
	case !begun:
		return err
	}
	s.deps.Log.Warn("stream ended with an error", "request_id", requestIDOf(c), "model", ex.model, "error", err)
	w.frame(sse.AppendData(nil, apierr.JSON(err)), true)
	return nil
}

func streamHeaders(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
}

// run relays events until the stream ends. A nil error means that [DONE] is due.
func (r *streamRelay) run(ctx context.Context, events *sse.Reader) error {
	for {
		ev, err := events.Next()
		r.w.read()
		switch {
		case err == nil && sse.IsDone(ev.Data):
			return r.done()
		case err != nil:
			return r.ran(ctx, err)
		}
		if err := r.take(ev); err != nil {
			return err
		}
		if !events.Buffered() {
			r.w.frame(nil, true)
		}
		if cause := context.Cause(ctx); cause != nil {
			return stopReason(cause)
		}
	}
}

// ran decides what the end of the upstream's bytes means.
func (r *streamRelay) ran(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return stopReason(cause)
	}
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return upstream.Invalid("An event of the upstream's stream is too large.")
	case errors.Is(err, io.EOF) && len(r.ended) > 0:
		return r.done() // only [DONE] was missing
	default:
		return upstream.Interrupted(err)
	}
}

// take forwards one event.
func (r *streamRelay) take(ev sse.Event) error {
	if fault := eventFault(ev); fault != nil {
		return fault
	}
	if err := wire.ScanChunk(ev.Data, &r.chunk); err != nil {
		return upstream.Invalid("The upstream's stream could not be read.")
	}
	if r.chunk.Error {
		if fault := bodyFault(ev.Data); fault != nil {
			return fault
		}
	}
	finish, busy := r.look()
	if !r.ex.attaches() || r.attached {
		r.forward(ev)
		return nil
	}
	if r.held != nil {
		if err := r.settle(finish || busy); err != nil {
			return err
		}
	}
	if finish && !r.attached { // settling may have attached
		r.held = append(r.held[:0], ev.Data...)
		return nil
	}
	if r.chunk.HasChoices && len(r.chunk.Choices) > 0 {
		r.last = append(r.last[:0], ev.Data...)
	}
	r.forward(ev)
	return nil
}

// look scans the chunk's choices. finish: it carries a finish reason; busy: it
// carries text or tool calls, so that a finish chunk before it was not the last.
func (r *streamRelay) look() (finish, busy bool) {
	for _, choice := range r.chunk.Choices {
		if choice.Content != "" {
			busy, r.sawText = true, true
			if r.ex.tracker != nil {
				r.ex.tracker.Write(choice.Index, choice.Content)
			}
		}
		if choice.ToolCalls {
			busy, r.sawTool = true, true
		}
		if choice.FinishReason != "" {
			finish = true
			r.ended[choice.Index] = true
		}
	}
	return finish, busy
}

// settle lets the held finish chunk go: with our members when it was the last
// one, as it came when more follows.
func (r *streamRelay) settle(more bool) error {
	if more || len(r.chunk.Choices) > 0 && len(r.ended) < r.ex.req.N() {
		r.send(r.held)
		r.last = append(r.last[:0], r.held...)
		r.held = nil
		return nil
	}
	return r.attach(r.held)
}

// attach sends a finish chunk with our members on it.
func (r *streamRelay) attach(data []byte) error {
	if r.sawTool && !r.sawText && r.ex.tracker != nil {
		r.ex.skip()
	}
	members, verdict, err := r.ex.additions()
	if err != nil {
		return err
	}
	for _, choice := range r.chunkOf(data) {
		a, err := r.ex.annotations(verdict, choice)
		if err != nil {
			return err
		}
		if a != nil {
			data = wire.AddAnnotations(data, choice, a, true)
		}
	}
	r.send(wire.Splice(data, members...))
	r.held, r.attached = nil, true
	return nil
}

// chunkOf lists the choices of a chunk's data.
func (r *streamRelay) chunkOf(data []byte) []int {
	var chunk wire.Chunk
	if wire.ScanChunk(data, &chunk) != nil {
		return nil // it was scanned before, so it is readable
	}
	indexes := make([]int, len(chunk.Choices))
	for i, choice := range chunk.Choices {
		indexes[i] = choice.Index
	}
	return indexes
}

// done settles what is owed before [DONE]: the held finish chunk, or one of
// our own when the upstream sent none.
func (r *streamRelay) done() error {
	switch {
	case !r.ex.attaches() || r.attached:
		return nil
	case r.held != nil:
		return r.attach(r.held)
	case r.last == nil:
		return upstream.Interrupted(io.ErrUnexpectedEOF) // [DONE] and nothing before it
	default:
		return r.attach(wire.FinishChunk(r.last))
	}
}

// forward sends an event as it came, re-framed only where it has to be.
func (r *streamRelay) forward(ev sse.Event) {
	if ev.Raw != nil {
		r.w.frame(ev.Raw, false)
		return
	}
	r.send(ev.Data)
}

func (r *streamRelay) send(data []byte) {
	r.frame = sse.AppendData(r.frame[:0], data)
	r.w.frame(r.frame, false)
}

// eventFault reads an upstream's report of a failure out of an event that is
// no chunk: a named error event or llama.cpp's `error:` line.
func eventFault(ev sse.Event) error {
	report := ev.ErrorLine
	if ev.Name == "error" {
		report = ev.Data
	}
	if report == nil {
		return nil
	}
	if fault := bodyFault(report); fault != nil {
		return fault
	}
	return upstream.Reported("The upstream reported an error.", "", "", "")
}
