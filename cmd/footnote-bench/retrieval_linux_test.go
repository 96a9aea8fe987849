package main

import (
	"strings"
	"testing"
)

// The retrieval bench in little: everything is filled, asked, opened and reported,
// and a trial says that it is one.
func TestRetrievalIsMeasuredInMiniature(t *testing.T) {
	var out strings.Builder
	err := retrievalCommand(t.Context(), []string{"--chunks=200,300", "--rounds=1", "--questions=3", "--alone=300", "--dir=" + t.TempDir()}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{turnFloats, turnCodes, turnChromem, turnWords, turnBleve, turnPrompt, "left out", "A trial", "200 chunks", "P5: recall@10 of that | ≥ 0.999 | 1.00 | yes"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := retrievalCommand(t.Context(), []string{"--chunks=few"}, &out); err == nil {
		t.Error("a number that is none is accepted")
	}
}
