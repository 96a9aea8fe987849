package embedding

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modelVariable names the packed file of the real weights: `make model` makes
// one in the data directory.
const modelVariable = "FOOTNOTE_TEST_MODEL"

// realWeights is the built-in embedder with its real weights.
func realWeights(t testing.TB) *Builtin {
	t.Helper()
	return opened(t, Open, weightsOf(t, modelVariable, "model"))
}

// weightsOf is the packed file that a variable names, and that a target of the
// Makefile makes. Without it a test is skipped, in CI it fails.
func weightsOf(t testing.TB, variable, target string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s must name the packed file of weights in CI", variable)
		}
		t.Skipf("needs the weights: make %s, and set %s to the packed file", target, variable)
	}
	return path
}

func TestTheRealWeightsGiveTheReferencesNumbers(t *testing.T) {
	b := realWeights(t)
	for _, k := range allKernels() {
		with := b.with(k, 2)
		q, err := with.EmbedQuery(context.Background(), "what is the total revenue growth for fiscal year 2020?")
		if err != nil {
			t.Fatal(err)
		}
		if want := []float32{0.015742, -0.038447, -0.019162, -0.027920, -0.037679}; !near(q.Vector[:5], want, 2e-6) {
			t.Errorf("%s: %v, want %v", k.name, q.Vector[:5], want)
		}
		if q.Trust != 1 || q.Space.Model != ModelName || q.Space.Dimensions != 384 || len(q.Vector) != 384 {
			t.Errorf("%s: trust %v, %v, %d numbers", k.name, q.Trust, q.Space, len(q.Vector))
		}
		v, err := with.EmbedPassages(context.Background(), []string{
			"A man is eating food.", "The chef cooked dinner for guests.", "Stock markets fell sharply today on inflation fears.",
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct{ got, want float64 }{{cosine(v[0], v[1]), 0.3604}, {cosine(v[0], v[2]), 0.0057}, {cosine(v[1], v[2]), -0.0736}} {
			if math.Abs(c.got-c.want) > 1e-4 {
				t.Errorf("%s: cosine %d is %.4f, want %.4f", k.name, i, c.got, c.want)
			}
		}
	}
}

func TestTheRealVocabularyCutsAsBERTDoes(t *testing.T) {
	b := realWeights(t)
	for text, want := range map[string][]int32{
		"what is the total revenue growth for fiscal year 2020?": {2054, 2003, 1996, 2561, 6599, 3930, 2005, 10807, 2095, 12609, 1029},
		"Unaffable ÉCOLE": {14477, 20961, 3468, 12431},
		"日本":              {1864, 1876},
	} {
		if got, _ := b.file.vocabulary.cut(text, 100); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if v := b.file.vocabulary; v.begin != 101 || v.end != 102 || v.unknown != 100 || v.size != 30522 {
		t.Errorf("begin %d, end %d, unknown %d of %d", v.begin, v.end, v.unknown, v.size)
	}
}

func TestTheModelKnowsEnglishAndOtherLanguagesLess(t *testing.T) {
	b := realWeights(t)
	share := func(text string) float64 {
		_, known := b.file.vocabulary.cut(text, 1000)
		return known.share()
	}
	english, german, russian := share("How many vacation days do I get per year?"), share("Wie viele Urlaubstage habe ich pro Jahr?"), share("Сколько дней отпуска в году?")
	if english < 0.95 || german > 0.8 || russian > 0.01 {
		t.Errorf("of English it knows %v, of German %v, of Russian %v", english, german, russian)
	}
}

func TestThePackedFileIsTheOneThatIsTrusted(t *testing.T) {
	realWeights(t)
	source := os.Getenv(modelVariable)
	path, err := Import(source, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, Open, path)
	if b.file.head.Sources[weightsFile] != published.weights || b.file.head.Sources[vocabularyFile] != published.vocabulary {
		t.Errorf("made of %v", b.file.head.Sources)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	changed := filepath.Join(t.TempDir(), FileName)
	write(t, changed, content)
	if _, err := Import(changed, t.TempDir()); err == nil {
		t.Error("a changed one is imported")
	}
}

func BenchmarkQuery(b *testing.B) {
	m := realWeights(b)
	for b.Loop() {
		if _, err := m.EmbedQuery(context.Background(), "what is the total revenue growth for fiscal year 2020?"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQueryFromMemory(b *testing.B) {
	c := cached(b, tiny(b), Options{})
	for b.Loop() {
		if _, err := c.EmbedQuery(context.Background(), "what is the total revenue growth for fiscal year 2020?"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPassage embeds a passage of 200 word pieces, on one core.
func BenchmarkPassage(b *testing.B) {
	m := realWeights(b)
	text := strings.TrimSpace(strings.Repeat("retrieval of documents improves citation quality in language models ", 22))
	for _, k := range allKernels() {
		b.Run(k.name, func(b *testing.B) {
			with := m.with(k, 1)
			for b.Loop() {
				if _, err := with.EmbedPassages(context.Background(), []string{text}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "passages/s")
		})
	}
}

func BenchmarkPassagesFromFile(b *testing.B) {
	m := newScripted()
	m.space.Dimensions = 384
	c := cached(b, m, Options{Path: file(b)})
	texts := many(1000, "passage")
	embed(b, c, m, texts...)
	for b.Loop() {
		if _, err := c.EmbedPassages(context.Background(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
