package embedding

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// multilingualVariable names the packed file of the second model's real
// weights.
const multilingualVariable = "FOOTNOTE_TEST_MULTILINGUAL"

// realMultilingual is the second model with its real weights.
func realMultilingual(t testing.TB) *Multilingual {
	t.Helper()
	return opened(t, OpenMultilingual, weightsOf(t, multilingualVariable, "model-multilingual"))
}

// A goldenText is a text with its pieces, as Google's SentencePiece library
// 0.2.3 cuts it, and the first numbers of its vector, as the packager's program
// computes it from these pieces.
type goldenText struct {
	About  string
	Text   string
	Times  int // the text stands there so often; 0: once
	IDs    []int32
	Count  int // of the pieces, where they are not listed
	Vector []float32
}

func goldenTexts(t testing.TB) []goldenText {
	t.Helper()
	var list []goldenText
	if err := json.Unmarshal(readFile(t, "testdata/use-multilingual-3.json"), &list); err != nil {
		t.Fatal(err)
	}
	for i, g := range list {
		list[i].Text = strings.Repeat(g.Text, max(1, g.Times))
	}
	return list
}

func TestTheRealMultilingualWeightsGiveTheReferencesNumbers(t *testing.T) {
	m := realMultilingual(t)
	list := goldenTexts(t)
	if len(list) < 40 {
		t.Fatalf("%d texts", len(list))
	}
	for _, g := range list {
		ids := m.file.model.pieces.cut(g.Text, new(cutting))
		if g.IDs != nil && !slices.Equal(ids, g.IDs) || g.IDs == nil && len(ids) != g.Count {
			t.Errorf("%s: cut into\n%v, want\n%v", g.About, ids, g.IDs)
		}
		for _, k := range allKernels() {
			if k == &portable && g.Times > 0 && bestKernels() != k {
				continue // it would take a minute
			}
			if got := newMultilingual(m.file, k).alone(t, g.Text); len(got) != 512 || !near(got[:len(g.Vector)], g.Vector, 1e-5) {
				t.Errorf("%s, %s: %v, want %v", g.About, k.name, got[:len(g.Vector)], g.Vector)
			}
		}
	}
}

func TestTheSameQuestionIsNearerInAnotherLanguageThanAnother(t *testing.T) {
	m := realMultilingual(t)
	var same [][]float32
	for _, g := range goldenTexts(t) {
		switch g.About {
		case "English", "German", "Russian", "Arabic", "Chinese", "Korean", "Thai", "Polish":
			same = append(same, m.alone(t, g.Text))
		}
	}
	other := m.alone(t, "Le train part à huit heures du matin.")
	if len(same) != 8 {
		t.Fatalf("%d of them", len(same))
	}
	for i, v := range same {
		for _, w := range same[:i] {
			if cosine(v, w) < cosine(v, other)+0.2 {
				t.Errorf("question %d: %.3f to itself, %.3f to another text", i, cosine(v, w), cosine(v, other))
			}
		}
	}
}

func TestThePackedMultilingualFileIsTheOneThatIsTrusted(t *testing.T) {
	m := realMultilingual(t)
	source := os.Getenv(multilingualVariable)
	path, err := Import(source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opened(t, OpenMultilingual, path)
	if sources := m.file.head.Sources; sources[multilingual.weights] != multilingual.trusted.weights || sources[multilingual.vocabulary] != multilingual.trusted.vocabulary {
		t.Errorf("made of %v", sources)
	}
	content := readFile(t, path)
	content[len(content)/2] ^= 1
	changed := t.TempDir() + "/" + MultilingualFileName
	write(t, changed, content)
	if _, err := Import(changed, t.TempDir()); err == nil {
		t.Error("a changed one is imported")
	}
}

func BenchmarkMultilingualOpen(b *testing.B) {
	realMultilingual(b)
	for b.Loop() {
		m, err := OpenMultilingual(os.Getenv(multilingualVariable))
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMultilingual embeds a question and a passage of 200 words, on one
// core, with the one model and with both.
func BenchmarkMultilingual(b *testing.B) {
	m := realMultilingual(b)
	pair := NewPair(realWeights(b).with(bestKernels(), 1), m)
	turns := newTurns(1)
	for name, text := range map[string]string{
		"question": "How many vacation days do I get per year?",
		"passage":  strings.Repeat("retrieval of documents improves citation quality in language models ", 22),
	} {
		for _, k := range allKernels() {
			with := newMultilingual(m.file, k)
			b.Run(name+"/"+k.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := with.embed(context.Background(), text, turns, false); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(name+"/pair", func(b *testing.B) {
			for b.Loop() {
				if _, err := pair.EmbedPassages(context.Background(), []string{text}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/cut", func(b *testing.B) {
			var c cutting
			for b.Loop() {
				m.file.model.pieces.cut(text, &c)
			}
		})
	}
}
