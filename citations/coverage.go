package citations

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// coverage counts the factual sentences of an answer, and how many of them carry a
// marker with a source. FORMAT.md defines factual.
type coverage struct{ factual, cited int }

// share returns which part of the factual sentences carries a marker; 1 if there are no
// factual sentences.
func (c coverage) share() float64 {
	if c.factual == 0 {
		return 1
	}
	return decimals(float64(c.cited) / float64(c.factual))
}

// add counts a sentence that stands in a line. It reports whether the sentence is
// factual and cites nothing.
func (c *coverage) add(text []byte, cites bool, l *line) (uncited bool) {
	heading := l.alone && !l.row || l.row && l.rows == 1
	uncited = !cites && !heading && factual(text)
	if cites {
		c.cited++
	}
	if cites || uncited {
		c.factual++
	}
	return uncited
}

// The least number of words, or of characters of a script without spaces, that can
// state a fact.
const (
	leastWords      = 3
	leastIdeographs = 4
)

// factual reports whether a sentence states something about the world: it is long
// enough, not a question, not a lead-in, and not about the answer itself.
func factual(text []byte) bool {
	text = bytes.TrimFunc(withoutCode(text), surrounds)
	if len(text) == 0 {
		return false
	}
	switch r, _ := utf8.DecodeLastRune(text); r {
	case '?', ':', '？', '：':
		return false
	}
	words, ideographs, inWord := 0, 0, false
	for len(text) > 0 && words < leastWords && ideographs < leastIdeographs {
		r, size := utf8.DecodeRune(text)
		if words == 0 && !inWord && unicode.IsLetter(r) && aboutTheAnswer(text) {
			return false
		}
		text = text[size:]
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || inWord && (r == '\'' || r == '’' || r == '-' || r == '.' || r == ',')
		switch {
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			ideographs++
			inWord = false
		case letter && !inWord:
			words++
			inWord = true
		case !letter:
			inWord = false
		}
	}
	return words >= leastWords || ideographs >= leastIdeographs
}

// surrounds reports whether r can surround a sentence without belonging to it.
func surrounds(r rune) bool {
	switch r {
	case ' ', '\t', '\r', '\n', '*', '_', '>', '"', '\'', '“', '”', '«', '»', '(', ')':
		return true
	}
	return false
}

// withoutCode removes the text between backticks.
func withoutCode(text []byte) []byte {
	if bytes.IndexByte(text, '`') < 0 {
		return text
	}
	var plain []byte
	for {
		begin := bytes.IndexByte(text, '`')
		if begin < 0 {
			return append(plain, text...)
		}
		plain = append(plain, text[:begin]...)
		end := bytes.IndexByte(text[begin+1:], '`')
		if end < 0 {
			return plain
		}
		text = text[begin+1+end+1:]
	}
}

// openings begin sentences about the answer, its sources or the people in the
// conversation, in the languages of the demo and the tests.
var openings = [...]string{
	"i ", "i'", "i’", "we ", "let me ", "here is ", "here are ", "sure", "of course", "hello", "hi ", "hi,", "sorry", "unfortunately, i ",
	"please let ", "feel free", "if you need ", "if you want ", "if you have ", "if you would ", "thank", "you're welcome",
	"the sources do not ", "the sources don't ", "the source does not ", "the provided ", "the documents do not ", "the context does not ", "there is no information ", "no information ",
	"ich ", "hier ist ", "hier sind ", "gerne", "natürlich", "leider ", "die quellen enthalten kein", "in den quellen steht nichts", "wenn sie ", "falls sie ",
	"je ", "j'", "j’", "voici ", "bien sûr", "malheureusement", "les sources ne ", "si vous ", "n'hésitez pas",
}

// openingsWith groups the openings by their first letter.
var openingsWith = func() (by [256][]string) {
	for _, o := range openings {
		by[o[0]] = append(by[o[0]], o)
	}
	return by
}()

// aboutTheAnswer reports whether text begins like a sentence about the answer itself.
func aboutTheAnswer(text []byte) bool {
	const longest = 32
	head := string(text[:min(len(text), longest)])
	for _, o := range openingsWith[head[0]|0x20] {
		if len(head) >= len(o) && strings.EqualFold(head[:len(o)], o) {
			return true
		}
	}
	return false
}
