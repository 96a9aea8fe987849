package citations

import (
	"fmt"
	"testing"
)

// The cases come from the table of coverage in FORMAT.md.
func TestCoverageAsSpecified(t *testing.T) {
	for _, c := range formatCases(t, "Coverage") {
		tr := NewSet(sourcesOf(.9, .8, .7), Options{}).Tracker()
		tr.Write(0, c.text)
		tr.Result()
		cover := tr.choices[0].coverage
		if got := fmt.Sprintf("%d of %d", cover.cited, cover.factual); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestCoverageOfWhatWasNotScannedIsLeftOut(t *testing.T) {
	if c := Skipped(NewSet(sourcesOf(.9), Options{})); c.Coverage != nil {
		t.Error(*c.Coverage)
	}
	if c := resolve("", .9); c.Coverage == nil || *c.Coverage != 1 {
		t.Error("an empty answer has nothing that lacks a marker")
	}
}
