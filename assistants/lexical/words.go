package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// eachWord calls yield for the words of a text, in order.
func eachWord(text string, yield func(word)) {
	run := word{end: -1, kind: kindRun}
	flush := func() {
		if run.end > run.start {
			run.text = text[run.start:run.end]
			yield(run)
		}
		run = word{end: -1, kind: kindRun}
	}
	it := words.FromString(text)
	for it.Next() {
		token, start := it.Value(), it.Start()
		if token[0] < utf8.RuneSelf {
			flush()
			if isASCIIWord(token) {
				yield(word{text: cut(fold(token)), start: start, end: it.End()})
			} else {
				eachPart(token, start, yield)
			}
			continue
		}
		r, _ := utf8.DecodeRuneInString(token)
		s := scriptOf(r)
		if s == scriptSpaced {
			flush()
			eachPart(token, start, yield)
			continue
		}
		if run.end != start || run.script != s && r != prolonged {
			flush()
			run.start, run.script = start, s
		}
		run.end = it.End()
	}
	flush()
}

func isASCIIWord(token string) bool {
	for i := 0; i < len(token); i++ {
		if c := token[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// eachPart splits tokens that UAX #29 keeps together and a search must not:
// "snake_case", "example.com", "25kg", "15.03.2024".
func eachPart(token string, offset int, yield func(word)) {
	for i := 0; i < len(token); {
		r, size := utf8.DecodeRuneInString(token[i:])
		j := i + size
		switch {
		case unicode.IsDigit(r):
			for j = i; j < len(token); {
				next, size := utf8.DecodeRuneInString(token[j:])
				if !unicode.IsDigit(next) && !strings.ContainsRune(numberMarks, next) {
					break
				}
				j += size
			}
			eachNumber(token[i:j], offset+i, yield)
			if k := ordinal(token[j:]); k > 0 {
				j += k
			}
		case unicode.IsLetter(r):
			for j < len(token) {
				next, size := utf8.DecodeRuneInString(token[j:])
				if !unicode.IsLetter(next) && !unicode.IsDigit(next) && !unicode.IsMark(next) &&
					!unicode.Is(unicode.Cf, next) && !strings.ContainsRune(apostrophes, next) {
					break
				}
				j += size
			}
			letters(token[i:j], offset+i, yield)
		}
		i = j
	}
}

// letters yields a word of a script with spaces. A Korean word is a run.
func letters(s string, offset int, yield func(word)) {
	if r, _ := utf8.DecodeRuneInString(s); scriptOf(r) != scriptSpaced {
		yield(word{text: s, start: offset, end: offset + len(s), kind: kindRun, script: scriptOf(r)})
		return
	}
	folded := fold(s)
	if strings.IndexByte(folded, '\'') < 0 {
		if folded != "" {
			yield(word{text: cut(folded), start: offset, end: offset + len(s)})
		}
		return
	}
	folded = strings.TrimSuffix(strings.Trim(folded, "'"), "'s")
	first, rest, ok := strings.Cut(folded, "'")
	if ok && len(rest) > 1 && elided[first] {
		yield(word{text: first, start: offset, end: offset + len(s)})
		folded = rest
	}
	if folded = strings.ReplaceAll(folded, "'", ""); folded != "" {
		yield(word{text: cut(folded), start: offset, end: offset + len(s)})
	}
}

const apostrophes = "'’‘ʼ＇"

// elided are French and Italian words that lose their last vowel before another one
// ("l'avis", "qu'il", "dell'elenco"). They are separate words; other words with an
// apostrophe ("don't", "o'clock") are one word.
var elided = Set(wordLists["elided"])

// ordinal is the length of the ending of an English ordinal ("3rd") that s is, else 0.
func ordinal(s string) int {
	if len(s) != 2 {
		return 0
	}
	switch strings.ToLower(s) {
	case "st", "nd", "rd", "th":
		return len(s)
	}
	return 0
}
