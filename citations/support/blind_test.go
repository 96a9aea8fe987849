package support

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The blind pairs were written before their writer had read a rule of the check, in more
// languages and about more classes than the others, in three rounds. They are counted apart. They show
// how the check does on claims that no rule was written for. Those of the third round, whose ids begin
// with "fresh", are the hardest: answers in words of their own about passages of up to 180 words.
func readBlind(t *testing.T, half string) []classPair { return readPairs(t, "blind_"+half) }

func TestBlindPairsAreWhatTheyAreCalled(t *testing.T) {
	claims, passages := map[string]bool{}, map[string]string{}
	for _, half := range []string{"tuning", "held_out"} {
		for _, pair := range readBlind(t, half) {
			if pair.ID == "" || claims[pair.Claim] || !slices.Contains(pairTruths, pair.Truth) || len(pair.Passages) == 0 {
				t.Errorf("%q: truth %q, %d passages; or its claim occurs twice", pair.ID, pair.Truth, len(pair.Passages))
				continue
			}
			claims[pair.Claim] = true
			passage := strings.Join(pair.Passages, "\n")
			if pair.Truth == "verbatim" && !strings.Contains(passage, strings.TrimSuffix(pair.Claim, ".")) {
				t.Errorf("%s is not in its passage word for word", pair.ID)
			}
			if other, found := passages[passage]; found && other != half {
				t.Errorf("%s: its passage is in both halves", pair.ID)
			}
			passages[passage] = half
		}
	}
	if len(claims) < 300 {
		t.Errorf("%d pairs, want 300", len(claims))
	}
}

// The bounds are what was reached; they may only become tighter.
func TestClaimsOfTheBlindPairs(t *testing.T) {
	bounds := map[string]struct{ falseSupported, trueSupported, trueDenied int }{
		"tuning": {1, 131, 1}, "fresh": {1, 100, 8}, "held_out": {6, 103, 9},
	}
	halves := map[string][]classPair{"held_out": readBlind(t, "held_out")}
	for _, pair := range readBlind(t, "tuning") {
		round := "tuning"
		if strings.HasPrefix(pair.ID, "fresh") {
			round = "fresh"
		}
		halves[round] = append(halves[round], pair)
	}
	for _, half := range []string{"tuning", "fresh", "held_out"} {
		h, bound := newHalfCounts(), bounds[half]
		h.addClasses(halves[half])
		if half != "held_out" || *supportHeldOut {
			var classes strings.Builder
			for _, class := range slices.Sorted(maps.Keys(h.classes)) {
				classes.WriteString(h.classes[class].row(strings.ReplaceAll(class, "_", " ")))
			}
			t.Logf("blind pairs, %s half\n%s", half, tableHead+classes.String()+h.trueRows()+h.all.row("all"))
		}
		if c := h.all; c.wrongSupported > bound.falseSupported || c.rightSupported < bound.trueSupported || c.rightUnsupported > bound.trueDenied {
			t.Errorf("%s half: %d false claims are supported, %d true ones are supported and %d unsupported", half, c.wrongSupported, c.rightSupported, c.rightUnsupported)
		}
	}
	if *supportMisses {
		for _, pair := range readBlind(t, "tuning") {
			if level := judgeClasses(pair); (level == Supported) != (pair.Truth != "false") {
				t.Logf("%-12s %s: %s ← %s", level, pair.ID, pair.Claim, strings.Join(pair.Passages, " || "))
			}
		}
	}
}
