package sse

import "bytes"

// field says what a line of an event is.
type field int

const (
	ignored field = iota // a comment, `id:`, `retry:` or a field nobody knows
	data
	name
	failure
)

// split reads one line that is not empty.
func split(line []byte) (field, []byte) {
	key, value, colon := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case string(key) == "data":
		return data, value
	case string(key) == "event":
		return name, value
	case string(key) == "error" && colon && !blank(value):
		return failure, bytes.TrimSpace(value)
	case len(line) > 0 && line[0] == '{', !colon && bytes.IndexByte(bytes.TrimSpace(key), ' ') > 0:
		// JSON out of frame, or words such as "Internal Server Error": no field
		// name has a brace or a space.
		return failure, bytes.TrimSpace(line)
	default:
		return ignored, nil
	}
}

// blank reports whether b holds nothing but white space.
func blank(b []byte) bool {
	return len(b) == 0 || b[0] <= ' ' && len(bytes.TrimSpace(b)) == 0
}
