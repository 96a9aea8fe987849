package retrieval

import (
	"context"
	"math"
	"slices"
	"testing"

	"footnote/assistants"
)

// An adaptive embedder trusts its vector the less, and turns it the more, the
// fewer of the question's words the documents contain.
type adaptive struct{}

func (adaptive) EmbedQuery(context.Context, string) (assistants.QueryVector, error) {
	adapt := func(knownWords float64) assistants.QueryVector {
		return assistants.QueryVector{Vector: []float32{float32(knownWords), 1}, Space: space, Trust: 1 - knownWords/2, CosineScale: 0.5}
	}
	return assistants.QueryVector{Vector: []float32{1, 0}, Space: space, Trust: 0.1, Adapt: adapt}, nil
}

func TestAVectorIsAdaptedToTheWordsThatTheDocumentsContain(t *testing.T) {
	for _, c := range []struct {
		words []string // that passages have
		share float64
		text  float64 // weight of the words
	}{
		{[]string{"vacat", "day"}, 1, 0.3 + 0.7*0.5},
		{[]string{"vacat"}, 0.5, 0.3 + 0.7*0.25},
		{nil, 0, 0}, // probably documents in another language
	} {
		x, s := world(1)
		retrieve(t, New(glossaryIndex{x, c.words}, s, Options{Embedder: adaptive{}, Spaces: known(0.1)}), query("Vacation days?"))
		got := x.asked[0]
		if math.Abs(got.TextWeight-c.text) > 1e-9 || !slices.Equal(got.Vector, []float32{float32(c.share), 1}) {
			t.Errorf("%q known: words weigh %v, want %v; vector %v", c.words, got.TextWeight, c.text, got.Vector)
		}
		if want := (assistants.Calibration{Low: 0.05, High: 0.45}); got.Calibration != want {
			t.Errorf("%q known: calibration %+v, want %+v", c.words, got.Calibration, want)
		}
	}
}

func TestAnIndexThatDoesNotKnowItsWordsCountsAsKnowingHalf(t *testing.T) {
	x, s := world(1)
	retrieve(t, New(x, s, Options{Embedder: adaptive{}, Spaces: known(0.1)}), query("Vacation days?"))
	if got := x.asked[0]; math.Abs(got.TextWeight-(0.3+0.7*0.25)) > 1e-9 || got.Vector[0] != 0.5 {
		t.Errorf("words weigh %v, vector %v", got.TextWeight, got.Vector)
	}
}

func TestWordsAloneStayAloneWithAVectorThatAdapts(t *testing.T) {
	x, s := world(1)
	q := query("Vacation days?")
	q.TextWeight = 1
	retrieve(t, New(glossaryIndex{x, nil}, s, Options{Embedder: adaptive{}, Spaces: known(0.1)}), q)
	if got := x.asked[0].TextWeight; got != 1 {
		t.Errorf("words weigh %v", got)
	}
}
