package embedding

import (
	"math"
)

// normEpsilon keeps a norm from dividing by zero.
const normEpsilon = 1e-12

// scoreScale is what attention's scores are multiplied by: 1/√headSize.
const scoreScale = 0.17677669529663687

// A scratch is the memory of one text on its way through the layers. It grows
// to what the longest text needed.
type scratch struct {
	x       []float32 // the tokens, one row each
	wide    []float32 // queries, keys and values, later the widened rows
	mixed   []float32 // the output of attention
	y       []float32 // what a layer adds to x
	scores  []float32 // of one head
	keys    []float32 // of one head, in panels
	values  []float32 // of one head
	inverse []float32 // 1 / the sum of each row of scores
}

func upTo(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// resize makes room for a text. Rows are rounded up to whole tiles; the rows without
// a token are never read.
func (s *scratch) resize(m shape, tokens int) (rows, columns int) {
	rows, columns = upTo(tokens, tileHeight), upTo(tokens, panelWidth)
	grow(&s.x, rows*m.Hidden)
	grow(&s.wide, rows*max(3*m.Hidden, m.Inner))
	grow(&s.mixed, rows*m.Hidden)
	grow(&s.y, rows*m.Hidden)
	grow(&s.scores, rows*columns)
	grow(&s.keys, columns*headSize)
	grow(&s.values, tokens*headSize)
	grow(&s.inverse, tokens)
	return rows, columns
}

func grow(p *[]float32, n int) {
	if cap(*p) < n {
		*p = make([]float32, n)
	}
	*p = (*p)[:n]
}

// A pass takes one text through a model.
type pass struct {
	*model
	*scratch
	kernels *kernels
	tokens  int
	rows    int // tokens, filled up to whole tiles
	columns int // tokens, filled up to whole panels
}

// forward writes the sum of the last layer's rows for the word pieces of one text
// into sum. The vector is this sum, scaled to length 1. between is called before
// each layer; its error ends the pass.
func (m *model) forward(ids []int32, s *scratch, k *kernels, sum []float32, between func() error) error {
	p := &pass{model: m, scratch: s, kernels: k, tokens: len(ids)}
	p.rows, p.columns = s.resize(m.shape, len(ids))
	p.begin(ids)
	for i := range m.layers {
		if err := between(); err != nil {
			return err
		}
		p.attend(&m.layers[i])
		p.transform(&m.layers[i])
	}
	for row := range p.tokens {
		for i, v := range p.x[row*m.Hidden:][:m.Hidden] {
			sum[i] += v
		}
	}
	return nil
}

// begin fills x with the embeddings of the tokens.
func (p *pass) begin(ids []int32) {
	h := p.Hidden
	clear(p.x[p.tokens*h:])
	for at, id := range ids {
		row := p.x[at*h:][:h]
		word, position := p.words[int(id)*h:][:h], p.positions[at*h:][:h]
		for i := range row {
			row[i] = word[i] + position[i] + p.kind[i]
		}
		p.start.apply(row)
	}
}

// attend computes attention: each token gets a mix of the others, weighted by
// how well its query fits their keys.
func (p *pass) attend(l *layer) {
	h := p.Hidden
	qkv := matrix{p.wide[:p.rows*3*h], 3 * h}
	p.kernels.multiply(qkv, matrix{p.x, h}, l.attention.panels, p.rows, 3*h, h)
	for row := range p.tokens {
		addTo(qkv.data[row*3*h:][:3*h], l.attention.bias)
	}
	for head := range p.heads() {
		p.attendWith(head, qkv)
	}
	p.kernels.multiply(matrix{p.y, h}, matrix{p.mixed, h}, l.output.panels, p.rows, h, h)
	p.addAndNorm(l.output.bias, l.afterAttention)
}

// attendWith is attend for one head.
func (p *pass) attendWith(head int, qkv matrix) {
	h := p.Hidden
	at := head * headSize
	p.packHead(qkv, at)
	scores := matrix{p.scores, p.columns}
	p.kernels.multiply(scores, matrix{qkv.data[at:], qkv.stride}, p.keys, p.rows, p.columns, headSize)
	for row := range p.tokens {
		r := scores.data[row*p.columns:][:p.columns]
		for i := p.tokens; i < len(r); i++ {
			r[i] = float32(math.Inf(-1)) // padding
		}
		p.inverse[row] = 1 / p.kernels.exponentials(r, p.kernels.largest(r), scoreScale)
	}
	p.kernels.multiply(matrix{p.mixed[at:], h}, scores, p.values, p.rows, headSize, p.tokens)
	for row, inverse := range p.inverse {
		out := p.mixed[row*h+at:][:headSize]
		for i := range out {
			out[i] *= inverse
		}
	}
}

// packHead packs the keys and values of a head into panels: keys as columns, a
// panel for each 16 tokens; values as rows, a panel for each 16 of their numbers.
func (p *pass) packHead(qkv matrix, at int) {
	h := p.Hidden
	clear(p.keys[p.tokens/panelWidth*panelWidth*headSize:])
	for token := range p.tokens {
		row := qkv.data[token*qkv.stride:][:qkv.stride]
		panel := p.keys[token/panelWidth*panelWidth*headSize:]
		for i, v := range row[h+at:][:headSize] {
			panel[i*panelWidth+token%panelWidth] = v
		}
		value := row[2*h+at:][:headSize]
		for i := 0; i < headSize; i += panelWidth {
			copy(p.values[i*p.tokens+token*panelWidth:][:panelWidth], value[i:])
		}
	}
}

// transform applies the layer's feed-forward network to each token.
func (p *pass) transform(l *layer) {
	h := p.Hidden
	wide := matrix{p.wide[:p.rows*p.Inner], p.Inner}
	p.kernels.multiply(wide, matrix{p.x, h}, l.widen.panels, p.rows, p.Inner, h)
	for row := range p.tokens {
		p.kernels.gelu(wide.data[row*p.Inner:][:p.Inner], l.widen.bias)
	}
	p.kernels.multiply(matrix{p.y, h}, wide, l.narrow.panels, p.rows, h, p.Inner)
	p.addAndNorm(l.narrow.bias, l.afterNarrow)
}

// addAndNorm ends half a layer: x = norm(x + y + bias).
func (p *pass) addAndNorm(bias []float32, n layerNorm) {
	h := p.Hidden
	for at := range p.tokens {
		row, y := p.x[at*h:][:h], p.y[at*h:][:h]
		for i, b := range bias[:len(row)] {
			row[i] += y[i] + b
		}
		n.apply(row)
	}
}

// apply normalises a row to mean 0 and variance 1, then scales and shifts it. It
// keeps four independent sums, because the processor computes them in parallel;
// len(row) is a multiple of four.
func (n layerNorm) apply(row []float32) {
	var a, b, c, d float32
	for i := 0; i+4 <= len(row); i += 4 {
		q := (*[4]float32)(row[i:])
		a, b, c, d = a+q[0], b+q[1], c+q[2], d+q[3]
	}
	mean := (a + b + c + d) / float32(len(row))
	a, b, c, d = 0, 0, 0, 0
	for i := 0; i+4 <= len(row); i += 4 {
		q := (*[4]float32)(row[i:])
		e, f, g, h := q[0]-mean, q[1]-mean, q[2]-mean, q[3]-mean
		a, b, c, d = a+e*e, b+f*f, c+g*g, d+h*h
	}
	variance := (a + b + c + d) / float32(len(row))
	scale := float32(1 / math.Sqrt(float64(variance)+normEpsilon))
	gain, bias := n.gain[:len(row)], n.bias[:len(row)]
	for i, v := range row {
		row[i] = (v-mean)*scale*gain[i] + bias[i]
	}
}

func addTo(row, other []float32) {
	for i, v := range other[:len(row)] {
		row[i] += v
	}
}

// unit scales a vector to length 1. It returns false, and leaves the vector as it
// is, if its length is zero or not finite.
func unit(vector []float32) bool {
	var square float64
	for _, v := range vector {
		square += float64(v) * float64(v)
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return false
	}
	scale := 1 / math.Sqrt(square)
	for i, v := range vector {
		vector[i] = float32(float64(v) * scale)
	}
	return true
}

// isUnit reports whether a vector has length 1. A vector with a NaN has not.
func isUnit(v []float32) bool {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Abs(square-1) < 1e-3
}
