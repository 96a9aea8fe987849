// Package dot multiplies one vector with many that lie one after the other in
// memory. It uses AVX2 or AVX-512 where the machine has them and plain Go
// elsewhere, with the same results: exactly for codes, up to rounding for floats.
//
// It imports no package of this module.
package dot

import "math"

// Vectors are padded with zeros: floats to a multiple of FloatLanes, codes to a
// multiple of CodeLanes, and codes come in groups of Group.
const (
	FloatLanes = 32
	CodeLanes  = 64
	Group      = 4
)

// PadFloats returns the padded length of vectors of n floats.
func PadFloats(n int) int { return (n + FloatLanes - 1) / FloatLanes * FloatLanes }

// PadCodes returns the padded length of vectors of n codes.
func PadCodes(n int) int { return (n + CodeLanes - 1) / CodeLanes * CodeLanes }

// Floats sets each out[i] to the product of q with the i-th of vectors. All of
// them have the length of q, a multiple of FloatLanes.
func Floats(out, vectors, q []float32) {
	if len(q) == 0 || len(q)%FloatLanes != 0 || len(vectors) != len(out)*len(q) {
		panic("dot: lengths do not fit")
	}
	if len(out) > 0 {
		floats(out, vectors, q)
	}
}

// Codes sets each out[i] to the product of q with the i-th of vectors. All of
// them have the length of q, a multiple of CodeLanes, and their number is a multiple
// of Group. No code may be -128.
func Codes(out []int32, vectors, q []int8) {
	if len(q) == 0 || len(q)%CodeLanes != 0 || len(out)%Group != 0 || len(vectors) != len(out)*len(q) {
		panic("dot: lengths do not fit")
	}
	if len(out) > 0 {
		codes(out, vectors, q)
	}
}

// Quantise writes v to the slice to as codes, so that scale·code approximates each
// value. distance is an upper bound of the length of the difference. The rest of to
// is set to zero.
func Quantise(to []int8, v []float32) (scale, distance float32) {
	most := float32(0)
	for _, x := range v {
		if x < 0 {
			x = -x
		}
		most = max(most, x)
	}
	clear(to[len(v):])
	if most == 0 {
		clear(to)
		return 0, 0
	}
	scale = most / 127
	// Adding it to a small number leaves the nearest integer in the low bits.
	const magic, offset = 3 << 22, 0x4B400000
	inverse, sum := 127/most, 0.0
	for i, x := range v {
		shifted := float32(x*inverse) + magic
		to[i] = int8(int32(math.Float32bits(shifted)) - offset)
		d := float64(x) - float64(scale)*float64(shifted-magic)
		sum += d * d
	}
	// The factor covers the rounding errors above.
	return scale, float32(math.Sqrt(sum) * (1 + 1e-6))
}

func plainFloats(out, vectors, q []float32) {
	n := len(q)
	for i := range out {
		v := vectors[i*n : (i+1)*n : (i+1)*n]
		var a, b, c, d float32
		for j := 0; j+4 <= n; j += 4 {
			a += v[j] * q[j]
			b += v[j+1] * q[j+1]
			c += v[j+2] * q[j+2]
			d += v[j+3] * q[j+3]
		}
		out[i] = (a + b) + (c + d)
	}
}

func plainCodes(out []int32, vectors, q []int8) {
	n := len(q)
	for i := range out {
		v := vectors[i*n : (i+1)*n : (i+1)*n]
		sum := int32(0)
		for j, x := range q {
			sum += int32(x) * int32(v[j])
		}
		out[i] = sum
	}
}
