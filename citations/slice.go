package citations

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Slice returns the part of a text between two offsets, which are counted in the unit.
// A character that an offset falls into is left out at the start and kept at the end.
func (u OffsetUnit) Slice(text string, start, end int) string {
	var b strings.Builder
	at := 0
	for _, r := range text {
		if at >= end {
			break
		}
		if at >= start {
			b.WriteRune(r)
		}
		switch u {
		case UnitByte:
			at += utf8.RuneLen(r)
		case UnitUTF16:
			at += utf16.RuneLen(r)
		default:
			at++
		}
	}
	return b.String()
}
