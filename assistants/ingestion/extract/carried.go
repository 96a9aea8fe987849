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

// carryNames gives the parts of a table the names of its columns, which stand above the first part. A title or a label
// is between two parts. alone are the tables that only named the columns of the next one.
func (d *Document) carryNames(alone []Block) {
	var names Span // of the last block, if it is a table
	for i := range d.Blocks {
		b := &d.Blocks[i]
		own := false
		for ; len(alone) > 0 && alone[0].Start < b.End; alone = alone[1:] {
			if alone[0].End <= b.Start {
				names, own = Span{alone[0].Start, alone[0].End}, true
			}
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
		case names.End > 0 && b.Units.End <= names.Start && d.beginsWithAmounts(*b) &&
			(own || b.Under && d.divides(d.Blocks[i-1].End, b.Start, d.Text[names.Start:names.End])):
			b.Names = names
		default:
			names = Span{}
		}
	}
}

// beginsWithAmounts reports whether the first row of a table that has cells has an amount: the first of another table
// would name its columns.
func (d *Document) beginsWithAmounts(b Block) bool {
	for row := range strings.Lines(d.Text[b.Start:b.End]) {
		if cells := strings.Split(row, "|"); len(cells) > 1 {
			return amountsIn(cells[1:]) > 0
		}
	}
	return false
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
// short lines that are no sentences, units, periods, or titles of tables. Names without years hold only for the same
// table of another period.
func (d *Document) divides(from, to int, names string) bool {
	if to-from > maxBetweenParts {
		return false
	}
	years := hasYear(names)
	divided := years
	for line := range strings.Lines(d.Text[from:to]) {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		introduces := strings.HasSuffix(text, ":") && len(strings.Fields(text)) > maxColonWords
		if utf8.RuneCountInString(text) > maxPartLine || strings.HasSuffix(text, ".") || introduces || isStatement(text) || isCaption(text) ||
			namesScale(strings.ToLower(text)) || isNames(text) || years == (hasYear(text) || hasTimeWord(text)) {
			return false
		}
		divided = true
	}
	return divided
}

func hasYear(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) }), IsYear)
}

// hasTimeWord reports whether a line is about a time: "Six months", "Budget".
func hasTimeWord(line string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool {
		return slices.Contains(titleWords["time"], w)
	})
}
