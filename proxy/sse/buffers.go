package sse

import "sync"

// The buffers of readers that were released.
var (
	firstBuffers = sync.Pool{New: func() any { return new([firstBuffer]byte) }}
	burstBuffers = sync.Pool{New: func() any { return new([burstBuffer]byte) }}
)

// giveBack puts a buffer into the pool for its size, if there is one.
func giveBack(buf []byte) {
	switch cap(buf) {
	case firstBuffer:
		firstBuffers.Put((*[firstBuffer]byte)(buf[:firstBuffer]))
	case burstBuffer:
		burstBuffers.Put((*[burstBuffer]byte)(buf[:burstBuffer]))
	}
}
