//go:build !linux

package embedded

// A block is memory that the garbage collector does not scan.
type block struct{ bytes []byte }

// allocate returns n zero bytes.
func allocate(n int) block { return block{make([]byte, n)} }

// release frees the memory, which must not be used any more.
func (block) release() {}
