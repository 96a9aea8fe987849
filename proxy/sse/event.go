package sse

import "bytes"

// KeepAlive is the comment that keeps an idle stream open: one line, without
// the blank line after it, which some clients take for an empty event.
const KeepAlive = ": keep-alive\n"

// Done is the frame that ends a stream well.
const Done = "data: [DONE]\n\n"

// An Event is one event of a stream. Its slices are valid until the next call
// of [Reader.Next].
type Event struct {
	// Name is the value of the last `event:` line, "" when there is none.
	Name string
	// Data is what the `data:` lines hold, joined by LF.
	Data []byte
	// Raw is the event with its blank line, exactly as it came, when it is a
	// single line `data: …` and both lines end with LF; nil when the event has
	// to be framed again with [AppendData].
	Raw []byte
	// ErrorLine is the value of an `error:` line (llama.cpp), or a line that is
	// no field at all but text or JSON out of frame (a broken server's report).
	ErrorLine []byte
}

// IsDone reports whether the data of an event is the end mark. As the SDKs do,
// it looks at the beginning only.
func IsDone(data []byte) bool {
	const mark = "[DONE]"
	if len(data) == 0 || data[0] == '{' {
		return false // as most events
	}
	data = bytes.TrimLeft(data, " ")
	return len(data) >= len(mark) && bytes.EqualFold(data[:len(mark)], []byte(mark))
}

// Framing is how many bytes longer than its data a frame is.
const Framing = len("data: \n\n")

// AppendData appends one frame that carries data on a single line. Line ends
// inside data become spaces: in JSON they can only stand between tokens.
func AppendData(dst, data []byte) []byte {
	dst = append(dst, "data: "...)
	start := len(dst)
	dst = append(dst, data...)
	for _, end := range []byte("\r\n") {
		for i := seek(dst, start, end); i < len(dst); i = seek(dst, i, end) {
			dst[i] = ' '
		}
	}
	return append(dst, "\n\n"...)
}

// seek returns the first index from i on that holds c, or len(b).
func seek(b []byte, i int, c byte) int {
	if i >= len(b) || b[i] == c {
		return min(i, len(b))
	}
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}
