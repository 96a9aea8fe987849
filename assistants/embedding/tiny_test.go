package embedding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tinyShape is that of the tests' model: two heads, and an inner width that is
// no multiple of the hidden one.
var tinyShape = shape{Positions: 256, Hidden: 64, Inner: 80, Layers: 2}

// tinyWords is its vocabulary beside the special pieces and single letters.
var tinyWords = []string{"the", "river", "flow", "##ed", "north", "to", "sea", "stone", "bridge", "un", "##flow", "water", ",", ".", "2020", "東"}

func tinyVocabulary() string {
	list := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
	for r := 'a'; r <= 'z'; r++ {
		list = append(list, string(r), "##"+string(r))
	}
	slices.Sort(list[4:])
	return strings.Join(append(list, tinyWords...), "\n") + "\n"
}

// tinyTensors are the tensors of a random model, as its makers would publish them.
func tinyTensors() map[string]tensor {
	s := tinyShape
	s.Vocabulary = strings.Count(tinyVocabulary(), "\n")
	random := rand.New(rand.NewPCG(7, 7))
	tensors := map[string]tensor{}
	add := func(name string, middle, spread float64, shape ...int) {
		count := 1
		for _, n := range shape {
			count *= n
		}
		numbers := make([]float32, count)
		for i := range numbers {
			numbers[i] = float32(middle + spread*random.NormFloat64())
		}
		tensors[name] = tensor{shape, numbers}
	}
	norm := func(name string) {
		add(name+".weight", 1, 0.1, s.Hidden)
		add(name+".bias", 0, 0.1, s.Hidden)
	}
	dense := func(name string, out, in int) {
		add(name+".weight", 0, 0.25, out, in)
		add(name+".bias", 0, 0.1, out)
	}
	add("embeddings.word_embeddings.weight", 0, 0.5, s.Vocabulary, s.Hidden)
	add("embeddings.position_embeddings.weight", 0, 0.1, s.Positions, s.Hidden)
	add("embeddings.token_type_embeddings.weight", 0, 0.1, 2, s.Hidden)
	norm("embeddings.LayerNorm")
	for i := range s.Layers {
		prefix := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			dense(prefix+"attention.self."+part, s.Hidden, s.Hidden)
		}
		dense(prefix+"attention.output.dense", s.Hidden, s.Hidden)
		norm(prefix + "attention.output.LayerNorm")
		dense(prefix+"intermediate.dense", s.Inner, s.Hidden)
		dense(prefix+"output.dense", s.Hidden, s.Inner)
		norm(prefix + "output.LayerNorm")
	}
	return tensors
}

type tensor struct {
	shape   []int
	numbers []float32
}

// safetensors writes tensors in the format of that name.
func safetensors(t testing.TB, tensors map[string]tensor) []byte {
	t.Helper()
	list := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		from := len(data)
		for _, v := range tensors[name].numbers {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		list[name] = tensorEntry{"F32", tensors[name].shape, [2]int{from, len(data)}}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	file.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	file.Write(text)
	file.Write(data)
	return file.Bytes()
}

// tinyFolder writes the tests' model as a folder, and says which files to trust.
func tinyFolder(t testing.TB) (string, checksums) {
	t.Helper()
	dir := t.TempDir()
	weights := safetensors(t, tinyTensors())
	write(t, filepath.Join(dir, weightsFile), weights)
	write(t, filepath.Join(dir, vocabularyFile), []byte(tinyVocabulary()))
	return dir, checksums{weights: sumOf(weights), vocabulary: sumOf([]byte(tinyVocabulary()))}
}

// importTrusted imports all-MiniLM-L6-v2 with other files than the published ones.
func importTrusted(source, dir string, trusted checksums) (string, error) {
	e := minilm
	e.trusted = trusted
	return importOneOf(source, dir, e)
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tinyFile is the packed file of the tests' model.
func tinyFile(t testing.TB) string {
	t.Helper()
	folder, trusted := tinyFolder(t)
	path, err := importTrusted(folder, t.TempDir(), trusted)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tiny is the tests' model as an embedder.
func tiny(t testing.TB) *Builtin {
	t.Helper()
	return opened(t, Open, tinyFile(t))
}

// opened is a model of either kind, until the test ends.
func opened[M io.Closer](t testing.TB, open func(string) (M, error), path string) M {
	t.Helper()
	m, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// closesWhileInUse closes a model while a maker computes with it: texts that are
// under way are waited for, and those that come later are told.
func closesWhileInUse(t *testing.T, m Maker, model io.Closer) {
	t.Helper()
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			_, err := m.EmbedPassages(context.Background(), []string{"river", "sea", "stone"})
			if err != nil && !errors.Is(err, assistants.ErrUnavailable) {
				t.Error(err)
			}
		})
	}
	if err := errors.Join(model.Close(), model.Close()); err != nil {
		t.Error(err)
	}
	g.Wait()
	if _, err := m.EmbedQuery(context.Background(), "river"); !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, assistants.ErrNoEmbedder) {
		t.Errorf("error %v", err)
	}
}

// with are the same weights under other kernels.
func (b *Builtin) with(k *kernels, processors int) *Builtin { return newBuiltin(b.file, k, processors) }

// vectorOf embeds one passage.
func vectorOf(t testing.TB, m Maker, text string) []float32 {
	t.Helper()
	vectors, err := m.EmbedPassages(context.Background(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return vectors[0]
}

// near reports vectors that differ by rounding only.
func near(a, b []float32, tolerance float64) bool {
	for i := range a {
		if !(math.Abs(float64(a[i])-float64(b[i])) <= tolerance) {
			return false
		}
	}
	return len(a) == len(b)
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

var _ = []Maker{(*Builtin)(nil), None{}, (*Cached)(nil)}

var tinySpace = assistants.Space{Model: ModelName, Dimensions: 64}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
