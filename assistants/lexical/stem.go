package lexical

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"
)

// stemmers are the languages' stemmers.
var stemmers = [languages]func(*snowballstem.Env) bool{
	english.Stem, german.Stem, french.Stem, italian.Stem, spanish.Stem, portuguese.Stem, dutch.Stem,
}

// stems are the stems of a word, as far as they were asked for. They are the
// word itself outside of the Latin script.
type stems struct {
	by    [languages]string
	known tongues
}

// repeats reports whether the stem in a language is that in one before it.
func (s *stems) repeats(l language, in tongues) bool {
	for before := range l {
		if in.has(before) && s.by[before] == s.by[l] {
			return true
		}
	}
	return false
}

// A memo remembers stems: stemming costs a hundred times the look-up, and the
// words of a text repeat.
type memo map[string]*stems

// memoSize bounds a memo; a full one starts again from nothing.
const memoSize = 1 << 14

var memos = sync.Pool{New: func() any { return memo{} }}

// stem returns the stem of a folded word in a language.
func (m memo) stem(word string, l language) string { return m.stems(word, 1<<l).by[l] }

// stems returns the stems of a folded word in some languages.
func (m memo) stems(word string, in tongues) *stems {
	s, ok := m[word]
	if !ok {
		if len(m) >= memoSize {
			clear(m)
		}
		word = strings.Clone(word) // the memo must not hold on to the whole text
		s = &stems{}
		if r, _ := utf8.DecodeRuneInString(word); !unicode.Is(unicode.Latin, r) || len(word) <= 2 {
			s.known = everyTongue
			for l := range s.by {
				s.by[l] = word
			}
		}
		m[word] = s
	}
	for l := range languages {
		if !in.has(l) || s.known.has(l) {
			continue
		}
		plain := word
		if l == languageGerman {
			plain = umlauts(word)
		}
		stem := stemWith(stemmers[l], plain)
		if l == languageFrench && len(stem) > leastPart {
			stem = strings.TrimRight(stem, "e") // of "modifiées", whose accent it knows the ending by
		}
		s.by[l] = strings.Clone(stem)
		s.known |= 1 << l
	}
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
