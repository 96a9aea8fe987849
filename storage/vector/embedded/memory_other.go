//go:build !linux

package embedded

// A block is memory that the garbage collector does not look into.
type block struct{ bytes []byte }

// allocate returns n bytes, zeros.
func allocate(n int) block { return block{make([]byte, n)} }

// release gives the memory back; nothing may use it any more.
func (block) release() {}
