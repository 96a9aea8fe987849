package embedding

import (
	"fmt"
	"math"
)

// orders are the windows of the model's branches. A window has length pieces;
// the first `before` of them precede the current piece.
var orders = [...]struct{ length, before int }{{2, 0}, {3, 1}, {5, 2}}

// ngramReach is how far from a piece the model looks, in either direction. The
// widest window reaches two pieces, and each branch applies its window twice.
const ngramReach = 4

// An ngramShape holds the dimensions of the multilingual model, which determine
// the sizes of its weights.
type ngramShape struct {
	Pieces       int `json:"pieces"`       // of the vocabulary
	Blocks       int `json:"blocks"`       // piece n is stored with scale and offset n modulo this
	Width        int `json:"width"`        // numbers per piece, and of a vector
	Branch       int `json:"branch"`       // numbers per piece in a branch
	Inner        int `json:"inner"`        // numbers between two steps of the last network
	Nodes        int `json:"nodes"`        // of the trie of pieces
	Units        int `json:"units"`        // of the normalizer's double array
	Replacements int `json:"replacements"` // bytes of the normalizer's replacements
}

// Bounds of a shape, in addition to those of the other model.
const (
	maxBlocks       = 1 << 10
	maxNodes        = 1 << 24
	maxReplacements = 1 << 24
)

// check refuses what the kernels cannot compute.
func (s ngramShape) check() error {
	within := func(n, limit int) bool { return n > 0 && n <= limit }
	if !within(s.Pieces, maxVocabulary) || s.Pieces <= int(endPiece) || !within(s.Blocks, maxBlocks) ||
		!within(s.Width, maxWidth) || !within(s.Branch, maxWidth) || !within(s.Inner, maxWidth) ||
		s.Width%panelWidth != 0 || s.Branch%panelWidth != 0 || s.Inner%panelWidth != 0 ||
		!within(s.Nodes, maxNodes) || s.Units < 0 || s.Units > maxReplacements || s.Replacements < 0 || s.Replacements > maxReplacements {
		return fmt.Errorf("%w: %+v", errShape, s)
	}
	return nil
}

// joined is the width of a piece's row with its branches.
func (s ngramShape) joined() int { return s.Width + len(orders)*s.Branch }

// A branch applies a window of pieces twice.
type branch struct{ first, second affine }

// An ngramModel is the weights of the multilingual model
// universal-sentence-encoder-multilingual, read-only and shared by all computations.
// Branches combine each piece with its neighbours. The rows of all pieces are
// added up, and a last network makes the vector from the sum.
type ngramModel struct {
	ngramShape
	pieces        pieces
	table         []byte    // Width bytes per piece
	scale, offset []float32 // what a byte of the table means, by block
	project       affine    // to all branches
	projected     layerNorm // over all of them
	branches      [len(orders)]branch
	norm          layerNorm // of the piece and its branches
	mean          affine
	// The last network, without biases. The input of first and of last is the output
	// of the step before together with that step's own input.
	enter, first, widen, last []float32
}

// tensors visits every 32-bit weight in the order of the packed file. The weights
// that the kernels read come first, so that each begins at a cache line.
func (m *ngramModel) tensors(visit func(data *[]float32, length int)) {
	all := len(orders) * m.Branch
	visit(&m.project.panels, m.Width*all)
	visit(&m.project.bias, all)
	visit(&m.projected.gain, all)
	visit(&m.projected.bias, all)
	for i, order := range orders {
		for _, a := range []*affine{&m.branches[i].first, &m.branches[i].second} {
			visit(&a.panels, order.length*m.Branch*m.Branch)
			visit(&a.bias, m.Branch)
		}
	}
	visit(&m.norm.gain, m.joined())
	visit(&m.norm.bias, m.joined())
	visit(&m.mean.panels, m.joined()*m.Width)
	visit(&m.mean.bias, m.Width)
	visit(&m.enter, m.Width*m.Inner)
	visit(&m.first, (m.Width+m.Inner)*m.Inner)
	visit(&m.widen, m.Inner*m.Width)
	visit(&m.last, (m.Inner+m.Width)*m.Width)
	visit(&m.scale, m.Blocks)
	visit(&m.offset, m.Blocks)
	visit(&m.pieces.scores, m.Pieces)
}

// numbers returns the number of 32-bit weights of a model of this shape.
func (s ngramShape) numbers() int {
	total := 0
	(&ngramModel{ngramShape: s}).tensors(func(_ *[]float32, length int) { total += length })
	return total
}

// ngramModelOf makes a model from its pieces and its arrays.
func ngramModelOf(s ngramShape, p *pieces, a *arrayFile) (*ngramModel, error) {
	s.Nodes, s.Units, s.Replacements = len(p.labels), len(p.units), len(p.replacements)
	if err := s.check(); err != nil {
		return nil, err
	}
	if len(p.scores) != s.Pieces {
		return nil, fmt.Errorf("%w: %d pieces", errShape, len(p.scores))
	}
	m := &ngramModel{ngramShape: s, pieces: *p}
	m.scale, m.offset = a.numbers("scale", s.Blocks), a.numbers("lo", s.Blocks)
	m.readTable(a)
	m.readBranches(a)
	m.norm = layerNorm{a.numbers("ln_g", s.joined()), a.numbers("ln_b", s.joined())}
	m.mean = affine{packColumns(a.numbers("cnn_W", s.joined(), s.Width), s.Width), a.numbers("cnn_b", s.Width)}
	m.enter = packColumns(a.numbers("d0", s.Width, s.Inner), s.Inner)
	m.first = packColumns(append(a.numbers("p1", s.Width, s.Inner), a.numbers("d1", s.Inner, s.Inner)...), s.Inner)
	m.widen = packColumns(a.numbers("d2", s.Inner, s.Width), s.Width)
	m.last = packColumns(append(a.numbers("p3", s.Inner, s.Width), a.numbers("d3", s.Width, s.Width)...), s.Width)
	// apply uses the same epsilon for both models.
	if eps := a.number("eps"); a.err == nil && !(math.Abs(eps-normEpsilon) < normEpsilon/1e6) {
		a.fail("eps", "is another")
	}
	return m, a.err
}

// readTable reads the rows of all blocks and stores them in the order of the pieces.
func (m *ngramModel) readTable(a *arrayFile) {
	rows := upTo(m.Pieces, m.Blocks) / m.Blocks
	m.table = make([]byte, m.Pieces*m.Width)
	for block := range m.Blocks {
		data := a.bytes(fmt.Sprintf("q%d", block+1), rows, m.Width)
		for piece := block; piece < m.Pieces && a.err == nil; piece += m.Blocks {
			copy(m.table[piece*m.Width:][:m.Width], data[piece/m.Blocks*m.Width:])
		}
	}
}

func (m *ngramModel) readBranches(a *arrayFile) {
	for i, order := range orders {
		n := order.length
		name := func(format string) string { return fmt.Sprintf(format, n) }
		m.project.panels = append(m.project.panels, packColumns(a.numbers(name("proj%d"), m.Width, m.Branch), m.Branch)...)
		m.project.bias = append(m.project.bias, a.numbers(name("proj_b%d"), m.Branch)...)
		m.projected.gain = append(m.projected.gain, a.numbers(name("ln_g%d"), m.Branch)...)
		m.projected.bias = append(m.projected.bias, a.numbers(name("ln_b%d"), m.Branch)...)
		m.branches[i] = branch{
			affine{packColumns(a.numbers(name("w1_%d"), n*m.Branch, m.Branch), m.Branch), a.numbers(name("b1_%d"), m.Branch)},
			affine{packColumns(a.numbers(name("w2_%d"), n*m.Branch, m.Branch), m.Branch), a.numbers(name("b2_%d"), m.Branch)},
		}
	}
}

// packColumns is pack for weights with one row of outputs per input.
func packColumns(weights []float32, outputs int) []float32 {
	inputs := len(weights) / outputs
	packed := make([]float32, 0, len(weights))
	for from := 0; from < outputs; from += panelWidth {
		for in := range inputs {
			packed = append(packed, weights[in*outputs+from:][:panelWidth]...)
		}
	}
	return packed
}
