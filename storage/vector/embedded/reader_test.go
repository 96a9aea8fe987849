package embedded

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/vectortest"
)

func openReader(t *testing.T, path string) *Reader {
	t.Helper()
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestAReaderReturnsVectorsAsTheyWereApplied(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "index.db")
	x := open(t, path)
	there := assistants.Space{Model: "other", Dimensions: here.Dimensions}
	rng := rand.New(rand.NewPCG(5, 5)) //nolint:gosec // repeatable on purpose
	first, second := random(rng, 3, here.Dimensions, 2), random(rng, 3, here.Dimensions, 2)
	d := vectortest.Doc("c", "d", "a.md")
	if err := x.ApplyEmbedded(ctx, d, 2, vectortest.Points("d", 2, "one", "two", "three"), here, first); err != nil {
		t.Fatal(err)
	}
	if err := x.ApplyVectors(ctx, d.ID, 2, there, second); err != nil {
		t.Fatal(err)
	}
	apply(t, x, "c", "wordless", "one")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r := openReader(t, path)
	read := func(id assistants.DocumentID, version int, space assistants.Space) [][]float32 {
		t.Helper()
		got, err := r.Vectors(ctx, id, version, space)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := read(d.ID, 2, here); !reflect.DeepEqual(got, first) {
		t.Errorf("%v", got)
	}
	if got := read(d.ID, 2, there); !reflect.DeepEqual(got, second) {
		t.Errorf("%v", got)
	}
	if got := append(append(read(d.ID, 1, here), read("wordless", 1, here)...), read("absent", 1, here)...); got != nil {
		t.Errorf("vectors that are not there: %v", got)
	}
	execute(t, path, "UPDATE vectors SET checksum = checksum + 1 WHERE model = 'other'")
	if got := read(d.ID, 2, there); got != nil {
		t.Errorf("damaged vectors: %v", got)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Vectors(ended, d.ID, 2, here); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAReaderOfNoIndexHasNoVectors(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.db")
	if err := os.WriteFile(damaged, []byte("This is no database, and it is long enough to be taken for one by its size alone.........................."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent.db"), damaged} {
		if got, err := openReader(t, path).Vectors(t.Context(), "d", 1, here); got != nil || err != nil {
			t.Errorf("%s: %v %v", path, got, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("made: %v", left)
	}
}
