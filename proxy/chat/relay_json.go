package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"footnote/proxy/front"
	"footnote/proxy/sse"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// json relays an answer that is sent as a whole.
func (r *relay) json(ctx context.Context) error {
	r.show = func(change func(http.Header)) { change(r.c.Writer.Header()) }
	err := r.askWhole(ctx)
	for r.fallBack(ctx, err) {
		err = r.askWhole(ctx)
	}
	err = r.settle(err)
	if refused, ok := errors.AsType[*refusal](err); ok {
		r.begin()
		refused.write(r.c)
		return nil
	}
	return err
}

// askWhole asks the upstream once. Nothing has gone to the client if it fails.
func (r *relay) askWhole(ctx context.Context) (err error) {
	ctx, span := r.startSpan(ctx)
	defer func() { r.endSpan(ctx, span, err) }()
	answer, err := r.ask(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was read or is not needed
	r.showHeaders(r.clientHeaders())
	var body []byte
	if answer.isStream() {
		body, err = collectStream(ctx, answer, r.in.req.N(), r.memory)
	} else {
		body, err = readAnswer(ctx, answer.Body, maxAnswerBytes, r.buffers().answer, r.memory)
		body = cleanJSON(body)
	}
	if err == nil {
		err = r.memory.Take(workCopies * len(body))
	}
	if err != nil {
		return err
	}
	if answer.isStream() {
		r.c.Header("Content-Type", "application/json")
	} else {
		r.buffers().answer = body
	}
	return r.sendJSON(answer, body)
}

// collectStream turns the stream of an upstream that was asked for JSON into
// JSON with n choices.
func collectStream(ctx context.Context, answer *reply, n int, memory *front.Share) ([]byte, error) {
	collector := wire.NewCollector()
	events := sse.NewReader(io.LimitReader(answer.Body, maxAnswerBytes), maxEventBytes)
	var frame wire.Frame
	for {
		ev, err := events.Next()
		if err == nil && !sse.IsDone(ev.Data) {
			validate(&ev)
			if err := answer.readFrame(&ev, &frame); err != nil {
				return nil, err
			}
			if err := collector.Add(ev.Data); err != nil {
				return nil, upstream.Invalid("The upstream's stream could not be read.")
			}
			if err := memory.Take(len(ev.Data)); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case err == nil:
			answer.Complete()
			collector.Finish()
		case context.Cause(ctx) != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, sse.ErrTooLong):
			return nil, upstream.Invalid("An event of the upstream's stream is too large.")
		case collector.Finished() < n: // else only [DONE] is missing
			return nil, upstream.Interrupted(err)
		}
		body, err := collector.JSON()
		if err != nil {
			return nil, upstream.Interrupted(err)
		}
		return body, nil
	}
}

// sendJSON adds the citations to a chat completion and writes it.
func (r *relay) sendJSON(answer *reply, body []byte) error {
	completion, err := wire.ReadResponse(body)
	passes := errors.Is(err, wire.ErrNoChoices) && !r.needed() && !reportsError(body) // nothing is added to it
	if err != nil && !passes {
		return answer.notCompletion(body)
	}
	r.attempt.End(upstream.Answered, "")
	if usage, ok := completion.Usage(); ok {
		r.usage = &usage
	} else {
		r.parts = len(body) / bytesPerToken
	}
	if body, err = r.finishJSON(completion, body); err != nil {
		return err
	}
	if r.in.cites() && r.status != "" {
		r.c.Header("X-Footnote-Citations", r.status)
	}
	body = r.addDebug(body)
	r.keeper.headers(r.c)
	r.keeper.whole(body)
	r.begin()
	WriteBody(r.c, http.StatusOK, body)
	return nil
}

// finishJSON scans a whole answer and returns its body with what the finisher
// adds. The error is that of a policy.
func (f *finisher) finishJSON(completion *wire.Response, body []byte) ([]byte, error) {
	choices := completion.Choices()
	body, texts := f.scan(completion, choices, body)
	if !f.needed() {
		return body, nil
	}
	e, err := f.finish()
	if err != nil {
		return nil, err
	}
	speaking := withText(choices)
	if texts == nil && e.tails {
		texts = make(map[int]string, len(speaking))
		for _, index := range speaking {
			texts[index] = ""
		}
	}
	e.addTails(texts)
	if len(texts) > 0 {
		body = wire.AppendText(body, false, func(choice int) string { return take(texts, choice) })
	}
	for _, index := range speaking {
		body = e.annotate(body, index, false)
	}
	body = e.addToMessages(body, choices[0].Index, f.messageContext(), false)
	return e.addMembers(&f.buffers().out, body), nil
}

// scan passes the texts of an answer through the tracker. It returns the body
// with rewritten texts, and what the tracker still held back of each choice at
// its end; nil where nothing is rewritten.
func (f *finisher) scan(completion *wire.Response, choices []wire.Choice, body []byte) ([]byte, map[int]string) {
	silent := !slices.ContainsFunc(choices, func(c wire.Choice) bool { return c.Text != "" })
	if f.tracker != nil && silent && slices.ContainsFunc(choices, func(c wire.Choice) bool { return c.ToolCalls }) {
		f.skip()
	}
	switch {
	case f.tracker == nil:
		return body, nil
	case f.rewrites():
		body = completion.Rewrite(nil, f.tracker.Write)
		rest := map[int]string{}
		for _, index := range withText(choices) {
			rest[index] = f.tracker.Close(index)
		}
		return body, rest
	default:
		for _, choice := range choices {
			f.tracker.Write(choice.Index, choice.Text)
		}
		return body, nil
	}
}

// withText returns the indexes of the choices that have text, each once.
func withText(choices []wire.Choice) []int {
	var list []int
	seen := map[int]bool{}
	for _, choice := range choices {
		if choice.Text != "" && !seen[choice.Index] {
			seen[choice.Index] = true
			list = append(list, choice.Index)
		}
	}
	return list
}

// take removes a choice's text from texts and returns it.
func take(texts map[int]string, choice int) string {
	text := texts[choice]
	delete(texts, choice)
	return text
}
