package blob

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants"
)

func TestAReaderReadsBesideADiskAndTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	d := openDisk(t, dir)
	if _, _, err := d.Put(t.Context(), "t/one", strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	underWay := filepath.Join(dir, "t", tempPrefix+"upload")
	if err := os.WriteFile(underWay, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, size, err := r.Open(t.Context(), "t/one")
	if err != nil || size != 7 {
		t.Fatal(size, err)
	}
	if got, err := io.ReadAll(f); string(got) != "content" || err != nil {
		t.Error(string(got), err)
	}
	if _, _, err := r.Open(t.Context(), "t/two"); !errors.Is(err, assistants.ErrNotFound) {
		t.Error(err)
	}
	if err := errors.Join(f.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(underWay); err != nil {
		t.Error("an upload under way was removed")
	}
	if _, err := OpenReader(filepath.Join(dir, "none")); !errors.Is(err, assistants.ErrNotFound) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder was made")
	}
}
