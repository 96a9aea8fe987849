package embedding

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"footnote/assistants"
)

// A Maker makes vectors: [Builtin], [Pair], [None], or a model server.
type Maker interface {
	// Space is where its vectors lie. ErrNoEmbedder; ErrUnavailable when a
	// model server has to be asked for it and does not answer.
	Space(ctx context.Context) (assistants.Space, error)
	// EmbedQuery makes the vector of a question, EmbedPassages those of texts, all
	// or none, in order. Vectors have length 1. ErrNoEmbedder, ErrUnavailable, the
	// context's error.
	EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error)
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// Status returns its state, without a request to a server.
	Status() assistants.EmbedderStatus
}

// Options are those of a [Cached]. Zero values become the defaults.
type Options struct {
	// Path of the file that keeps the vectors of passages; "": none are kept.
	Path string
	// MaxBytes bounds that file, roughly: 1 GiB, some 600,000 vectors of the
	// built-in model, 280,000 of both. What was not used for longest goes first.
	MaxBytes int64
	// MaxQueryBytes bounds what is remembered of questions: 32 MiB.
	MaxQueryBytes int
	// Batch is how many passages are made before they are kept: 16. A process
	// that is killed loses that many.
	Batch int
	// Log gets what an operator should know of the file. nil: slog.Default().
	Log *slog.Logger
}

// Cached is a [Maker] that remembers: questions in memory, passages in a file,
// by model, dimensions and text. The file is a convenience: damaged or
// unwritable, vectors are made again. It is safe for concurrent use, and so are
// the vectors it returns, which must not be changed.
type Cached struct {
	Maker
	queries  *queryCache
	passages *passageFile
	batch    int
}

// NewCached returns a cache in front of maker. It must be closed.
func NewCached(maker Maker, o Options) *Cached {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxQueryBytes <= 0 {
		o.MaxQueryBytes = 32 << 20
	}
	if o.Batch <= 0 {
		o.Batch = 16
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	c := &Cached{Maker: maker, queries: newQueryCache(o.MaxQueryBytes), batch: o.Batch}
	if o.Path != "" {
		c.passages = openPassageFile(o.Path, o.MaxBytes, o.Log)
	}
	return c
}

// Close closes the file. The caller closes the maker.
func (c *Cached) Close() error {
	if c.passages == nil {
		return nil
	}
	return c.passages.close()
}

// EmbedQuery returns the vector of a question, from memory if it was asked before.
func (c *Cached) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	space, err := c.Space(ctx)
	if err != nil {
		return assistants.QueryVector{}, err
	}
	if q, ok := c.queries.get(queryKey{space, text}); ok {
		return q, nil
	}
	q, err := c.Maker.EmbedQuery(ctx, text)
	if err != nil {
		return assistants.QueryVector{}, err
	}
	if err := checkVectors(q.Space, [][]float32{q.Vector}, 1); err != nil {
		return assistants.QueryVector{}, err
	}
	c.queries.put(queryKey{q.Space, text}, q)
	return q, nil
}

// EmbedPassages returns the vectors of texts, in order. Those that are in the
// file are not made again; others are made and kept a batch at a time, so that
// what was made before an error is not lost.
func (c *Cached) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	space, err := c.Space(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]passageKey, len(texts))
	for i, text := range texts {
		keys[i] = keyOf(space, text)
	}
	known := map[passageKey][]float32{}
	if c.passages != nil {
		known = c.passages.get(ctx, keys, space.Dimensions)
	}
	var missing []int // the first text of each key
	for i, key := range keys {
		if _, ok := known[key]; !ok {
			known[key] = nil
			missing = append(missing, i)
		}
	}
	for len(missing) > 0 {
		batch := missing[:min(len(missing), c.batch)]
		missing = missing[len(batch):]
		if err := c.makeBatch(ctx, space, texts, keys, batch, known); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, key := range keys {
		vectors[i] = known[key]
	}
	return vectors, nil
}

// makeBatch makes the vectors of some of the texts, and keeps them.
func (c *Cached) makeBatch(ctx context.Context, space assistants.Space, texts []string, keys []passageKey, batch []int, known map[passageKey][]float32) error {
	wanted := make([]string, len(batch))
	for i, at := range batch {
		wanted[i] = texts[at]
	}
	vectors, err := c.Maker.EmbedPassages(ctx, wanted)
	if err != nil {
		return err
	}
	if err := checkVectors(space, vectors, len(batch)); err != nil {
		return err
	}
	made := make([]keptVector, len(batch))
	for i, at := range batch {
		known[keys[at]] = vectors[i]
		made[i] = keptVector{keys[at], vectors[i]}
	}
	if c.passages != nil {
		c.passages.put(ctx, made)
	}
	return nil
}

// errVectors is why vectors are refused, wherever they come from.
var errVectors = errors.New("the embedder's vectors are of no use")

// checkVectors refuses vectors of another number or length than they should
// have, and those that are not of length 1.
func checkVectors(space assistants.Space, vectors [][]float32, count int) error {
	if len(vectors) != count {
		return fmt.Errorf("%w: %d for %d texts: %w", errVectors, len(vectors), count, assistants.ErrUnavailable)
	}
	for _, v := range vectors {
		if len(v) != space.Dimensions || !isUnit(v) {
			return fmt.Errorf("%w: one has %d numbers, or is not of length 1: %w", errVectors, len(v), assistants.ErrUnavailable)
		}
	}
	return nil
}
