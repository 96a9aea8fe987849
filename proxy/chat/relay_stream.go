package chat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// maxEventBytes bounds one event of an upstream's stream: a line of 8 MiB and its end.
const maxEventBytes = 8<<20 + len("\n")

// maxQueued bounds the frames that wait behind a finish chunk.
const maxQueued = 64 << 10

// A streamRelay forwards one event stream. Events go out as they came, but for
// the last finish chunk, which gets what is ours: so each finish chunk is held
// until what follows shows whether it was the last. Where the answer's text is
// rewritten or its messages get something, so do the other chunks.
type streamRelay struct {
	ex    *exchange
	w     *streamWriter
	chunk wire.Frame

	held     []byte       // the data of a finish chunk
	queue    []byte       // frames after it that decide nothing
	ended    map[int]bool // choices that have a finish reason
	begun    bool         // a valid chunk came
	attached bool
	sawText  bool
	sawTool  bool
	last     []byte // data of the newest chunk, to copy id and model from
	frame    []byte // reused
	text     answerText
}

// answerStream relays an answer as events. Every way it can end is exactly one
// terminal: [DONE], an error frame, or a real status when nothing went out yet.
func (h *Handler) answerStream(ctx context.Context, cancel context.CancelCauseFunc, c *gin.Context, ex *exchange) error {
	h.deps.Front.StreamStarted()
	defer h.deps.Front.StreamEnded()
	w := newStreamWriter(c, h.cfg.Timings, cancel, func() { ex.answering(); streamHeaders(c) })
	defer w.end()
	r := &streamRelay{ex: ex, w: w, ended: map[int]bool{}, text: newAnswerText(ex)}
	err := h.stream(ctx, c, r)
	begun := w.end() || r.begun
	refused, isRefusal := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		w.frame([]byte(sse.Done))
		w.flushFrames()
		return nil
	case errors.Is(err, errClientGone), c.Request.Context().Err() != nil:
		ex.left = true
		return nil //nolint:nilerr // nobody is left to be told
	case isRefusal && !begun:
		ex.answering()
		refused.write(c)
		return nil
	case !begun:
		return err
	case isRefusal:
		err = refused.asFrame()
	}
	h.deps.Log.Warn("stream ended with an error", "request_id", requestIDOf(c), "model", ex.model, "error", err)
	r.surrender()
	r.release()
	w.frame(apierr.Frame(err))
	w.flushFrames()
	return nil
}

// stream asks the upstream and relays its answer; a nil error means that
// [DONE] is due.
func (h *Handler) stream(ctx context.Context, c *gin.Context, r *streamRelay) error {
	resp, err := h.ask(ctx, c, r.ex)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read, or given up
	h.sent(r.ex)
	r.w.headers(upstream.ClientHeaders(resp.Header))
	if isEventStream(resp) {
		return r.run(ctx, resp, sse.NewReader(r.w.watch(resp.Body), maxEventBytes))
	}
	answer, err := readAnswer(ctx, r.w.watch(resp.Body), maxAnswerBytes, nil)
	if err != nil {
		return err
	}
	frames, err := wire.StreamFromJSON(answer, r.ex.req.IncludeUsage())
	if err != nil {
		if fault := r.ex.bodyFault(answer); fault != nil {
			return fault
		}
		return upstream.Invalid("The upstream's answer is no chat completion.")
	}
	for _, data := range frames {
		if err := r.take(sse.Event{Data: data}); err != nil {
			return err
		}
	}
	return r.done()
}

func streamHeaders(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
}

// run relays events until the stream ends.
func (r *streamRelay) run(ctx context.Context, resp *upstream.Response, events *sse.Reader) error {
	for {
		ev, err := events.Next()
		switch {
		case err == nil && sse.IsDone(ev.Data):
			resp.Complete()
			return r.done()
		case err != nil:
			return r.ran(ctx, err)
		}
		if err := r.take(ev); err != nil {
			return err
		}
		if events.Buffered() {
			continue // one flush for all that came in one read
		}
		r.w.flushFrames()
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
	}
}

// ran decides what the end of the upstream's bytes means, or of our patience
// with it: once every choice has its finish reason, only [DONE] was missing.
func (r *streamRelay) ran(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	gone := errors.Is(cause, errClientGone) || errors.Is(cause, context.Canceled)
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return upstream.Invalid("An event of the upstream's stream is too large.")
	case len(r.ended) >= r.ex.req.N() && !gone:
		return r.done()
	case cause != nil:
		return cause
	default:
		return upstream.Interrupted(err)
	}
}

// take forwards one event.
func (r *streamRelay) take(ev sse.Event) error {
	if err := r.ex.readChunk(ev, &r.chunk); err != nil {
		return err
	}
	r.begun = true
	finish, busy := r.look()
	if !r.text.settles || r.attached {
		r.forward(ev)
		return nil
	}
	ev = r.edit(ev)
	switch {
	case r.held != nil:
		return r.follow(ev, finish, busy)
	case finish:
		r.held = append(r.held[:0], ev.Data...)
	default:
		if len(r.chunk.Choices) > 0 || r.last == nil {
			r.last = append(r.last[:0], ev.Data...)
		}
		r.forward(r.open(ev))
		r.tell(ev.Data)
	}
	return nil
}

// follow takes an event behind a held finish chunk: more text shows that it
// was not the last, a chunk without choices (usage) that it was, if no choice
// is open; anything else waits with it.
func (r *streamRelay) follow(ev sse.Event, finish, busy bool) error {
	open := len(r.ended) < r.ex.req.N()
	switch {
	case finish || busy:
		r.concludeEnded()
		r.release()
		if finish {
			r.held = append(r.held[:0], ev.Data...)
			return nil
		}
		r.forward(ev)
		r.tell(ev.Data)
	case (open || len(r.chunk.Choices) > 0) && len(r.queue)+len(ev.Data) < maxQueued:
		r.queue = sse.AppendData(r.queue, ev.Data)
	case open: // a finish chunk is to come
		r.concludeEnded()
		r.release()
		r.forward(ev)
	default:
		if err := r.attach(r.held); err != nil {
			return err
		}
		r.forward(ev)
	}
	return nil
}

// release lets a held finish chunk and what waits behind it go as they came.
func (r *streamRelay) release() {
	if r.held == nil {
		return
	}
	r.last = append(r.last[:0], r.held...)
	r.send(r.held)
	r.held = nil
	r.flushQueue()
}

func (r *streamRelay) flushQueue() {
	if len(r.queue) > 0 {
		r.w.frame(r.queue)
		r.queue = r.queue[:0]
	}
}

// look scans the chunk's choices. finish: it carries a finish reason; busy: it
// carries text or tool calls, so that a finish chunk before it was not the last.
func (r *streamRelay) look() (finish, busy bool) {
	for _, choice := range r.chunk.Choices {
		if choice.Content != "" {
			busy, r.sawText = true, true
			if r.ex.tracker != nil && !r.attached {
				r.text.hear(choice.Index, choice.Content)
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

// done settles what is owed before [DONE]: the held finish chunk, or one of
// our own when the upstream sent none.
func (r *streamRelay) done() error {
	switch {
	case !r.begun:
		return upstream.Interrupted(io.ErrUnexpectedEOF) // [DONE] and nothing before it
	case !r.text.settles || r.attached:
		return nil
	case r.held != nil:
		return r.attach(r.held)
	default:
		return r.attach(r.finish())
	}
}

// finish is the finish chunk that the upstream left out.
func (r *streamRelay) finish() []byte {
	data := wire.FinishFrame(r.last)
	if slices.ContainsFunc(chunkOf(data), r.text.isNew) {
		data = r.greet(data)
	}
	return data
}

// forward sends an event as it came, re-framed only where it has to be.
func (r *streamRelay) forward(ev sse.Event) {
	if ev.Raw != nil {
		r.w.pass(ev.Raw)
		return
	}
	r.send(ev.Data)
}

func (r *streamRelay) send(data []byte) {
	r.frame = sse.AppendData(r.frame[:0], data)
	r.w.frame(r.frame)
}

// readChunk scans an event. Its error is the failure that the event reports,
// in whichever dialect, or says that it is no chunk.
func (ex *exchange) readChunk(ev sse.Event, chunk *wire.Frame) error {
	if fault := ex.eventFault(ev); fault != nil {
		return fault
	}
	err := wire.ScanFrame(ev.Data, chunk)
	if chunk.Error || err != nil && bytes.HasPrefix(ev.Data, []byte("[")) { // Google lists its errors
		if fault := ex.bodyFault(ev.Data); fault != nil {
			return fault
		}
	}
	if err != nil {
		return upstream.Invalid("The upstream's stream could not be read.")
	}
	return nil
}

// eventFault reads an upstream's report of a failure out of an event that is
// no chunk: a named error event or llama.cpp's `error:` line.
func (ex *exchange) eventFault(ev sse.Event) error {
	report := ev.ErrorLine
	if ev.Name == "error" {
		report = ev.Data
	}
	if report == nil {
		return nil
	}
	if fault := ex.bodyFault(report); fault != nil {
		return fault
	}
	return upstream.Reported("The upstream reported an error.", "", "", "")
}
