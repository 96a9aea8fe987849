package embedding

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"footnote/assistants"
)

// A Multilingual is the multilingual built-in model, which makes vectors together with a
// [Builtin] in a [Pair]. It is safe for concurrent use.
type Multilingual struct {
	file    *ngramFile
	kernels *kernels
	idle    sync.Pool // of *ngramScratch
	lease
}

// OpenMultilingual maps the packed file at path, as [Import] wrote it. Errors
// are ErrNoWeights when there is no such file, and wrap
// assistants.ErrNoEmbedder when it cannot be used.
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

// countPieces returns the number of pieces of a text: more than maxPieces if the
// text is too long to be read whole, and 0 after Close.
func (m *Multilingual) countPieces(text string) int {
	if m.acquire() != nil {
		return 0
	}
	defer m.releaseUse()
	s := m.idle.Get().(*ngramScratch)
	defer m.idle.Put(s)
	ids := m.file.model.pieces.cut(text, &s.cutting)
	if len(text) > maxRead || len(s.cutting.text) >= maxNormalized {
		return maxPieces + 2
	}
	return len(ids)
}

// embed computes the vector of the whole text in one turn.
func (m *Multilingual) embed(ctx context.Context, text string, t *turns, question bool) ([]float32, error) {
	if err := m.acquire(); err != nil {
		return nil, err
	}
	defer m.releaseUse()
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
