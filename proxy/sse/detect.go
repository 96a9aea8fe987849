package sse

import (
	"bufio"
	"bytes"
)

// openings are what an event stream can begin with: a comment or a field.
var openings = [][]byte{[]byte(":"), []byte("data:"), []byte("event:"), []byte("id:"), []byte("retry:")}

// Detect reports whether what r holds begins as an event stream does, for answers whose
// Content-Type does not say so. A byte order mark and empty lines may come before. It reads
// no more than it needs to decide, and consumes nothing. When r ends or fails before that,
// what it holds is taken for no stream, and its next Read has the error.
func Detect(r *bufio.Reader) bool {
	for {
		head, err := r.Peek(r.Buffered() + 1)
		if err == nil {
			head, _ = r.Peek(r.Buffered()) // all that came, without another read
		}
		is, decided := detect(head)
		if decided || err != nil {
			return is
		}
	}
}

// detect looks at the beginning of an answer; decided is false while it needs more bytes.
func detect(head []byte) (is, decided bool) {
	if len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head) {
		return false, false
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), "\r\n")
	decided = true
	for _, opening := range openings {
		switch {
		case bytes.HasPrefix(head, opening):
			return true, true
		case bytes.HasPrefix(opening, head):
			decided = false
		}
	}
	return false, decided
}
