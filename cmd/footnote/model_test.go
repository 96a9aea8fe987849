package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// modelVariable names the packed file of the built-in embedder's weights.
const modelVariable = "FOOTNOTE_TEST_MODEL"

// packedModel is that file.
func packedModel(t *testing.T) string { return packedFile(t, modelVariable, "model") }

// packedFile is a file of weights that a variable names, and that a target of
// the Makefile makes. Without it a test is skipped, in CI it fails.
func packedFile(t *testing.T, variable, target string) string {
	t.Helper()
	path := os.Getenv(variable)
	switch {
	case path != "":
		return path
	case os.Getenv("CI") != "":
		t.Fatalf("%s must name the packed file of weights in CI", variable)
	}
	t.Skipf("needs the weights: make %s, and set %s to the packed file", target, variable)
	return ""
}

type embedderStatus struct {
	Embedder struct {
		State, Model, Reason string
		Dimensions           int
	}
}

func TestWithoutWeightsTheServerSaysThatItSearchesFullTextAlone(t *testing.T) {
	p := start(t, t.TempDir(), nil)
	var got embedderStatus
	p.json("GET", "/v1.0/status", nil, &got)
	if e := got.Embedder; e.State != "none" || e.Dimensions != 0 || !strings.Contains(e.Reason, "footnote model import") || !strings.Contains(e.Reason, "make model") {
		t.Errorf("status %+v", e)
	}
	if said := p.stderr.String(); !strings.Contains(said, "full text alone is searched") {
		t.Errorf("the log does not say so:\n%s", said)
	}
}

func TestDamagedWeightsAreAsGoodAsNoneAndSaySo(t *testing.T) {
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "models", "all-MiniLM-L6-v2.weights"), []byte("nothing of the kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, data, nil)
	var got embedderStatus
	p.json("GET", "/v1.0/status", nil, &got)
	if e := got.Embedder; e.State != "none" || !strings.Contains(e.Reason, "cannot be used") {
		t.Errorf("status %+v", e)
	}
	if said := p.stderr.String(); !strings.Contains(said, "damaged or of another version") {
		t.Errorf("the log does not say why:\n%s", said)
	}
}

func TestModelImportRefusesOtherFilesAndChangesNothing(t *testing.T) {
	data, other := t.TempDir(), filepath.Join(t.TempDir(), "model.whl")
	if err := os.WriteFile(other, []byte("no wheel"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{other, filepath.Dir(other), filepath.Join(t.TempDir(), "nothing")} {
		if _, said, code := run(t, t.TempDir(), "model", "import", "--data-dir", data, path); code != 1 || !strings.Contains(said, path) {
			t.Errorf("%s: exit status %d: %s", path, code, said)
		}
	}
	if left, err := filepath.Glob(filepath.Join(data, "models", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestModelImportMakesTheServerSearchVectors(t *testing.T) {
	packed, data := packedModel(t), t.TempDir()
	if out, said, code := run(t, t.TempDir(), "model", "import", "--data-dir", data, packed); code != 0 || !strings.Contains(out, "all-MiniLM-L6-v2") {
		t.Fatalf("exit status %d: %s%s", code, out, said)
	}
	p := start(t, data, nil)
	var got embedderStatus
	p.json("GET", "/v1.0/status", nil, &got)
	if e := got.Embedder; e.State != "ready" || e.Model != "all-MiniLM-L6-v2" || e.Dimensions != 384 || e.Reason != "" {
		t.Errorf("status %+v", e)
	}
	if said := p.stderr.String(); !strings.Contains(said, "vectors of all-MiniLM-L6-v2") {
		t.Errorf("the log does not say so:\n%s", said)
	}
	if p.stop(os.Interrupt) != 0 {
		t.Errorf("the server did not stop well:\n%s", p.stderr)
	}
}

func TestAnEmbeddingServerIsNamedByStatusAndLog(t *testing.T) {
	p := start(t, t.TempDir(), nil, "FOOTNOTE_EMBEDDING_URL=http://127.0.0.1:1/v1", "FOOTNOTE_EMBEDDING_MODEL=embed-1")
	var got embedderStatus
	p.json("GET", "/v1.0/status", nil, &got)
	if e := got.Embedder; e.State != "untried" || e.Model != "embed-1" {
		t.Errorf("status %+v", e)
	}
	if said := p.stderr.String(); !strings.Contains(said, "vectors of embed-1") {
		t.Errorf("the log does not say so:\n%s", said)
	}
	if _, said, code := runIn(t, t.TempDir(), []string{"FOOTNOTE_EMBEDDING_URL=http://u:p@h/v1", "FOOTNOTE_EMBEDDING_MODEL=m"}, "serve"); code != 1 || !strings.Contains(said, "FOOTNOTE_EMBEDDING_URL") || strings.Contains(said, "u:p") {
		t.Errorf("exit status %d: %s", code, said)
	}
}
