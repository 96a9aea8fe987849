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
	if out, ok := foldCommon(s); ok {
		return out
	}
	return foldAny(s)
}

// latin holds the folded form of the letters of Western and Central Europe
// (U+00C0 to U+017F), latinFirst being the first.
var latin = func() (t [0x180 - latinFirst]string) {
	for i := range t {
		t[i] = foldAny(string(rune(latinFirst + i)))
	}
	return t
}()

const latinFirst = 0xC0

// foldCommon folds what consists of ASCII, the letters in latin, and characters
// of Chinese, Japanese and Korean that folding leaves alone; for anything else
// ok is false. It gives what foldAny gives, an order of magnitude faster.
func foldCommon(s string) (out string, ok bool) {
	same := true
	for _, r := range s {
		switch {
		case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, // Han, Hangul
			r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= prolonged: // kana
		case r >= ' ' && r < 0x7F, r >= latinFirst && r < 0x180:
			same = false
		default:
			return "", false
		}
	}
	if same {
		return s, true
	}
	buffer := make([]byte, 0, len(s)+8)
	for _, r := range s {
		switch {
		case r >= 'A' && r <= 'Z':
			buffer = append(buffer, byte(r)|0x20)
		case r >= latinFirst && r < 0x180:
			buffer = append(buffer, latin[r-latinFirst]...)
		default:
			buffer = utf8.AppendRune(buffer, r)
		}
	}
	return string(buffer), true
}

// foldAny folds any text.
func foldAny(s string) string {
	s = strings.ToLower(strings.ToValidUTF8(s, ""))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		b.WriteString(foldRune(unicode.ToLower(r))) // NFKD brings capitals, too: "ᴭ"
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
