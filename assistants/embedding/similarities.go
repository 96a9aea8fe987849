package embedding

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// halfKnown is the share of a question's words that documents are taken to contain if
// nobody has counted them.
const halfKnown = 0.5

// Similarities returns the cosine of a question's vector and each text's; nil if the model
// knows the question's words too little for that trust, 0–1. A user waits for them, so they
// are made before all passages that wait. Only the question's vector is kept. Errors as
// EmbedQuery.
func (c *Cached) Similarities(ctx context.Context, question string, texts []string, trust float64) ([]float64, error) {
	q, err := c.EmbedQuery(ctx, question)
	if err != nil {
		return nil, err
	}
	if q.Adapt != nil {
		q = q.Adapt(halfKnown)
	}
	if q.Trust < trust {
		return nil, nil
	}
	cosines := make([]float64, len(texts))
	g, ctx := errgroup.WithContext(ctx)
	for i, text := range texts {
		g.Go(func() error {
			v, err := c.Maker.EmbedQuery(ctx, text)
			if err != nil {
				return err
			}
			for j := range min(len(v.Vector), len(q.Vector)) {
				cosines[i] += float64(v.Vector[j]) * float64(q.Vector[j])
			}
			return nil
		})
	}
	return cosines, g.Wait()
}
