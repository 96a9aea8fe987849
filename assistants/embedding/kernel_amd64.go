package embedding

import "golang.org/x/sys/cpu"

// assembly are the kernels for processors with AVX2 and FMA.
var assembly = kernels{"avx2", tileAVX2, largestFast, exponentialsFast, geluFast}

// bestKernels returns the fastest kernels that this processor can run.
func bestKernels() *kernels {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return &assembly
	}
	return &portable
}

func largestFast(row []float32) float32 {
	checkRow(row)
	return largestAVX2(&row[0], len(row))
}

func exponentialsFast(row []float32, shift, scale float32) float32 {
	checkRow(row)
	return exponentialsAVX2(&row[0], len(row), shift, scale)
}

func geluFast(row, bias []float32) {
	checkRow(row)
	if len(bias) != len(row) {
		panic("embedding: a bias of another length than its row")
	}
	geluAVX2(&row[0], &bias[0], len(row))
}

// checkRow guards assembly that takes eight numbers at a time.
func checkRow(row []float32) {
	if len(row) == 0 || len(row)%vectorWidth != 0 {
		panic("embedding: a row that is no multiple of eight")
	}
}

//go:noescape
func tileAVX2(depth int, a *float32, lda int, panel *float32, c *float32, ldc int)

//go:noescape
func largestAVX2(row *float32, length int) float32

//go:noescape
func exponentialsAVX2(row *float32, length int, shift, scale float32) float32

//go:noescape
func geluAVX2(row, bias *float32, length int)
