package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"footnote/assistants"
)

func TestASnapshotBesideAnOpenIndexHasWhatItHadThen(t *testing.T) {
	dir := t.TempDir()
	x := open(t, filepath.Join(dir, "index.db"))
	apply(t, x, "c1", "d1", "bees make honey")
	apply(t, x, "c1", "d2", "wasps make paper")
	to := filepath.Join(dir, "copy.db")
	if err := Snapshot(t.Context(), filepath.Join(dir, "index.db"), to); err != nil {
		t.Fatal(err)
	}
	apply(t, x, "c1", "d3", "ants make hills")
	if err := Prune(t.Context(), to, func(id assistants.DocumentID) bool { return id == "d1" }); err != nil {
		t.Fatal(err)
	}
	copied := open(t, to)
	if copied.Recreated() {
		t.Error("the copy is taken for a foreign file")
	}
	if found(t, copied, "honey") != 1 || found(t, copied, "paper") != 0 || found(t, copied, "hills") != 0 {
		t.Error("the copy has other documents than asked for")
	}
	if found(t, x, "paper") != 1 {
		t.Error("the index itself was changed")
	}
}

func TestAnIndexThatIsNotThereOrNoneHasNoSnapshot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index.db")
	if err := Snapshot(t.Context(), path, filepath.Join(dir, "copy.db")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("looking for the index made one")
	}
	if err := os.WriteFile(path, []byte("no database at all, but of some length"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Snapshot(t.Context(), path, filepath.Join(dir, "copy.db")); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Snapshot(ctx, path, filepath.Join(dir, "copy.db")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
