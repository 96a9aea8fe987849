package tables

import (
	"cmp"
	"slices"
	"strings"
)

// A Head names the columns of a table.
type Head struct {
	First, Last int // its lines
	// Guessed is true if nothing but its place shows that the first row is a head.
	Guessed bool

	names      []string // of the columns, that of the labels first, "" for none
	time, unit string   // said in place of a name for the labels
	// The columns of notes and of a unit, which rows may leave out, 0 for none, and whether any
	// name has a year.
	notesAt, unitAt int
	years           bool
}

// named returns a head with these names.
func named(names []string, unit string) *Head {
	h := &Head{names: names, unit: unit, years: slices.ContainsFunc(names, hasYear)}
	h.notesAt = max(0, slices.IndexFunc(names, isNotes))
	if h.unitAt = max(0, slices.IndexFunc(names, isUnit)); h.unitAt > 0 {
		h.unit = names[h.unitAt]
	}
	return h
}

const (
	maxHead  = 3  // rows of a head
	maxVotes = 50 // rows that tell whether the labels have a name
)

// headRows returns how many rows at the beginning of some lines are a head. first is true
// where a table may begin, early is true before its first amount; elsewhere only years and dates
// are one.
func headRows(lines []Line, first, early bool) int {
	if lines[0].Head {
		return headLines(lines)
	}
	if !first && !early && !arePeriods(lines[0].Cells) {
		return 0
	}
	var rows [][]string
	for _, line := range lines[:min(maxHead, len(lines))] {
		if !mayName(line.Cells) || hasUnitAlone(line.Cells[1:]) {
			break
		}
		rows = append(rows, line.Cells)
	}
	for n := len(rows); n > 0; n-- {
		last, next := rows[n-1], nextRow(lines[n:])
		if n == 1 && isHead(last, next, first) || (n == 1 || stacks(rows[:n])) && (first || early) && isLowest(last, next) {
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
	for _, line := range lines {
		if line.Cells != nil {
			return line.Cells
		}
	}
	return nil
}

// isHead reports whether a row names the columns of the next one: a rule follows, its cells
// are years, it has no number and the next row has, or it is like the lowest row of a head.
func isHead(cells, next []string, first bool) bool {
	if arePeriods(cells) && (next == nil || len(next) > len(cells)) {
		return true
	}
	if !first || next == nil {
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
	next = withCurrencies(next)
	amounts, named := 0, 0
	for _, c := range next {
		if isAmount(c) {
			amounts++
		}
	}
	for _, c := range cells[1:] {
		if hasYear(c) || hasUnit(c) {
			named++
		}
	}
	switch {
	case amounts == 0:
		return false
	case len(next) == len(cells)+1:
		return named > 0 || amounts == len(cells)
	case len(next) == len(cells)-1:
		return named > 0 && slices.ContainsFunc(cells[1:], isUnit)
	case len(next) == len(cells):
		return named > 1 || named == len(cells)-1 || amounts == len(cells)-1
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

// stacked joins the names of each column, from the lowest row up to the first that does not
// fit the one below it.
func stacked(rows [][]string) []string {
	names := rows[len(rows)-1]
	for i := len(rows) - 2; i >= 0; i-- {
		above := over(rows[i], names)
		if above == nil {
			break
		}
		names = slices.Clone(names)
		for j := range names {
			names[j] = strings.TrimSpace(above[j] + " " + names[j])
		}
	}
	return names
}

// over spreads the names of an upper row over those below them; nil if it is not clear which
// stands above which. A name stands over several columns if what is below repeats ("2022 | 2021"
// over "Shares | Price | Shares | Price"), or if it is the only one.
func over(upper, lower []string) []string {
	switch {
	case len(upper) == len(lower):
		return upper
	case len(lower) == len(upper)+1 && isAbout(lower[0]):
		return append([]string{""}, upper...)
	}
	var label []string // the columns of the labels are left out
	switch {
	case upper[0] == "":
		upper, lower, label = upper[1:], lower[1:], []string{""}
	case isAbout(lower[0]) && !arePeriods(lower):
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

// newHead makes a head of its rows and the lines below them. Where more of these have a cell
// more than as many as it has, the labels have no name.
func newHead(rows, below []Line) *Head {
	var cells [][]string
	unit := ""
	for _, line := range rows {
		if said := onlyUnit(line.Cells); said != "" {
			unit = said
		} else {
			cells = append(cells, line.Cells)
		}
	}
	if cells == nil {
		return named(rows[0].Cells, unit)
	}
	names := spread(stacked(cells))
	labelled, unlabelled := named(slices.Clone(names), unit), named(append([]string{""}, names...), unit)
	if arePeriods(names) || isNotes(names[0]) {
		return unlabelled
	}
	with, without := 0, 0
	for _, line := range below[:min(maxVotes, len(below))] {
		if line.Cells == nil || isRule(line.Cells) {
			continue
		}
		if _, found := labelled.pair(line.Cells); found != nil {
			with++
		}
		if _, found := unlabelled.pair(line.Cells); found != nil {
			without++
		}
	}
	sure := rows[0].Head || without > 1 && with == 0 || hasYear(names[0]) || hasUnit(names[0])
	if without > with && sure && !hasUnitAlone(names[:1]) {
		return unlabelled
	}
	if isAbout(names[0]) || hasYear(names[0]) && !slices.ContainsFunc(names[1:], hasYear) || arePeriods(names[1:]) {
		labelled.about(names)
	}
	return labelled
}

// spread gives a period that stands in the middle above several columns to all of them. It was joined to
// the name of one: "2022 | Years ended June 30, 2021 | 2020". Where the names below repeat, there is one for
// each group of columns.
func spread(names []string) []string {
	from := 0
	if isAbout(names[0]) && !hasYear(names[0]) {
		from = 1
	}
	bare, periods, end := slices.Clone(names), make([]string, len(names)), dayAtEnd
	if slices.ContainsFunc(names, func(name string) bool { return len(name) == 4 && hasYear(name) }) {
		end = yearAtEnd
	}
	for i := from; i < len(names); i++ {
		if at := end.FindStringIndex(names[i]); at != nil && at[0] > 0 && periodOf(names[i]) != "" {
			periods[i], bare[i] = names[i][:at[0]], names[i][at[0]:]
		}
	}
	size := groupSize(bare[from:], periods[from:])
	if size == 0 {
		return names
	}
	if from+size == len(names) {
		return bare // the period is that of all
	}
	for g := from; g < len(names); g += size {
		period := strings.Join(periods[g:g+size], "")
		for i := g; i < g+size; i++ {
			if hasYear(bare[i]) {
				bare[i] = period + bare[i]
			}
		}
	}
	return bare
}

// groupSize is the number of columns in each of the groups that names fall into, which have one period each
// and the same names; 0 if there are none.
func groupSize(names, periods []string) int {
	for size := 2; size <= len(names); size++ {
		if len(names)%size != 0 {
			continue
		}
		repeats, years := true, 0
		for i, name := range names {
			repeats = repeats && (i < size || name == names[i-size])
			if i < size && hasYear(name) {
				years++
			}
		}
		for g := 0; repeats && g < len(names); g += size {
			said := slices.DeleteFunc(slices.Clone(periods[g:g+size]), func(p string) bool { return p == "" })
			repeats = len(said) == 1
		}
		if repeats && years > 1 {
			return size
		}
	}
	return 0
}

// about reads the name above the labels, which says what the amounts are in, or their period
// if no other name has one.
func (h *Head) about(names []string) {
	h.names[0] = ""
	said := unitOf(names[0])
	if h.unit = cmp.Or(said, h.unit); said == "" && hasYear(names[0]) && !slices.ContainsFunc(names[1:], hasYear) {
		h.time, h.years = names[0], false
	}
}

// pair returns the cells of a row and the name of the column of each; no names if they do not
// pair off.
func (h *Head) pair(cells []string) (parts, names []string) {
	if slices.ContainsFunc(cells, isJoined) {
		return cells, nil
	}
	for _, parts := range [...][]string{cells, withCurrencies(cells)} {
		switch len(parts) {
		case len(h.names):
			return parts, h.names
		case len(h.names) - 1:
			switch {
			case h.notesAt > 0 && (h.notesAt == len(parts) || !isNoteNumber(parts[h.notesAt])):
				return parts, slices.Delete(slices.Clone(h.names), h.notesAt, h.notesAt+1)
			case h.unitAt > 0 && h.notesAt == 0:
				return parts, slices.Delete(slices.Clone(h.names), h.unitAt, h.unitAt+1)
			case h.names[0] == "" && !slices.ContainsFunc(parts, isWord): // a sum
				return parts, h.names[1:]
			}
		case len(h.names) + 1:
			if h.notesAt == 0 && h.names[0] == "" && h.years && isNoteNumber(parts[1]) {
				return parts, slices.Insert(slices.Clone(h.names), 1, "")
			}
		}
	}
	return cells, nil
}
