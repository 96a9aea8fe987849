//go:build unix

package embedding

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file that is never written to, only replaced by renaming. All
// processes of the machine share its memory.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
