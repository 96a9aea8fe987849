package main

import (
	"strings"
	"testing"
	"time"
)

func turn(cpu time.Duration, answers int) sample {
	return sample{cpu: cpu, result: loadResult{Answers: answers}}
}

func TestRatiosAreTakenWithinARound(t *testing.T) {
	f := figures{}
	for i, slow := range []time.Duration{1, 10, 100} { // each round is slower than the one before
		f.add(phaseJSON, nameReverse, turn(slow*time.Millisecond, 10))
		f.add(phaseJSON, nameFootnote, turn(slow*time.Millisecond*time.Duration(2+i)/2, 10))
	}
	if ratio, ok := f.ratio(phaseJSON, nameFootnote, nameReverse, cpuPerRequest); !ok || ratio != 1.5 {
		t.Error(ratio, ok)
	}
	if cpu, ok := f.median(phaseJSON, nameReverse, cpuPerRequest); !ok || cpu != 1000 {
		t.Error(cpu, ok)
	}
	if _, ok := f.ratio(phaseJSON, nameFootnote, nameNginx, cpuPerRequest); ok {
		t.Error("a ratio to what was not measured")
	}
}

func TestTheMedianOfAnEvenNumberLiesBetween(t *testing.T) {
	if m, ok := medianOf([]float64{4, 1, 3, 2}); !ok || m != 2.5 {
		t.Error(m, ok)
	}
}

func TestGoalsSayWhetherTheyHold(t *testing.T) {
	f := figures{}
	f.add(phaseJSON, nameReverse, turn(100*time.Microsecond, 1))
	f.add(phaseJSON, nameFootnote, turn(125*time.Microsecond, 1))
	want := map[string]string{"1.3": "yes", "1.1": "no", "4": "not measured"}
	seen := 0
	for _, g := range goals {
		if !strings.HasPrefix(g.title, "P1: JSON, 1 KB") {
			continue
		}
		seen++
		row := g.row(g.value(f))
		if expected := want[trimmed(g.bound)]; row[3] != expected {
			t.Errorf("%q, not %s", row, expected)
		}
	}
	if seen != len(want) {
		t.Errorf("%d goals are looked at, want %d", seen, len(want))
	}
}

func TestAGoalSaysWhatItsFigureIs(t *testing.T) {
	for _, c := range []struct {
		row  []string
		want string
	}{
		{atMost("a", 1.3, "×").row(1.3, true), "a|≤ 1.3 ×|1.30 ×|yes"},
		{atMost("a", 1.3, "×").row(1.301, true), "a|≤ 1.3 ×|1.30 ×|no"},
		{atLeast("a", 0.999, "").row(0.9989, true), "a|≥ 0.999|0.9989|no"},
		{atLeast("a", 2000, "").row(4668.4, true), "a|≥ 2000|4668|yes"},
		{atLeast("a", 70, "%").row(69.94, true), "a|≥ 70 %|69.9 %|no"},
		{atLeast("a", 70, "%").row(0, false), "a|≥ 70 %|–|not measured"},
		{atMost("a", 0.2, "ms").row(-12.34, true), "a|≤ 0.2 ms|-12.3 ms|yes"},
		{unbound("a", 0.0512, "µs", true), "a|–|0.0512 µs|"},
	} {
		if got := strings.Join(c.row, "|"); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func trimmed(bound float64) string { return strings.TrimSpace(string(mustJSON(bound))) }

func TestTheTableIsMarkdownWithColumnsBelowEachOther(t *testing.T) {
	b := &bench{contenders: []contender{{name: nameReverse, title: "plain"}, {name: nameFootnote, title: "Größe"}}, figures: figures{}}
	b.figures.add(phaseJSON, nameReverse, turn(100*time.Microsecond, 1))
	b.figures.add(phaseJSON, nameFootnote, turn(120*time.Microsecond, 1))
	text := b.grid(costColumns[:2]).String()
	const want = "" +
		"|       |  JSON, 1 KB | JSON, 22 KB |\n" +
		"|-------|------------:|------------:|\n" +
		"| plain | 100 (1.00×) |             |\n" +
		"| Größe | 120 (1.20×) |             |\n"
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
