package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what stands between two parts of a table.
const (
	maxBetweenParts = 300 // bytes
	maxPartLine     = 120 // characters of a line
)

// carryNames gives the parts of a table that a title or a label divides the names of its columns, which stand
// above the first part. alone are the tables that only named the columns of the next one.
func (d *Document) carryNames(alone []Block) {
	var names Span // of the last block, if it is a table
	for i := range d.Blocks {
		b := &d.Blocks[i]
		own := false
		for len(alone) > 0 && alone[0].End <= b.Start {
			names, own, alone = Span{alone[0].Start, alone[0].End}, true, alone[1:]
		}
		has := b.Names
		if b.HeaderEnd > 0 {
			has = d.namesOf(*b)
		}
		switch {
		case b.Kind != BlockTable:
			names = Span{}
		case has.End > 0:
			names = has
		case names.End > 0 && (own || b.Under && d.divides(d.Blocks[i-1].End, b.Start, d.Text[names.Start:names.End])):
			b.Names = names
		default:
			names = Span{}
		}
	}
}

// namesOf returns the part of a table's header that is about its columns, without titles; Span{} if there is none.
func (d *Document) namesOf(b Block) Span {
	at := b.Start
	for line := range strings.Lines(d.Text[b.Start:b.HeaderEnd]) {
		text := strings.TrimSpace(line)
		if strings.Contains(text, "|") || isOwnUnits(titleLine{text: text}) || isNames(text) {
			return Span{at, b.HeaderEnd}
		}
		at += len(line)
	}
	return Span{}
}

// divides reports whether what stands between two places may divide the parts of a table with some names of columns:
// short lines that are no sentences, units, or titles of tables. A period may be a part's if the names are none.
func (d *Document) divides(from, to int, names string) bool {
	if to-from > maxBetweenParts {
		return false
	}
	years := slices.ContainsFunc(strings.FieldsFunc(names, func(r rune) bool { return !unicode.IsDigit(r) }), isYear)
	for line := range strings.Lines(d.Text[from:to]) {
		text := strings.TrimSpace(line)
		introduces := strings.HasSuffix(text, ":") && len(strings.Fields(text)) > maxColonWords
		if utf8.RuneCountInString(text) > maxPartLine || strings.HasSuffix(text, ".") || introduces ||
			namesScale(strings.ToLower(text)) || isNames(text) || isCaption(text) || isStatement(text) || years && isOwnUnits(titleLine{text: text}) {
			return false
		}
	}
	return true
}
