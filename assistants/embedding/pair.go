package embedding

import (
	"context"
	"math"
	"slices"

	"footnote/assistants"
)

// A Pair makes vectors with two models: an English one, which is better where it
// knows the words, and one of many languages. A vector is both models' vectors,
// one after the other, so that the product of two vectors is the mean of both
// models' cosines. A question's vector can be adapted to the documents, which
// weighs one model more than the other. A Pair is safe for concurrent use.
type Pair struct {
	english *Builtin
	other   *Multilingual
}

// NewPair combines two models. The caller closes both when the pair is no longer
// used.
func NewPair(english *Builtin, other *Multilingual) *Pair { return &Pair{english, other} }

// Space returns the space of the vectors. It never fails.
func (p *Pair) Space(context.Context) (assistants.Space, error) { return p.space(), nil }

func (p *Pair) space() assistants.Space {
	english := p.english.space()
	return assistants.Space{
		Model: english.Model + "+" + p.other.file.head.Model, Dimensions: english.Dimensions + p.other.file.model.Width,
	}
}

// Status says that the embedder is ready.
func (p *Pair) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{State: assistants.EmbedderReady, Space: p.space()}
}

// EmbedQuery makes the vector of a question, before all passages that wait. Until
// it is adapted, both models count the same. Errors are the context's;
// ErrUnavailable after one of the models was closed.
func (p *Pair) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	q, err := p.english.EmbedQuery(ctx, text)
	if err != nil {
		return q, err
	}
	english := len(q.Vector)
	q.Space = p.space()
	if q.Vector, err = p.join(ctx, q.Vector, text, true); err != nil {
		return assistants.QueryVector{}, err
	}
	q.Adapt = func(knownWords float64) assistants.QueryVector {
		return modelWeightsOf(q.Trust, knownWords).apply(q, english)
	}
	return q, nil
}

// EmbedPassages makes the vectors of texts, in their order. Errors as EmbedQuery.
func (p *Pair) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	return p.english.passages(ctx, texts, func(ctx context.Context, text string) ([]float32, error) {
		vector, err := p.english.embedPassage(ctx, text)
		if err != nil {
			return nil, err
		}
		return p.join(ctx, vector, text, false)
	})
}

// join appends the other model's vector of a text, and scales the result to length 1.
func (p *Pair) join(ctx context.Context, english []float32, text string, question bool) ([]float32, error) {
	other, err := p.other.embed(ctx, text, p.english.turns, question)
	if err != nil {
		return nil, err
	}
	both := slices.Concat(english, other)
	for i := range both {
		both[i] *= 1 / math.Sqrt2
	}
	return both, nil
}

// CountTokens returns the number of pieces of a text, for the model that has more of
// them. The English model counts a very long word as one unknown piece.
func (p *Pair) CountTokens(text string) int {
	return max(p.english.CountTokens(text), p.other.countPieces(text))
}
