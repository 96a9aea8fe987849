package citations

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestCleanTextOfTheSeedsCases has the cases X1–X8, X11 and X12 of the seeds:
// what is cited, the text without markers, and the typed error for orphans.
func TestCleanTextOfTheSeedsCases(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sources    int
		clean      string
		cited      []int
		orphans    []int
	}{
		{"X1", "The system uses OAuth 2.0 [1] with MFA [2].", 2, "The system uses OAuth 2.0 with MFA.", []int{1, 2}, nil},
		{"X2 an orphan is an error", "OAuth [1] and biometric [3]", 2, "OAuth and biometric", []int{1}, []int{3}},
		{"X3 no marker", "OAuth 2.0 with MFA.", 2, "OAuth 2.0 with MFA.", nil, nil},
		{"X4 the same source", "A [1] and B [1] and C [1]", 2, "A and B and C", []int{1}, nil},
		{"X5 ascending", "MFA [2] complements OAuth [1]", 2, "MFA complements OAuth", []int{1, 2}, nil},
		{"X6 empty", "", 2, "", nil, nil},
		{"X6 a word", "[foo]", 2, "[foo]", nil, nil},
		{"X6 far", "[99]", 2, "", nil, []int{99}},
		{"X6 no sources", "Yes [1].", 0, "Yes.", nil, []int{1}},
		{"X7 never closed", "OAuth [1 with MFA.", 2, "OAuth [1 with MFA.", nil, nil},
		{"X8 no numbers of sources", "[0] [01] [99999999999999999999]", 2, "[0] [01] [99999999999999999999]", nil, nil},
		{"X11 in a sentence", "OAuth 2.0 [1] with MFA [2] is required.", 2, "OAuth 2.0 with MFA is required.", []int{1, 2}, nil},
		{"X11 in lines", "[1] says X.\n[2] says Y.", 2, "says X.\nsays Y.", []int{1, 2}, nil},
		{"X12 inline code", "`arr[0]` and `arr[1]`", 2, "`arr[0]` and `arr[1]`", nil, nil},
		{"X12 fenced code", "```\narr[1]\n```", 2, "```\narr[1]\n```", nil, nil},
		{"X12 behind a link", "[a](x)[1]", 2, "[a](x)", []int{1}, nil},
		{"X12 a footnote", "So it is[^1].", 2, "So it is.", []int{1}, nil},
		{"X12 a defined footnote", "[^1]: a note\n\nSo it is[^1].", 2, "[^1]: a note\n\nSo it is[^1].", nil, nil},
		{"X12 a year", "[2024]", 2, "[2024]", nil, nil},
		{"X12 a list", "Both [1, 2].", 2, "Both.", []int{1, 2}, nil},
		{"X12 one behind the other", "Both [1][3].", 3, "Both.", []int{1, 3}, nil},
		{"X12 escaped", `So \[1\].`, 2, "So.", []int{1}, nil},
		{"X12 wide brackets", "So 【1】.", 2, "So.", []int{1}, nil},
		{"X12 a range", "All [1-3].", 3, "All.", []int{1, 2, 3}, nil},
		{"X12 a range beyond", "All [1-3].", 2, "All.", []int{1, 2}, []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean, cited, err := Clean(c.text, c.sources)
			if clean != c.clean || !slices.Equal(cited, c.cited) {
				t.Errorf("%q citing %v, want %q citing %v", clean, cited, c.clean, c.cited)
			}
			orphans, is := errors.AsType[*OrphanError](err)
			if is != (c.orphans != nil) || is && (!slices.Equal(orphans.Markers, c.orphans) || orphans.Sources != c.sources) || !is && err != nil {
				t.Errorf("error %v, want one about %v", err, c.orphans)
			}
		})
	}
}

func TestCleanTextOfAnyNumberOfSources(t *testing.T) {
	for sources, want := range map[int][]int{math.MinInt: {}, -1: {}, 0: {}, math.MaxInt: {999}} {
		if clean, cited, err := Clean("It is [999].", sources); clean != "It is." || !slices.Equal(cited, want) || (err == nil) != (sources > 0) {
			t.Errorf("%d sources: %q citing %v, %v", sources, clean, cited, err)
		}
	}
}

// The cases Y1–Y4 of the seeds, which have two ways to score the number of sources.
func TestConfidenceOfTheSeedsCases(t *testing.T) {
	exactly := func(relevance float64) []float64 { return []float64{relevance, relevance, relevance} }
	for _, c := range []struct {
		name   string
		scores []float64
		mode   SourceScore
		want   float64 // before rounding
		level  string
	}{
		{"Y1 table", []float64{.9, .85}, SourceScoreTable, .7925, LevelMedium},
		{"Y1 linear", []float64{.9, .85}, SourceScoreLinear, .8125, LevelHigh},
		{"Y2 table", []float64{.9}, SourceScoreTable, .72, LevelMedium},
		{"Y2 linear", []float64{.9}, SourceScoreLinear, .73, LevelMedium},
		{"Y3 table", nil, SourceScoreTable, 0, LevelLow},
		{"Y3 linear", nil, SourceScoreLinear, 0, LevelLow},
		{"Y4 .80", exactly(5.0 / 7), SourceScoreTable, .8, LevelHigh},
		{"Y4 .79", exactly(.7), SourceScoreTable, .79, LevelMedium},
		{"Y4 .50", []float64{.41 / .7}, SourceScoreTable, .5, LevelMedium},
		{"Y4 .49", []float64{.4 / .7}, SourceScoreTable, .49, LevelLow},
		{"Y4 0", []float64{0}, SourceScoreLinear, .1, LevelLow},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.mode.Confidence(c.scores)
			if math.Abs(got.Confidence-c.want) > 0.00051 || got.ConfidencePercent != int(math.Round(c.want*100)) || got.ConfidenceLevel != c.level {
				t.Errorf("%+v, want %v %s", got, c.want, c.level)
			}
		})
	}
}

func ExampleClean() {
	clean, cited, err := Clean("OAuth 2.0 [1] with MFA [2][1].", 2)
	fmt.Println(clean, cited, err)
	_, _, err = Clean("Biometric [3].", 2)
	fmt.Println(err)
	// Output:
	// OAuth 2.0 with MFA. [1 2] <nil>
	// citations: the answer cites [3] of 2 sources
}
