package wire

import (
	"slices"
	"strconv"
)

// frameKeys are the top-level members that every frame of a stream carries.
var frameKeys = []string{"id", "created", "model", "system_fingerprint", "service_tier"}

// StreamFromJSON turns a chat completion into the data of the frames of a
// stream, for a client that asked for one: for each choice a frame with the
// whole message as its delta, then for each a finish frame, then the usage if
// includeUsage says that the client wants it. Unknown members of the message
// stay in the delta; those of a choice and of the answer go on the (last)
// finish frame, and so do annotations, which some clients accept only once.
func StreamFromJSON(body []byte, includeUsage bool) ([][]byte, error) {
	r, err := ReadResponse(body)
	if err != nil {
		return nil, err
	}
	top, _ := topObject(body) // ReadResponse has checked it
	head := []byte(`{"object":"chat.completion.chunk"`)
	var rest []byte
	var usage span
	for w := walk(body, top.start, 0); w.member(); {
		key := w.key
		v := w.skip()
		switch name := string(decodedKey(key.of(body))); {
		case name == "object", name == "choices":
		case name == "usage":
			usage = v
		case slices.Contains(frameKeys, name):
			head = appendRaw(head, key.of(body), v.of(body))
		default:
			rest = appendRaw(rest, key.of(body), v.of(body))
		}
	}
	var frames, finishes [][]byte
	for i, c := range r.choices {
		begin, finish := r.splitChoice(c)
		frames = append(frames, makeFrame(head, nil, begin))
		var extra []byte
		if i == len(r.choices)-1 {
			extra = rest
		}
		finishes = append(finishes, makeFrame(head, extra, finish))
	}
	frames = append(frames, finishes...)
	if includeUsage && isObject(usage.of(body)) {
		frames = append(frames, makeFrame(head, appendRaw(nil, []byte("usage"), usage.of(body)), nil))
	}
	return frames, nil
}

// makeFrame puts one frame together; extra are further members, each after a comma.
func makeFrame(head, extra, choice []byte) []byte {
	b := make([]byte, 0, len(head)+len(extra)+len(choice)+len(`,"choices":[]}`))
	b = append(append(b, head...), `,"choices":[`...)
	b = append(append(b, choice...), ']')
	return append(append(b, extra...), '}')
}

// appendRaw appends a comma and a member whose key and value are encoded.
func appendRaw(b, key, value []byte) []byte {
	b = append(append(b, `,"`...), key...)
	return append(append(b, `":`...), value...)
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// splitChoice makes the choice of the first frame and that of the finish frame.
func (r *Response) splitChoice(c choice) (begin, finish []byte) {
	begin = appendInt([]byte(`{"index":`), c.index)
	finish = append([]byte(nil), begin...)
	delta, annotations := r.deltaOf(c.holder)
	begin = append(append(begin, `,"delta":`...), delta...)
	finish = append(append(finish, `,"delta":{`...), annotations...)
	finish = append(finish, '}')
	reason := `"stop"`
	if _, calls := contentAndCalls(r.body, c.holder); calls {
		reason = `"tool_calls"`
	}
	for w := walk(r.body, c.at.start, 0); w.member(); {
		key := w.key.of(r.body)
		v := w.skip()
		switch string(decodedKey(key)) {
		case "index", "message", "delta":
		case "finish_reason":
			if text, ok := textValue(r.body, v); ok && text != "" {
				reason = string(v.of(r.body))
			}
		case "logprobs":
			begin = appendRaw(begin, key, v.of(r.body))
		default:
			finish = appendRaw(finish, key, v.of(r.body))
		}
	}
	begin = append(begin, `,"finish_reason":null}`...)
	finish = append(append(append(finish, `,"finish_reason":`...), reason...), '}')
	return begin, finish
}

// deltaOf turns a message into a delta, and gives its annotations apart.
func (r *Response) deltaOf(message span) (delta, annotations []byte) {
	delta = []byte(`{`)
	if role := find(r.body, message, "role"); role.none() {
		delta = append(delta, `"role":"assistant"`...)
	}
	if !isObject(message.of(r.body)) {
		return append(delta, '}'), nil
	}
	for w := walk(r.body, message.start, 0); w.member(); {
		key := w.key.of(r.body)
		v := w.skip()
		value := v.of(r.body)
		switch name := string(decodedKey(key)); {
		case name == "annotations":
			annotations = appendRaw(nil, key, value)[1:]
			continue
		case name == "tool_calls" && isNonEmptyList(value):
			value = indexed(r.body, v)
		}
		if len(delta) == 1 {
			delta = append(delta, appendRaw(nil, key, value)[1:]...)
		} else {
			delta = appendRaw(delta, key, value)
		}
	}
	return append(delta, '}'), annotations
}

// indexed gives every tool call the index that deltas must have.
func indexed(b []byte, list span) []byte {
	var all []splice
	n := 0
	for w := walk(b, list.start, 0); w.element(); n++ {
		v := w.skip()
		if b[v.start] != '{' || !find(b, v, "index").none() {
			continue
		}
		text := appendInt([]byte(`"index":`), n)
		if b[skipSpace(b, v.start+1)] != '}' {
			text = append(text, ',')
		}
		at := v.start + 1 - list.start
		all = append(all, splice{at: span{at, at}, text: text})
	}
	return apply(nil, list.of(b), all)
}

// FinishFrame makes the data of the finish frame that an upstream left out:
// with id, created and model of its last frame, an empty delta and the finish
// reason stop, for the choices with these indexes, or for choice 0.
func FinishFrame(last []byte, choices ...int) []byte {
	b := frameHead(last)
	if len(choices) == 0 {
		choices = []int{0}
	}
	for i, index := range choices {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendInt(append(b, `{"index":`...), index)
		b = append(b, `,"delta":{},"finish_reason":"stop"}`...)
	}
	return append(b, "]}"...)
}

// ContentFrame makes the data of a frame like the last one with this text of a choice.
func ContentFrame(last []byte, choice int, text string) []byte {
	return deltaFrame(last, choice, append(AppendString([]byte(`{"content":`), text), '}'))
}

// EmptyFrame makes the data of a frame like the last one in which a choice says nothing.
func EmptyFrame(last []byte, choice int) []byte { return deltaFrame(last, choice, []byte("{}")) }

func deltaFrame(last []byte, choice int, delta []byte) []byte {
	b := appendInt(append(frameHead(last), `{"index":`...), choice)
	b = append(append(b, `,"delta":`...), delta...)
	return append(b, `,"finish_reason":null}]}`...)
}

// frameHead begins a frame with id, created and model of the last one, up to its choices.
func frameHead(last []byte) []byte {
	b := []byte(`{"object":"chat.completion.chunk"`)
	if top, ok := topObject(last); ok {
		for _, key := range []string{"id", "created", "model"} {
			if v := find(last, top, key); !v.none() {
				b = appendRaw(b, []byte(key), v.of(last))
			}
		}
	}
	return append(b, `,"choices":[`...)
}
