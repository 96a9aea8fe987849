package lexical

import "unicode"

// script is how words are found in a text.
type script int

const (
	scriptSpaced script = iota // words stand between spaces
	scriptHan
	scriptHiragana
	scriptKatakana
	scriptHangul
	scriptThai // Thai, Lao, Khmer, Burmese
)

// prolonged is the mark of a long vowel, which belongs to both kinds of kana.
const prolonged = 'ー'

func scriptOf(r rune) script {
	switch {
	case r < 0x0E00:
		return scriptSpaced
	case r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF:
		if unicode.IsDigit(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return scriptSpaced
		}
		return scriptThai
	case unicode.Is(unicode.Han, r):
		return scriptHan
	case unicode.Is(unicode.Hiragana, r):
		return scriptHiragana
	case unicode.Is(unicode.Katakana, r), r == prolonged, r == 'ｰ':
		return scriptKatakana
	case unicode.Is(unicode.Hangul, r):
		return scriptHangul
	}
	return scriptSpaced
}
