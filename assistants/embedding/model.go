package embedding

import (
	"errors"
	"fmt"
)

// ModelName is the built-in embedder's model, as spaces and users know it.
const ModelName = "all-MiniLM-L6-v2"

// MultilingualName is the multilingual model, as spaces and users know it: Google's
// universal-sentence-encoder-multilingual, version 3. It knows Arabic, Chinese
// (traditional and simplified), Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
// Russian, Spanish, Thai and Turkish, and brings texts of the same meaning
// together across these languages.
const MultilingualName = "use-multilingual-3"

// headSize is the number of values of a token that one attention head uses. It
// is the same in all sizes of this family of models.
const headSize = 32

// A shape holds the dimensions of a model, which determine the sizes of its weights.
type shape struct {
	Vocabulary int `json:"vocabulary"` // word pieces
	Positions  int `json:"positions"`  // the longest text, in word pieces
	Hidden     int `json:"hidden"`     // numbers per token, and of a vector
	Inner      int `json:"inner"`      // numbers per token between the two halves of a layer's network
	Layers     int `json:"layers"`
}

// Bounds of a shape: far beyond the one model that there is, and small enough
// that no product of them overflows.
const (
	maxVocabulary = 1 << 20
	maxPositions  = 1 << 14
	maxWidth      = 1 << 14
	maxLayers     = 64
)

var errShape = errors.New("the weights are not of a shape that the kernels can use")

// check refuses what the kernels cannot compute: rows come in panels of 16.
func (s shape) check() error {
	within := func(n, limit int) bool { return n > 0 && n <= limit }
	if !within(s.Vocabulary, maxVocabulary) || !within(s.Positions, maxPositions) || !within(s.Layers, maxLayers) ||
		!within(s.Hidden, maxWidth) || !within(s.Inner, maxWidth) || s.Hidden%headSize != 0 || s.Inner%panelWidth != 0 {
		return fmt.Errorf("%w: %+v", errShape, s)
	}
	return nil
}

func (s shape) heads() int { return s.Hidden / headSize }

// An affine is an affine map: weights in panels (see pack) and a bias.
type affine struct{ panels, bias []float32 }

// A layerNorm scales and shifts a row that was normalised to mean 0 and variance 1.
type layerNorm struct{ gain, bias []float32 }

// A layer is one of the model's post-norm encoder layers.
type layer struct {
	attention      affine // queries, keys and values in one
	output         affine
	afterAttention layerNorm
	widen, narrow  affine
	afterNarrow    layerNorm
}

// A model is the weights, read-only and shared by all computations.
type model struct {
	shape
	words     []float32 // one row per word piece
	positions []float32 // one row per position
	kind      []float32 // embedding of the token type "first sentence", added to every token
	start     layerNorm
	layers    []layer
}

// tensors visits every weight in the order of the packed file. Each has a
// multiple of 16 numbers, so that all begin at a cache line if the first does.
func (m *model) tensors(visit func(data *[]float32, length int)) {
	h, inner := m.Hidden, m.Inner
	visit(&m.words, m.Vocabulary*h)
	visit(&m.positions, m.Positions*h)
	visit(&m.kind, h)
	visit(&m.start.gain, h)
	visit(&m.start.bias, h)
	if m.layers == nil {
		m.layers = make([]layer, m.Layers)
	}
	for i := range m.layers {
		l := &m.layers[i]
		visit(&l.attention.panels, 3*h*h)
		visit(&l.attention.bias, 3*h)
		visit(&l.output.panels, h*h)
		visit(&l.output.bias, h)
		visit(&l.afterAttention.gain, h)
		visit(&l.afterAttention.bias, h)
		visit(&l.widen.panels, inner*h)
		visit(&l.widen.bias, inner)
		visit(&l.narrow.panels, h*inner)
		visit(&l.narrow.bias, h)
		visit(&l.afterNarrow.gain, h)
		visit(&l.afterNarrow.bias, h)
	}
}

// numbers returns the number of weights of a model of this shape.
func (s shape) numbers() int {
	total := 0
	(&model{shape: s}).tensors(func(_ *[]float32, length int) { total += length })
	return total
}

// pack brings a matrix of weights, one row of inputs per output, into panels
// of 16 outputs: [outputs/16][inputs][16]. The kernel then reads it from the
// first number to the last.
func pack(weights []float32, outputs, inputs int) []float32 {
	packed := make([]float32, outputs*inputs)
	for out := range outputs {
		panel := packed[out/panelWidth*panelWidth*inputs:]
		for in, w := range weights[out*inputs : (out+1)*inputs] {
			panel[in*panelWidth+out%panelWidth] = w
		}
	}
	return packed
}
