package citations

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNoRuleIsAboutAnOrdinaryCharacter(t *testing.T) {
	count := 0
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !ordinary(r) {
			continue
		}
		count++
		for _, text := range []string{string(r), "a" + string(r) + "b", string(r) + "1" + string(r), "system" + string(r), "user" + string(r) + "\n"} {
			if got := rewrite(text); got != text {
				t.Errorf("%U: %q becomes %q", r, text, got)
			}
		}
	}
	if count < 40_000 {
		t.Errorf("only %d characters are ordinary", count)
	}
}

func TestOrdinaryPassagesTakeTheQuickWay(t *testing.T) {
	for _, text := range []string{
		"", "Revenue grew 15% to $4.2B: see above.\n\n- one\n- two (#3)\n", "Überstunden “müssen” – wie üblich – genehmigt werden…", "日本語、東京。ひらがな（カタカナ）", "한국어 문서", "Отчёт за 2025 год",
	} {
		if !harmless(text) {
			t.Errorf("%q takes the long way", text)
		}
	}
}

// The texts mix ordinary words with everything that a rule changes.
func TestHarmlessTextIsWhatTheRulesLeaveAlone(t *testing.T) {
	parts := []string{
		"[", "]", "1", "12", "<", ">", "\\", "`", "```", "~~~", ":", "：", "#", "##", "\n", "\r", "\t", " ", "\u200b", "\u00ad", "\u2028", "\ufeff", "【", "】", "［", "⟦",
		"system", "User", "Sources", "source", "(Source", "word", "é", "Ω", "日", "。", "–", "…", "\xff", "*", "_", "-", "=", ".", "†", "\u0085", "\x7f", "tool",
	}
	r := rand.New(rand.NewPCG(1, 2))
	quick := 0
	for range 300_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		if text := b.String(); harmless(text) {
			quick++
			if got := rewrite(text); got != text {
				t.Fatalf("%q is no harmless text: %q", text, got)
			}
		}
	}
	if quick < 1000 {
		t.Errorf("only %d texts were tried", quick)
	}
}

func TestNamesThatAreOneLineStayAsTheyAre(t *testing.T) {
	long := func(name string) string { return strings.Join(strings.Fields(visible(name)), " ") }
	for r := rune(0); r <= utf8.MaxRune; r++ {
		for _, name := range []string{string(r), "a" + string(r) + "b", "a " + string(r)} {
			if isOneLine(name) && long(name) != name {
				t.Errorf("%q becomes %q", name, long(name))
			}
		}
	}
	for name, want := range map[string]bool{"": true, "Q3 Report (final).pdf": true, "Überblick – 年假.md": true, " a": false, "a ": false, "a  b": false, "a\tb": false} {
		if isOneLine(name) != want {
			t.Errorf("%q", name)
		}
	}
}
