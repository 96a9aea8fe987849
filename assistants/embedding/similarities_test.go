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
		cosines, err := c.Similarities(t.Context(), "same", texts, 0)
		if err != nil || len(cosines) != len(texts) || math.Abs(cosines[0]-1) > 1e-6 || cosines[1] >= cosines[0] {
			t.Fatal(cosines, err)
		}
	}
	if maker.queries != 1+2*len(texts) {
		t.Errorf("%d vectors were made", maker.queries)
	}
	maker.fail = assistants.ErrUnavailable
	if _, err := c.Similarities(t.Context(), "same", texts, 0); !errors.Is(err, assistants.ErrUnavailable) {
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
	maker := newScripted()
	c := NewCached(adapted{maker}, Options{})
	texts := []string{"question", "other"}
	cosines, err := c.Similarities(t.Context(), "question", texts, halfKnown)
	if err != nil || math.Abs(cosines[1]-1) > 1e-6 || cosines[0] >= cosines[1] {
		t.Error(cosines, err)
	}
	made := maker.queries
	if cosines, err := c.Similarities(t.Context(), "question", texts, halfKnown+0.1); err != nil || cosines != nil || maker.queries != made {
		t.Errorf("a vector that deserves less trust: %v, %v, and %d more were made", cosines, err, maker.queries-made)
	}
}
