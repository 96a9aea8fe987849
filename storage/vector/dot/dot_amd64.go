package dot

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The instructions that the machine has. Tests turn them off to compare the
// implementations.
var (
	hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasVNNI = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
)

func floats(out, vectors, q []float32) {
	if !hasAVX2 {
		plainFloats(out, vectors, q)
		return
	}
	floatsAVX2(unsafe.SliceData(out), unsafe.SliceData(vectors), unsafe.SliceData(q), len(q), len(out))
}

func codes(out []int32, vectors, q []int8) {
	switch {
	case hasVNNI:
		codesVNNI(unsafe.SliceData(out), unsafe.SliceData(vectors), unsafe.SliceData(q), len(q), len(out))
	case hasAVX2:
		codesAVX2(unsafe.SliceData(out), unsafe.SliceData(vectors), unsafe.SliceData(q), len(q), len(out))
	default:
		plainCodes(out, vectors, q)
	}
}

// floatsAVX2 multiplies n vectors of length floats, a multiple of 32.
//
//go:noescape
func floatsAVX2(out, vectors, q *float32, length, n int)

// codesAVX2 multiplies n vectors of length codes. n is a multiple of 4, length is
// a multiple of 32.
//
//go:noescape
func codesAVX2(out *int32, vectors, q *int8, length, n int)

// codesVNNI multiplies n vectors of length codes. n is a multiple of 4, length is
// a multiple of 64.
//
//go:noescape
func codesVNNI(out *int32, vectors, q *int8, length, n int)
