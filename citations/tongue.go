package citations

import (
	"strings"
	"unicode"
)

// A word joins two markers, or leads to one, only in its language: "y" is one in Spanish, and
// anywhere else the name of something. The small words of a text tell its language. Only those
// before a marker count, so that a stream gives the same text as JSON.

// A languageSet has a bit for each language of glue.txt.
type languageSet uint16

// single reports whether a set has just one language.
func (s languageSet) single() bool { return s != 0 && s&(s-1) == 0 }

// A tongue is what is known of the language of a text.
type tongue struct {
	likely languageSet // those with the most small words
	sure   bool        // there is one, with twice the words of any other
}

// A glueWord joins markers or leads to one.
type glueWord struct {
	text    string
	in      languageSet
	letters int // 0: a sign, or a word that its colon makes clear
}

// fits reports whether a word can be glue in a text. A single letter may be the name of
// something and a short word one of another language, so they need evidence.
func (w *glueWord) fits(t tongue) bool {
	switch w.letters {
	case 0:
		return true
	case 1:
		return t.sure && t.likely&w.in != 0
	case 2:
		return t.likely.single() && t.likely&w.in != 0
	}
	return t.likely == 0 || t.likely&w.in != 0
}

// newGlue returns a word of a language.
func newGlue(text string, in languageSet) glueWord {
	w := glueWord{text: text, in: in}
	if strings.HasSuffix(text, ":") {
		return w
	}
	for _, r := range text {
		if unicode.IsLetter(r) {
			w.letters++
		}
	}
	if w.letters == 2 && strings.HasSuffix(text, ".") {
		w.letters++ // its full stop makes it as clear as a longer word: "cf."
	}
	return w
}

// addGlue adds a word to a list in which each stands once.
func addGlue(list []glueWord, word glueWord) []glueWord {
	for i := range list {
		if list[i].text == word.text {
			list[i].in |= word.in
			return list
		}
	}
	return append(list, word)
}

// longestTelling is the size of the longest small word that tells a language.
const longestTelling = 8

// A listener counts the small words of each language in a text that comes in pieces.
type listener struct {
	counts [maxLanguages]int
	word   [longestTelling]byte
	size   int // of the word so far, more than longestTelling if it is none of them
}

const maxLanguages = 16

func (l *listener) read(text []byte) {
	for _, b := range text {
		if !isWordByte(b) {
			l.endWord()
			continue
		}
		if l.size < longestTelling {
			l.word[l.size] = lower(b)
		}
		l.size = min(l.size+1, longestTelling+1)
	}
}

// endWord ends a word.
func (l *listener) endWord() {
	if l.size > 1 && l.size <= longestTelling {
		if in := telling[string(l.word[:l.size])]; in != 0 {
			for i := range l.counts {
				l.counts[i] += int(in >> i & 1)
			}
		}
	}
	l.size = 0
}

// tongue returns what the text shows so far.
func (l *listener) tongue() (t tongue) {
	most, next := 0, 0 // next is that of the languages behind the first
	for i, n := range l.counts {
		switch {
		case n > most:
			t.likely, most, next = 1<<i, n, most
		case n == most && n > 0:
			t.likely |= 1 << i
			next = n
		default:
			next = max(next, n)
		}
	}
	t.sure = t.likely.single() && most >= 2 && most >= 2*next
	return t
}
