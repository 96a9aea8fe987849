package lexical

import (
	"strings"
	"testing"
)

func TestWordsOfPhrasesAreComparedByTheirStems(t *testing.T) {
	for text, want := range map[string]string{
		"the Purchases of property": "purchas properti",
		"R&D, SG&A and PP&E":        "r&d sg&a pp&e",
		"profit & loss":             "profit loss",
		"P&L-based":                 "p&l base",
		"FY20 or 10-K":              "fy20 10 k",
		"&, & &":                    "",
		"":                          "",
	} {
		var got []string
		for _, w := range PhraseWords(text) {
			got = append(got, w.English)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if a, b := PhraseWords("Umsatzerlösen"), PhraseWords("Umsatzerlöse"); a[0].German != b[0].German {
		t.Errorf("%+v and %+v", a, b)
	}
}

func FuzzWordsOfPhrasesLieInTheText(f *testing.F) {
	f.Add("R&D & Q&A&B – 年假 &x& 3&4")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, w := range PhraseWords(text) {
			if w.Start < last || w.End <= w.Start || w.End > len(text) || w.English == "" || w.German == "" {
				t.Fatalf("%+v of %q", w, text)
			}
			last = w.End
		}
	})
}
