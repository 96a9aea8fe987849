package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The bytes of an upload whose process was killed are deleted by the next one at
// its start, however young they are.
func TestBytesThatAKilledProcessLeftAreDeletedAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, nil)
	p.linkedOffice(3600)
	p.kill()
	blobs := filepath.Join(dir, "documents/default")
	kept := filesOf(t, blobs)
	if len(kept) != 1 {
		t.Fatalf("files %q", kept)
	}
	if err := os.WriteFile(filepath.Join(blobs, "0123456789abcdef0123456789abcdef"), []byte("left behind"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, dir, nil)
	eventually(t, "the bytes are deleted", func() bool { return slices.Equal(filesOf(t, blobs), kept) })
}
