package embedding

// A kernel computes tiles of tileHeight rows and panelWidth columns.
const (
	tileHeight = 6
	panelWidth = 16
)

// vectorWidth is how many numbers the row functions of a kernel take at once.
// The length of a row must be a multiple of it.
const vectorWidth = 8

// kernels are the inner loops, for one kind of processor.
type kernels struct {
	name string
	// tile multiplies a tile: c[6][16] = a[6][depth] × panel[depth][16]; lda and
	// ldc are the lengths of rows. depth is at least 1.
	tile func(depth int, a *float32, lda int, panel *float32, c *float32, ldc int)
	// largest is the largest number of a row.
	largest func(row []float32) float32
	// exponentials replaces each x of a row by e^((x-shift)·scale) and returns the
	// sum. No x may exceed shift.
	exponentials func(row []float32, shift, scale float32) float32
	// gelu replaces each x of a row by GELU(x+bias), the exact one with erf.
	gelu func(row, bias []float32)
}

// A matrix is stored by rows. Each row begins stride numbers after the one before.
type matrix struct {
	data   []float32
	stride int
}

// multiply sets c = a × panels, where c has cols columns and a has depth.
// rows is a multiple of 6, cols of 16. Rows of a may overlap.
func (k *kernels) multiply(c, a matrix, panels []float32, rows, cols, depth int) {
	if rows%tileHeight != 0 || cols%panelWidth != 0 || depth < 1 || a.stride < 1 || c.stride < cols {
		panic("embedding: a product of matrices that do not fit")
	}
	if rows == 0 || cols == 0 {
		return
	}
	// tile does not check bounds, so the last element that it reaches in each slice
	// is accessed here.
	_ = a.data[(rows-1)*a.stride+depth-1]
	_ = c.data[(rows-1)*c.stride+cols-1]
	_ = panels[cols*depth-1]
	for j := 0; j < cols; j += panelWidth {
		panel := &panels[j*depth]
		for i := 0; i < rows; i += tileHeight {
			k.tile(depth, &a.data[i*a.stride], a.stride, panel, &c.data[i*c.stride+j], c.stride)
		}
	}
}
