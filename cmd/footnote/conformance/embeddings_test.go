package conformance

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// An embedded is what an SDK shows of embeddings.create.
type embedded struct {
	Model   string
	Vectors [][]float64
	Tokens  int
	Error   map[string]any
}

// TestUnchangedSDKsMakeEmbeddings asks the built-in embedder with each SDK,
// which ask for base64 by default and decode it themselves.
func TestUnchangedSDKsMakeEmbeddings(t *testing.T) {
	packed := os.Getenv("FOOTNOTE_TEST_MODEL")
	if packed == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("FOOTNOTE_TEST_MODEL must name the packed file of weights in CI")
		}
		t.Skip("needs the weights: make model, and set FOOTNOTE_TEST_MODEL to the packed file")
	}
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packed, filepath.Join(data, "models", "all-MiniLM-L6-v2.weights")); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "FOOTNOTE_DATA_DIR="+data)
	env := map[string]string{"BASE_URL": p.url + "/v1", "API_KEY": adminKey, "MODEL": "all-MiniLM-L6-v2"}
	for name, install := range chosen(scripted) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run[embedded](t, install(t), "embeddings", env)
			for _, scenario := range []string{"by_default", "float"} {
				g := got[scenario]
				if g.Error != nil || g.Model != "all-MiniLM-L6-v2" || g.Tokens == 0 || len(g.Vectors) != 2 || len(g.Vectors[0]) != 384 {
					t.Errorf("%s: %s, %d tokens, %d vectors, %v", scenario, g.Model, g.Tokens, len(g.Vectors), g.Error)
					continue
				}
				var cosine, length float64
				for i, x := range g.Vectors[0] {
					cosine += x * g.Vectors[1][i]
					length += x * x
				}
				if math.Abs(cosine-0.3604) > 1e-3 || math.Abs(length-1) > 1e-3 {
					t.Errorf("%s: length %v, cosine %v", scenario, math.Sqrt(length), cosine)
				}
			}
			if g := got["one"]; g.Error != nil || len(g.Vectors) != 1 {
				t.Errorf("one text: %d vectors, %v", len(g.Vectors), g.Error)
			}
			if g := got["tokens"]; g.Error == nil {
				t.Error("tokens are taken for texts")
			}
		})
	}
}
