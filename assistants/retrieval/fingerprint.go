package retrieval

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A fingerprint identifies repetitions of a passage: by its runs of three words,
// and by its numbers in order. The numbers count because reports of two years may
// differ in nothing else, and both are needed.
type fingerprint struct {
	runs    []uint64 // hashes, in order, each once
	numbers string
	whole   uint64 // hash of all words in their order
}

// alike is the least share of common runs of two passages if one repeats the other.
const alike = 0.9

// runLength is how many words a run has.
const runLength = 3

var seed = maphash.MakeSeed()

func fingerprintOf(text string) fingerprint {
	text = strings.ToLower(text)
	words := make([]uint64, 0, len(text)/4)
	var numbers strings.Builder
	begin, number := -1, false
	end := func(at int) {
		if begin < 0 {
			return
		}
		word := text[begin:at]
		words = append(words, maphash.String(seed, word))
		if number {
			numbers.WriteString(word)
			numbers.WriteByte(' ')
		}
		begin, number = -1, false
	}
	for i, r := range text {
		letter, digit := isWord(r)
		if !letter && !digit {
			end(i)
			continue
		}
		if begin < 0 {
			begin = i
		}
		number = number || digit
	}
	end(len(text))
	whole := hashOf(words)
	// A text shorter than a run counts as one run.
	runs := words[:0]
	for i := range max(min(len(words), 1), len(words)-runLength+1) {
		runs = append(runs, hashOf(words[i:min(i+runLength, len(words))]))
	}
	slices.Sort(runs)
	return fingerprint{slices.Clip(slices.Clone(slices.Compact(runs))), numbers.String(), whole}
}

// hashOf returns the hash of words in their order.
func hashOf(words []uint64) (hash uint64) {
	for _, word := range words {
		hash = hash*0x9e3779b97f4a7c15 + word
	}
	return hash
}

// isWord reports whether a character in lower case is part of a word: a letter
// or a mark, or a digit.
func isWord(r rune) (letter, digit bool) {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z', '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r), unicode.IsDigit(r)
}

// same reports whether two passages have the same words in the same order.
func (f fingerprint) same(g fingerprint) bool { return f.whole == g.whole && f.numbers == g.numbers }

// repeats reports whether two passages say nearly the same in nearly the same words.
func (f fingerprint) repeats(g fingerprint) bool {
	if f.numbers != g.numbers {
		return false
	}
	small, large := len(f.runs), len(g.runs)
	if small > large {
		small, large = large, small
	}
	if float64(small) < alike*float64(large) {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(f.runs) && j < len(g.runs); {
		switch a, b := f.runs[i], g.runs[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) >= alike*float64(small+large-both)
}
