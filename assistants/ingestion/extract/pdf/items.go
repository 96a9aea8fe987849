package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// hangSlack is how far from the place of its item's text a line may begin, in font sizes.
const hangSlack = 0.3

func isBullet(r rune) bool {
	return strings.ContainsRune("•·‣◦▪■□●○–—*-➢✓❖", r) || r >= 0xF0A0 && r <= 0xF0FF // Symbol, Wingdings
}

// startsItem reports whether a line begins with the mark of a list item and has text
// after it.
func startsItem(chars []glyph) bool {
	end := slices.IndexFunc(chars, func(g glyph) bool { return g.char == ' ' })
	if end <= 0 || end > 5 || end == len(chars)-1 {
		return false
	}
	mark := chars[:end]
	if len(mark) == 1 && isBullet(mark[0].char) {
		return true
	}
	if last := mark[len(mark)-1].char; last != '.' && last != ')' {
		return false
	}
	digits, letters := 0, 0
	for i, g := range mark[:len(mark)-1] {
		switch {
		case unicode.IsDigit(g.char):
			digits++
		case unicode.IsLetter(g.char):
			letters++
		case g.char == '(' && i == 0:
		default:
			return false
		}
	}
	return digits > 0 && digits <= 3 && letters == 0 || letters == 1 && digits == 0
}
