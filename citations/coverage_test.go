package citations

import (
	"fmt"
	"slices"
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

func TestUncitedSentencesAreListedOnDemand(t *testing.T) {
	const text = "# The great history of bees\n\nHere is what I found:\n\nBees are insects. They make honey [1]. 𝒳 is **their queen here** [9]. Do they sleep?\n"
	for _, c := range []struct {
		opt  Options
		want []string
	}{
		{Options{}, nil},
		{Options{Uncited: true}, []string{"Bees are insects.", "𝒳 is **their queen here** [9]."}},
		{Options{Uncited: true, Markers: MarkersStrip}, []string{"Bees are insects.", "𝒳 is **their queen here**."}},
	} {
		tr := NewSet(sourcesOf(.9), c.opt).Tracker()
		out := tr.Write(0, text[:70]) + tr.Write(0, text[70:]) + tr.Close(0)
		var got []string
		for _, s := range tr.Result().Uncited {
			got = append(got, string([]rune(out)[s.Start:s.End]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.opt, got, c.want)
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
