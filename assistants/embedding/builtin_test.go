package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"footnote/assistants"
)

// sentences draws texts of the tests' vocabulary, of up to n words.
func sentences(n int) *rapid.Generator[string] {
	words := append(slices.Clone(tinyWords), "flows", "unflowed", "quixotic", "Ωmega", "é", "2020")
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, n), func(list []string) string { return strings.Join(list, " ") })
}

func TestVectorsAreThoseOfTheDefinitionOnEveryKernel(t *testing.T) {
	b := tiny(t)
	naive := reference{tinyTensors(), tinyShape.Layers}
	for _, k := range allKernels() {
		with := b.with(k, 1)
		t.Run(k.name, rapid.MakeCheck(func(rt *rapid.T) {
			text := sentences(60).Draw(rt, "text")
			pieces, _ := b.file.vocabulary.cut(text, windowPieces)
			ids := append(append([]int32{b.file.vocabulary.begin}, pieces...), b.file.vocabulary.end)
			got, want := vectorOf(t, with, text), naive.vector(ids)
			if !near(got, want, 2e-5) {
				rt.Fatalf("%q: cosine %v of the two", text, cosine(got, want))
			}
			if !isUnit(got) {
				rt.Fatalf("%q: not of length 1", text)
			}
		}))
	}
}

// golden are the first numbers of the tests' model for a text, from the
// reference, so that a change of both is seen.
var golden = []float32{-0.193742, 0.012711, 0.073028, -0.085950, -0.093323, 0.034655, -0.081714, -0.354916}

func TestTheTestsModelGivesItsGoldenValues(t *testing.T) {
	b := tiny(t)
	got := vectorOf(t, b, "The river flows north, to the sea.")
	if !near(got[:len(golden)], golden, 1e-5) {
		t.Errorf("%v, want %v", got[:8], golden)
	}
}

func TestAVectorDependsOnItsTextAlone(t *testing.T) {
	b := tiny(t)
	ctx := context.Background()
	random := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 60 {
		list := make([]string, random.IntN(90))
		for i := range list {
			list[i] = tinyWords[random.IntN(len(tinyWords))]
		}
		texts = append(texts, strings.Join(list, " "))
	}
	together, err := b.EmbedPassages(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	var g sync.WaitGroup
	for i, text := range texts {
		g.Go(func() {
			alone, err := b.EmbedQuery(ctx, text)
			if err != nil || !slices.Equal(alone.Vector, together[i]) || alone.Space != tinySpace {
				t.Errorf("text %d: asked for alone it has another vector (%v)", i, err)
			}
		})
	}
	g.Wait()
}

func TestLongTextsAreReadInWindows(t *testing.T) {
	b := tiny(t)
	short := strings.TrimSpace(strings.Repeat("river ", windowPieces))
	long := short + strings.Repeat(" stone", windowPieces)
	alone, both := vectorOf(t, b, short), vectorOf(t, b, long)
	stones := vectorOf(t, b, strings.Repeat("stone ", windowPieces))
	if cosine(alone, both) > 0.999 {
		t.Error("what lies beyond the first window does not count")
	}
	if cosine(stones, both) < cosine(stones, alone) {
		t.Error("a text that ends in stones is no nearer to stones")
	}
	end := strings.Repeat("river ", windowPieces*maxWindows)
	if !slices.Equal(vectorOf(t, b, end), vectorOf(t, b, end+strings.Repeat("stone ", 1000))) {
		t.Error("more is read than the longest text")
	}
	if n := b.CountTokens(short); n != windowPieces+2 {
		t.Errorf("%d pieces", n)
	}
}

func TestWindowsAreOfNearlyEqualLengthAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := make([]int32, rapid.IntRange(0, 4000).Draw(t, "pieces"))
		for i := range pieces {
			pieces[i] = int32(i)
		}
		var joined []int32
		shortest, longest := len(pieces), 0
		for w := range windows(pieces) {
			joined = append(joined, w...)
			shortest, longest = min(shortest, len(w)), max(longest, len(w))
		}
		if !slices.Equal(joined, pieces) && len(pieces) > 0 || longest > windowPieces || longest-shortest > 1 {
			t.Fatalf("%d pieces, windows of %d to %d", len(pieces), shortest, longest)
		}
	})
}

func TestEveryTextHasAVector(t *testing.T) {
	b := tiny(t)
	for _, text := range []string{"", " \n", "\x00\x01", "\xff\xfe", strings.Repeat("a", 5000), "\u200b", "🙂", strings.Repeat("é ", 3000), "[CLS] [SEP]"} {
		if v := vectorOf(t, b, text); !isUnit(v) {
			t.Errorf("%.20q: %v", text, v[:4])
		}
	}
	if vectors, err := b.EmbedPassages(context.Background(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("no texts: %v, %v", vectors, err)
	}
}

func TestCancellingEndsATextBetweenLayers(t *testing.T) {
	b := tiny(t)
	pieces, _ := b.file.vocabulary.cut("the river flows", windowPieces)
	gone := errors.New("the caller left")
	asked := 0
	err := b.file.model.forward(pieces, new(scratch), &portable, make([]float32, tinyShape.Hidden), func() error {
		if asked++; asked == 2 {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) || asked != 2 {
		t.Errorf("asked %d times, then %v", asked, err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(gone)
	if _, err := b.EmbedQuery(ctx, "river"); !errors.Is(err, gone) {
		t.Errorf("a question: %v", err)
	}
	if _, err := b.EmbedPassages(ctx, []string{"river", "sea"}); !errors.Is(err, gone) {
		t.Errorf("passages: %v", err)
	}
	if vectorOf(t, b, "river") == nil { // every turn was given back
		t.Error("no vector")
	}
}

func TestWeightsThatMakeNoVectorAreAnError(t *testing.T) {
	b := tiny(t)
	broken := *b.file.model
	broken.layers = slices.Clone(broken.layers)
	last := &broken.layers[len(broken.layers)-1]
	last.afterNarrow = layerNorm{gain: slices.Repeat([]float32{float32(math.Inf(1))}, broken.Hidden), bias: last.afterNarrow.bias}
	file := *b.file
	file.model = &broken
	with := newBuiltin(&file, bestKernels(), 1)
	if _, err := with.EmbedQuery(context.Background(), "river"); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestAClosedEmbedderSaysSo(t *testing.T) {
	b, err := Open(tinyFile(t))
	if err != nil {
		t.Fatal(err)
	}
	closesWhileInUse(t, b, b)
}

func TestWithoutWeightsThereIsNoEmbedder(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), FileName))
	if !errors.Is(err, assistants.ErrNoEmbedder) || !strings.Contains(fmt.Sprint(err), "not installed") {
		t.Errorf("error %v", err)
	}
	none := None{Reason: "The weights are missing."}
	ctx := context.Background()
	_, spaceErr := none.Space(ctx)
	_, queryErr := none.EmbedQuery(ctx, "river")
	_, passagesErr := none.EmbedPassages(ctx, []string{"river"})
	for _, err := range []error{spaceErr, queryErr, passagesErr} {
		if !errors.Is(err, assistants.ErrNoEmbedder) || !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("error %v", err)
		}
	}
	if s := none.Status(); s.State != assistants.EmbedderNone || s.Reason != "The weights are missing." {
		t.Errorf("status %+v", s)
	}
	b := tiny(t)
	if s := b.Status(); s.State != assistants.EmbedderReady || s.Space != tinySpace || s.Reason != "" {
		t.Errorf("status %+v", s)
	}
}

func TestAPanicOfAPassageIsAnErrorAndLeavesTheOthersTheirTurn(t *testing.T) {
	b := tiny(t)
	texts := slices.Repeat([]string{"river"}, 2*cap(b.admitted))
	_, err := b.passages(t.Context(), texts, func(context.Context, string) ([]float32, error) { panic("a bug") })
	if err == nil || !strings.Contains(err.Error(), "panic: a bug") {
		t.Errorf("got %v", err)
	}
	if _, err := b.EmbedPassages(t.Context(), texts); err != nil || len(b.admitted) != 0 {
		t.Errorf("later passages: %v, %d are still admitted", err, len(b.admitted))
	}
}
