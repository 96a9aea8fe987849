package chat

import "sync"

// buffers are the memory in which an answer is put together. They are used again
// for other answers, so nothing may point into them after the request.
type buffers struct {
	answer    []byte // of the upstream
	object    []byte // the citations
	retrieval []byte // the member
	out       []byte // for the client
}

var idleBuffers = sync.Pool{New: func() any { return new(buffers) }}

// maxIdleBuffer bounds the buffers that are kept.
const maxIdleBuffer = 64 << 10

// free gives the buffers back for other answers.
func (b *buffers) free() {
	if max(cap(b.answer), cap(b.object), cap(b.retrieval), cap(b.out)) <= maxIdleBuffer {
		idleBuffers.Put(b)
	}
}
