package chunker

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/tokens"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// check reports how chunks break the promises of the package comment.
func check(t interface{ Fatalf(string, ...any) }, in Input, opt Options, chunks []Chunk) {
	opt = opt.withDefaults()
	boundaries := graphemeBoundaries(in.Text)
	runes := []rune(in.Text)
	last := 0
	for i, c := range chunks {
		if c.Start < last || c.End <= c.Start || c.End > len(in.Text) {
			t.Fatalf("chunk %d [%d,%d) after %d: not in order", i, c.Start, c.End, last)
		}
		text := in.Text[c.Start:c.End]
		if string(runes[c.CharStart:c.CharEnd]) != text {
			t.Fatalf("chunk %d: code points [%d,%d) are not bytes [%d,%d)", i, c.CharStart, c.CharEnd, c.Start, c.End)
		}
		if !visible(in.Text[last:c.Start]) {
			t.Fatalf("text before chunk %d is in no chunk: %q", i, in.Text[last:c.Start])
		}
		first, _ := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(first) && boundaries[c.Start+utf8.RuneLen(first)] {
			t.Fatalf("chunk %d begins with white space: %q", i, text)
		}
		if end, _ := utf8.DecodeLastRuneInString(text); unicode.IsSpace(end) {
			t.Fatalf("chunk %d ends with white space: %q", i, text)
		}
		for _, at := range []int{c.Start, c.End} {
			if !boundaries[at] {
				t.Fatalf("chunk %d cuts a grapheme at %d: %q", i, at, around(in.Text, at))
			}
		}
		if n := tokens.Count(text); n != c.Tokens || n > opt.Max {
			t.Fatalf("chunk %d: %d tokens, says %d, at most %d", i, n, c.Tokens, opt.Max)
		}
		if h := c.TableHeader; h.Start < 0 || h.Start > h.End || h.End > c.Start || !boundaries[h.Start] || !boundaries[h.End] {
			t.Fatalf("chunk %d [%d,%d): the header [%d,%d) is not before it", i, c.Start, c.End, h.Start, h.End)
		}
		for _, h := range c.Heads {
			if h.Start < 0 || h.Start >= h.End || h.End > c.Start || !boundaries[h.Start] || !boundaries[h.End] {
				t.Fatalf("chunk %d [%d,%d): the head [%d,%d) is not before it", i, c.Start, c.End, h.Start, h.End)
			}
		}
		last = c.End
	}
	if !visible(in.Text[last:]) {
		t.Fatalf("text after the last chunk is in none: %q", in.Text[last:])
	}
}

// visible reports whether skipped text is nothing but white space.
func visible(skipped string) bool { return strings.TrimSpace(skipped) == "" }

func graphemeBoundaries(text string) map[int]bool {
	at := map[int]bool{0: true}
	rest, state, pos := text, -1, 0
	for len(rest) > 0 {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		pos += len(cluster)
		at[pos] = true
	}
	return at
}

func around(text string, at int) string {
	return strings.ToValidUTF8(text[max(0, at-20):at]+"‖"+text[at:min(len(text), at+20)], "?")
}

// pieces are what generated texts are made of: scripts, marks that combine,
// emoji joined of several, white space of all kinds, and words of all lengths.
var pieces = []string{
	"word ", "Sentence. ", "e.g. Dr. No. ", "3.14 ", "1,000,000 ", "Straße ", "naïve ", "e\u0301", "\u0301", " \u0301",
	"\n", "\n\n", "\n \t\n", "\t", "  ", "\u00a0", "\u3000", "\u2003", "。", "、", "日本語のテキスト", "。これは文です。", "ไทยภาษาไทย", "العربية ",
	"हिन्दी ", "क्षि", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽", "한국어 ", "각", "\u200d", "\u200b", "\ufe0f", "| a | b |\n", "- item\n", "1. item\n",
	"```\ncode\n```\n", "# Heading\n", "!", "? ", "…", "https://example.org/a/b?c=d#e ", strings.Repeat("x", 70), strings.Repeat("ab-", 200),
	strings.Repeat("日", 300), strings.Repeat("a1B/", 150), "The quick brown fox jumps over the lazy dog. ",
}

func drawInput(t *rapid.T) Input {
	in := Input{Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 250).Draw(t, "pieces"), "")}
	var starts []int
	for at := range graphemeBoundaries(in.Text) {
		starts = append(starts, at)
	}
	slices.Sort(starts)
	positions := func(label string, n int) []int {
		at := rapid.SliceOfN(rapid.SampledFrom(starts), 0, n).Draw(t, label)
		slices.Sort(at)
		return slices.Compact(at)
	}
	for _, at := range positions("sections", 8) {
		in.Sections = append(in.Sections, Section{Start: at, Level: rapid.IntRange(1, 4).Draw(t, "level"), Title: "T"})
	}
	in.Breaks = positions("breaks", 8)
	lines := positions("lines", 6)
	for i := 0; i+1 < len(lines); i += 2 {
		block := Lines{Range: Range{lines[i], lines[i+1]}}
		if rapid.Bool().Draw(t, "header") {
			block.HeaderEnd = rapid.SampledFrom(starts).Filter(func(at int) bool {
				return at == 0 || at > block.Start && at <= block.End
			}).Draw(t, "header end")
		}
		if head := positions("head", 2); len(head) == 2 && head[1] <= block.Start {
			block.Heads = []Range{{head[0], head[1]}}
		}
		in.Lines = append(in.Lines, block)
	}
	return in
}

func TestSplitKeepsItsPromisesOnAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		opt := Options{Target: rapid.IntRange(0, 400).Draw(t, "target"), Max: rapid.IntRange(0, 400).Draw(t, "max"), Min: rapid.IntRange(0, 100).Draw(t, "min")}
		check(t, in, opt, Split(in, opt))
	})
}

func FuzzSplitKeepsItsPromises(f *testing.F) {
	for _, p := range pieces {
		f.Add(strings.Repeat(p, 40), uint16(7), uint16(30))
	}
	f.Fuzz(func(t *testing.T, text string, section, page uint16) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		if len(text) > 20_000 || longCluster(text) {
			return // longer than any script's characters
		}
		in := Input{Text: text}
		boundaries := graphemeBoundaries(text)
		if at := int(section); at < len(text) && boundaries[at] {
			in.Sections = []Section{{Start: at, Level: 1, Title: "A"}}
		}
		if at := int(page); at < len(text) && boundaries[at] {
			in.Breaks = []int{at}
		}
		check(t, in, Options{}, Split(in, Options{}))
	})
}

// longCluster reports a grapheme cluster that the chunker may cut.
func longCluster(text string) bool {
	for rest, state := text, -1; len(rest) > 0; {
		var cluster string
		if cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state); len(cluster) > maxCluster {
			return true
		}
	}
	return false
}

// A quadratic step would need minutes here, and the time limit of the test
// binary would end it.
func TestSplitIsLinear(t *testing.T) {
	const size = 256 << 10
	for name, piece := range map[string]string{
		"one word":         "a",
		"one line":         "word ",
		"blank lines":      "\n",
		"spaces":           " ",
		"marks":            "\u0301",
		"no spaces, CJK":   "日本語",
		"flags":            "🇩🇪",
		"full stops":       ".",
		"one-letter pages": "a\n\n",
		"apostrophes":      "'",
		"joiners":          "👩\u200d",
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Text: strings.Repeat(piece, size/len(piece))}
			for _, c := range Split(in, Options{}) {
				if c.Tokens > 320 {
					t.Fatalf("a chunk of %d tokens", c.Tokens)
				}
			}
		})
	}
}
