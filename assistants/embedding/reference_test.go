package embedding

import (
	"fmt"
	"math"
)

// reference computes the vector of word pieces from the tensors as they are
// published, one number at a time, in double precision: the definition that
// kernels, panels and scratch are measured by.
type reference struct {
	tensors map[string]tensor
	layers  int
}

func (r reference) vector(ids []int32) []float32 {
	word, position, kind := r.tensors["embeddings.word_embeddings.weight"], r.tensors["embeddings.position_embeddings.weight"], r.tensors["embeddings.token_type_embeddings.weight"]
	hidden := word.shape[1]
	x := make([][]float64, len(ids))
	for at, id := range ids {
		x[at] = make([]float64, hidden)
		for i := range hidden {
			x[at][i] = float64(word.numbers[int(id)*hidden+i]) + float64(position.numbers[at*hidden+i]) + float64(kind.numbers[i])
		}
	}
	x = r.norm("embeddings.LayerNorm", x)
	for l := range r.layers {
		prefix := fmt.Sprintf("encoder.layer.%d.", l)
		x = r.norm(prefix+"attention.output.LayerNorm", sumOfRows(x, r.dense(prefix+"attention.output.dense", r.attention(prefix, x))))
		wide := r.dense(prefix+"intermediate.dense", x)
		for _, row := range wide {
			for i, v := range row {
				row[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		x = r.norm(prefix+"output.LayerNorm", sumOfRows(x, r.dense(prefix+"output.dense", wide)))
	}
	mean := make([]float32, hidden)
	for i := range mean {
		var sum float64
		for _, row := range x {
			sum += row[i]
		}
		mean[i] = float32(sum / float64(len(x)))
	}
	unit(mean)
	return mean
}

func (r reference) attention(prefix string, x [][]float64) [][]float64 {
	q, k, v := r.dense(prefix+"attention.self.query", x), r.dense(prefix+"attention.self.key", x), r.dense(prefix+"attention.self.value", x)
	out := make([][]float64, len(x))
	for t := range x {
		out[t] = make([]float64, len(x[t]))
		for head := 0; head < len(x[t]); head += headSize {
			weights, sum := make([]float64, len(x)), 0.0
			for other := range x {
				var dot float64
				for i := head; i < head+headSize; i++ {
					dot += q[t][i] * k[other][i]
				}
				weights[other] = math.Exp(dot / math.Sqrt(headSize))
				sum += weights[other]
			}
			for other, w := range weights {
				for i := head; i < head+headSize; i++ {
					out[t][i] += w / sum * v[other][i]
				}
			}
		}
	}
	return out
}

func (r reference) dense(name string, x [][]float64) [][]float64 {
	weight, bias := r.tensors[name+".weight"], r.tensors[name+".bias"]
	out := make([][]float64, len(x))
	for t, row := range x {
		out[t] = make([]float64, weight.shape[0])
		for o := range out[t] {
			sum := float64(bias.numbers[o])
			for i, v := range row {
				sum += v * float64(weight.numbers[o*len(row)+i])
			}
			out[t][o] = sum
		}
	}
	return out
}

func (r reference) norm(name string, x [][]float64) [][]float64 {
	gain, bias := r.tensors[name+".weight"].numbers, r.tensors[name+".bias"].numbers
	normalizeRows(x, gain, bias)
	return x
}

func sumOfRows(a, b [][]float64) [][]float64 {
	for t := range a {
		for i := range a[t] {
			a[t][i] += b[t][i]
		}
	}
	return a
}
