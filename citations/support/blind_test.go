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

// blindRounds returns the pairs of the first two rounds, and those of the third.
func blindRounds(t *testing.T, half string) (first, third []classPair) {
	for _, pair := range readBlind(t, half) {
		if strings.HasPrefix(pair.ID, "fresh") {
			third = append(third, pair)
		} else {
			first = append(first, pair)
		}
	}
	return first, third
}

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

// blindBound is what was reached; it may only become tighter.
type blindBound struct{ falseSupported, trueSupported, trueDenied int }

func TestClaimsOfTheBlindPairs(t *testing.T) {
	for _, half := range []struct {
		name         string
		first, third blindBound
	}{
		{"tuning", blindBound{0, 123, 2}, blindBound{2, 65, 9}},
		{"held_out", blindBound{3, 103, 7}, blindBound{4, 57, 11}},
	} {
		first, third := blindRounds(t, half.name)
		shown := half.name == "tuning" || *supportHeldOut
		countBlind(t, half.name+" half, first rounds", first, half.first, shown)
		countBlind(t, half.name+" half, third round", third, half.third, shown)
	}
	if *supportMisses {
		for _, pair := range readBlind(t, "tuning") {
			if level := judgeClasses(pair); (level == Supported) != (pair.Truth != "false") {
				t.Logf("%-12s %s: %s ← %s", level, pair.ID, pair.Claim, strings.Join(pair.Passages, " || "))
			}
		}
	}
}

// countBlind compares the verdicts on pairs with their bound.
func countBlind(t *testing.T, name string, pairs []classPair, bound blindBound, shown bool) {
	t.Helper()
	h := newHalfCounts()
	h.addClasses(pairs)
	if shown {
		var classes strings.Builder
		for _, class := range slices.Sorted(maps.Keys(h.classes)) {
			classes.WriteString(h.classes[class].row(strings.ReplaceAll(class, "_", " ")))
		}
		t.Logf("blind pairs, %s\n%s", name, tableHead+classes.String()+h.trueRows()+h.all.row("all"))
	}
	if c := h.all; c.wrongSupported > bound.falseSupported || c.rightSupported < bound.trueSupported || c.rightUnsupported > bound.trueDenied {
		t.Errorf("%s: %d false claims are supported, %d true ones are supported and %d unsupported", name, c.wrongSupported, c.rightSupported, c.rightUnsupported)
	}
}

// The hostile pairs are false claims by reviewers who tried new rules. Where a rule made one of them
// supported, it was mended or taken back.
func TestHostileClaimsAreNotSupported(t *testing.T) {
	for _, pair := range readPairs(t, "hostile_tuning") {
		if level := judgeClasses(pair); level == Supported {
			t.Errorf("%s is %s: %s ← %s", pair.ID, level, pair.Claim, strings.Join(pair.Passages, " || "))
		}
	}
}
