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

// stems holds the stems of a word that were asked for. Outside the Latin script a
// word is its own stem.
type stems struct {
	by    [languages]string
	known languageSet
}

// repeats reports whether an earlier language of the set has the same stem.
func (s *stems) repeats(l language, in languageSet) bool {
	for before := range l {
		if in.has(before) && s.by[before] == s.by[l] {
			return true
		}
	}
	return false
}

// A stemCache holds stems by word. Stemming costs a hundred times the look-up, and
// the words of a text repeat.
type stemCache map[string]*stems

// maxStems bounds a stemCache; a full one is cleared.
const maxStems = 1 << 14

var stemCaches = sync.Pool{New: func() any { return stemCache{} }}

// stem returns the stem of a folded word in a language.
func (m stemCache) stem(word string, l language) string { return m.stems(word, 1<<l).by[l] }

// stems returns the stems of a folded word in some languages.
func (m stemCache) stems(word string, in languageSet) *stems {
	s, ok := m[word]
	if !ok {
		if len(m) >= maxStems {
			clear(m)
		}
		word = strings.Clone(word) // the stemCache must not hold on to the whole text
		s = &stems{}
		if r, _ := utf8.DecodeRuneInString(word); !unicode.Is(unicode.Latin, r) || len(word) <= 2 {
			s.known = allLanguages
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
		if l == languageFrench && len(stem) > shortFrench {
			// The stemmer recognises the ending of "modifiées" by its accent, which
			// is gone, so it leaves an "e".
			stem = strings.TrimRight(stem, "e")
		}
		s.by[l] = strings.Clone(stem)
		s.known |= 1 << l
	}
	return s
}

// shortFrench is the length in letters up to which French stems keep their last "e".
const shortFrench = 4

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
