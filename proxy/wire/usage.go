package wire

import "encoding/json"

// A Usage is how many tokens a model server counted.
type Usage struct{ Prompt, Completion int64 }

// maxTokens bounds what is believed of a model server's count.
const maxTokens = 1_000_000_000

// Usage returns what the answer says of its tokens. ok is false if it says nothing,
// or nothing that can be read.
func (r *Response) Usage() (u Usage, ok bool) { return UsageOf(r.body) }

// UsageOf is [Response.Usage] of any answer that is a JSON object, such as a list of
// vectors.
func UsageOf(body []byte) (u Usage, ok bool) {
	top, ok := topObject(body)
	if !ok {
		return u, false
	}
	return readUsage(find(body, top, "usage").of(body))
}

// Usage returns what the frame says of the tokens of the answer so far. data must be
// what was scanned last.
func (c *Frame) Usage(data []byte) (u Usage, ok bool) { return readUsage(c.usage.of(data)) }

func readUsage(raw []byte) (Usage, bool) {
	if !isObject(raw) { // as in nearly all frames of a stream
		return Usage{}, false
	}
	var in struct {
		Prompt     *int64 `json:"prompt_tokens"`
		Completion *int64 `json:"completion_tokens"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Prompt == nil && in.Completion == nil {
		return Usage{}, false
	}
	bounded := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return min(max(*n, 0), maxTokens)
	}
	return Usage{bounded(in.Prompt), bounded(in.Completion)}, true
}
