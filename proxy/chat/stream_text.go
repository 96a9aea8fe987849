package chat

import (
	"maps"
	"slices"

	"footnote/proxy/wire"
)

// A streamText is what the stream relay knows and changes of the answer's texts
// and messages.
type streamText struct {
	f        *finisher
	finishes bool // the answer gets something at its end
	rewrites bool // the client gets another text than the upstream sent
	ends     bool // the end of each choice's text matters

	open      map[int]bool   // choices with text: whether it continues
	owed      map[int]string // text that no frame could carry so far
	annotated map[int]bool   // choices whose annotations went out before the last finish frame
	context   []wire.Member  // for each choice's first delta
	hasFirst  map[int]bool   // choices whose first delta was seen
	opened    bool           // the first frame went out
	edited    []byte         // reused
}

func newStreamText(f *finisher) streamText {
	t := streamText{f: f, finishes: f.needed(), rewrites: f.rewrites()}
	t.ends = f.tracker != nil && (t.rewrites || f.sendsEvents() || f.list)
	return t
}

// note takes note of a piece of a choice's text. Where texts are rewritten, the
// tracker gets the piece when it goes out.
func (t *streamText) note(choice int, text string) {
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
// the client may have by now. Text that an upstream sends behind the choice's
// finish reason passes as it is.
func (t *streamText) write(choice int, text string) string {
	if open, known := t.open[choice]; known && !open {
		return text
	}
	return t.f.tracker.Write(choice, text)
}

// end ends a choice's text and returns what the client does not have of it.
func (t *streamText) end(choice int) string {
	t.open[choice] = false
	return take(t.owed, choice) + t.f.tracker.Close(choice)
}

// endAll ends all texts that continue.
func (t *streamText) endAll() map[int]string {
	rest := map[int]string{}
	for choice, open := range t.open {
		if open {
			rest[choice] = ""
		}
	}
	for _, choice := range slices.Sorted(maps.Keys(rest)) {
		rest[choice] = t.end(choice)
	}
	return rest
}

// rewrite rewrites the texts of a frame.
func (t *streamText) rewrite(frame *wire.Frame, data []byte) []byte {
	edited := frame.Rewrite(t.edited[:0], data, t.write)
	if &edited[0] != &data[0] {
		t.edited = edited
	}
	for _, choice := range frame.Choices {
		if choice.Content != "" && !choice.HasContent() { // half a character that nothing followed
			if t.owed == nil {
				t.owed = map[int]string{}
			}
			t.owed[choice.Index] += t.write(choice.Index, choice.Content)
		}
	}
	return edited
}

// lacksContext reports whether a choice still needs the context of its message.
func (t *streamText) lacksContext(c wire.FrameChoice) bool {
	return t.f.context && !t.hasFirst[c.Index]
}

// addContext adds the context to the first deltas of choices.
func (t *streamText) addContext(data []byte) []byte {
	if t.hasFirst == nil {
		t.hasFirst, t.context = map[int]bool{}, t.f.messageContext()
	}
	return wire.AddToChoices(data, true, func(choice int) []wire.Member {
		if t.hasFirst[choice] {
			return nil
		}
		t.hasFirst[choice] = true
		return t.context
	})
}
