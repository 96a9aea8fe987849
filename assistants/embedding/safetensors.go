package embedding

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// maxTensorHead bounds the list of tensors; the model's own has 12 KB.
const maxTensorHead = 1 << 20

// A tensorFile is a file in the safetensors format: the length of a list, the
// list as JSON, and the numbers.
type tensorFile struct {
	entries map[string]tensorEntry
	data    []byte
}

type tensorEntry struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

var errTensors = errors.New("not a safetensors file of this model")

func parseTensors(file []byte) (*tensorFile, error) {
	if len(file) < 8 {
		return nil, errTensors
	}
	length := binary.LittleEndian.Uint64(file)
	if length > maxTensorHead || length > uint64(len(file)-8) {
		return nil, errTensors
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+length], &list); err != nil {
		return nil, fmt.Errorf("%w: its list cannot be read", errTensors)
	}
	t := &tensorFile{entries: map[string]tensorEntry{}, data: file[8+length:]}
	for name, raw := range list {
		var e tensorEntry
		if name != "__metadata__" && json.Unmarshal(raw, &e) == nil {
			t.entries[name] = e
		}
	}
	return t, nil
}

// rowsOf returns the first dimension of a tensor, 0 when there is no such tensor.
func (t *tensorFile) rowsOf(name string) int {
	if e := t.entries[name]; len(e.Shape) > 0 {
		return e.Shape[0]
	}
	return 0
}

// numbers reads a tensor of a given shape.
func (t *tensorFile) numbers(name string, shape ...int) ([]float32, error) {
	e, ok := t.entries[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s is missing", errTensors, name)
	}
	count := 1
	fits := len(e.Shape) == len(shape)
	for i, n := range shape {
		count *= n
		fits = fits && e.Shape[i] == n
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if !fits || e.Type != "F32" || from < 0 || to > len(t.data) || to-from != 4*count {
		return nil, fmt.Errorf("%w: %s is not what it should be", errTensors, name)
	}
	numbers := make([]float32, count)
	for i := range numbers {
		v := math.Float32frombits(binary.LittleEndian.Uint32(t.data[from+4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("%w: %s has a number that is none", errTensors, name)
		}
		numbers[i] = v
	}
	return numbers, nil
}

// modelOf makes a model from the tensors of a BERT encoder.
func modelOf(t *tensorFile) (*model, error) {
	s := shape{
		Vocabulary: t.rowsOf("embeddings.word_embeddings.weight"), Positions: t.rowsOf("embeddings.position_embeddings.weight"),
		Hidden: t.rowsOf("embeddings.LayerNorm.weight"), Inner: t.rowsOf("encoder.layer.0.intermediate.dense.weight"),
	}
	for t.rowsOf(fmt.Sprintf("encoder.layer.%d.output.dense.weight", s.Layers)) > 0 {
		s.Layers++
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	r := tensorReader{file: t}
	m := &model{
		shape:     s,
		words:     r.read("embeddings.word_embeddings.weight", s.Vocabulary, s.Hidden),
		positions: r.read("embeddings.position_embeddings.weight", s.Positions, s.Hidden),
		start:     r.norm("embeddings.LayerNorm", s.Hidden),
		layers:    make([]layer, s.Layers),
	}
	if kinds := r.read("embeddings.token_type_embeddings.weight", 2, s.Hidden); r.err == nil {
		m.kind = kinds[:s.Hidden]
	}
	for i := range m.layers {
		m.layers[i] = r.layer(fmt.Sprintf("encoder.layer.%d.", i), s)
	}
	return m, r.err
}

// A tensorReader reads tensors until one cannot be read, and keeps that error.
type tensorReader struct {
	file *tensorFile
	err  error
}

func (r *tensorReader) read(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	numbers, err := r.file.numbers(name, shape...)
	r.err = err
	return numbers
}

func (r *tensorReader) norm(name string, width int) layerNorm {
	return layerNorm{r.read(name+".weight", width), r.read(name+".bias", width)}
}

// affine reads affine maps of the same inputs and joins them into one.
func (r *tensorReader) affine(inputs, outputs int, names ...string) affine {
	var weights, bias []float32
	for _, name := range names {
		weights = append(weights, r.read(name+".weight", outputs, inputs)...)
		bias = append(bias, r.read(name+".bias", outputs)...)
	}
	if r.err != nil {
		return affine{}
	}
	return affine{pack(weights, outputs*len(names), inputs), bias}
}

func (r *tensorReader) layer(prefix string, s shape) layer {
	self := prefix + "attention.self."
	return layer{
		attention:      r.affine(s.Hidden, s.Hidden, self+"query", self+"key", self+"value"),
		output:         r.affine(s.Hidden, s.Hidden, prefix+"attention.output.dense"),
		afterAttention: r.norm(prefix+"attention.output.LayerNorm", s.Hidden),
		widen:          r.affine(s.Hidden, s.Inner, prefix+"intermediate.dense"),
		narrow:         r.affine(s.Inner, s.Hidden, prefix+"output.dense"),
		afterNarrow:    r.norm(prefix+"output.LayerNorm", s.Hidden),
	}
}
