package retrieval

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAPassageIsRecognisedWhenItComesAgain(t *testing.T) {
	long := "Employees who care for a child may take leave of absence until it is three years old, unless the works council has agreed on something else with the management before."
	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"itself":               {long, long, true},
		"in capitals":          {long, strings.ToUpper(long), true},
		"set in other lines":   {long, strings.ReplaceAll(long, " ", "\n  "), true},
		"as a list":            {long, "• " + strings.ReplaceAll(long, ",", ";"), true},
		"one word at the end":  {long, long + " Always.", true},
		"another half":         {long, long[:80] + " and nobody asks whether that is enough for anything at all.", false},
		"its words turned":     {long, "Before management, the works council may take a child until something else.", false},
		"a number more":        {long, long + " See rule 7.", false},
		"of another year":      {"In 2022 sales rose.", "In 2023 sales rose.", false},
		"numbers changed over": {"From 3 to 5.", "From 5 to 3.", false},
		"short":                {"Yes", "yes!", true},
		"short and different":  {"Yes", "No", false},
		"only signs":           {"—", "***", true},
		"nothing to something": {"—", "Yes", false},
		"accents":              {"Élève à l’école", "élève à l'école", true},
		"other digits":         {"Seite ٣", "Seite ٤", false},
	} {
		a, b := fingerprintOf(c.a), fingerprintOf(c.b)
		if a.repeats(b) != c.want || b.repeats(a) != c.want {
			t.Errorf("%s: %v and %v, want %v", name, a.repeats(b), b.repeats(a), c.want)
		}
	}
}

// What is seen at once and what the pattern sees are the same.
func TestFewLeadersAreNoTableOfContents(t *testing.T) {
	r, parts, found := rand.New(rand.NewPCG(1, 2)), []string{"....", ". . . ", ".", ". ", "…", "7", "xi\n", "\n", " Word ", "|"}, 0
	for range 50_000 {
		var text strings.Builder
		for range r.IntN(30) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		want := pointsToPages(text.String())
		if got := isContents(text.String()); got != want {
			t.Fatalf("%q: %v, want %v", text.String(), got, want)
		}
		if want {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d of them were tables of contents", found)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	text := strings.Repeat("Employees who care for a child may take leave of absence until it is three years old, unless rule 17 of the works council says something else. ", 6)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		fingerprintOf(text)
	}
}
