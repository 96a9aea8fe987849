package embedding

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
)

func TestAPairsVectorIsBothOfItsModels(t *testing.T) {
	p := tinyPair(t)
	ctx := context.Background()
	for _, text := range []string{"the river flows north", "東京 ab 2020", "", strings.Repeat("river ", 3000)} {
		passage := vectorOf(t, p, text)
		q, err := p.EmbedQuery(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		english, err := p.english.EmbedQuery(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(english.Vector), p.other.alone(t, text)...)
		for i := range want {
			want[i] /= math.Sqrt2
		}
		if !near(q.Vector, want, 1e-6) || !slices.Equal(q.Vector, passage) || !isUnit(q.Vector) {
			t.Errorf("%.20q: %v", text, q.Vector)
		}
		space := assistants.Space{Model: ModelName + "+" + MultilingualName, Dimensions: tinySpace.Dimensions + tinyNgrams.Width}
		if q.Adapt == nil || q.Trust != english.Trust || q.Space != space || p.Status() != (assistants.EmbedderStatus{State: assistants.EmbedderReady, Space: space}) {
			t.Errorf("%.20q: adapts %t, trust %v, %v, %+v", text, q.Adapt != nil, q.Trust, q.Space, p.Status())
		}
		if own, err := p.Space(ctx); err != nil || own != space {
			t.Errorf("%v (%v)", own, err)
		}
		if n := p.CountTokens(text); n < p.english.CountTokens(text) || n < p.other.countPieces(text) {
			t.Errorf("%.20q: %d tokens", text, n)
		}
	}
	if q, err := p.english.EmbedQuery(ctx, "river"); err != nil || q.Adapt != nil {
		t.Errorf("one model alone adapts (%v)", err)
	}
}

// To the English model a word without end is one piece; the other cuts it, so
// that it counts, and what is too long to be read is told by its tokens.
func TestAPairCountsTheTokensOfTextsWithoutSpaces(t *testing.T) {
	p := tinyPair(t)
	word := strings.Repeat("k", 3000)
	if english, n := p.english.CountTokens(word), p.CountTokens(word); english != 3 || n <= 1000 {
		t.Errorf("%d tokens, %d in English", n, english)
	}
	for _, long := range []string{strings.Repeat("k", maxPieces+1), strings.Repeat("the river flows ", maxRead/8)} {
		if n := p.CountTokens(long); n < maxPieces+2 {
			t.Errorf("%d bytes have %d tokens", len(long), n)
		}
	}
}

func TestAPairsPassagesComeInTheirOrderAllOrNone(t *testing.T) {
	p := tinyPair(t)
	texts := []string{"the river", "東京", "north", "the sea", "stone", "", "to the north"}
	vectors, err := p.EmbedPassages(context.Background(), texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatal(err)
	}
	for i, text := range texts {
		if !slices.Equal(vectors[i], vectorOf(t, p, text)) {
			t.Errorf("passage %d has another vector beside others", i)
		}
	}
	if vectors, err := p.EmbedPassages(context.Background(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("no texts: %v, %v", vectors, err)
	}
	gone := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	if vectors, err := p.EmbedPassages(ctx, texts); !errors.Is(err, gone) || vectors != nil {
		t.Errorf("%v, %v", vectors, err)
	}
	if _, err := p.EmbedQuery(ctx, "river"); !errors.Is(err, gone) {
		t.Errorf("a question: %v", err)
	}
	if vectorOf(t, p, "river") == nil { // every turn was given back
		t.Error("no vector")
	}
}

func TestAPairsQuestionsGoBeforeItsPassages(t *testing.T) {
	english := tiny(t).with(bestKernels(), 1)
	p := NewPair(english, tinyMultilingual(t))
	ctx := context.Background()
	if err := english.turns.take(ctx, false); err != nil { // as a passage would
		t.Fatal(err)
	}
	var g sync.WaitGroup
	embed := func(text string, question bool) {
		g.Go(func() {
			if _, err := p.other.embed(ctx, text, english.turns, question); err != nil {
				t.Error(err)
			}
		})
	}
	embed("the river", false)
	english.turns.waiting(0, 1)
	embed("the sea", true)
	english.turns.waiting(1, 1)
	english.turns.mu.Lock()
	english.turns.startNext()
	questions, passages := english.turns.questions.Len(), english.turns.passages.Len()
	english.turns.mu.Unlock()
	g.Wait()
	if questions != 0 || passages != 1 {
		t.Errorf("the turn went to another than the question: %d questions and %d passages still wait", questions, passages)
	}
}

func TestAPairIsNoMoreThanItsModelsAre(t *testing.T) {
	p := tinyPair(t)
	if err := p.english.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.EmbedQuery(context.Background(), "river"); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("a question: %v", err)
	}
	if _, err := p.EmbedPassages(context.Background(), []string{"river"}); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("a passage: %v", err)
	}
}

func TestAPairsQuestionAdaptsAlsoFromTheCache(t *testing.T) {
	p := tinyPair(t)
	c := cached(t, p, Options{})
	for range 2 {
		q, err := c.EmbedQuery(context.Background(), "the river")
		if err != nil || q.Adapt == nil {
			t.Fatalf("%+v (%v)", q, err)
		}
		if got := q.Adapt(0); got.Trust != 1 || got.Space != p.space() || !isUnit(got.Vector) || slices.ContainsFunc(got.Vector[:tinySpace.Dimensions], func(x float32) bool { return x != 0 }) {
			t.Errorf("documents of another language are compared by %+v", got)
		}
		if got := q.Adapt(1); !isUnit(got.Vector) || slices.Equal(got.Vector, q.Vector) {
			t.Errorf("documents with all of the words are compared by %+v", got)
		}
	}
}
