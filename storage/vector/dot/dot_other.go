//go:build !amd64

package dot

func floats(out, vectors, q []float32) { plainFloats(out, vectors, q) }

func codes(out []int32, vectors, q []int8) { plainCodes(out, vectors, q) }
