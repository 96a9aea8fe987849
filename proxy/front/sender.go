package front

import (
	"net/http"
	"sync"
)

// A Sender sends what net/http writes to a client in pieces as one. A system call for
// each piece, and a packet, costs more than a copy.
type Sender struct {
	conn *clientConn // nil: unknown, so everything is sent as it is written
}

// SenderOf returns the sender for the client of a request.
func SenderOf(r *http.Request) Sender {
	conn, _ := r.Context().Value(connKey{}).(*clientConn)
	return Sender{conn}
}

const (
	// leastHeld is the size from which net/http writes an answer, or a chunk of one, in
	// more than one piece: that of its buffer, less the headers or the chunk's frame.
	leastHeld = 4<<10 - 512
	// mostHeld bounds what is copied.
	mostHeld = 80 << 10
)

// Hold holds back what is written from now on, if it is of a size that goes out in
// pieces. If it reports true, [Sender.Send] must follow after the last piece was flushed.
func (s Sender) Hold(size int) bool {
	if s.conn == nil || size < leastHeld || size > mostHeld {
		return false
	}
	s.conn.held = idleHeld.Get().(*[]byte)
	return true
}

// Send sends what was held back. After an error nothing more is sent.
func (s Sender) Send() error {
	held := s.conn.held
	s.conn.held = nil
	if len(*held) > 0 && s.conn.failed == nil {
		if _, s.conn.failed = s.conn.send(*held); s.conn.failed != nil {
			_ = s.conn.Close() // net/http does not know, and would wait for the next request
		}
	}
	*held = (*held)[:0]
	idleHeld.Put(held)
	return s.conn.failed
}

// idleHeld holds the memory of what was held back.
var idleHeld = sync.Pool{New: func() any { return new([]byte) }}
