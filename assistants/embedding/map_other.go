//go:build !unix

package embedding

import (
	"io"
	"os"
	"unsafe"
)

// mapFile reads a file into memory that is aligned for numbers.
func mapFile(f *os.File, size int) (data []byte, release func() error, err error) {
	numbers := make([]float32, (size+3)/4)
	data = unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), size)
	if _, err = io.ReadFull(io.NewSectionReader(f, 0, int64(size)), data); err != nil {
		return nil, nil, err
	}
	return data, func() error { return nil }, nil
}
