package citations

import (
	"encoding/binary"
	"math/bits"
)

// A place is a position in the scanned text, in bytes, and in the client's text, in
// the unit of offsets.
type place struct{ at, unit int }

var nowhere = place{-1, -1}

func later(a, b place) place {
	if b.at > a.at {
		return b
	}
	return a
}

// A ruler reads the scanned text from left to right and measures the client's text.
// If markers are rewritten, it also builds that text.
type ruler struct {
	unit  OffsetUnit
	units int  // of the client's text so far
	edits bool // the client's text is built in out
	strip bool // markers are removed together with a space
	out   []byte
	last  byte // the last byte of out; a line break at the start
	// skipSpace: the next byte is dropped if it is a space.
	skipSpace bool
	gap       gap
	outer     gap // the gap before, while it may still join this one
	cuts      []cut
	drained   byte // the last byte that drain returned; a line break if there is none
	heard     listener
}

// copyText adds text that the client gets unchanged.
func (r *ruler) copyText(text []byte) {
	if r.edits {
		if r.strip {
			r.heard.read(text)
		}
		for len(text) > 0 && (r.skipSpace || r.gap.open) {
			b := text[0]
			text = text[1:]
			skip := r.skipSpace && b == ' '
			if r.skipSpace = false; skip {
				continue
			}
			if !r.gap.open {
				r.put([]byte{b})
				r.units += measure([]byte{b}, r.unit)
				continue
			}
			r.behindGap(b)
		}
		r.put(text)
	}
	r.units += measure(text, r.unit)
}

func (r *ruler) put(text []byte) {
	if len(text) > 0 {
		r.out, r.last = append(r.out, text...), text[len(text)-1]
	}
}

// replace puts text in the place of a marker. With an empty text it removes the
// marker and the space before it, or the space after it at the start of a line.
// before is the byte before the marker.
func (r *ruler) replace(text []byte, before byte) (start, end int) {
	r.skipSpace = false
	if !r.strip {
		start = r.units
		r.put(text)
		r.units += measure(text, r.unit)
		return start, r.units
	}
	r.heard.endWord()
	if !r.openGap() {
		return r.units, r.units
	}
	spaced := 0
	if r.last == '\n' {
		r.skipSpace = true
	} else if before == r.last {
		spaced = endsWith(r.out, spaces)
	}
	if spaced > 0 {
		r.units -= measure(r.out[len(r.out)-spaced:], r.unit)
		r.out = r.out[:len(r.out)-spaced]
		r.last = 'x' // any byte that is neither a line break nor a space
	}
	r.beginGap(spaced)
	return r.units, r.units
}

// drain removes the text that is ready for the client and returns it. What the next marker
// may remove waits.
func (r *ruler) drain(final bool) string {
	if r.gap.open && final {
		r.closeGap()
	}
	n := len(r.out)
	if r.strip && !final {
		n = r.waits()
	}
	text := string(r.out[:n])
	if n > 0 {
		r.drained = r.out[n-1]
	}
	r.out = r.out[:copy(r.out, r.out[n:])]
	r.gap.at -= n
	r.outer.at -= n
	return text
}

// measure counts the units of text. A character counts with its first byte, so the
// result does not depend on cuts.
func measure(text []byte, unit OffsetUnit) int {
	const high, low = 0x8080808080808080, 0x0101010101010101
	if unit == UnitByte {
		return len(text)
	}
	n := len(text)
	for len(text) >= 8 {
		x := binary.LittleEndian.Uint64(text)
		if x&high != 0 {
			n -= bits.OnesCount64(x >> 7 & (^x >> 6) & low) // 10xxxxxx continues a character
			if unit == UnitUTF16 {
				n += bits.OnesCount64(x >> 7 & (x >> 6) & (x >> 5) & (x >> 4) & low) // 1111xxxx is a pair
			}
		}
		text = text[8:]
	}
	for _, b := range text {
		switch {
		case b>>6 == 2:
			n--
		case b >= 0xF0 && unit == UnitUTF16:
			n++
		}
	}
	return n
}
