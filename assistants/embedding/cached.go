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
	// Space returns the space of its vectors. It fails with ErrNoEmbedder, or with
	// ErrUnavailable when a model server must be asked and does not answer.
	Space(ctx context.Context) (assistants.Space, error)
	// EmbedQuery returns the vector of a question. EmbedPassages returns the vectors
	// of all texts, in order. Vectors have length 1. Errors are ErrNoEmbedder,
	// ErrUnavailable or the context's.
	EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error)
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// Status returns its state without asking a server.
	Status() assistants.EmbedderStatus
}

// Options configure a [Cached]. Zero values mean the defaults.
type Options struct {
	// Path is the file that stores the vectors of passages; "": they are not stored.
	Path string
	// MaxBytes limits that file, roughly. Default 1 GiB: some 600,000 vectors of the
	// built-in model, or 280,000 of the pair. The least recently used are removed first.
	MaxBytes int64
	// MaxQueryBytes limits the memory for vectors of questions. Default 32 MiB.
	MaxQueryBytes int
	// Batch is how many passages are embedded before their vectors are stored. A
	// process that is killed loses at most one batch. Default 16.
	Batch int
	// Log receives problems with the file. Default slog.Default().
	Log *slog.Logger
}

// Cached is a [Maker] with a cache: vectors of questions in memory, and vectors of
// passages in a file, by model, dimensions and text. If the file is damaged or
// cannot be written, vectors are computed again. Cached is safe for concurrent
// use. Callers must not change the vectors that it returns.
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

// EmbedPassages returns the vectors of texts, in order. It computes the vectors that
// are not in the file, and stores them after each batch, so that an error loses
// one batch at most.
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
	var missing []int // index of the first text of each missing key
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

// makeBatch computes and stores the vectors of some of the texts.
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

// errVectors reports malformed vectors of any embedder.
var errVectors = errors.New("the embedder's vectors are of no use")

// checkVectors returns an error unless there are count vectors of the space's
// dimensions and of length 1.
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
