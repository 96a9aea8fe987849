package lexical

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// language is the language by whose rules a question is stemmed.
type language int

const (
	languageEnglish language = iota
	languageGerman
)

// stems are the two stems of a word. They are equal for words outside of the
// Latin script, which are left as they are.
type stems struct{ english, german string }

func (s stems) in(l language) string {
	if l == languageGerman {
		return s.german
	}
	return s.english
}

// A memo remembers stems: stemming costs a hundred times the look-up, and the
// words of a text repeat.
type memo map[string]stems

// memoSize bounds a memo; a full one starts again from nothing.
const memoSize = 1 << 14

var memos = sync.Pool{New: func() any { return memo{} }}

// stems returns the stems of a folded word.
func (m memo) stems(word string) stems {
	if s, ok := m[word]; ok {
		return s
	}
	if len(m) >= memoSize {
		clear(m)
	}
	word = strings.Clone(word) // the memo must not hold on to the whole text
	s := stems{word, word}
	if r, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Latin, r) && len(word) > 2 {
		s.english = stemWith(english.Stem, word)
		s.german = stemWith(german.Stem, umlauts(word))
	}
	m[word] = s
	return s
}

func stemWith(stem func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}

// umlauts takes the "e" from "ae", "oe" and "ue" where it stands for the dots
// of an umlaut, as the German2 variant of the stemmer does: before a consonant
// and not after a vowel or "q" ("Kuendigung", but "Quelle", "neue").
func umlauts(word string) string {
	i := strings.IndexByte(word, 'e')
	if i < 0 || !strings.Contains(word, "ae") && !strings.Contains(word, "oe") && !strings.Contains(word, "ue") {
		return word
	}
	out := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		if word[i] == 'e' && i > 0 && i+1 < len(word) &&
			strings.IndexByte("aou", word[i-1]) >= 0 && strings.IndexByte("aeiouy", word[i+1]) < 0 &&
			(i == 1 || strings.IndexByte("aeiouqy", word[i-2]) < 0) {
			continue
		}
		out = append(out, word[i])
	}
	return string(out)
}
