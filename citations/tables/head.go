package tables

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxHead is the largest number of rows of a head.
const maxHead = 3

// headRows returns how many rows at the beginning of some lines are a head. begins is true where a table or
// a part of it may begin, beforeAmounts before its first amount, hasHead where names are known already;
// elsewhere only years and dates are a head.
func headRows(lines []Line, begins, beforeAmounts, hasHead bool) int {
	if lines[0].Head {
		return headLines(lines)
	}
	if !begins && !beforeAmounts {
		if cells := lines[0].Cells; !arePeriods(cells) || hasHead && (!areSuccessive(cells) || nextRow(lines[1:]) == nil) {
			return 0
		}
	}
	var rows [][]string
	for _, line := range lines[:min(maxHead, len(lines))] {
		if !mayName(line.Cells) || hasUnitAlone(line.Cells[1:]) || strings.HasSuffix(line.Cells[0], ":") {
			break
		}
		rows = append(rows, line.Cells)
	}
	for n := len(rows); n > 0; n-- {
		last, next := rows[n-1], nextRow(lines[n:])
		more := begins || beforeAmounts && (!hasHead || isAbout(last[0]) || goesOn(last[0]) || len(next) > len(last))
		if n == 1 && isHead(last, next, begins) || more && isLowest(last, next) && (n == 1 || stacks(rows[:n])) {
			return n
		}
	}
	return 0
}

// headLines returns how many rows at the beginning of some lines are of a header.
func headLines(lines []Line) int {
	n := 0
	for n < len(lines) && lines[n].Head && lines[n].Cells != nil && !isRule(lines[n].Cells) {
		n++
	}
	return n
}

// nextRow is the first row of some lines, nil if there is none.
func nextRow(lines []Line) []string {
	cells, _ := nextLine(lines)
	return cells
}

// isHead reports whether a row names the columns of the next one: a rule follows, its cells
// are years, it has no number and the next row has, or it is like the lowest row of a head.
func isHead(cells, next []string, begins bool) bool {
	if arePeriods(cells) && (next == nil || len(next) > len(cells)) {
		return true
	}
	if !begins || next == nil {
		return false
	}
	return len(next) == len(cells) && (isRule(next) || arePeriods(cells[1:]) || !anyNumber(cells) && anyNumber(next)) || isLowest(cells, next)
}

// isLowest reports whether a row without amounts stands above amounts and has periods, units
// or as many cells as there are amounts.
func isLowest(cells, next []string) bool {
	if arePeriods(cells) {
		return len(next) > len(cells)
	}
	next = withSigns(next)
	amounts, told := 0, 0
	for _, c := range next {
		if IsAmount(c) {
			amounts++
		}
	}
	for _, c := range cells[1:] {
		if hasYear(c) || hasUnit(c) {
			told++
		}
	}
	switch {
	case amounts == 0:
		return false
	case len(next) == len(cells)+1:
		return told > 0 || amounts == len(cells)
	case len(next) == len(cells)-1:
		return told > 0 && slices.ContainsFunc(cells[1:], isUnit)
	case len(next) == len(cells):
		return told > 1 || told == len(cells)-1 || amounts == len(cells)-1
	}
	return false
}

// stacks reports whether some rows are a head together.
func stacks(rows [][]string) bool {
	for i := range rows[1:] {
		if over(rows[i], rows[i+1]) == nil {
			return false
		}
	}
	return true
}

// over spreads the names of an upper row over those below them; nil if it is not clear which
// stands above which. A name stands over several columns if what is below repeats ("2022 | 2021"
// over "Shares | Price | Shares | Price"), or if it is the only one. A lower row with a label is a row of data.
func over(upper, lower []string) []string {
	switch {
	case len(upper) == len(lower):
		if isAbout(lower[0]) || arePeriods(lower) || goesOn(lower[0]) {
			return upper
		}
		return nil
	case len(lower) == len(upper)+1 && isAbout(lower[0]) && (!hasYear(lower[0]) || !slices.ContainsFunc(lower[1:], hasYear)):
		return append([]string{""}, upper...)
	}
	var label []string // the columns of the labels are left out
	switch {
	case upper[0] == "":
		upper, lower, label = upper[1:], lower[1:], []string{""}
	case isAbout(lower[0]) && !hasYear(lower[0]):
		lower, label = lower[1:], []string{""}
	}
	if len(upper) == 0 || len(lower)%len(upper) != 0 {
		return nil
	}
	width := len(lower) / len(upper)
	for i := width; i < len(lower); i++ {
		if len(upper) > 1 && lower[i] != lower[i-width] {
			return nil
		}
	}
	for _, name := range upper {
		label = append(label, slices.Repeat([]string{name}, width)...)
	}
	return label
}

// goesOn reports whether a name goes on with one above it: it begins with a small letter.
func goesOn(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsLower(first)
}
