package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The real program reads, indexes and starts over documents in little, with the
// weights where there are some.
func TestDocumentsAreMeasuredInMiniature(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "report.md")
	var report strings.Builder
	args := []string{"--footnote", realProgram(t), "--documents", dir, "--model", os.Getenv("FOOTNOTE_TEST_MODEL"), "--chunks=30", "--pages=3", "--rounds=1", "--idle=0s", "--out", out}
	if err := documentsCommand(t.Context(), args, &report); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 with 100 pages", "| P7: a question's vector from memory", "| P9: PDF by pages", "| P9: chunks read", "| P10: from the start to /readyz", "| P10: of it not the index's"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("no %q in\n%s", want, report.String())
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a trial was written down")
	}
	if err := documentsCommand(t.Context(), []string{"--chunks=0"}, &report); err == nil {
		t.Error("no chunks are accepted")
	}
}
