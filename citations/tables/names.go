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

	names        []string // of the columns, that of the labels first, "" for none
	period, unit string   // said in place of a name for the labels
	years        bool     // a name has a year
	notesAt      int      // the column of notes, which rows may leave out; 0: there is none
	unitAt       int      // a column for the unit, which all rows leave out; 0: there is none
	labelled     bool     // the labels have a name
	unclear      bool     // it is not clear which column the first name is of
}

// maxVotes is how many rows below a head are looked at to find out whether the labels have a name.
const maxVotes = 50

// newHead makes a head of its rows and the lines below them.
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
		cells = [][]string{rows[0].Cells}
	}
	h := &Head{names: spread(stacked(cells)), unit: unit}
	h.years = slices.ContainsFunc(h.names, hasYear)
	full := h.readLabels(below, rows[0].Head)
	h.notesAt = max(0, slices.IndexFunc(h.names, isNotes))
	if at := max(0, slices.IndexFunc(h.names, isUnit)); at > 0 && !full {
		h.unitAt, h.unit = at, h.names[at]
	}
	return h
}

// readLabels finds out whether the first name is that of the labels. If it is a year, as others are, the labels
// have none. Otherwise a row with a cell more than there are names shows that they have none, unless a unit or
// a word above years can only be theirs. Rows of both kinds leave it unclear. full reports whether a row has a cell
// for each column.
func (h *Head) readLabels(below []Line, known bool) (full bool) {
	names := h.names
	corner := names[0]
	datedBehind := slices.ContainsFunc(names[1:], hasYear)
	withName, without := 0, 0
	for _, line := range below[:min(maxVotes, len(below))] {
		if line.Cells == nil || isRule(line.Cells) {
			continue
		}
		switch len(withSigns(line.Cells)) - len(names) {
		case 0:
			withName++
		case 1:
			without++
		}
	}
	switch {
	case corner == "" || isUnit(corner) || hasUnitAlone(names[:1]):
		h.labelled = true
	case isNotes(corner) || hasYear(corner) && datedBehind || arePeriods(names):
	case hasYear(corner):
		h.labelled = without == 0
	case allDated(names[1:]):
		h.labelled = without == 0 || withName > 0
	case without == 0:
		h.labelled = true
	default:
		h.unclear = withName > 0 || without == 1 && !known && !h.years
	}
	switch {
	case !h.labelled:
		h.names = append([]string{""}, names...)
		return without > 0
	case isAbout(corner) || hasYear(corner) || arePeriods(names[1:]):
		h.names = slices.Clone(names)
		h.readCorner(corner)
	}
	return withName > 0
}

// readCorner reads what stands above the labels in place of a name: a unit, or a period if no other name has one.
func (h *Head) readCorner(corner string) {
	h.names[0] = ""
	said := unitOf(corner)
	if h.unit = cmp.Or(said, h.unit); said == "" && hasYear(corner) && !slices.ContainsFunc(h.names[1:], hasYear) {
		h.period, h.years = corner, false
	}
}

// pair returns the cells of a row and the name of the column of each; no names if they do not
// pair off.
func (h *Head) pair(cells []string) (parts, names []string) {
	if h.unclear || slices.ContainsFunc(cells, isJoined) {
		return cells, nil
	}
	for _, parts := range [...][]string{withSigns(cells), cells} {
		if names := h.namesOf(parts); names != nil && !signsNamed(parts, names) {
			return parts, names
		}
	}
	return cells, nil
}

// namesOf returns the names for the cells of a row, nil if it is not clear which belongs to which. A row without
// the column that all names but one have is not clear.
func (h *Head) namesOf(cells []string) []string {
	switch len(cells) {
	case len(h.names):
		if h.names[0] == "" && !h.labelled && IsAmount(cells[0]) && !hasYear(cells[0]) {
			return nil // a sum of other columns
		}
		return h.names
	case len(h.names) - 1:
		switch {
		case h.notesAt > 0 && (h.notesAt == len(cells) || !isNoteNumber(cells[h.notesAt])):
			return slices.Delete(slices.Clone(h.names), h.notesAt, h.notesAt+1)
		case h.unitAt > 0 && h.notesAt == 0:
			return slices.Delete(slices.Clone(h.names), h.unitAt, h.unitAt+1)
		case h.names[0] == "" && !slices.ContainsFunc(cells, isWord): // a sum without a label
			return h.names[1:]
		}
	case len(h.names) + 1:
		if h.notesAt == 0 && h.names[0] == "" && h.years && isNoteNumber(cells[1]) && areLong(cells[2:]) {
			return slices.Insert(slices.Clone(h.names), 1, "")
		}
	}
	return nil
}

// signsNamed reports whether a cell that is only a sign would have a year for a name: it belongs to an amount.
func signsNamed(cells, names []string) bool {
	for i, c := range cells {
		if (isCurrency(c) || isShareSign(c)) && (hasYear(names[i]) || i == 0) {
			return true
		}
	}
	return false
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
		if middle := from + size/2; size%2 == 0 || periods[middle] == "" || !areDifferent(bare[from:]) {
			return names
		}
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
	if !areDifferent(slices.DeleteFunc(slices.Clone(bare[from:]), func(name string) bool { return !hasYear(name) })) {
		return names
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

// areDifferent reports whether no name is twice among some.
func areDifferent(names []string) bool {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return false
		}
	}
	return true
}
