package support

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	supportHeldOut = flag.Bool("held-out", false, "TestSupportOfTheLabelledSet also prints the tables of the held-out half")
	supportMisses  = flag.Bool("misses", false, "TestSupportOfTheLabelledSet also prints the pairs of the tuning half that were judged wrong")
)

var supportLevels = []string{"supported", "weak", "unsupported"}

// supportGoal bounds the share of a class's pairs that get a level.
type supportGoal struct {
	class, level string
	least        bool // at least that share, otherwise at most
	percent      int
}

var supportGoals = []supportGoal{
	{"verbatim", "supported", true, 95},
	{"paraphrase", "unsupported", false, 5},
	{"changed_number", "supported", false, 5},
	{"changed_number", "unsupported", true, 70},
	{"changed_name", "supported", false, 5},
	{"changed_name", "unsupported", true, 70},
	{"changed_date", "supported", false, 5},
	{"changed_date", "unsupported", true, 70},
	{"negated", "supported", false, 5},
	{"unrelated", "supported", false, 2},
	{"partial", "supported", false, 5},
}

// supportTable counts the levels that a checker gave to the pairs of each class.
type supportTable map[string]map[string]int

// judgeAll counts the verdicts on all pairs by class.
func judgeAll(pairs []labelledPair, judge func(labelledPair) string) supportTable {
	table := supportTable{}
	for _, pair := range pairs {
		if table[pair.Class] == nil {
			table[pair.Class] = map[string]int{}
		}
		table[pair.Class][judge(pair)]++
	}
	return table
}

func (t supportTable) pairs(class string) int {
	total := 0
	for _, n := range t[class] {
		total += n
	}
	return total
}

// percent is the share of a class's pairs that got a level.
func (t supportTable) percent(class, level string) float64 {
	return 100 * float64(t[class][level]) / float64(max(1, t.pairs(class)))
}

// holds reports whether a goal is reached. It compares counts, not rounded shares.
func (t supportTable) holds(g supportGoal) bool {
	got, bound := 100*t[g.class][g.level], g.percent*t.pairs(g.class)
	if g.least {
		return got >= bound
	}
	return got <= bound
}

// held counts the goals that are reached.
func (t supportTable) held() int {
	n := 0
	for _, g := range supportGoals {
		if t.holds(g) {
			n++
		}
	}
	return n
}

func (t supportTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s%5s%18s%18s%18s\n", "", "pairs", supportLevels[0], supportLevels[1], supportLevels[2])
	for _, class := range supportClasses {
		fmt.Fprintf(&b, "%-16s%5d", class, t.pairs(class))
		for _, level := range supportLevels {
			fmt.Fprintf(&b, "%9d%7.1f %%", t[class][level], t.percent(class, level))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (g supportGoal) String() string {
	bound := "at most"
	if g.least {
		bound = "at least"
	}
	return fmt.Sprintf("%-15s %-12s %-9s%3d %%", g.class, g.level, bound, g.percent)
}

// scores prints the scores of a checker in one half, and those of checkers that always
// give the same level.
func scores(half string, pairs []labelledPair, judge func(labelledPair) string) string {
	var b strings.Builder
	table := judgeAll(pairs, judge)
	half = strings.ReplaceAll(half, "_", "-")
	fmt.Fprintf(&b, "\n%s half, %d pairs\n\n%s\n", half, len(pairs), table)
	for _, g := range supportGoals {
		verdict := "held"
		if !table.holds(g) {
			verdict = "NOT HELD"
		}
		fmt.Fprintf(&b, "%s  %6.1f %%  %s\n", g, table.percent(g.class, g.level), verdict)
	}
	fmt.Fprintf(&b, "\n%-30s%3d of %d goals held\n", "the support check", table.held(), len(supportGoals))
	for _, level := range supportLevels {
		fmt.Fprintf(&b, "%-30s%3d of %d\n", "always "+level, constant(pairs, level).held(), len(supportGoals))
	}
	for _, language := range supportLanguages {
		here := ofLanguage(pairs, language)
		fmt.Fprintf(&b, "\n%s half, %s, %d pairs\n\n%s", half, language, len(here), judgeAll(here, judge))
	}
	return b.String()
}

// constant returns the table of a checker that always gives the same level.
func constant(pairs []labelledPair, level string) supportTable {
	return judgeAll(pairs, func(labelledPair) string { return level })
}

func ofLanguage(pairs []labelledPair, language string) []labelledPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p labelledPair) bool { return p.Lang != language })
}

// judgeSupport checks a pair as the tracker does for a marker with one source at the end
// of a sentence.
func judgeSupport(pair labelledPair) string {
	found := New([]string{pair.Passage}, nil).Check(Claim{
		Text: pair.Claim, Focus: [2]int{0, len(pair.Claim)}, Own: []int{0}, Group: []int{0},
	})
	return found.Level
}

// misjudged lists the pairs whose level is wrong for their class.
func misjudged(pairs []labelledPair, judge func(labelledPair) string) string {
	var b strings.Builder
	for _, pair := range pairs {
		level := judge(pair)
		wrong := level == "supported"
		switch pair.Class {
		case "verbatim", "paraphrase":
			wrong = level != "supported"
		case "changed_number", "changed_name", "changed_date":
			wrong = level != "unsupported"
		case "partial":
			wrong = false
		}
		if wrong {
			fmt.Fprintf(&b, "%-12s %s: %s\n", level, pair.ID, pair.Claim)
		}
	}
	return b.String()
}

// Both halves must reach the goals. Of the held-out half only figures are printed, so that its pairs do not influence the rules.
func TestSupportOfTheLabelledSet(t *testing.T) {
	for _, half := range []string{"tuning", "held_out"} {
		pairs := readLabelled(t, half)
		if half == "tuning" || *supportHeldOut {
			t.Log(scores(half, pairs, judgeSupport))
		}
		if half == "tuning" && *supportMisses {
			t.Log("\n" + misjudged(pairs, judgeSupport))
		}
		table := judgeAll(pairs, judgeSupport)
		for _, g := range supportGoals {
			if !table.holds(g) {
				t.Errorf("%s half: %s: got %.1f %%", half, g, table.percent(g.class, g.level))
			}
		}
	}
}

// A goal that every checker reaches, or none, would measure nothing.
func TestNoConstantCheckerReachesTheGoals(t *testing.T) {
	for _, half := range []string{"tuning", "held_out"} {
		pairs := readLabelled(t, half)
		for level, want := range map[string]int{"supported": 2, "weak": 7, "unsupported": 9} {
			if held := constant(pairs, level).held(); held != want {
				t.Errorf("%s half: always %s reaches %d goals, want %d", half, level, held, want)
			}
		}
	}
}
