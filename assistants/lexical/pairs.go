package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// units returns the offsets at which the characters of a run begin, with those
// marks that belong to them, and its length as the last one.
func units(run string) []int {
	out := make([]int, 0, len(run)/3+1)
	for i, r := range run {
		if i == 0 || !unicode.IsMark(r) && r != 'ﾞ' && r != 'ﾟ' && !unicode.Is(unicode.Cf, r) {
			out = append(out, i)
		}
	}
	return append(out, len(run))
}

// eachPair yields the terms of a run in a document: overlapping pairs, and
// single characters where they are words by themselves.
func eachPair(w word, yield func(Term)) {
	at := units(w.text)
	for i := 0; i+1 < len(at); i++ {
		if w.script == scriptHan || len(at) == 2 {
			yield(unitTerm(w, at[i], at[i+1]))
		}
		if i+2 < len(at) {
			yield(unitTerm(w, at[i], at[i+2]))
		}
	}
}

// eachQueryPair yields the terms of a run in a question: overlapping pairs of
// what remains when phrases that only ask are cut out, and characters that remain
// alone. cutAsking false keeps those phrases.
func eachQueryPair(w word, cutAsking bool, yield func(Term)) {
	piece := func(from, to int) {
		at := units(w.text[from:to])
		if len(at) == 2 && (w.script == scriptHan || to-from == len(w.text)) {
			yield(unitTerm(w, from, to))
		}
		for i := 0; i+2 < len(at); i++ {
			yield(unitTerm(w, from+at[i], from+at[i+2]))
		}
	}
	if !cutAsking {
		piece(0, len(w.text))
		return
	}
	from := 0
	for i := 0; i < len(w.text); {
		n := askingPrefix(w.text[i:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(w.text[i:])
			i += size
			continue
		}
		if i > from {
			piece(from, i)
		}
		i += n
		from = i
	}
	if from < len(w.text) {
		piece(from, len(w.text))
	}
}

// askingPrefix is the length of the longest asking phrase at the start of s, or 0.
func askingPrefix(s string) int {
	longest := 0
	r, _ := utf8.DecodeRuneInString(s)
	for _, phrase := range asking[r] {
		if len(phrase) > longest && strings.HasPrefix(s, phrase) {
			longest = len(phrase)
		}
	}
	return longest
}

func unitTerm(w word, from, to int) Term {
	return Term{Text: fold(w.text[from:to]), Start: w.start + from, End: w.start + to}
}
