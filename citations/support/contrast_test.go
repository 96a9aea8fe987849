package support

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The contrast pairs put a true and a false claim beside each other that differ in who does what to
// whom, when, or how surely. They are all for tuning: no figure of the specification counts them.
func TestClaimsOfTheContrastPairs(t *testing.T) {
	pairs, claims := readPairs(t, "contrast_tuning"), map[string]bool{}
	for _, pair := range pairs {
		if claims[pair.ID] || claims[pair.Claim] || !slices.Contains(pairTruths, pair.Truth) {
			t.Errorf("%s: its id or its claim occurs twice, or it is %q", pair.ID, pair.Truth)
		}
		claims[pair.ID], claims[pair.Claim] = true, true
	}
	h := newHalfCounts()
	h.addClasses(pairs)
	var rows strings.Builder
	for _, counts := range []map[string]*classCounts{h.classes, h.langs} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			rows.WriteString(counts[name].row(name))
		}
	}
	for class, c := range h.classes {
		if class != "paraphrase" && 100*c.wrongSupported > mostFalseOfClass*c.wrong {
			t.Errorf("%d of %d false claims of %s are called supported", c.wrongSupported, c.wrong, class)
		}
	}
	const leastSupported = 217 // as many as were reached; they may only become more
	if c := h.all; 100*c.wrongSupported > mostFalseOfAll*c.wrong || c.rightSupported < leastSupported {
		t.Errorf("%d false claims are supported, and %d true ones", c.wrongSupported, c.rightSupported)
	}
	t.Logf("contrast pairs\n%s", tableHead+rows.String()+h.all.row("all"))
	if *supportMisses {
		for _, pair := range pairs {
			if level := judgeClasses(pair); (level == Supported) != (pair.Truth != "false") {
				t.Logf("%-12s %-5s %s: %s ← %s", level, pair.Truth[:4], pair.ID, pair.Claim, strings.Join(pair.Passages, " || "))
			}
		}
	}
}
