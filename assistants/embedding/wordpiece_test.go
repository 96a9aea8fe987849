package embedding

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// cutTo names the pieces that a text is cut into.
func cutTo(v *vocabulary, text string) []string {
	names := make([]string, len(v.pieces))
	for piece, id := range v.pieces {
		names[id] = piece
	}
	ids, _ := v.cut(text, 1000)
	pieces := make([]string, len(ids))
	for i, id := range ids {
		pieces[i] = names[id]
	}
	return pieces
}

func tinyVocab(t testing.TB) *vocabulary {
	t.Helper()
	v, err := newVocabulary(tinyVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTextsAreCutAsBERTDoes(t *testing.T) {
	v := tinyVocab(t)
	for text, want := range map[string]string{
		"The river flows":              "the river flow ##s",
		"unflowed":                     "un ##flow ##ed",
		"RIVER,sea.":                   "river , sea .",
		"river\u00a0sea\tto\nnorth":    "river sea to north",
		"ri\u00adver\u200b s\x07ea":    "river sea",         // format and control characters are not there
		"river\vsea\u0085":             "river ##s ##e ##a", // nor are these, though Unicode takes them for spaces
		"rívér ŚEÀ":                    "river sea",         // accents go
		"e\u0301a":                     "e ##a",
		"東sea":                         "東 sea",
		"海":                            "[UNK]",
		"Ωmega river":                  "[UNK] river",
		"«river»":                      "[UNK] river [UNK]",
		"river$":                       "river [UNK]",
		"[CLS] river":                  "[UNK] c ##l ##s [UNK] river",
		"a\xffb\ufffd":                 "a ##b",
		"":                             "",
		"2020":                         "2020",
		"2021":                         "[UNK]",
		strings.Repeat("a", 100):       "a" + strings.Repeat(" ##a", 99),
		strings.Repeat("a", 101):       "[UNK]",
		strings.Repeat("a\u0301", 100): "a" + strings.Repeat(" ##a", 99),
	} {
		if got := strings.Join(cutTo(v, text), " "); got != want {
			t.Errorf("%.40q is cut into\n%s, want\n%s", text, got, want)
		}
	}
}

func TestTheShareOfWordsThatTheModelKnowsDecidesItsTrust(t *testing.T) {
	v := tinyVocab(t)
	for text, want := range map[string]float64{
		"":                       1,
		"2020, 2021.":            1, // numbers and signs are no words
		"the river":              1,
		"the rivers":             0.75, // one of two pieces
		"the Ωmega":              0.5,
		"東 river":                0.5, // a letter of another script is no word that is known
		strings.Repeat("a", 101): 0,
	} {
		_, known := v.cut(text, 1000)
		if got := known.share(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%.20q: the model knows %v, want %v", text, got, want)
		}
		if got := known.trust(); math.Abs(got-want*want*want) > 1e-9 {
			t.Errorf("%.20q: trust %v, want %v", text, got, want*want*want)
		}
	}
}

func TestCuttingStopsAtTheLimitAndKeepsWhatComesBefore(t *testing.T) {
	v := tinyVocab(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(sentences(30), rapid.String()).Draw(t, "text")
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		all, known := v.cut(text, 1<<20)
		some, _ := v.cut(text, limit)
		if !slices.Equal(some, all[:min(limit, len(all))]) {
			t.Fatalf("%v is not the beginning of %v", some, all)
		}
		if share := known.share(); !(share >= 0 && share <= 1) {
			t.Fatalf("share %v", share)
		}
		for _, id := range all {
			if id < 0 || int(id) >= len(v.pieces) {
				t.Fatalf("piece %d", id)
			}
		}
	})
}

func TestAHugeTextIsCutWithoutReadingItWhole(t *testing.T) {
	v := tinyVocab(t)
	text := strings.Repeat("é river ", 4<<20)
	if n := testing.AllocsPerRun(3, func() { v.cut(text, 100) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}

func TestAVocabularyNeedsItsSpecialPieces(t *testing.T) {
	for _, text := range []string{"", "a\nb\n", "[UNK]\n[CLS]\n"} {
		if _, err := newVocabulary(text); !errors.Is(err, errVocabulary) {
			t.Errorf("%q: %v", text, err)
		}
	}
	v, err := newVocabulary("[UNK]\r\n[CLS]\r\n[SEP]\r\nriver\r\n")
	if err != nil || !slices.Equal(cutTo(v, "river"), []string{"river"}) {
		t.Errorf("lines that end as on Windows: %v", err)
	}
}
