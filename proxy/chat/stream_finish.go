package chat

import (
	"maps"
	"slices"

	"footnote/proxy/sse"
	"footnote/proxy/wire"
)

// edit makes of the frame that was scanned last what the client gets: its texts
// rewritten and its first deltas completed.
func (r *streamRelay) edit(ev *sse.Event) {
	if !r.text.rewrites && !r.context {
		return
	}
	data := ev.Data
	if r.text.rewrites {
		data = r.text.rewrite(&r.frame, data)
	}
	if slices.ContainsFunc(r.frame.Choices, r.text.lacksContext) {
		data = r.text.addContext(data)
	}
	if &data[0] != &ev.Data[0] {
		*ev = sse.Event{Data: data}
	}
}

// addOpening adds to the first frame what is known before the text. An answer
// that begins with its finish frame gets that there.
func (r *streamRelay) addOpening(ev *sse.Event) {
	if r.text.opened {
		return
	}
	r.text.opened = true
	if members := r.opening(); len(members) > 0 {
		*ev = sse.Event{Data: wire.Splice(nil, ev.Data, members...)}
	}
}

// sendEvents sends an event for each marker that the frame scanned last
// completed. The events copy id and model from like.
func (r *streamRelay) sendEvents(like []byte) {
	if !r.sendsEvents() {
		return
	}
	for _, choice := range r.frame.Choices {
		if choice.Content != "" {
			r.sendEventsOf(choice.Index, like)
		}
	}
}

func (r *streamRelay) sendEventsOf(choice int, like []byte) {
	for _, m := range r.tracker.Completed(choice) {
		r.send(wire.Splice(nil, wire.EmptyFrame(like, choice), r.event(m)))
	}
}

// afterFinish takes an event behind a held finish frame. More text shows that it
// was not the last. A frame without choices (usage) shows that it was, if no
// choice is open. Anything else waits.
func (r *streamRelay) afterFinish(ev *sse.Event, finish, busy bool) error {
	open := len(r.ended) < r.in.req.N()
	switch {
	case finish || busy:
		r.finishEnded()
		r.sendHeld()
		if finish {
			r.held = append(r.held[:0], ev.Data...)
			return nil
		}
		r.forward(ev)
		r.sendEvents(ev.Data)
	case (open || len(r.frame.Choices) > 0) && len(r.queue)+len(ev.Data) < maxQueued:
		r.queue = sse.AppendData(r.queue, ev.Data)
	case open: // a finish frame is still to come
		r.finishEnded()
		r.sendHeld()
		r.forward(ev)
	default:
		if err := r.sendFinish(r.held); err != nil {
			return err
		}
		r.forward(ev)
	}
	return nil
}

// finishEnded finishes the choices of the held finish frame that have ended
// while others continue: the rest of their texts goes before the frame, and
// their annotations onto it.
func (r *streamRelay) finishEnded() {
	t := &r.text
	if r.tracker == nil {
		return
	}
	e := r.choiceEdits(r.tracker)
	if !t.ends && !e.annotates {
		return
	}
	rest := map[int]string{}
	for _, choice := range choicesOf(r.held) {
		continues := slices.ContainsFunc(r.frame.Choices, func(c wire.FrameChoice) bool { return c.Index == choice.Index })
		if continues || !r.ended[choice.Index] {
			continue
		}
		if t.open[choice.Index] {
			rest[choice.Index] = t.end(choice.Index)
		}
		if e.annotates && !t.annotated[choice.Index] {
			r.annotateHeld(choice.Index, e.cited.Annotations(choice.Index))
		}
	}
	e.addTails(rest)
	r.held = r.sendRestOf(r.held, rest)
}

// annotateHeld puts the annotations of a choice onto the held finish frame.
func (r *streamRelay) annotateHeld(choice int, list []byte) {
	if list == nil {
		return // it may get some from the verdict
	}
	if r.text.annotated == nil {
		r.text.annotated = map[int]bool{}
	}
	r.text.annotated[choice] = true
	r.held = wire.AddAnnotations(r.held, choice, list, true)
}

// sendRestOf brings the rest of texts to the client: in the content of the finish
// frame, which it returns, or before it. The events of markers that the rest
// completed follow the texts.
func (r *streamRelay) sendRestOf(finish []byte, rest map[int]string) []byte {
	if len(rest) == 0 {
		return finish
	}
	choices := slices.Sorted(maps.Keys(rest))
	finish = wire.AppendText(finish, true, func(choice int) string { return take(rest, choice) })
	r.sendTexts(finish, rest)
	if r.sendsEvents() {
		for _, choice := range choices {
			r.sendEventsOf(choice, finish)
		}
	}
	return finish
}

// sendTexts sends texts in frames of their own.
func (r *streamRelay) sendTexts(like []byte, texts map[int]string) {
	for _, choice := range slices.Sorted(maps.Keys(texts)) {
		if texts[choice] != "" {
			r.send(wire.ContentFrame(like, choice, texts[choice]))
		}
	}
}

// sendFinish sends the last finish frame with the citations. The error is that of
// a policy: then the frame does not go out, but its text does.
func (r *streamRelay) sendFinish(finish []byte) error {
	r.held, r.finished = nil, true
	if r.sawTool && !r.sawText && r.tracker != nil {
		r.skip()
	}
	rest := r.text.endAll()
	choices := choicesOf(finish)
	e, err := r.finish()
	if err != nil {
		for _, choice := range choices {
			if choice.HasContent() {
				rest[choice.Index] = choice.Content + rest[choice.Index]
			}
		}
		r.sendTexts(finish, rest)
		return err
	}
	e.addTails(rest)
	finish = r.sendRestOf(finish, rest)
	for _, choice := range choices {
		if !r.text.annotated[choice.Index] {
			finish = e.annotate(finish, choice.Index, true)
		}
	}
	if len(choices) > 0 {
		finish = e.addToMessages(finish, choices[0].Index, nil, true) // the context is in the first deltas
	}
	r.send(e.addMembers(&r.buffers().out, finish))
	r.flushQueue()
	return nil
}

// sendRest sends the texts that were held back, before an error ends the stream.
func (r *streamRelay) sendRest() {
	if !r.text.rewrites || r.finished {
		return
	}
	rest := r.text.endAll()
	like := r.last
	if r.held != nil {
		r.held = wire.AppendText(r.held, true, func(choice int) string { return take(rest, choice) })
		like = r.held
	}
	r.sendTexts(like, rest)
}

// choicesOf lists the choices of a frame's data.
func choicesOf(data []byte) []wire.FrameChoice {
	var frame wire.Frame
	if wire.ScanFrame(data, &frame) != nil {
		return nil // impossible: it was scanned before
	}
	return frame.Choices
}
