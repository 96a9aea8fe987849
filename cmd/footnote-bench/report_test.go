package main

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func turn(cpu time.Duration, answers int) sample {
	return sample{cpu: cpu, result: loadResult{answers: answers}}
}

func TestRatiosAreTakenWithinARound(t *testing.T) {
	f := figures{}
	add := func(name string, s sample) { f[[2]string{phaseJSON, name}] = append(f[[2]string{phaseJSON, name}], s) }
	for i, slow := range []time.Duration{1, 10, 100} { // each round is slower than the one before
		add(nameReverse, turn(slow*time.Millisecond, 10))
		add(nameFootnote, turn(slow*time.Millisecond*time.Duration(2+i)/2, 10))
	}
	if ratio := f.ratio(phaseJSON, nameFootnote, nameReverse, cpuPerRequest); ratio != 1.5 {
		t.Error(ratio)
	}
	if cpu := f.median(phaseJSON, nameReverse, cpuPerRequest); cpu != 1000 {
		t.Error(cpu)
	}
	if ratio := f.ratio(phaseJSON, nameFootnote, nameNginx, cpuPerRequest); !math.IsNaN(ratio) {
		t.Error("a ratio to what was not measured")
	}
}

func TestTheMedianOfAnEvenNumberLiesBetween(t *testing.T) {
	if m := medianOf([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}

func TestGoalsSayWhetherTheyHold(t *testing.T) {
	f := figures{
		{phaseJSON, nameReverse}:  {turn(100*time.Microsecond, 1)},
		{phaseJSON, nameFootnote}: {turn(325*time.Microsecond, 1)},
		{phaseJSON, namePlain}:    {turn(125*time.Microsecond, 1)},
	}
	var got []string
	for _, g := range goals[:4] {
		got = append(got, strings.Join(g.row(f)[1:], "|"))
	}
	want := []string{"≤ 3 ×|3.25 ×|no", "≤ 6 ×|–|not measured", "≤ 1.4 ×|1.25 ×|yes", "≤ 2.2 ×|–|not measured"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheTableIsMarkdownWithColumnsBelowEachOther(t *testing.T) {
	rows := []contender{{name: nameReverse, title: "plain"}, {name: nameFootnote, title: "Größe"}}
	f := figures{
		{phaseJSON, nameReverse}:  {turn(100*time.Microsecond, 1)},
		{phaseJSON, nameFootnote}: {turn(120*time.Microsecond, 1)},
	}
	text := contendersTable(f, rows, costColumns[:2])
	const want = "" +
		"|       |  JSON, 1 KB | JSON, cold |\n" +
		"|-------|------------:|-----------:|\n" +
		"| plain | 100 (1.00×) |            |\n" +
		"| Größe | 120 (1.20×) |            |\n"
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
