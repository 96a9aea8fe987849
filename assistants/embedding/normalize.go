package embedding

import (
	"bytes"
	"unicode/utf8"
)

// Bounds of a text that is cut into pieces. What is beyond them is not read. A
// text of maxPieces pieces is hardly ever longer.
const (
	maxRead       = 256 << 10 // bytes of a text
	maxNormalized = 64 << 10  // bytes of the normalized text
)

// A normalizer makes texts uniform as the pieces of a model were learned: other
// forms of the same character become one, and control characters are removed (NFKC
// with the additions of machine translation). The replacements are in a double array
// of the library "darts-clone". A damaged array gives wrong texts, but cannot crash the
// process.
type normalizer struct {
	units        []uint32
	replacements []byte
}

// Parts of a unit of a double array: the byte that leads to it, whether a
// replacement ends at it, its value, and the offset of its children.
const (
	unitLabel  = 1<<31 | 0xff
	unitEnds   = 1 << 8
	unitValue  = 1<<31 - 1
	unitFar    = 1 << 9
	unitOffset = 10
)

func offsetOf(unit uint32) uint32 { return unit >> unitOffset << ((unit & unitFar) >> 6) }

// find returns the replacement of the longest prefix of text that has one, and the
// length of that prefix, 0 when there is none.
func (n *normalizer) find(text string) (replacement []byte, length int) {
	if len(n.units) == 0 {
		return nil, 0
	}
	at := offsetOf(n.units[0])
	for i := range len(text) {
		at ^= uint32(text[i])
		if text[i] == 0 || uint64(at) >= uint64(len(n.units)) { // 0 leads to values
			break
		}
		unit := n.units[at]
		if unit&unitLabel != uint32(text[i]) {
			break
		}
		at ^= offsetOf(unit)
		if unit&unitEnds == 0 || uint64(at) >= uint64(len(n.units)) {
			continue
		}
		if value := n.units[at] & unitValue; uint64(value) < uint64(len(n.replacements)) {
			replacement, length = n.replacements[value:], i+1
		}
	}
	for i, c := range replacement {
		if c == 0 {
			return replacement[:i], length
		}
	}
	return replacement, length
}

// next returns the replacement of the beginning of a text, or that beginning
// itself, and its length in bytes. An invalid byte becomes U+FFFD. own is memory
// for the result.
func (n *normalizer) next(text string, own *[utf8.UTFMax]byte) (becomes []byte, length int) {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return own[:utf8.EncodeRune(own[:], r)], 1
	}
	if becomes, length = n.find(text); length >= size {
		return becomes, length
	}
	return own[:copy(own[:], text[:size])], size
}

// normalize appends the normalized text to out. The text begins with a space,
// has no two in a row and none at its end; each is written as pieceSpace. A
// blank text becomes empty.
func (n *normalizer) normalize(out []byte, text string) []byte {
	var own [utf8.UTFMax]byte
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	out = append(out, pieceSpace...)
	spaced := true
	for len(text) > 0 && len(out) < maxNormalized {
		becomes, length := n.next(text, &own)
		text = text[length:]
		for _, c := range becomes {
			switch {
			case c != ' ':
				out = append(out, c)
			case !spaced:
				out = append(out, pieceSpace...)
			}
			spaced = c == ' '
		}
	}
	for bytes.HasSuffix(out, []byte(pieceSpace)) {
		out = out[:len(out)-len(pieceSpace)]
	}
	return out
}
