package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

var byteOrderMark = []byte("\uFEFF")

// TrimMark returns data without a byte order mark at its start, which is no JSON.
func TrimMark(data []byte) []byte { return bytes.TrimPrefix(data, byteOrderMark) }

// unquote decodes the inside of a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	// An escape of six bytes becomes three bytes at most.
	size := len(raw) - 3*bytes.Count(raw, []byte(`\u`))
	return string(appendUnquoted(make([]byte, 0, max(size, 0)), raw))
}

// appendUnquoted decodes the inside of a valid JSON string. A lone surrogate
// becomes U+FFFD; bytes that are not UTF-8 stay as they are.
func appendUnquoted(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		if c != 'u' {
			dst, raw = append(dst, unescaped(c)), raw[i+2:]
			continue
		}
		r, _ := hex4(raw, i+2)
		raw = raw[i+6:]
		if utf16.IsSurrogate(r) {
			var low rune
			if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				low, _ = hex4(raw, 2)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				raw = raw[6:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
}

// cutSurrogates returns the low surrogate that a string begins with and the
// high one that it ends with, 0 for none: halves of characters that were cut.
func cutSurrogates(raw []byte) (low, high rune) {
	const escape = len(`\ud83d`)
	n := len(raw)
	if n < escape || raw[0] != '\\' && raw[n-escape] != '\\' {
		return 0, 0
	}
	if r := escapedRune(raw); r >= 0xDC00 && r <= 0xDFFF {
		low = r
	}
	slashes := 0
	for i := n - escape; i >= 0 && raw[i] == '\\'; i-- {
		slashes++
	}
	if r := escapedRune(raw[n-escape:]); slashes%2 == 1 && r >= 0xD800 && r <= 0xDBFF {
		high = r
	}
	return low, high
}

// escapedRune is the code unit that raw begins with as an escape; 0 for none.
func escapedRune(raw []byte) rune {
	if raw[0] != '\\' || raw[1] != 'u' {
		return 0
	}
	r, _ := hex4(raw, len(`\u`))
	return r
}

// unescaped is what the escape \c stands for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

// AppendString appends s as a JSON string, as encoding/json writes it when it
// does not escape for HTML.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// literal are the bytes of ASCII that stand for themselves in a JSON string.
var literal = func() (table [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// allLiteral reports whether the first eight bytes of s are literal.
func allLiteral(s string) bool {
	// One load: the compiler puts the eight together.
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return special(x)|x&high1 == 0
}

// appendEscaped appends s as the inside of a JSON string. What may stand for
// itself does; U+2028 and U+2029 are escaped because JavaScript took them for
// line ends, and bytes that are not UTF-8 become U+FFFD because JSON has none.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if literal[c] {
			for i++; len(s)-i >= 8 && allLiteral(s[i:]); {
				i += 8
			}
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

// keyIs reports whether a key, given without its quotes, decodes to name.
func keyIs(raw []byte, name string) bool {
	return string(raw) == name || bytes.IndexByte(raw, '\\') >= 0 && unquote(raw) == name
}

// A Member is a member of a JSON object: its key and its encoded value.
type Member struct {
	Key   string
	Value []byte
}
