package wire

import "strconv"

// A Usage is how many tokens a model server counted.
type Usage struct{ Prompt, Completion int64 }

// maxTokens bounds what is believed of a model server's count.
const maxTokens = 1_000_000_000

// Usage returns what the answer says of its tokens. ok is false if it says nothing,
// or nothing that can be read.
func (r *Response) Usage() (u Usage, ok bool) { return readUsage(r.usage.of(r.body)) }

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

// readUsage reads raw without reflection, because every answer has one.
func readUsage(raw []byte) (u Usage, ok bool) {
	if !isObject(raw) { // as in nearly all frames of a stream
		return Usage{}, false
	}
	at := span{0, len(raw)}
	prompt, counted := find(raw, at, "prompt_tokens").of(raw), find(raw, at, "completion_tokens").of(raw)
	if !isCount(prompt) && !isCount(counted) {
		return Usage{}, false
	}
	if u.Prompt, ok = tokens(prompt); !ok {
		return Usage{}, false
	}
	if u.Completion, ok = tokens(counted); !ok {
		return Usage{}, false
	}
	return u, true
}

// isCount reports whether a member is there.
func isCount(raw []byte) bool { return len(raw) > 0 && string(raw) != "null" }

// tokens reads a number of tokens, 0 if it is not there. ok is false if it is something
// else than a whole number.
func tokens(raw []byte) (n int64, ok bool) {
	if !isCount(raw) {
		return 0, true
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return min(max(n, 0), maxTokens), err == nil
}
