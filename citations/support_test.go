package citations

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const report = "Halden Marine reported revenue of $4.2B for 2024, up 15% from a year earlier, exceeding expectations. " +
	"The board did not raise the dividend. Chief executive Priya Raman bought no shares."

// checked runs a claim against passages, all of them its marker's own.
func checked(text string, passages ...string) finding {
	own := make([]int, len(passages))
	for i := range own {
		own[i] = i
	}
	return newChecker(passages, nil).check(claim{text: text, focus: [2]int{0, len(text)}, own: own, group: own})
}

// checkFinding asserts what holds of every finding.
func checkFinding(t *testing.T, f finding, passages ...string) {
	t.Helper()
	if f.level != supported && f.level != weak && f.level != unsupported {
		t.Errorf("level %q", f.level)
	}
	if !(f.score >= 0 && f.score <= 1) {
		t.Errorf("score %v", f.score)
	}
	if f.start == f.end {
		return
	}
	if f.passage < 0 || f.passage >= len(passages) || f.start < 0 || f.start > f.end || f.end > len(passages[f.passage]) {
		t.Fatalf("quote %d:%d of passage %d", f.start, f.end, f.passage)
	}
	quote := passages[f.passage][f.start:f.end]
	if utf8.ValidString(passages[f.passage]) && !utf8.ValidString(quote) {
		t.Errorf("quote %q is cut inside of a rune", quote)
	}
	if n := utf8.RuneCountInString(quote); n > maxQuote {
		t.Errorf("quote of %d characters", n)
	}
	if strings.TrimSpace(quote) != quote {
		t.Errorf("quote %q has space around it", quote)
	}
}

func TestLevelsOfSupport(t *testing.T) {
	for _, c := range []struct{ claim, level, quote string }{
		{"Revenue was $4.2 billion in 2024, up 15%.", supported, "Halden Marine reported revenue of $4.2B for 2024, up 15% from a year earlier"},
		{"Revenue was $4.3 billion in 2024.", unsupported, "Halden Marine reported revenue of $4.2B for 2024"},
		{"Revenue was $4.2 billion in 2023.", unsupported, "Halden Marine reported revenue of $4.2B for 2024"},
		{"The board raised the dividend.", unsupported, "The board did not raise the dividend."},
		{"Whales sing at night.", unsupported, ""},
	} {
		f := checked(c.claim, report)
		checkFinding(t, f, report)
		if f.level != c.level {
			t.Errorf("%q: %s, want %s", c.claim, f.level, c.level)
		}
		if quote := report[f.start:f.end]; quote != c.quote {
			t.Errorf("%q: quote %q, want %q", c.claim, quote, c.quote)
		}
	}
}

func TestEveryCaseOfSupportInTheSpecification(t *testing.T) {
	for _, c := range formatCases(t, "Support and quote") {
		text, passage, ok := strings.Cut(c.text, " → ")
		if !ok {
			t.Fatalf("%q has no passage", c.text)
		}
		f := checked(text, passage)
		checkFinding(t, f, passage)
		if f.level != c.want {
			t.Errorf("%q: %s (%v), want %s", c.text, f.level, f.score, c.want)
		}
	}
}

func FuzzSupportCheckHoldsItsPromises(f *testing.F) {
	for _, seed := range [][2]string{
		{"Revenue was $4.2 billion in 2024 [1].", report},
		{"Der Umsatz stieg um 15 % auf 1.500 Mio. Euro.", "Im 3. Quartal 2024 stieg der Umsatz um fünfzehn Prozent."},
		{"Le 5 mars 2024, n'a pas.", "1 500 personnes, le 05/03/2024 à 15h30; quatre-vingt-dix-sept."},
		{"収益は15億円。", "2024年3月5日、収益は15億円に増えた。減っていない。"},
		{"- **a** [b](http://c) <i>d</i> | 3 out of 10", "0.1.2,3,,4 -5 ° % $1.500 1,500 GPT-4 a'b’c"},
		{"\xff\xfe1\x00.\x00", strings.Repeat("a. ", 50) + "\xc3"},
	} {
		f.Add(seed[0], seed[1], "", 0, len(seed[0]))
	}
	f.Fuzz(func(t *testing.T, text, first, second string, from, to int) {
		passages := []string{first, second}
		k := newChecker(passages, nil)
		c := claim{text: text, focus: [2]int{from, to}, own: []int{0, 7}, group: []int{1, 0, -1}}
		found := k.check(c)
		checkFinding(t, found, passages...)
		if again := newChecker(passages, nil).check(c); again != found {
			t.Errorf("%+v, then %+v", found, again)
		}
	})
}
