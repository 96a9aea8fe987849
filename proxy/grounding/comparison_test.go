package grounding

import (
	"context"
	"math"
	"testing"

	"footnote/assistants"
	"footnote/citations"
)

// spaceOf is an embedder whose texts all have one cosine.
type spaceOf struct {
	model  string
	cosine float64
}

func (s spaceOf) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	return assistants.QueryVector{Vector: []float32{1, 0}, Space: assistants.Space{Model: s.model, Dimensions: 2}}, nil
}

func (s spaceOf) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	return [][]float32{{float32(s.cosine), float32(math.Sqrt(1 - s.cosine*s.cosine))}}, nil
}

// The same cosine says more in one space than in another.
func TestASimilarityIsThatOfItsSpace(t *testing.T) {
	const both = "all-MiniLM-L6-v2+use-multilingual-3"
	for _, c := range []struct {
		space spaceOf
		alike bool
	}{
		{spaceOf{"all-MiniLM-L6-v2", .87}, false}, {spaceOf{"all-MiniLM-L6-v2", .91}, true},
		{spaceOf{both, .83}, false}, {spaceOf{both, .87}, true},
		{spaceOf{"text-embedding-x", .87}, false}, {spaceOf{"text-embedding-x", .91}, true},
		{spaceOf{both, .1}, false}, {spaceOf{both, 1}, true},
	} {
		options := citations.Options{Support: true}
		settings := assistants.DefaultSettings()
		settings.SupportCheck = assistants.SupportEmbedding
		comparison := Compare(t.Context(), c.space, &settings, "", &options)
		got := options.Similarity("A claim.", "A sentence.")
		if comparison.End(); got < 0 || got > 1 || (got >= citations.Alike) != c.alike {
			t.Errorf("%+v: %v", c.space, got)
		}
	}
}
