package embedding

import (
	"fmt"
	"math"
	"strings"
)

// ngramReference computes the vector of pieces from the arrays as they are
// published, one number at a time, in double precision: the definition that
// blocks, panels and scratch are measured by.
type ngramReference struct {
	arrays map[string]array
	blocks int
}

func (r ngramReference) vector(ids []int32) []float32 {
	pieces := make([][]float64, len(ids))
	for t, id := range ids {
		block := int(id) % r.blocks
		q := r.arrays[fmt.Sprintf("q%d", block+1)]
		width := q.shape[1]
		for i := range width {
			pieces[t] = append(pieces[t], float64(q.bytes[int(id)/r.blocks*width+i])*r.at("scale", block)+r.at("lo", block))
		}
	}
	begun := make([][]float64, len(ids))
	var gain, bias []float32
	for _, n := range []int{2, 3, 5} {
		for t, row := range r.times(pieces, fmt.Sprintf("proj%d", n), fmt.Sprintf("proj_b%d", n)) {
			begun[t] = append(begun[t], row...)
		}
		gain = append(gain, r.arrays[fmt.Sprintf("ln_g%d", n)].numbers...)
		bias = append(bias, r.arrays[fmt.Sprintf("ln_b%d", n)].numbers...)
	}
	normalizeRows(begun, gain, bias)
	for i, n := range []int{2, 3, 5} {
		width := len(begun[0]) / 3
		own := make([][]float64, len(ids))
		for t := range own {
			own[t] = begun[t][i*width : (i+1)*width]
		}
		for t, row := range r.neighbours(r.neighbours(own, "1", n), "2", n) {
			pieces[t] = append(pieces[t], row...)
		}
	}
	normalizeRows(pieces, r.arrays["ln_g"].numbers, r.arrays["ln_b"].numbers)
	sum := make([]float64, len(pieces[0]))
	for _, row := range r.times(pieces, "cnn_W", "cnn_b") {
		for i, v := range row {
			sum[i] += v / math.Sqrt(float64(len(ids)))
		}
	}
	return r.last(sum[:len(r.arrays["cnn_b"].numbers)])
}

// neighbours adds to each row what it and those around it make.
func (r ngramReference) neighbours(x [][]float64, which string, n int) [][]float64 {
	before := map[int]int{2: 0, 3: 1, 5: 2}[n]
	seen := make([][]float64, len(x))
	for t := range x {
		for at := t - before; at < t-before+n; at++ {
			if at >= 0 && at < len(x) {
				seen[t] = append(seen[t], x[at]...)
			} else {
				seen[t] = append(seen[t], make([]float64, len(x[t]))...)
			}
		}
	}
	out := r.times(seen, fmt.Sprintf("w%s_%d", which, n), fmt.Sprintf("b%s_%d", which, n))
	for t, row := range out {
		for i := range row {
			row[i] = max(row[i], 0) + x[t][i]
		}
	}
	return out
}

// last is the network at the end.
func (r ngramReference) last(mean []float64) []float32 {
	rectified := func(rows ...[]float64) []float64 {
		out := make([]float64, len(rows[0]))
		for i := range out {
			for _, row := range rows {
				out[i] += row[i]
			}
			out[i] = max(out[i], 0)
		}
		return out
	}
	one := func(x []float64, name string) []float64 { return r.times([][]float64{x}, name, "")[0] }
	first := rectified(one(mean, "d0"))
	second := rectified(one(mean, "p1"), one(first, "d1"))
	third := rectified(one(second, "d2"))
	a, b := one(second, "p3"), one(third, "d3")
	vector := make([]float32, len(a))
	for i := range vector {
		vector[i] = float32(math.Tanh(a[i] + b[i]))
	}
	unit(vector)
	return vector
}

// times multiplies rows by a matrix with a row per input, and adds a bias.
func (r ngramReference) times(x [][]float64, name, bias string) [][]float64 {
	width := r.arrays[name].shape[1]
	out := make([][]float64, len(x))
	for t, row := range x {
		out[t] = make([]float64, width)
		for o := range out[t] {
			if bias != "" {
				out[t][o] = r.at(bias, o)
			}
			for i, v := range row {
				out[t][o] += v * r.at(name, i*width+o)
			}
		}
	}
	return out
}

func (r ngramReference) at(name string, i int) float64 { return float64(r.arrays[name].numbers[i]) }

func normalizeRows(rows [][]float64, gain, bias []float32) {
	for _, row := range rows {
		var mean, variance float64
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(len(row))
		}
		for i, v := range row {
			row[i] = (v-mean)/math.Sqrt(variance+1e-12)*float64(gain[i]) + float64(bias[i])
		}
	}
}

// likeliest is the score of the likeliest way to spell a word in the tests'
// pieces, by trying all.
func likeliest(word []rune, scores map[string]float64, lowest float64) float64 {
	best := make([]float64, len(word)+1)
	for to := 1; to <= len(word); to++ {
		best[to] = math.Inf(-1)
		for from := range to {
			score, known := scores[string(word[from:to])]
			if !known && to-from == 1 {
				score, known = lowest, true
			}
			if known {
				best[to] = max(best[to], best[from]+score)
			}
		}
	}
	return best[len(word)]
}

// uniform is what the tests' texts become before they are cut.
func uniform(text string) string {
	text = strings.NewReplacer(tinyReplaced...).Replace(string([]rune(text)))
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
	if len(words) == 0 {
		return ""
	}
	return pieceSpace + strings.Join(words, pieceSpace)
}
