package embedding

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"footnote/assistants"
)

func TestSimilaritiesAreCosinesAndOnlyTheQuestionIsKept(t *testing.T) {
	maker := newScripted()
	c := NewCached(maker, Options{Path: filepath.Join(t.TempDir(), "vectors.db")})
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	texts := []string{"same", "other", "third"}
	for range 2 {
		cosines, _, err := c.Similarities(t.Context(), "same", texts)
		if err != nil || len(cosines) != len(texts) || math.Abs(cosines[0]-1) > 1e-6 || cosines[1] >= cosines[0] {
			t.Fatal(cosines, err)
		}
	}
	if maker.queries != 1+2*len(texts) {
		t.Errorf("%d vectors were made", maker.queries)
	}
	maker.fail = assistants.ErrUnavailable
	if _, _, err := c.Similarities(t.Context(), "same", texts); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
}

// adapted makes questions' vectors that are weighed for the documents.
type adapted struct{ *scripted }

func (a adapted) EmbedQuery(ctx context.Context, text string) (assistants.QueryVector, error) {
	q, err := a.scripted.EmbedQuery(ctx, text)
	q.Adapt = func(known float64) assistants.QueryVector {
		return assistants.QueryVector{Vector: a.vector("other"), Space: q.Space, Trust: known}
	}
	return q, err
}

func TestSimilaritiesAreThoseOfTheAdaptedQuestion(t *testing.T) {
	c := NewCached(adapted{newScripted()}, Options{})
	cosines, trust, err := c.Similarities(t.Context(), "question", []string{"question", "other"})
	if err != nil || trust != halfKnown || math.Abs(cosines[1]-1) > 1e-6 || cosines[0] >= cosines[1] {
		t.Error(cosines, trust, err)
	}
}
