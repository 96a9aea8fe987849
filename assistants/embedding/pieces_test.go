package embedding

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func tinyCutter(t testing.TB) *pieces {
	t.Helper()
	m, err := parsePieces(sentencePiece(tinyPieces(), replacementTable(tinyReplaced)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPieces(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// spelled names the pieces that a text is cut into, without its ends.
func spelled(p *pieces, text string) []string {
	names := []string{}
	ids := p.cut(text, new(cutting))
	for _, id := range ids[1 : len(ids)-1] {
		names = append(names, tinyPieces()[id].text)
	}
	return names
}

func TestTextsAreCutAsSentencePieceDoes(t *testing.T) {
	p := tinyCutter(t)
	for text, want := range map[string]string{
		"the river flowed":             "▁the ▁river ▁flow ed",
		"  the \t\n river\u3000\u00a0": "▁the ▁river",
		"theriver":                     "▁the river",
		"e\u0301":                      "▁ é",
		"Ａ\u200bＡ":                     "▁ A A",
		"℀":                            "▁ a ▁ b",
		"▁the▁▁river▁":                 "▁the ▁river",
		"東京":                           "▁ 東京",
		"京東":                           "▁ 京 東",
		"abc":                          "▁ a bc",
		"<s> </s> <unk>":               "▁ < s > ▁ < / s > ▁ < un k >", // none of those that begin or end a text
		"{x}":                          "▁ {x}",
		"zzz":                          "▁ <unk>", // unknown characters in a row count as one
		"zaz z":                        "▁ <unk> a <unk> ▁ <unk>",
		"🙂🙃":                           "▁ 🙂 <unk>",
		"a\xff\xfeb":                   "▁ a <unk> b",
		"\xe6\x9d":                     "▁ <unk>",
		"a\x00b":                       "▁ a <unk> b",
		"":                             "",
		" \u3000\n":                    "",
		"\u200b":                       "",
	} {
		if got := strings.Join(spelled(p, text), " "); got != want {
			t.Errorf("%q is cut into\n%s, want\n%s", text, got, want)
		}
	}
}

func TestOfEquallyLikelyWaysThatWithTheLongestLastPieceIsTaken(t *testing.T) {
	list := tinyPieces()[:3]
	list = append(list, tinyPiece{"▁", -1, kindNormal})
	for _, text := range []string{"a", "b", "c", "ab", "bc"} {
		list = append(list, tinyPiece{text, -2, kindNormal})
	}
	m, err := parsePieces(sentencePiece(list, replacementTable(tinyReplaced)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPieces(m)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.cut("abc", new(cutting)), []int32{1, 3, 4, 8, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// foreign draws texts of the tests' pieces and of what they are not made of.
func foreign(n int) *rapid.Generator[string] {
	parts := slices.Clone(tinyReplaced)
	for _, p := range tinyPieces() {
		parts = append(parts, p.text, strings.ReplaceAll(p.text, pieceSpace, " "))
	}
	parts = append(parts, " ", " ", "z", "\x00", "\xff", "𝔘", "e\u0301\u0301")
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 0, n), func(list []string) string { return strings.Join(list, "") })
}

func TestNoWayToSpellATextIsLikelierThanThatTaken(t *testing.T) {
	p := tinyCutter(t)
	scores := map[string]float64{}
	for _, piece := range tinyPieces()[3:] {
		scores[piece.text] = float64(piece.score)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(foreign(20), rapid.String()).Draw(t, "text")
		var c cutting
		ids := slices.Clone(p.cut(text, &c))
		want := uniform(text)
		if string(c.text) != want {
			t.Fatalf("it becomes %q, want %q", c.text, want)
		}
		if ids[0] != beginPiece || ids[len(ids)-1] != endPiece {
			t.Fatalf("%v", ids)
		}
		var joined []int32
		for word := range strings.SplitAfterSeq(strings.ReplaceAll(want, pieceSpace, "\n"+pieceSpace), "\n") {
			if word = strings.TrimSuffix(word, "\n"); word == "" {
				continue
			}
			c.ids = c.ids[:1]
			p.cutWord([]byte(word), &c)
			joined = append(joined, c.ids[1:]...)
			score := 0.0
			for at := len(word); at > 0; at = int(c.from[at]) {
				part, piece := word[c.from[at]:at], tinyPieces()[c.last[at]]
				switch {
				case c.last[at] != unknownPiece && part == piece.text:
					score += float64(piece.score)
				case c.last[at] == unknownPiece && utf8.RuneCountInString(part) == 1:
					score += p.lowest
				default:
					t.Fatalf("%q is piece %d of %q", part, c.last[at], word)
				}
			}
			if best := likeliest([]rune(word), scores, p.lowest); math.Abs(score-best) > 1e-6 {
				t.Fatalf("%q is spelled with the score %v, the best is %v", word, score, best)
			}
		}
		if !slices.Equal(joined, ids[1:len(ids)-1]) {
			t.Fatalf("%v, want %v", ids, joined)
		}
	})
}

func TestCuttingAgainInTheSameMemoryChangesNothing(t *testing.T) {
	p := tinyCutter(t)
	var used cutting
	rapid.Check(t, func(t *rapid.T) {
		text := foreign(60).Draw(t, "text")
		if got, want := p.cut(text, &used), p.cut(text, new(cutting)); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestALongTextIsReadToItsBound(t *testing.T) {
	p := tinyCutter(t)
	var c cutting
	for name, text := range map[string]string{
		"words": strings.Repeat("the river ", 5000), "one word": strings.Repeat("東京z", 50_000),
		"spaces": strings.Repeat(" \u3000", 1<<20), "nothing": strings.Repeat("\u200b", 1<<20), "no text": strings.Repeat("\xff", 1<<20),
	} {
		ids := p.cut(text, &c)
		if len(ids) > maxPieces+2 || ids[0] != beginPiece || ids[len(ids)-1] != endPiece || len(c.text) > maxNormalized+8 || cap(c.best) > 4*maxNormalized {
			t.Errorf("%s: %d pieces of %d bytes", name, len(ids), len(c.text))
		}
		if more := p.cut(text+"sea", new(cutting)); !slices.Equal(more, ids) {
			t.Errorf("%s: what lies beyond the bound counts", name)
		}
	}
	if ids := p.cut(strings.Repeat("the ", maxPieces), &c); len(ids) != maxPieces+2 {
		t.Errorf("%d pieces", len(ids))
	}
	text := strings.Repeat("the river é ", 1<<20)
	if n := testing.AllocsPerRun(3, func() { p.cut(text, &c) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAFoundReplacementIsTheLongest(t *testing.T) {
	p := tinyCutter(t)
	for text, want := range map[string]int{"e": 0, "e\u0301x": 3, "\u3000": 3, "\u200bx": 3, "": 0, "\x00": 0, "\xe3\x80": 0} {
		if _, length := p.find(text); length != want {
			t.Errorf("%q: %d bytes are replaced, want %d", text, length, want)
		}
	}
}

func TestADamagedTrieIsRefused(t *testing.T) {
	for name, damage := range map[string]func(p *pieces){
		"no nodes":                       func(p *pieces) { *p = pieces{} },
		"children beyond the end":        func(p *pieces) { p.first[3] = 1 << 30 },
		"children that are their own":    func(p *pieces) { p.first[5] = 5 },
		"an end that is too near":        func(p *pieces) { p.first[len(p.first)-1]-- },
		"a node that leads back":         func(p *pieces) { p.first[2] = 0 },
		"a piece that is none":           func(p *pieces) { p.ends[4] = int32(len(p.scores)) },
		"a piece before the first":       func(p *pieces) { p.ends[4] = -2 },
		"a score that is no number":      func(p *pieces) { p.scores[5] = float32(math.NaN()) },
		"a score that is not to be had":  func(p *pieces) { p.scores[5] = float32(math.Inf(-1)) },
		"fewer labels than nodes":        func(p *pieces) { p.labels = p.labels[1:] },
		"fewer ends than nodes":          func(p *pieces) { p.ends = p.ends[1:] },
		"no scores, so no piece is one ": func(p *pieces) { p.scores = nil },
	} {
		p := tinyCutter(t)
		damage(p)
		if err := p.check(); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzTextsAreCut cuts any text with a table of replacements that was damaged
// in any way: the pieces are some.
func FuzzTextsAreCut(f *testing.F) {
	f.Add("the river e\u0301 東京 \u3000\x00\xff℀", uint64(0), 0)
	f.Add("▁▁{x} </s>", uint64(3), 40)
	f.Add("\x00é", uint64(0), 0)
	good := tinyCutter(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64, damages int) {
		p := *good
		p.units, p.replacements = slices.Clone(p.units), slices.Clone(p.replacements)
		random := rand.New(rand.NewPCG(seed, 0))
		for range min(max(damages, 0), 2000) {
			p.units[random.IntN(len(p.units))] ^= 1 << random.IntN(32)
			p.replacements[random.IntN(len(p.replacements))] = byte(random.Uint32())
		}
		ids := p.cut(text, new(cutting))
		if len(ids) < 2 || len(ids) > maxPieces+2 || slices.Min(ids) < 0 || int(slices.Max(ids)) >= len(p.scores) {
			t.Errorf("%v", ids)
		}
		if damages <= 0 {
			if got := p.normalize(nil, text); string(got) != uniform(text) && len(text) < maxNormalized/2 {
				t.Errorf("it becomes %q, want %q", got, uniform(text))
			}
		}
	})
}
