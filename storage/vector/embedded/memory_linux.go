package embedded

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size from which the kernel is asked for huge pages, with which a
// scan waits less for page tables.
const hugePage = 2 << 20

// A block is memory that the garbage collector neither scans nor counts.
type block struct {
	bytes  []byte
	mapped []byte // the memory to unmap; nil if it came from Go's heap
}

// allocate returns n zero bytes that begin at a cache line.
func allocate(n int) block {
	size := n
	if n >= hugePage {
		size += hugePage
	}
	mapped, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return block{bytes: make([]byte, n)} // Go's heap reports that memory is exhausted
	}
	bytes := mapped
	if n >= hugePage {
		bytes = mapped[-uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))&(hugePage-1):]
		_ = unix.Madvise(bytes[:n], unix.MADV_HUGEPAGE) // only slower if it fails
	}
	return block{bytes[:n:n], mapped}
}

// release frees the memory, which must not be used any more.
func (b block) release() {
	if b.mapped != nil {
		_ = unix.Munmap(b.mapped) // fails only for memory that was never mapped
	}
}
