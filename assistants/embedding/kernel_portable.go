package embedding

import (
	"math"
	"unsafe"
)

// portable are the kernels in plain Go. Tests compare the others with them.
var portable = kernels{"portable", portableTile, portableLargest, portableExponentials, portableGELU}

// portableTile computes a tile in blocks of two rows and four columns, as many
// sums as stay in registers.
func portableTile(depth int, a *float32, lda int, panel *float32, c *float32, ldc int) {
	rows := unsafe.Slice(a, (tileHeight-1)*lda+depth)
	columns := unsafe.Slice(panel, depth*panelWidth)
	out := unsafe.Slice(c, (tileHeight-1)*ldc+panelWidth)
	for r := 0; r < tileHeight; r += 2 {
		first, second := rows[r*lda:][:depth], rows[(r+1)*lda:][:depth]
		for col := 0; col < panelWidth; col += 4 {
			var s0, s1, s2, s3, t0, t1, t2, t3 float32
			for i, x := range first {
				y := second[i]
				w := (*[4]float32)(columns[i*panelWidth+col:])
				s0 += x * w[0]
				s1 += x * w[1]
				s2 += x * w[2]
				s3 += x * w[3]
				t0 += y * w[0]
				t1 += y * w[1]
				t2 += y * w[2]
				t3 += y * w[3]
			}
			*(*[4]float32)(out[r*ldc+col:]) = [4]float32{s0, s1, s2, s3}
			*(*[4]float32)(out[(r+1)*ldc+col:]) = [4]float32{t0, t1, t2, t3}
		}
	}
}

func portableLargest(row []float32) float32 {
	largest := row[0]
	for _, x := range row[1:] {
		largest = max(largest, x)
	}
	return largest
}

func portableExponentials(row []float32, shift, scale float32) float32 {
	var sum float32
	for i, x := range row {
		e := float32(math.Exp(float64((x - shift) * scale)))
		row[i] = e
		sum += e
	}
	return sum
}

func portableGELU(row, bias []float32) {
	for i, b := range bias {
		x := float64(row[i] + b)
		row[i] = float32(0.5 * x * (1 + math.Erf(x/math.Sqrt2)))
	}
}
