package lexical

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTheFastWayOfFoldingGivesWhatTheSlowOneGives(t *testing.T) {
	for r := rune(' '); r <= utf8.MaxRune; r++ {
		if got, ok := foldCommon(string(r)); ok && got != foldAny(string(r)) {
			t.Fatalf("%U folds to %q, not to %q", r, got, foldAny(string(r)))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("aZ'ßÜéŁıſ有がカー가\u0301ﾞº"))).Draw(t, "s")
		if got := fold(s); got != foldAny(s) {
			t.Fatalf("%q folds to %q, not to %q", s, got, foldAny(s))
		}
	})
}

func TestFoldingTwiceChangesNothing(t *testing.T) {
	if once := fold("ᴭ"); once != "ae" { // whose plain form is a capital
		t.Errorf("ᴭ becomes %q", once)
	}
	rapid.Check(t, func(t *rapid.T) {
		once := fold(rapid.String().Draw(t, "s"))
		if twice := fold(once); twice != once || !utf8.ValidString(once) {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}
