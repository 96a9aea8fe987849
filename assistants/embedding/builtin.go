package embedding

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"footnote/assistants"
)

// Bounds of a text. The model was trained on 256 word pieces, including the two
// that begin and end a text. A longer text is cut into windows of equal length,
// and its vector is the mean over them. Text beyond maxWindows is not read.
const (
	windowPieces = 254
	maxWindows   = 16
)

// A Builtin is the built-in embedder. It is safe for concurrent use, and uses
// as many processors as the process may have.
type Builtin struct {
	file    *packedFile
	kernels *kernels
	turns   *turns
	// admitted limits how many passages are computed at once, because each holds
	// memory while it waits for questions.
	admitted chan struct{}
	idle     sync.Pool // of *scratch
	lease
}

// ErrNoWeights says that the weights of a built-in model are not installed.
var ErrNoWeights = fmt.Errorf("its weights are not installed: %w", assistants.ErrNoEmbedder)

// Open maps the packed file at path, as [Import] wrote it. Errors are
// ErrNoWeights when there is no such file, and wrap assistants.ErrNoEmbedder
// when it cannot be used. Their text is for operators.
func Open(path string) (*Builtin, error) {
	file, err := openPacked(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", ModelName, ErrNoWeights)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be used: %w: %w", path, err, assistants.ErrNoEmbedder)
	}
	if file.model.Positions < windowPieces+2 {
		return nil, errors.Join(fmt.Errorf("%s cannot be used: %w: %w", path, errDamaged, assistants.ErrNoEmbedder), file.release())
	}
	return newBuiltin(file, bestKernels(), runtime.GOMAXPROCS(0)), nil
}

func newBuiltin(file *packedFile, k *kernels, processors int) *Builtin {
	b := &Builtin{file: file, kernels: k, turns: newTurns(processors), admitted: make(chan struct{}, processors), lease: lease{release: file.release}}
	b.idle.New = func() any { return new(scratch) }
	return b
}

// Space returns the space of the vectors. It never fails.
func (b *Builtin) Space(context.Context) (assistants.Space, error) { return b.space(), nil }

func (b *Builtin) space() assistants.Space {
	return assistants.Space{Model: b.file.head.Model, Dimensions: b.file.model.Hidden}
}

// Status says that the embedder is ready.
func (b *Builtin) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{State: assistants.EmbedderReady, Space: b.space()}
}

// EmbedQuery makes the vector of a question, before all passages that wait.
// Errors are the context's; ErrUnavailable after Close.
func (b *Builtin) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	pieces, known := b.file.vocabulary.cut(text, windowPieces*maxWindows)
	vector, err := b.embed(ctx, pieces, true)
	return assistants.QueryVector{Vector: vector, Space: b.space(), Trust: known.trust()}, err
}

// EmbedPassages makes the vectors of texts, in their order. Errors as EmbedQuery.
func (b *Builtin) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	return b.passages(ctx, texts, b.embedPassage)
}

// passages makes the vectors of texts. It computes as many at a time as there
// are processors.
func (b *Builtin) passages(ctx context.Context, texts []string, embed func(context.Context, string) ([]float32, error)) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(b.admitted))
	for i, text := range texts {
		g.Go(func() (err error) {
			defer assistants.CatchPanic(&err)
			select {
			case b.admitted <- struct{}{}:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			defer func() { <-b.admitted }()
			vectors[i], err = embed(ctx, text)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

func (b *Builtin) embedPassage(ctx context.Context, text string) ([]float32, error) {
	pieces, _ := b.file.vocabulary.cut(text, windowPieces*maxWindows)
	return b.embed(ctx, pieces, false)
}

// CountTokens returns the number of word pieces of a text. It stops counting at
// a number far above what embed reads.
func (b *Builtin) CountTokens(text string) int {
	const enough = 1 << 17
	pieces, _ := b.file.vocabulary.cut(text, enough)
	return len(pieces) + 2
}

// embed computes the vector of a text.
func (b *Builtin) embed(ctx context.Context, pieces []int32, question bool) ([]float32, error) {
	if err := b.acquire(); err != nil {
		return nil, err
	}
	defer b.releaseUse()
	vector := make([]float32, b.file.model.Hidden)
	err := b.turns.during(ctx, question, func(between func() error) error {
		s := b.idle.Get().(*scratch)
		defer b.idle.Put(s)
		for window := range windows(pieces) {
			ids := append(append([]int32{b.file.vocabulary.begin}, window...), b.file.vocabulary.end)
			if err := b.file.model.forward(ids, s, b.kernels, vector, between); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !unit(vector) {
		return nil, fmt.Errorf("the weights of %s make no vector of this text: %w", ModelName, assistants.ErrUnavailable)
	}
	return vector, nil
}

// windows cuts a text that is too long into parts of nearly equal length. A
// text without pieces has one empty window.
func windows(pieces []int32) func(yield func([]int32) bool) {
	count := max(1, (len(pieces)+windowPieces-1)/windowPieces)
	return func(yield func([]int32) bool) {
		for i := range count {
			if !yield(pieces[i*len(pieces)/count : (i+1)*len(pieces)/count]) {
				return
			}
		}
	}
}
