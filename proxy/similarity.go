package proxy

import (
	"context"
	"errors"
	"sync"
	"time"

	"footnote/assistants"
	"footnote/citations"
)

// Embedder makes vectors.
type Embedder interface {
	// EmbedQuery returns a short text as a vector. ErrNoEmbedder when nothing is
	// set up that makes vectors; any other error: it cannot be made now.
	EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error)
	// EmbedPassages returns passages as vectors, in order, all or none. Errors as EmbedQuery.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
}

// comparisonBudget is how long all comparisons by meaning of one answer may take.
const comparisonBudget = 2 * time.Second

// A comparison compares texts of one answer by their meaning. What cannot be
// compared, because the embedder fails or the time is up, counts as unknown: the
// check by words stands alone then.
type comparison struct {
	embedder Embedder
	request  context.Context
	log      func(error)

	mu       sync.Mutex
	ctx      context.Context // bounded; made at the first comparison
	cancel   context.CancelFunc
	texts    map[string][]float32 // of claims and answers
	passages map[string][]float32
	broken   bool
}

// compare adds what the assistant compares by meaning to the options of its
// citations. end must be called when the answer is complete.
func (s *Server) compare(ctx context.Context, ex *exchange, opt *citations.Options) {
	bySupport := opt.Support && ex.settings.SupportCheck == assistants.SupportEmbedding
	byAnswer := ex.settings.ConfidenceSimilarity == assistants.SimilarityEmbedding
	if s.deps.Embedder == nil || !bySupport && !byAnswer {
		return
	}
	c := &comparison{
		embedder: s.deps.Embedder, request: ctx, texts: map[string][]float32{}, passages: map[string][]float32{},
		log: func(err error) {
			s.deps.Log.Warn("texts could not be compared by meaning", "assistant", ex.assistant.ID, "error", err)
		},
	}
	if bySupport {
		opt.Similarity = c.similarity
	}
	if byAnswer {
		opt.Answers = func(answer string) (float64, bool) {
			q, a := c.text(ex.asked()), c.text(answer)
			return dot(q, a), q != nil && a != nil
		}
	}
	ex.compared = c.end
}

// Where the built-in embedder puts a claim and a passage that has nothing to do
// with it, and one that says the same, in English. Of other languages even its
// pair of models puts the same further apart; there the check by words counts.
const (
	unlike = 0.25
	equal  = 0.85
)

// similarity of a claim and a passage, 0–1.
func (c *comparison) similarity(claim, passage string) float64 {
	p, q := c.passage(passage), c.text(claim)
	if p == nil || q == nil {
		return 0
	}
	return min(1, max(0, (dot(p, q)-unlike)/(equal-unlike)))
}

// text is the vector of a short text, nil when there is none.
func (c *comparison) text(text string) []float32 {
	return c.vector(c.texts, text, func(ctx context.Context) ([]float32, error) {
		v, err := c.embedder.EmbedQuery(ctx, text)
		return v.Vector, err
	})
}

func (c *comparison) passage(text string) []float32 {
	return c.vector(c.passages, text, func(ctx context.Context) ([]float32, error) {
		vectors, err := c.embedder.EmbedPassages(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		return vectors[0], nil
	})
}

func (c *comparison) vector(known map[string][]float32, text string, embed func(context.Context) ([]float32, error)) []float32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := known[text]; ok || c.broken || text == "" {
		return v
	}
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithTimeout(c.request, comparisonBudget)
	}
	v, err := embed(c.ctx)
	if err != nil {
		c.broken = true
		if c.request.Err() == nil && !errors.Is(err, assistants.ErrNoEmbedder) {
			c.log(err)
		}
		return nil
	}
	known[text] = v
	return v
}

// end gives back what the comparison holds.
func (c *comparison) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	if c.cancel != nil {
		c.cancel()
	}
}

// dot is the cosine of two vectors of length 1; 0 for those of different spaces.
func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
