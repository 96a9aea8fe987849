package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The real program starts over documents that it was given, with their vectors.
func TestStartsAreMeasuredInMiniature(t *testing.T) {
	program := filepath.Join(t.TempDir(), "footnote")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/footnote")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out strings.Builder
	if err := startCommand(t.Context(), []string{"--footnote", program, "--chunks=30", "--starts=1"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"chunks with vectors of 384 dimensions", "1 starts", "| from the start to /readyz", "| the rest"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.HasPrefix(out.String(), "0 ") {
		t.Error("nothing was ingested")
	}
	if err := startCommand(t.Context(), []string{"--chunks=0"}, &out); err == nil {
		t.Error("no chunks are accepted")
	}
}
