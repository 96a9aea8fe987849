package embedding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// allKernels are those that this machine can run. On a processor without AVX2
// it is the portable ones alone, which are what runs there.
func allKernels() []*kernels {
	if best := bestKernels(); best != &portable {
		return []*kernels{&portable, best}
	}
	return []*kernels{&portable}
}

func TestAProductIsThatOfTheDefinitionOnEveryKernel(t *testing.T) {
	for _, k := range allKernels() {
		t.Run(k.name, rapid.MakeCheck(func(t *rapid.T) {
			rows, cols := tileHeight*rapid.IntRange(0, 4).Draw(t, "tiles"), panelWidth*rapid.IntRange(0, 4).Draw(t, "panels")
			depth := rapid.IntRange(1, 70).Draw(t, "depth")
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			a := matrix{stride: rapid.IntRange(1, depth+9).Draw(t, "stride of a")} // its rows may overlap
			c := matrix{stride: cols + rapid.IntRange(0, 9).Draw(t, "gap of c")}
			a.data, c.data = numbers(random, rows*a.stride+depth), numbers(random, rows*c.stride)
			weights := numbers(random, cols*depth)
			before := slices.Clone(c.data)
			k.multiply(c, a, pack(weights, cols, depth), rows, cols, depth)
			for i := range c.data {
				row, col := i/c.stride, i%c.stride
				if col >= cols {
					if c.data[i] != before[i] {
						t.Fatalf("what lies between two rows was changed, at %d", i)
					}
					continue
				}
				var want, size float64
				for d := range depth {
					product := float64(a.data[row*a.stride+d]) * float64(weights[col*depth+d])
					want += product
					size += math.Abs(product)
				}
				if math.Abs(float64(c.data[i])-want) > 1e-6*(size+1) {
					t.Fatalf("row %d, column %d: %v, want %v", row, col, c.data[i], want)
				}
			}
		}))
	}
}

func numbers(random *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(random.NormFloat64())
	}
	return list
}

func TestProductsThatDoNotFitAreRefusedBeforeTheyTouchMemory(t *testing.T) {
	room := make([]float32, 4096)
	for name, multiply := range map[string]func(k *kernels){
		"rows that are no tiles":    func(k *kernels) { k.multiply(matrix{room, 16}, matrix{room, 8}, room, 5, 16, 8) },
		"columns that are no panel": func(k *kernels) { k.multiply(matrix{room, 16}, matrix{room, 8}, room, 6, 15, 8) },
		"no depth":                  func(k *kernels) { k.multiply(matrix{room, 16}, matrix{room, 8}, room, 6, 16, 0) },
		"rows that overlap":         func(k *kernels) { k.multiply(matrix{room, 15}, matrix{room, 8}, room, 6, 16, 8) },
		"a is too short":            func(k *kernels) { k.multiply(matrix{room, 16}, matrix{room[:47], 8}, room, 6, 16, 8) },
		"c is too short":            func(k *kernels) { k.multiply(matrix{room[:95], 16}, matrix{room, 8}, room, 6, 16, 8) },
		"the panels are too short":  func(k *kernels) { k.multiply(matrix{room, 16}, matrix{room, 8}, room[:127], 6, 16, 8) },
	} {
		for _, k := range allKernels() {
			if !panics(func() { multiply(k) }) {
				t.Errorf("%s, %s: done all the same", k.name, name)
			}
		}
	}
	for _, k := range allKernels() {
		if k == &portable {
			continue // takes rows of every length
		}
		for name, do := range map[string]func(){
			"largest of seven":  func() { k.largest(room[:7]) },
			"largest of none":   func() { k.largest(nil) },
			"powers of twelve":  func() { k.exponentials(room[:12], 0, 1) },
			"GELU of four":      func() { k.gelu(room[:4], room[:4]) },
			"GELU, bias shorts": func() { k.gelu(room[:16], room[:8]) },
		} {
			if !panics(do) {
				t.Errorf("%s, %s: done all the same", k.name, name)
			}
		}
	}
}

func panics(do func()) (did bool) {
	defer func() { did = recover() != nil }()
	do()
	return false
}

func TestTheLargestOfARow(t *testing.T) {
	for _, k := range allKernels() {
		t.Run(k.name, rapid.MakeCheck(func(t *rapid.T) {
			row := rapid.SliceOfN(rapid.Float32Range(-100, 100), 8, 64).Draw(t, "row")
			row = row[:len(row)/vectorWidth*vectorWidth]
			if got := k.largest(row); got != slices.Max(row) {
				t.Fatalf("%v of %v", got, row)
			}
		}))
	}
	minus := slices.Repeat([]float32{float32(math.Inf(-1))}, 16)
	minus[11] = -3
	for _, k := range allKernels() {
		if got := k.largest(minus); got != -3 {
			t.Errorf("%s: %v", k.name, got)
		}
	}
}

func TestExponentialsAreExactToSevenDigits(t *testing.T) {
	for _, k := range allKernels() {
		const n = 1 << 14
		row, want := make([]float32, n), make([]float64, n)
		var sum float64
		for i := range row {
			row[i] = -float32(i) * 90 / n
			want[i] = math.Exp(float64((row[i] - 0.5) * 0.9))
			sum += want[i]
		}
		got := k.exponentials(row, 0.5, 0.9)
		for i := range row {
			if math.Abs(float64(row[i])-want[i]) > 3e-7*want[i]+1e-37 {
				t.Fatalf("%s: e^%v is %v, want %v", k.name, -float32(i)*90/n, row[i], want[i])
			}
		}
		if math.Abs(float64(got)-sum) > 1e-5*sum {
			t.Errorf("%s: their sum %v, want %v", k.name, got, sum)
		}
		gone := slices.Repeat([]float32{float32(math.Inf(-1))}, vectorWidth)
		gone[0] = 2
		if sum := k.exponentials(gone, 2, scoreScale); sum != 1 || gone[0] != 1 || gone[7] > 1e-37 {
			t.Errorf("%s: places without a token weigh %v, and in all %v", k.name, gone[7], sum)
		}
	}
}

func TestGELUIsTheExactOne(t *testing.T) {
	for _, k := range allKernels() {
		const n = 1 << 15
		row, bias := make([]float32, n), make([]float32, n)
		for i := range row {
			row[i] = float32(i)*24/n - 12.25
			bias[i] = 0.25
		}
		k.gelu(row, bias)
		for i := range row {
			x := float64(i)*24/n - 12
			want := x / 2 * (1 + math.Erf(x/math.Sqrt2))
			if math.Abs(float64(row[i])-want) > 1e-6*max(1, math.Abs(want)) {
				t.Fatalf("%s: GELU(%v) is %v, want %v", k.name, x, row[i], want)
			}
		}
		far := []float32{-1e30, -100, -6, 6, 100, 1e30, 0, float32(math.NaN())}
		k.gelu(far, make([]float32, len(far)))
		if far[0] != 0 || far[1] != 0 || far[4] != 100 || far[5] != 1e30 || far[6] != 0 || far[7] == far[7] {
			t.Errorf("%s: far out it is %v", k.name, far)
		}
	}
}
