package support

import (
	"footnote/citations/formattest"

	"strings"
	"testing"
	"unicode/utf8"
)

const report = "Halden Marine reported revenue of $4.2B for 2024, up 15% from a year earlier, exceeding expectations. " +
	"The board did not raise the dividend. Chief executive Priya Raman bought no shares."

// checked runs a claim against passages, all of them its marker's own.
func checked(text string, passages ...string) Finding {
	own := make([]int, len(passages))
	for i := range own {
		own[i] = i
	}
	return New(passages, nil).Check(Claim{Text: text, Focus: [2]int{0, len(text)}, Own: own, Group: own})
}

// checkFinding asserts what holds of every finding.
func checkFinding(t *testing.T, f Finding, passages ...string) {
	t.Helper()
	if f.Level != Supported && f.Level != Weak && f.Level != Unsupported {
		t.Errorf("level %q", f.Level)
	}
	if !(f.Score >= 0 && f.Score <= 1) {
		t.Errorf("score %v", f.Score)
	}
	if f.Start == f.End {
		return
	}
	if f.Passage < 0 || f.Passage >= len(passages) || f.Start < 0 || f.Start > f.End || f.End > len(passages[f.Passage]) {
		t.Fatalf("quote %d:%d of passage %d", f.Start, f.End, f.Passage)
	}
	quote := passages[f.Passage][f.Start:f.End]
	if utf8.ValidString(passages[f.Passage]) && !utf8.ValidString(quote) {
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
		{"Revenue was $4.2 billion in 2024, up 15%.", Supported, "Halden Marine reported revenue of $4.2B for 2024, up 15% from a year earlier"},
		{"Revenue was $4.3 billion in 2024.", Unsupported, "Halden Marine reported revenue of $4.2B for 2024"},
		{"Revenue was $4.2 billion in 2023.", Unsupported, "Halden Marine reported revenue of $4.2B for 2024"},
		{"The board raised the dividend.", Unsupported, "The board did not raise the dividend."},
		{"Whales sing at night.", Unsupported, ""},
	} {
		f := checked(c.claim, report)
		checkFinding(t, f, report)
		if f.Level != c.level {
			t.Errorf("%q: %s, want %s", c.claim, f.Level, c.level)
		}
		if quote := report[f.Start:f.End]; quote != c.quote {
			t.Errorf("%q: quote %q, want %q", c.claim, quote, c.quote)
		}
	}
}

// The bytes before the focus of a long claim are cut between characters, of which it may have none.
func TestALongClaimWithoutCharactersIsChecked(t *testing.T) {
	table := "|Plan|Seats|\n|Basic|5|\n"
	for _, focus := range [][2]int{{-224, 51}, {0, 1}, {2050, 2060}} {
		f := New([]string{table}, nil).Check(Claim{Text: strings.Repeat("\x80", MaxClaim+60), Focus: focus, Own: []int{0}})
		checkFinding(t, f, table)
	}
}

func TestEveryCaseOfSupportInTheSpecification(t *testing.T) {
	for _, c := range formattest.Cases(t, "../FORMAT.md", "Support and quote") {
		text, passage, ok := strings.Cut(c.Text, " → ")
		if !ok {
			t.Fatalf("%q has no passage", c.Text)
		}
		f := checked(text, passage)
		checkFinding(t, f, passage)
		if f.Level != c.Want {
			t.Errorf("%q: %s (%v), want %s", c.Text, f.Level, f.Score, c.Want)
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
		k := New(passages, nil)
		c := Claim{Text: text, Focus: [2]int{from, to}, Own: []int{0, 7}, Group: []int{1, 0, -1}}
		found := k.Check(c)
		checkFinding(t, found, passages...)
		if again := New(passages, nil).Check(c); again != found {
			t.Errorf("%+v, then %+v", found, again)
		}
	})
}
