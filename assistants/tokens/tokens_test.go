package tokens

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCountIsThatOfTheVocabulary(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "hello world": 2, "Hello, world!": 4, "antidisestablishmentarianism": 6, "😀": 1,
	} {
		if got := Count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

func TestCuttingOrdinaryTextDoesNotChangeTheCount(t *testing.T) {
	text := strings.Repeat("Employees who travel submit their reports within thirty days, e.g. by mail; 25 euros.\n", 100)
	whole, err := codec().Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := Count(text); got != whole {
		t.Errorf("%d tokens in pieces, %d as a whole", got, whole)
	}
}

// What is cut between two words is what the encoder cuts, too, whatever stands
// there; only in text without such a place, longer than a piece, it may differ.
func TestCuttingBetweenWordsDoesNotChangeTheCount(t *testing.T) {
	unit := rapid.OneOf(rapid.SampledFrom([]string{
		" ", "  ", "\n", " \n ", "\t", "\r\n", "\u00a0", "\u2003", "\u0085", "\u3000", "'s", "'LL", "12", "3456", "-", "/", "(", "é", "Über", "日本", "😀", "a\u0301", "word", "Word", "WORD",
	}), rapid.StringN(1, 3, -1))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(unit, 0, 40).Draw(t, "units"), "")
		whole, err := codec().Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Count(text); got != whole && len(text) <= maxPiece {
			t.Fatalf("%q: %d tokens in pieces, %d as a whole", text, got, whole)
		}
		if again := Count(text); len(text) <= maxPiece && again != whole {
			t.Fatalf("%q: %d tokens the second time, %d as a whole", text, again, whole)
		}
	})
}

func TestCuttingChangesTheCountByLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 10, -1).Draw(t, "unit"), rapid.IntRange(1, 200).Draw(t, "times"))
		whole, err := codec().Count(text)
		if err != nil {
			t.Fatal(err)
		}
		cuts := 2 * (len(text)/maxPiece + 1) // a piece has at least half of the size
		if got := Count(text); got < whole-cuts || got > whole+3*cuts {
			t.Fatalf("%d tokens in pieces, %d as a whole", got, whole)
		}
	})
}

func TestPiecesAreCutBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 8, -1).Draw(t, "unit"), 2*maxPiece)
		n := cut(text)
		if n < 1 || n > maxPiece || !utf8.ValidString(text[:n]) {
			t.Fatalf("cut at %d", n)
		}
	})
}

// A count in the square of the length would not end within the test's time.
func TestHostileTextIsCountedInLinearTime(t *testing.T) {
	for _, unit := range []string{"a", " ", "😀"} {
		if n := Count(strings.Repeat(unit, (1<<20)/len(unit))); n < 1000 || n > 1<<20 {
			t.Errorf("1 MB of %q has %d tokens", unit, n)
		}
	}
}

func TestCountIsSafeForConcurrentUse(t *testing.T) {
	text := strings.Repeat("one two three ", 50)
	want := Count(text)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := Count(text); got != want {
				t.Errorf("%d tokens, want %d", got, want)
			}
		})
	}
	wg.Wait()
}

func TestContextWindowsOfKnownModels(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-4o-mini": 128_000, "openai/gpt-4o-2024-08-06": 128_000, "GPT-4": 8_192, "gpt-4-0613": 8_192, "gpt-4-turbo-preview": 128_000,
		"gpt-4.1-nano": 1_047_576, "o3-mini": 200_000, "anthropic/claude-sonnet-4": 200_000, "meta-llama/llama-3.1-8b-instruct": 131_072,
		"footnote-extractive": 128_000, "qwen2.5:7b": 32_768, "gemma-3-27b-it": 131_072,
	} {
		if got, ok := ContextWindow(model); !ok || got != want {
			t.Errorf("%s reads %d (known: %t), want %d", model, got, ok, want)
		}
	}
	for _, model := range []string{"", "my-model", "gpt-40", "gpt-4.9", "o12", "llama-3.9-70b"} {
		if got, ok := ContextWindow(model); ok {
			t.Errorf("%q passes for known, with %d tokens", model, got)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("Employees who travel submit their reports within thirty days, e.g. by mail; 25 euros.\n", 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}

func TestCountUpToStopsWhereThereIsNoMoreRoom(t *testing.T) {
	text := strings.Repeat("[1] ", 1<<18)
	whole := Count(text)
	for _, most := range []int{0, 1, 1000, whole - 1, whole, whole + 1} {
		got := CountUpTo(text, most)
		if most < whole && (got <= most || got > most+maxPiece) || most >= whole && got != whole {
			t.Errorf("%d tokens of %d, up to %d", got, whole, most)
		}
	}
}
