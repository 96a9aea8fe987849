package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"unicode/utf8"

	"footnote/proxy/apierr"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// maxQueued bounds the frames that wait behind a finish frame.
const maxQueued = 64 << 10

// A streamRelay forwards one event stream. Events go out as they came, but for
// the last finish frame, which gets the citations. So each finish frame is held
// until the next event shows whether it was the last. Other frames change only
// where the answer's text is rewritten or its messages get something.
type streamRelay struct {
	*relay
	answer *reply
	w      *streamWriter
	frame  wire.Frame // scanned last

	held     []byte       // the data of a finish frame
	queue    []byte       // frames behind it that do not show whether it is the last
	ended    map[int]bool // choices that have a finish reason
	begun    bool         // a valid frame came
	answers  bool         // one with a choice came, so the answer has begun
	finished bool         // the citations went out
	sawText  bool
	sawTool  bool
	last     []byte // data of the newest frame, to copy id and model from
	text     streamText
}

// stream relays an answer as events. It ends in exactly one of three ways:
// [DONE], an error frame behind which the connection breaks, or a real status
// when nothing went out yet.
func (r *relay) stream(ctx context.Context, cancel context.CancelCauseFunc) error {
	r.h.deps.Front.StreamStarted()
	defer r.h.deps.Front.StreamEnded()
	w := newStreamWriter(r.c, r.h.cfg.Timings, r.in.client.Timeouts(), cancel, func() { r.begin(); r.streamHeaders() })
	defer w.release()
	defer w.end()
	s := &streamRelay{relay: r, w: w, ended: map[int]bool{}, text: newStreamText(&r.finisher)}
	r.show = w.headers
	err := s.askInTurn(ctx)
	begun := w.end() || s.answers
	refused, isRefusal := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		w.frame([]byte(sse.Done))
		w.flushFrames()
		return nil
	case errors.Is(err, errClientGone), r.c.Request.Context().Err() != nil:
		r.left = true
		return nil //nolint:nilerr // the client has left, so there is no one to answer
	case isRefusal && !begun:
		r.begin()
		refused.write(r.c)
		return nil
	case !begun:
		return err
	case isRefusal:
		err = refused.streamError()
	}
	r.h.deps.Log.Warn("stream ended with an error", "request_id", requestIDOf(r.c), "model", r.in.model, "error", err)
	r.fault = err
	s.sendRest()
	s.sendHeld()
	w.frame(apierr.Frame(err))
	w.flushFrames()
	// Some clients ignore error frames. Without the end of the transfer they
	// cannot take the answer for a complete one.
	panic(http.ErrAbortHandler)
}

func (r *relay) streamHeaders() {
	h := r.c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Del("Content-Length")
	r.keeper.headers(r.c)
}

// askInTurn asks the upstream, and its fallbacks as long as no frame has come.
// Each has the time for its first token to itself.
func (r *streamRelay) askInTurn(ctx context.Context) error {
	for {
		attempt, cancel := context.WithCancelCause(ctx)
		r.w.attempt(cancel, r.in.client.Timeouts())
		err := r.askAndRelay(attempt)
		cancel(nil)
		switch {
		case r.begun:
			return err
		case !r.fallBack(ctx, err):
			return r.settle(err)
		}
	}
}

// askAndRelay asks the upstream and relays its answer. Without an error, [DONE] is due.
func (r *streamRelay) askAndRelay(ctx context.Context) (err error) {
	ctx, span := r.startSpan(ctx)
	defer func() { r.endSpan(ctx, span, err) }()
	answer, err := r.ask(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read or is not needed
	r.answer = answer
	if len(r.in.waiting) == 0 {
		r.in.forget() // a stream may last half an hour
	}
	r.showHeaders(r.clientHeaders())
	source, isStream := answer.open(r.w.watch(answer.Body))
	if isStream {
		events := sse.NewReader(source, maxEventBytes)
		err := r.relayEvents(ctx, events)
		r.w.copyRun() // the frames that wait may be in the reader's memory
		events.Release()
		return err
	}
	body, err := readAnswer(ctx, source, maxAnswerBytes, nil, r.memory)
	if err == nil {
		err = r.memory.Take(workCopies * len(body))
	}
	if err != nil {
		return err
	}
	body = cleanJSON(body)
	frames, err := wire.StreamFromJSON(body, r.in.req.IncludeUsage())
	if err != nil {
		return answer.notCompletion(body)
	}
	for _, data := range frames {
		if err := r.relayEvent(&sse.Event{Data: data}); err != nil {
			return err
		}
	}
	return r.finishStream()
}

// relayEvents relays events until the stream ends.
func (r *streamRelay) relayEvents(ctx context.Context, events *sse.Reader) error {
	done := ctx.Done()
	for {
		ev, err := events.Next()
		switch {
		case err == nil && sse.IsDone(ev.Data):
			r.answer.Complete()
			return r.finishStream()
		case err != nil:
			return r.readFailed(ctx, err)
		}
		validate(&ev)
		if err := r.relayEvent(&ev); err != nil {
			return err
		}
		if events.Buffered() || !r.answers {
			continue // one flush for all events of one read, and none before the answer begins
		}
		r.w.flushFrames()
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		if r.tracker != nil {
			r.tracker.CheckClaims() // the client has what is there
		}
	}
}

// validate is validText for an event.
func validate(ev *sse.Event) {
	if !utf8.Valid(ev.Raw) {
		ev.Data, ev.Raw = validText(ev.Data), validText(ev.Raw)
	}
}

// readFailed decides what the end of the upstream's data means. Once every
// choice has its finish reason, only [DONE] was missing.
func (r *streamRelay) readFailed(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	gone := errors.Is(cause, errClientGone) || errors.Is(cause, context.Canceled)
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return upstream.Invalid("An event of the upstream's stream is too large.")
	case len(r.ended) >= r.in.req.N() && !gone:
		return r.finishStream()
	case cause != nil:
		return cause
	default:
		return upstream.Interrupted(err)
	}
}

// relayEvent forwards one event, or holds it.
func (r *streamRelay) relayEvent(ev *sse.Event) error {
	if err := r.answer.readFrame(ev, &r.frame); err != nil {
		return err
	}
	if usage, ok := r.frame.Usage(ev.Data); ok {
		last := usage // allocated only here, because few frames have one
		r.relay.usage = &last
	}
	if !r.begun && len(r.in.waiting) > 0 {
		r.in.waiting = nil // no other may answer now
		r.in.forget()
	}
	if !r.begun {
		r.attempt.FirstByte()
		r.attempt.End(upstream.Answered, "")
	}
	r.begun, r.answers = true, r.answers || len(r.frame.Choices) > 0
	r.parts += len(r.frame.Choices) // most servers send a frame for each token
	finish, busy := r.scan()
	if !r.text.finishes || r.finished {
		r.addDebugTo(ev)
		r.forward(ev)
		return nil
	}
	r.edit(ev)
	r.addDebugTo(ev)
	switch {
	case r.held != nil:
		return r.afterFinish(ev, finish, busy)
	case finish:
		r.held = append(r.held[:0], ev.Data...)
	default:
		if len(r.frame.Choices) > 0 || r.last == nil {
			r.last = append(r.last[:0], ev.Data...)
		}
		data := ev.Data
		r.addOpening(ev)
		r.forward(ev)
		r.sendEvents(data)
	}
	return nil
}

// scan reads the frame's choices. finish: it carries a finish reason; busy: it
// carries text or tool calls, so that a finish frame before it was not the last.
func (r *streamRelay) scan() (finish, busy bool) {
	for i := range r.frame.Choices {
		choice := &r.frame.Choices[i]
		if choice.Content != "" {
			busy, r.sawText = true, true
			if r.tracker != nil && !r.finished {
				r.text.note(choice.Index, choice.Content)
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

// finishStream sends the citations before [DONE]: on the held finish frame, or on
// a new one when the upstream sent none.
func (r *streamRelay) finishStream() error {
	switch {
	case !r.begun:
		return upstream.Interrupted(io.ErrUnexpectedEOF) // nothing came before [DONE]
	case !r.text.finishes || r.finished:
		return nil
	case r.held != nil:
		return r.sendFinish(r.held)
	default:
		return r.sendFinish(r.newFinishFrame())
	}
}

// newFinishFrame is the finish frame that the upstream left out.
func (r *streamRelay) newFinishFrame() []byte {
	data := wire.FinishFrame(r.last)
	if slices.ContainsFunc(choicesOf(data), r.text.lacksContext) {
		data = r.text.addContext(data)
	}
	return data
}

// sendHeld sends the held finish frame and what waits behind it as they came.
func (r *streamRelay) sendHeld() {
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

// forward sends an event as it came. An event that was edited gets a new frame.
func (r *streamRelay) forward(ev *sse.Event) {
	switch {
	case ev.Raw == nil:
		r.send(ev.Data)
	case r.answers:
		r.keeper.sent(ev.Data)
		r.w.pass(ev.Raw)
	default:
		r.keeper.sent(ev.Data)
		r.w.frame(ev.Raw) // it waits for the first choice, longer than its memory is valid
	}
}

func (r *streamRelay) send(data []byte) {
	r.keeper.sent(data)
	r.w.data(data)
}
