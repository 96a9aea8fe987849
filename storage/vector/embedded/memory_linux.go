package embedded

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size from which the kernel is asked for huge pages: a scan
// then waits less for the tables of pages.
const hugePage = 2 << 20

// A block is memory that the garbage collector neither sees nor counts.
type block struct {
	bytes  []byte
	mapped []byte // what release gives back; nil: it came from Go's heap
}

// allocate returns n bytes, zeros, beginning at a cache line.
func allocate(n int) block {
	size := n
	if n >= hugePage {
		size += hugePage
	}
	mapped, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return block{bytes: make([]byte, n)} // Go's heap says what there is to say
	}
	bytes := mapped
	if n >= hugePage {
		bytes = mapped[-uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))&(hugePage-1):]
		_ = unix.Madvise(bytes[:n], unix.MADV_HUGEPAGE) // without it, it is only slower
	}
	return block{bytes[:n:n], mapped}
}

// release gives the memory back; nothing may use it any more.
func (b block) release() {
	if b.mapped != nil {
		_ = unix.Munmap(b.mapped) // fails only for what was never mapped
	}
}
