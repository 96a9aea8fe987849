package citations

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// Each case has the cited numbers, the text without markers, and the typed error for
// orphans.
func TestCleanTextHasNoMarkers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sources    int
		clean      string
		cited      []int
		orphans    []int
	}{
		{"two sources", "The system uses OAuth 2.0 [1] with MFA [2].", 2, "The system uses OAuth 2.0 with MFA.", []int{1, 2}, nil},
		{"an orphan is an error", "OAuth [1] and biometric [3]", 2, "OAuth and biometric", []int{1}, []int{3}},
		{"no marker", "OAuth 2.0 with MFA.", 2, "OAuth 2.0 with MFA.", nil, nil},
		{"the same source", "A [1] and B [1] and C [1]", 2, "A and B and C", []int{1}, nil},
		{"ascending", "MFA [2] complements OAuth [1]", 2, "MFA complements OAuth", []int{1, 2}, nil},
		{"empty", "", 2, "", nil, nil},
		{"a word", "[foo]", 2, "[foo]", nil, nil},
		{"far", "[99]", 2, "", nil, []int{99}},
		{"no sources", "Yes [1].", 0, "Yes.", nil, []int{1}},
		{"never closed", "OAuth [1 with MFA.", 2, "OAuth [1 with MFA.", nil, nil},
		{"numbers that no source can have", "[0] [01] [99999999999999999999]", 2, "[0] [01] [99999999999999999999]", nil, nil},
		{"in a sentence", "OAuth 2.0 [1] with MFA [2] is required.", 2, "OAuth 2.0 with MFA is required.", []int{1, 2}, nil},
		{"in lines", "[1] says X.\n[2] says Y.", 2, "says X.\nsays Y.", []int{1, 2}, nil},
		{"inline code", "`arr[0]` and `arr[1]`", 2, "`arr[0]` and `arr[1]`", nil, nil},
		{"fenced code", "```\narr[1]\n```", 2, "```\narr[1]\n```", nil, nil},
		{"after a link", "[a](x)[1]", 2, "[a](x)", []int{1}, nil},
		{"a footnote", "So it is[^1].", 2, "So it is.", []int{1}, nil},
		{"a defined footnote", "[^1]: a note\n\nSo it is[^1].", 2, "[^1]: a note\n\nSo it is[^1].", nil, nil},
		{"a year", "[2024]", 2, "[2024]", nil, nil},
		{"a list", "Both [1, 2].", 2, "Both.", []int{1, 2}, nil},
		{"adjacent markers", "Both [1][3].", 3, "Both.", []int{1, 3}, nil},
		{"escaped", `So \[1\].`, 2, "So.", []int{1}, nil},
		{"wide brackets", "So 【1】.", 2, "So.", []int{1}, nil},
		{"a range", "All [1-3].", 3, "All.", []int{1, 2, 3}, nil},
		{"a range beyond", "All [1-3].", 2, "All.", []int{1, 2}, []int{3}},
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

// Two ways to score the number of sources are in use.
func TestConfidenceByTheNumberOfSources(t *testing.T) {
	exactly := func(relevance float64) []float64 { return []float64{relevance, relevance, relevance} }
	for _, c := range []struct {
		name   string
		scores []float64
		mode   SourceScore
		want   float64 // before rounding
		level  string
	}{
		{"two sources, table", []float64{.9, .85}, SourceScoreTable, .7925, LevelMedium},
		{"two sources, linear", []float64{.9, .85}, SourceScoreLinear, .8125, LevelHigh},
		{"one source, table", []float64{.9}, SourceScoreTable, .72, LevelMedium},
		{"one source, linear", []float64{.9}, SourceScoreLinear, .73, LevelMedium},
		{"no source, table", nil, SourceScoreTable, 0, LevelLow},
		{"no source, linear", nil, SourceScoreLinear, 0, LevelLow},
		{"exactly 0.80", exactly(5.0 / 7), SourceScoreTable, .8, LevelHigh},
		{"just below high", exactly(.7), SourceScoreTable, .79, LevelMedium},
		{"exactly 0.50", []float64{.41 / .7}, SourceScoreTable, .5, LevelMedium},
		{"just below medium", []float64{.4 / .7}, SourceScoreTable, .49, LevelLow},
		{"score 0", []float64{0}, SourceScoreLinear, .1, LevelLow},
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
