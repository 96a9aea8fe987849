package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold brings a word into the form in which words are compared: lower case,
// compatibility form, no accents, no invisible characters, valid UTF-8.
func fold(s string) string {
	upper, ascii := false, true
	for i := 0; i < len(s); i++ {
		c := s[i]
		upper = upper || c >= 'A' && c <= 'Z'
		ascii = ascii && c < utf8.RuneSelf
	}
	switch {
	case ascii && !upper:
		return s
	case ascii:
		return strings.ToLower(s)
	}
	s = strings.ToLower(strings.ToValidUTF8(s, ""))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		b.WriteString(foldRune(r))
	}
	// Composed again, because Hangul and Kana fall apart under NFKD; lower case
	// again, because compatibility forms such as "℡" bring capitals.
	return strings.ToLower(norm.NFKC.String(b.String()))
}

// foldRune maps a decomposed character to what stands for it in a term.
func foldRune(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'þ':
		return "th"
	case 'ı':
		return "i"
	case '’', '‘', 'ʼ', '＇':
		return "'"
	}
	switch {
	case r >= 0x0300 && r <= 0x036F: // accents; marks of other scripts are letters there
		return ""
	case unicode.Is(unicode.Cf, r), unicode.IsControl(r): // soft hyphens, joiners
		return ""
	case r > unicode.MaxASCII && unicode.IsDigit(r):
		return string('0' + digit(r))
	}
	return string(r)
}

// digit is the value of a decimal digit of any script. Unicode keeps the ten
// digits of a script together and in order.
func digit(r rune) rune {
	if r <= '9' {
		return r - '0'
	}
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}
