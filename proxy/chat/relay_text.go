package chat

import (
	"maps"
	"slices"

	"footnote/proxy/sse"
	"footnote/proxy/wire"
)

// An answerText is what a stream's relay does to the texts and messages of the
// answer, and what it knows of them.
type answerText struct {
	ex       *exchange
	settles  bool // the end of the answer is ours, too
	rewrites bool // the client gets another text than the upstream sent
	ends     bool // the end of each choice's text matters
	events   bool // each marker is told as soon as it is complete

	open      map[int]bool   // choices with text: whether it goes on
	owed      map[int]string // text that no chunk could carry so far
	annotated map[int]bool   // choices whose annotations went out before the last finish chunk
	context   []wire.Member  // what each choice's first delta gets
	greeted   map[int]bool   // choices that have it
	opened    bool           // the first chunk went out
	edited    []byte         // reused
}

func newAnswerText(ex *exchange) answerText {
	t := answerText{ex: ex, settles: ex.settles(), rewrites: ex.rewrites()}
	t.events = ex.tracker != nil && ex.dialect.object && ex.wants.Events
	t.ends = ex.tracker != nil && (t.rewrites || t.events || ex.dialect.list)
	return t
}

// hear takes note of a piece of a choice's text. Where texts are rewritten,
// the tracker gets it as it goes out.
func (t *answerText) hear(choice int, text string) {
	if t.ends {
		if _, known := t.open[choice]; !known {
			if t.open == nil {
				t.open = map[int]bool{}
			}
			t.open[choice] = true
		}
	}
	if !t.rewrites {
		t.write(choice, text)
	}
}

// write passes a piece of a choice's text through the tracker and returns what
// the client may have by now. What comes behind the end of a text, from an
// upstream that does not keep to its own finish reason, passes as it is.
func (t *answerText) write(choice int, text string) string {
	if open, known := t.open[choice]; known && !open {
		return text
	}
	return t.ex.tracker.Write(choice, text)
}

// end ends a choice's text and returns what the client has not got of it.
func (t *answerText) end(choice int) string {
	t.open[choice] = false
	return taken(t.owed, choice) + t.ex.tracker.Close(choice)
}

// endAll is end for all choices whose texts go on.
func (t *answerText) endAll() map[int]string {
	tails := map[int]string{}
	for choice, open := range t.open {
		if open {
			tails[choice] = ""
		}
	}
	for _, choice := range slices.Sorted(maps.Keys(tails)) {
		tails[choice] = t.end(choice)
	}
	return tails
}

// edit makes of an event what the client gets of it: the chunk that was scanned
// last with its texts rewritten and its first deltas completed.
func (r *streamRelay) edit(ev sse.Event) sse.Event {
	data := ev.Data
	if t := &r.text; t.rewrites {
		data = r.chunk.Rewrite(t.edited[:0], data, t.write)
		if &data[0] != &ev.Data[0] {
			t.edited = data
		}
		for _, choice := range r.chunk.Choices {
			if choice.Content != "" && !choice.HasContent() { // half a character that nothing followed
				if t.owed == nil {
					t.owed = map[int]string{}
				}
				t.owed[choice.Index] += t.write(choice.Index, choice.Content)
			}
		}
	}
	if t := &r.text; slices.ContainsFunc(r.chunk.Choices, t.isNew) {
		data = r.greet(data)
	}
	if &data[0] == &ev.Data[0] {
		return ev
	}
	return sse.Event{Data: data}
}

// isNew reports whether a choice's first delta is still to come, where that matters.
func (t *answerText) isNew(c wire.FrameChoice) bool {
	return t.ex.dialect.context && !t.greeted[c.Index]
}

// greet adds the context to the deltas of new choices.
func (r *streamRelay) greet(data []byte) []byte {
	t := &r.text
	if t.greeted == nil {
		t.greeted, t.context = map[int]bool{}, r.ex.context()
	}
	return wire.AddToChoices(data, true, func(choice int) []wire.Member {
		if t.greeted[choice] {
			return nil
		}
		t.greeted[choice] = true
		return t.context
	})
}

// open adds to the first chunk what is known before the text, for clients that
// read it there. A finish chunk has it in any case.
func (r *streamRelay) open(ev sse.Event) sse.Event {
	t := &r.text
	if t.opened {
		return ev
	}
	t.opened = true
	members := r.ex.opening()
	if len(members) == 0 {
		return ev
	}
	return sse.Event{Data: wire.Splice(nil, ev.Data, members...)}
}

// tell sends an event for each marker that the chunk scanned last completed,
// like being a chunk to copy id and model from.
func (r *streamRelay) tell(like []byte) {
	if !r.text.events {
		return
	}
	for _, choice := range r.chunk.Choices {
		if choice.Content != "" {
			r.tellOf(choice.Index, like)
		}
	}
}

func (r *streamRelay) tellOf(choice int, like []byte) {
	for _, m := range r.ex.tracker.Completed(choice) {
		r.ex.links() // the sources are told in full
		event := wire.Member{Key: "citation", Value: r.ex.tracker.AppendEvent(nil, m)}
		r.send(wire.Splice(nil, wire.EmptyFrame(like, choice), event))
	}
}

// concludeEnded ends the texts of choices that have ended, with the held finish
// chunk, when what follows says that only others go on: what is owed of them
// goes before it, and their annotations onto it.
func (r *streamRelay) concludeEnded() {
	t := &r.text
	annotates := t.ex.tracker != nil && t.ex.annotates()
	if !t.ends && !annotates {
		return
	}
	tails := map[int]string{}
	for _, choice := range chunkOf(r.held) {
		goesOn := slices.ContainsFunc(r.chunk.Choices, func(c wire.FrameChoice) bool { return c.Index == choice.Index })
		if goesOn || !r.ended[choice.Index] {
			continue
		}
		if t.open[choice.Index] {
			tails[choice.Index] = t.end(choice.Index)
			if t.ex.dialect.list {
				tails[choice.Index] += t.ex.tracker.List(choice.Index)
			}
		}
		if annotates {
			r.annotate(choice.Index)
		}
	}
	r.held = r.deliver(r.held, tails)
}

// annotate puts the annotations of a choice that has ended onto the held finish chunk.
func (r *streamRelay) annotate(choice int) {
	t := &r.text
	list := t.ex.tracker.Annotations(choice)
	if list == nil || t.annotated[choice] {
		return
	}
	if t.annotated == nil {
		t.annotated = map[int]bool{}
	}
	t.annotated[choice] = true
	r.held = wire.AddAnnotations(r.held, choice, list, true)
}

// deliver brings the rest of the texts to the client: in the content of the
// finish chunk, which it returns, or before it; and behind the texts what their
// ends completed.
func (r *streamRelay) deliver(finish []byte, tails map[int]string) []byte {
	if len(tails) == 0 {
		return finish
	}
	choices := slices.Sorted(maps.Keys(tails))
	finish = wire.AppendText(finish, true, func(choice int) string { return taken(tails, choice) })
	r.sendTexts(finish, tails)
	if r.text.events {
		for _, choice := range choices {
			r.tellOf(choice, finish)
		}
	}
	return finish
}

// sendTexts sends texts in chunks of their own.
func (r *streamRelay) sendTexts(like []byte, texts map[int]string) {
	for _, choice := range slices.Sorted(maps.Keys(texts)) {
		if texts[choice] != "" {
			r.send(wire.ContentFrame(like, choice, texts[choice]))
		}
	}
}

// attach sends a finish chunk with what is ours on it. The error is that of a
// policy: then the chunk does not go out, but its text does.
func (r *streamRelay) attach(finish []byte) error {
	r.held, r.attached = nil, true
	ex, t := r.ex, &r.text
	if r.sawTool && !r.sawText && ex.tracker != nil {
		ex.skip()
	}
	tails := t.endAll()
	verdict, err := ex.settle()
	choices := chunkOf(finish)
	if err != nil {
		for _, choice := range choices {
			if choice.HasContent() {
				tails[choice.Index] = choice.Content + tails[choice.Index]
			}
		}
		r.sendTexts(finish, tails)
		return err
	}
	if ex.dialect.list {
		for choice := range tails {
			tails[choice] += verdict.List(choice)
		}
	}
	finish = r.deliver(finish, tails)
	if ex.annotates() {
		for _, choice := range choices {
			if !t.annotated[choice.Index] {
				finish = wire.AddAnnotations(finish, choice.Index, verdict.Annotations(choice.Index), true)
			}
		}
	}
	members := ex.members(verdict)
	if object := ex.inMessage(); object != nil {
		finish = wire.AddToChoices(finish, true, func(choice int) []wire.Member {
			if choice != choices[0].Index {
				return nil
			}
			return object
		})
	}
	r.send(ex.splice(finish, members))
	r.flushQueue()
	return nil
}

// surrender sends what was held back, before an error ends the stream.
func (r *streamRelay) surrender() {
	if !r.text.rewrites || r.attached {
		return
	}
	tails := r.text.endAll()
	like := r.last
	if r.held != nil {
		r.held = wire.AppendText(r.held, true, func(choice int) string { return taken(tails, choice) })
		like = r.held
	}
	r.sendTexts(like, tails)
}

// chunkOf lists the choices of a chunk's data.
func chunkOf(data []byte) []wire.FrameChoice {
	var chunk wire.Frame
	if wire.ScanFrame(data, &chunk) != nil {
		return nil // it was scanned before, so it is readable
	}
	return chunk.Choices
}
