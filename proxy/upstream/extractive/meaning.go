package extractive

import (
	"context"
	"slices"
	"time"
)

// A Comparer compares texts by what they mean.
type Comparer interface {
	// Similarities returns the cosine of a question's vector and each text's; nil if the
	// model knows the question's words too little for that trust, 0–1. The error is the
	// context's, or says why there are no vectors.
	Similarities(ctx context.Context, question string, texts []string, trust float64) ([]float64, error)
}

// Bounds of comparing by meaning.
const (
	compared      = 4                      // sentences: the best ones by their words
	comparedRunes = 400                    // of each
	leastTrust    = 0.5                    // in the question's vector
	patience      = 200 * time.Millisecond // until words alone decide
)

// Nearness returns the cosines of texts with a question; nil: they are unknown, and words
// alone decide.
type nearness func(texts []string) []float64

// nearTo returns the nearness to a question.
func (c *Client) nearTo(ctx context.Context, question string) nearness {
	if c.comparer == nil {
		return nil
	}
	return func(texts []string) []float64 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		cosines, err := c.comparer.Similarities(ctx, question, texts, leastTrust)
		if err != nil {
			return nil
		}
		return cosines
	}
}

// nearest puts that of the best sentences in front that is nearest to the question. Their
// words decided which are compared: among these, meaning and the score of the passage say
// more. The rows of tables mean much the same, so among them words decide.
func (n nearness) nearest(all []scored) []scored {
	best := all[:min(len(all), compared)]
	if n == nil || len(best) < 2 || slices.ContainsFunc(best, func(s scored) bool { return s.row }) {
		return all
	}
	texts := make([]string, len(best))
	for i, s := range best {
		texts[i] = s.inContext()
	}
	first, most := 0, 0.0
	for i, cosine := range n(texts) { // none, if words alone decide
		if near := cosine * best[i].trust; near > most {
			first, most = i, near
		}
	}
	front := all[first]
	front.score = all[0].score // further sentences are compared with it
	return slices.Concat([]scored{front}, all[:first], all[first+1:])
}
