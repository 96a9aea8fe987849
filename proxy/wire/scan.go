package wire

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep JSON may nest, the limit of encoding/json.
const maxDepth = 10_000

// Positions below zero say why a scan failed.
const (
	badSyntax = -1
	tooDeep   = -2
)

// skipSpace returns the first position from i on that holds no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue checks the JSON value that starts at b[i], inside depth open
// containers, and returns its end, or badSyntax or tooDeep. It is strict (RFC
// 8259) except for invalid UTF-8 in strings, which it leaves to the upstream.
func skipValue(b []byte, i, depth int) int {
	if i < 0 || i >= len(b) {
		return min(i, badSyntax)
	}
	if b[i] == '{' || b[i] == '[' {
		return skipContainer(b, i, depth)
	}
	return skipScalar(b, i)
}

// skipScalar checks a string, number or literal.
func skipScalar(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	default:
		return badSyntax
	}
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return badSyntax
	}
	return i + len(word)
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i == len(b):
		return badSyntax
	case b[i] == '0':
		i++
	default:
		if i = skipDigits(b, i); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return skipDigits(b, i)
	}
	return i
}

// skipDigits wants at least one digit.
func skipDigits(b []byte, i int) int {
	start := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == start {
		return badSyntax
	}
	return i
}

const (
	low7  = 0x0101010101010101
	high1 = 0x8080808080808080
)

// special marks, in the high bit of each byte of x, a quote, a backslash or a
// control character. Bytes above the lowest mark may be marked wrongly.
func special(x uint64) uint64 {
	quote := x ^ low7*'"'
	slash := x ^ low7*'\\'
	return ((quote-low7)&^quote | (slash-low7)&^slash | (x-low7*' ')&^x) & high1
}

// skipString checks the string whose opening quote is b[i] and returns the
// position after its closing quote.
func skipString(b []byte, i int) int {
	i++
	for {
		for len(b)-i >= 8 {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++
		}
		if i >= len(b) {
			return badSyntax
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(b, i); i < 0 {
				return i
			}
		default:
			return badSyntax
		}
	}
}

// skipEscape checks the escape whose backslash is b[i].
func skipEscape(b []byte, i int) int {
	if len(b)-i < 2 {
		return badSyntax
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if _, ok := hex4(b, i+2); ok {
			return i + 6
		}
	}
	return badSyntax
}

// hex4 reads four hexadecimal digits at b[i].
func hex4(b []byte, i int) (rune, bool) {
	if len(b)-i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// A nest remembers, one bit per level, which open containers are objects, so
// that depth costs neither stack nor, up to 64 levels, any allocation.
type nest struct {
	n    int
	top  uint64
	rest []uint64
}

func (s *nest) push(object bool) {
	if s.n > 0 && s.n%64 == 0 {
		s.rest = append(s.rest, s.top)
	}
	s.n++
	s.top <<= 1
	if object {
		s.top |= 1
	}
}

func (s *nest) pop() {
	s.n--
	s.top >>= 1
	if s.n > 0 && s.n%64 == 0 {
		s.top = s.rest[len(s.rest)-1]
		s.rest = s.rest[:len(s.rest)-1]
	}
}

func (s *nest) object() bool { return s.top&1 == 1 }

// skipContainer checks the object or array that starts at b[i].
func skipContainer(b []byte, i, depth int) int {
	var open nest
	for {
		// A value starts here.
		if i = skipSpace(b, i); i >= len(b) {
			return badSyntax
		}
		if c := b[i]; c == '{' || c == '[' {
			open.push(c == '{')
			if depth+open.n > maxDepth {
				return tooDeep
			}
			i = skipSpace(b, i+1)
			switch {
			case i >= len(b):
				return badSyntax
			case b[i] == c+2: // the closing bracket of an empty container
				if i = closeContainers(b, i, &open); i < 0 || open.n == 0 {
					return i
				}
			case c == '{':
				if i = skipKey(b, i); i < 0 {
					return i
				}
				continue
			default:
				continue
			}
		} else {
			if i = skipScalar(b, i); i < 0 {
				return i
			}
			if i = closeContainers(b, skipSpace(b, i), &open); i < 0 || open.n == 0 {
				return i
			}
		}
		// b[i] is a comma: another member or element follows.
		i = skipSpace(b, i+1)
		if open.object() {
			if i = skipKey(b, i); i < 0 {
				return i
			}
		}
	}
}

// closeContainers closes the containers that end at b[i] and returns the
// position of the comma after them, or the end of the outermost one.
func closeContainers(b []byte, i int, open *nest) int {
	for i < len(b) && b[i] != ',' {
		closing := byte(']')
		if open.object() {
			closing = '}'
		}
		if b[i] != closing {
			return badSyntax
		}
		i++
		if open.pop(); open.n == 0 {
			return i
		}
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		return badSyntax
	}
	return i
}

// skipKey checks a member's key and colon and returns the position after them.
func skipKey(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return badSyntax
	}
	if i = skipString(b, i); i < 0 {
		return i
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return badSyntax
	}
	return i + 1
}
