package dot

import "testing"

// Vectors as of 100,000 chunks with 384 dimensions.
func BenchmarkCodes100k(b *testing.B) {
	const length, n = 384, 100_000
	q, vectors, out := make([]int8, length), make([]int8, length*n), make([]int32, n)
	for i := range vectors {
		vectors[i] = int8(i%255 - 127)
	}
	onEveryWay(func(way string) {
		b.Run(way, func(b *testing.B) {
			b.SetBytes(int64(len(vectors)))
			for b.Loop() {
				Codes(out, vectors, q)
			}
		})
	})
}

func BenchmarkFloats100k(b *testing.B) {
	const length, n = 384, 100_000
	q, vectors, out := make([]float32, length), make([]float32, length*n), make([]float32, n)
	for i := range vectors {
		vectors[i] = float32(i)
	}
	onEveryWay(func(way string) {
		b.Run(way, func(b *testing.B) {
			b.SetBytes(4 * int64(len(vectors)))
			for b.Loop() {
				Floats(out, vectors, q)
			}
		})
	})
}
