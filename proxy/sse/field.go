package sse

import "bytes"

// field says what a line of an event is.
type field int

const (
	ignored field = iota // a comment, `id:`, `retry:` or an unknown field
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
		return failure, bytes.Trim(value, asciiSpace)
	case len(line) > 0 && line[0] == '{', bytes.IndexByte(bytes.Trim(key, asciiSpace), ' ') > 0:
		// JSON out of frame, or words such as "Internal Server Error": no field
		// name has a brace or a space.
		return failure, bytes.Trim(line, asciiSpace)
	default:
		return ignored, nil
	}
}

// asciiSpace is what may stand where nothing is said; other spaces are text.
const asciiSpace = " \t\r\n\v\f"

// blank reports whether b holds nothing but white space.
func blank(b []byte) bool {
	return len(b) == 0 || b[0] <= ' ' && len(bytes.TrimLeft(b, asciiSpace)) == 0
}
