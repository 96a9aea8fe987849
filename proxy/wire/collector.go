package wire

import (
	"errors"
	"io"
	"maps"
	"slices"
)

// errUnfinished says that a stream ended before its answer did.
var errUnfinished = errors.Join(errors.New("wire: the stream ended without a finish reason"), io.ErrUnexpectedEOF)

// A Collector builds a chat completion from the frames of a stream, for a
// client that asked for JSON. Texts are joined as they are encoded, tool calls
// by their index; what it does not know is joined in the same manner: strings
// one after the other, lists appended, of anything else the last.
type Collector struct {
	top     members
	choices map[int]*collected
}

// collected is one choice in the making.
type collected struct {
	members  members // of the choice, without index and message
	message  members
	deltas   bool // it came in deltas, so that a message is the whole once more
	finished bool
}

// NewCollector returns an empty collector.
func NewCollector() *Collector {
	return &Collector{choices: map[int]*collected{}}
}

// Add takes the data of one frame. It fails if that is not a JSON object.
func (c *Collector) Add(data []byte) error {
	top, ok := topObject(data)
	if !ok {
		return errNoFrame
	}
	for w := walk(data, top.start, 0); w.member(); {
		name := string(decodedKey(w.key.of(data)))
		v := w.skip()
		raw := v.of(data)
		switch name {
		case "object":
		case "choices":
			c.addChoices(data, v)
		case "id", "created", "model":
			c.top.first(name, raw)
		default:
			c.top.latest(name, raw)
		}
	}
	return nil
}

func (c *Collector) addChoices(data []byte, list span) {
	for _, at := range readChoices(data, list, "delta") {
		one := c.choices[at.index]
		if one == nil {
			one = &collected{}
			c.choices[at.index] = one
		}
		one.add(data, at)
	}
}

func (one *collected) add(data []byte, at choice) {
	for w := walk(data, at.at.start, 0); w.member(); {
		name := string(decodedKey(w.key.of(data)))
		v := w.skip()
		switch name {
		case "index":
		case "delta":
			one.deltas = true
			one.message.join(data, v, 0)
		case "message":
			if !one.deltas && at.holder.none() { // an upstream that does not know deltas
				one.message.join(data, v, 0)
			}
		case "finish_reason":
			if text, ok := textValue(data, v); ok && text != "" {
				one.finished = true
				one.members.latest(name, v.of(data))
			}
		case "logprobs":
			one.members.value(name).join(data, v, name, 0)
		default:
			one.members.latest(name, v.of(data))
		}
	}
}

// Finish ends the answer as [DONE] does: a choice without a finish reason gets
// stop. Without it JSON refuses such an answer, as it was cut.
func (c *Collector) Finish() {
	for _, one := range c.choices {
		if !one.finished {
			one.finished = true
			one.members.latest("finish_reason", []byte(`"stop"`))
		}
	}
}

// Finished is how many choices have a finish reason.
func (c *Collector) Finished() int {
	n := 0
	for _, one := range c.choices {
		if one.finished {
			n++
		}
	}
	return n
}

// JSON returns the chat completion. It fails, with an error that is
// io.ErrUnexpectedEOF, if there is no choice or one did not finish.
func (c *Collector) JSON() ([]byte, error) {
	if len(c.choices) == 0 {
		return nil, errUnfinished
	}
	b := []byte(`{"object":"chat.completion"`)
	b = c.top.append(b)
	b = append(b, `,"choices":[`...)
	for i, index := range slices.Sorted(maps.Keys(c.choices)) {
		one := c.choices[index]
		if !one.finished {
			return nil, errUnfinished
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendInt(append(b, `{"index":`...), index)
		b = append(b, `,"message":{"role":`...)
		b = one.message.appendValue(b, "role", `"assistant"`)
		b = append(b, `,"content":`...)
		b = one.message.appendValue(b, "content", "null")
		b = append(one.message.append(b, "role", "content"), '}')
		b = append(one.members.append(b), '}')
	}
	return append(b, "]}"...), nil
}
