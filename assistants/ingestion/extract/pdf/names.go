package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// Bounds of the names of a table's columns.
const (
	farNames  = 2.6 // the greatest step from the names to the line below them, in font sizes
	farTitles = 4.5 // the same, if titles of a part are between the names and the amounts
	maxTitles = 2   // such titles
	nameRows  = 5   // the most rows of names
	longName  = 40  // the most characters of a name
	longLabel = 80  // and of a label in front of names

	sameNames     = 0.5  // the greatest step between names on one line, in font sizes
	centredWithin = 0.1  // how far from the middle of its columns a name may stand, as a share of half their width
	titleWithin   = 0.02 // the same for a title over the whole table
)

// A namedTable is where a table begins, and the rows that name its columns: the first ones of the
// table, or, if titles are between them and the table, some above it.
type namedTable struct {
	from, head int
	printed    bool // a program printed the names, in type of fixed width
	names      span // those above titles
	columns    []box
}

// withNames adds the rows that name a table's columns to it, which may have other edges than the
// cells.
func withNames(all []textRow, g gutter, columns []box) namedTable {
	if n := printedHead(all[:g.from], all[g.from], columns); n > 0 {
		return namedTable{from: g.from - n, head: n, printed: true, columns: columns}
	}
	t := namedTable{from: g.from, columns: columns}
	rows := all[g.from:g.to]
	if !hasNumbers(rows, columns) {
		return t
	}
	columns = columnsBelow(rows, columns, g.size)
	t.columns = columns
	if n := leadingNames(rows, amountColumns(columns, rows)); n > 0 {
		below := columnsOf(rows[n:], g.size)
		if single := n+1 == len(rows); len(below) > 1 && (single || hasNumbers(rows[n:], below)) { // one row is no column of numbers
			t.head, t.columns = n, below
		}
	}
	amounts := amountColumns(t.columns, rows[t.head:])
	far := farNames
	if t.head == 0 && isPartTitle(rows, amounts) {
		far = farTitles
	}
	n := namesAbove(all[:g.from], rows[0], amounts, far)
	t.from, t.head = t.from-n, t.head+n
	t.skipTitles(all, g.to, amounts)
	return t
}

// columnsBelow returns a table's columns without the rows at its top that may name them: they have no amounts, and no
// labels but units or a year. A name over several columns joins them.
func columnsBelow(rows []textRow, columns []box, size float64) []box {
	best := columns
	for n := 0; n < len(rows)-1 && n < nameRows && rows[n].mayName(columns); n++ {
		below := rows[n+1:]
		if c := columnsOf(below, size); len(c) > len(best) && (hasNumbers(below, c) || len(below) == 1 && continuesAmounts(c, below[0])) {
			best = c
		}
	}
	return best
}

// mayName reports whether a row may name columns: it has no amounts, and no label but units or a year.
func (r textRow) mayName(columns []box) bool {
	if r.box.left < columns[0].right && !isUnitsOrYear(r.labelIn(columns)) {
		return false
	}
	return !slices.ContainsFunc(r.segments, func(s segment) bool { return isAmount(s.text()) || isCurrency(s.text()) })
}

// skipTitles takes the titles between the names and the amounts out of the table, and finds names
// above titles.
func (t *namedTable) skipTitles(all []textRow, to int, amounts []box) {
	if t.head > 0 {
		names := span{t.from, t.from + t.head}
		from := names.to
		for from-names.to < maxTitles && isPartTitle(all[from:to], amounts) {
			from++
		}
		if from > names.to {
			t.names, t.from, t.head = names, from, 0
		}
		return
	}
	for i := t.from; i > 0 && t.from-i < maxTitles && isLabel(all[i-1], all[i], amounts); i-- {
		if n := namesAbove(all[:i-1], all[i-1], amounts, farTitles); n > 0 {
			t.names = span{i - 1 - n, i - 1}
			for isPartTitle(all[t.from:to], amounts) {
				t.from++
			}
			return
		}
	}
}

// parts are the names of the table's columns above titles, the titles, and the table.
func (t namedTable) parts(all []textRow, to, depth int) []part {
	var out []part
	if t.names.to > t.names.from {
		names := all[t.names.from:t.names.to]
		out = append(out, part{rows: names, columns: amountColumns(t.columns, all[t.from:to]), head: len(names)})
		out = append(out, divide(flatten(all[t.names.to:t.from]), depth)...)
	}
	return append(out, part{rows: all[t.from:to], columns: t.columns, head: t.head, printed: t.printed})
}

// isPartTitle reports whether the first of a table's rows is the title of those below it: a label in
// bold type above others that are not.
func isPartTitle(rows []textRow, columns []box) bool {
	return len(rows) > 2 && isBold(rows[0]) && isLabel(rows[0], rows[1], columns) &&
		slices.ContainsFunc(rows[1:], func(r textRow) bool { return !isBold(r) })
}

// isLabel reports whether a row has text in the first column only, not far above the next row,
// which begins with a label, too. The amounts of a row may stand a little below its label.
func isLabel(r, next textRow, columns []box) bool {
	return len(columns) > 1 && len(r.segments) == 1 && r.segments[0].table == nil && r.box.left < columns[0].right && r.box.right < columns[1].left &&
		next.box.left < columns[0].right && !isCurrency(byLeft(next.segments)[0].text()) &&
		next.baseline-r.baseline <= farTitles*max(r.size, next.size)
}

// amountColumns returns a table's columns. Signs of a currency are a part of the next one.
func amountColumns(columns []box, rows []textRow) []box {
	signs := make([]bool, len(columns))
	for c := range signs {
		signs[c] = c > 0 && c+1 < len(columns)
	}
	for _, s := range flatten(rows) {
		if !isCurrency(s.text()) {
			signs[columnAt(columns, s)] = false
		}
	}
	var out []box
	for c, column := range columns {
		if c > 0 && signs[c-1] {
			out[len(out)-1] = out[len(out)-1].union(column)
			continue
		}
		out = append(out, column)
	}
	return out
}

// isCurrency reports whether a text is the sign of a currency and nothing else.
func isCurrency(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.Is(unicode.Sc, r) })
}

// nameLines makes lines of the rows that name a table's columns. The parts of a name stand
// below each other. A name over several columns is on a line of its own.
func (p part) nameLines() []textLine {
	columns := p.columns
	if p.head < len(p.rows) {
		columns = amountColumns(p.columns, p.rows[p.head:])
	}
	var out []textLine
	var group []textRow
	emit := func() {
		if len(group) > 0 {
			out = append(out, nameLine(columns, group))
		}
		group = nil
	}
	rows := levelled(p.rows[:p.head])
	repeated := len(rows) > 1 && repeatsNames(columns, rows[len(rows)-1])
	for i, r := range rows {
		wide := slices.ContainsFunc(r.segments, func(s segment) bool { return spans(columns, s.box) }) ||
			repeated && i+1 < len(rows) && namesCells(columns, r) < len(columns)-1
		if wide {
			emit()
		}
		group = append(group, r)
		if wide {
			emit()
		}
	}
	emit()
	return out
}

// levelled joins rows of names that stand only a little higher or lower than each other.
func levelled(rows []textRow) []textRow {
	var out []textRow
	for _, r := range rows {
		if n := len(out); n > 0 && r.baseline-out[n-1].baseline < sameNames*max(r.size, out[n-1].size) {
			last := out[n-1]
			last.segments = slices.Concat(last.segments, r.segments)
			last.box = last.box.union(r.box)
			out[n-1] = last
			continue
		}
		out = append(out, r)
	}
	return out
}

// repeatsNames reports whether a row names all columns by years or periods, and some alike: "2023 2022 2023 2022". What is above
// it says how they differ, and each such name is one over several columns.
func repeatsNames(columns []box, r textRow) bool {
	seen := make(map[string]bool)
	for _, s := range byLeft(r.segments) {
		if nameOver(columns, s.box) == 0 {
			continue
		}
		if seen[s.text()] = true; !strings.ContainsFunc(s.text(), unicode.IsDigit) {
			return false
		}
	}
	n := namesCells(columns, r)
	return n == len(columns)-1 && len(seen) < n
}

// spans reports whether a name stands over more than one column: over the middle of each, or in the middle
// of those that it touches.
func spans(columns []box, name box) bool {
	n, touched := 0, 0
	var all box
	for _, c := range columns[1:] {
		if c.right <= name.left || c.left >= name.right {
			continue
		}
		if touched++; touched == 1 {
			all = c
		}
		all = all.union(c)
		if middle := (c.left + c.right) / 2; name.left < middle && name.right > middle {
			n++
		}
	}
	return n > 1 || touched > 1 && math.Abs(name.left+name.right-all.left-all.right) <= centredWithin*all.width()
}

// nameLine joins the names in rows by their columns.
func nameLine(columns []box, rows []textRow) textLine {
	cells := make([][]textLine, len(columns))
	for _, r := range rows {
		byColumn := make([]textRow, len(columns))
		for _, s := range r.segments {
			byColumn[max(nameOver(columns, s.box), 0)].add(s)
		}
		for c, cell := range byColumn {
			if len(cell.segments) > 0 {
				cells[c] = append(cells[c], newLine(cell))
			}
		}
	}
	if runsLeft(flatten(rows)) {
		slices.Reverse(cells)
	}
	l := tableLine(cells, rows[0], rows[len(rows)-1])
	if len(cells[0]) == 0 && onlyCell(cells) {
		l.emptyFirst()
	}
	return l
}

// leadingNames returns how many rows at the top of a table name its columns: they have no
// text in the first column, where the other rows have their labels, or units or a year. A first row that names all
// columns by years may have a label that says what these are, such as a period.
func leadingNames(rows []textRow, columns []box) int {
	n := 0
	for n < len(rows) && n <= nameRows && (rows[n].box.left >= columns[0].right || isUnitsOrYear(rows[n].labelIn(columns))) && namesCells(columns, rows[n]) > 0 {
		n++
	}
	if n == 0 && len(rows) > 1 && years(rows[0]) == len(columns)-1 && namesCells(columns, rows[0]) == len(columns)-1 && years(rows[1]) == 0 && isPeriod(rows[0].labelIn(columns)) {
		n++
	}
	if n > nameRows || !labelled(rows[n:], columns) && !isOnlyRow(rows, n, columns) || named(rows[:n], columns) < leastNames(columns) {
		return 0
	}
	return n
}

// isOnlyRow reports whether a table has one row of names, which are years, and one row below it.
func isOnlyRow(rows []textRow, names int, columns []box) bool {
	return names == 1 && len(rows) == 2 && rows[1].box.left < columns[0].right &&
		len(rows[0].segments) == len(columns)-1 && years(rows[0])+1 == len(rows[0].segments)
}

// labelIn returns the text of a row in the first column.
func (r textRow) labelIn(columns []box) string {
	var parts []string
	for _, s := range byLeft(r.segments) {
		if nameOver(columns, s.box) == 0 {
			parts = append(parts, s.text())
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// isPeriod reports whether the label in front of years is a part of a period, or units, or none.
func isPeriod(label string) bool {
	year := label + " 2000" // the label of years may lack one
	return label == "" || extract.IsUnits(label) || extract.IsUnits(year) || extract.IsUnits("at "+year) || extract.IsUnits(label+" ended 2000")
}

// isUnitsOrYear reports whether a label in front of names says what the amounts are counted in, or is a year: "2021
// (restated)".
func isUnitsOrYear(label string) bool {
	year, rest, _ := strings.Cut(label, " ")
	return extract.IsUnits(label) || extract.IsYear(year) && (rest == "" || extract.IsUnits(rest))
}

// years returns how many cells of a row have a year, without the first.
func years(r textRow) (n int) {
	for _, s := range byLeft(r.segments)[1:] {
		if slices.ContainsFunc(plainWords(s.text()), extract.IsYear) {
			n++
		}
	}
	return n
}

// labelled reports whether most rows, and the first, begin in the first column.
func labelled(rows []textRow, columns []box) bool {
	n := 0
	for _, r := range rows {
		if r.box.left < columns[0].right {
			n++
		}
	}
	return len(rows) > 1 && rows[0].box.left < columns[0].right && 2*n > len(rows)
}

// namesAbove returns how many of the last rows above a table name its columns. The lowest may
// have a label, such as a period.
func namesAbove(above []textRow, first textRow, columns []box, far float64) int {
	n, next := 0, first
	for n < len(above) && n < nameRows {
		r := above[len(above)-1-n]
		if n > 0 {
			far = farNames
		}
		if isCentredTitle(columns, r) || r.segments[0].table != nil || next.baseline-r.baseline > far*max(r.size, next.size) || !likeSize(r.size, first.size) || namesCells(columns, r) == 0 {
			break
		}
		n, next = n+1, r
	}
	if named(above[len(above)-n:], columns) < max(2, leastNames(columns)) {
		return 0
	}
	return n
}

// isCentredTitle reports whether a row is a title in the middle of a table, labels and amounts together.
func isCentredTitle(columns []box, r textRow) bool {
	all := columns[0].union(columns[len(columns)-1])
	return len(r.segments) == 1 && math.Abs(r.box.left+r.box.right-all.left-all.right) <= titleWithin*all.width()
}

// leastNames returns how many columns must have a name: half of them, without the labels.
func leastNames(columns []box) int { return max(len(columns)/2, min(2, len(columns)-1)) }

// likeSize reports whether names may be of a size; they are often smaller or larger than the
// amounts.
func likeSize(name, amounts float64) bool { return name > 0.7*amounts && name < 1.4*amounts }

// named returns how many columns rows name.
func named(rows []textRow, columns []box) int {
	over := make(map[int]bool)
	for _, r := range rows {
		for _, s := range r.segments {
			if c := nameOver(columns, s.box); c > 0 {
				over[c] = true
			}
		}
	}
	return len(over)
}

// namesCells returns how many columns a row names, without the first: its cells stand over one
// column each, and are no amounts. It returns 0 if the row is none with names.
func namesCells(columns []box, r textRow) int {
	n, last := 0, -1
	for _, s := range byLeft(r.segments) {
		c := nameOver(columns, s.box)
		text := s.text()
		if c < 0 || c <= last || isAmount(text) || utf8.RuneCountInString(text) > longest(c) {
			return 0
		}
		if last = c; c > 0 {
			n++
		}
	}
	return n
}

func longest(column int) int {
	if column == 0 {
		return longLabel
	}
	return longName
}

// nameOver returns the column that a name stands over, or -1. Names may be wider than their
// column; a sign of a currency is a column before its amounts.
func nameOver(columns []box, name box) int {
	first := columnOver(columns, name)
	if first < 0 {
		return columnAt(columns, segment{box: name})
	}
	best, widest := first, 0.0
	for c := first; c < len(columns) && columns[c].left < name.right; c++ {
		if w := min(name.right, columns[c].right) - max(name.left, columns[c].left); w > widest {
			best, widest = c, w
		}
	}
	if best > 0 && first == 0 {
		return -1 // it is a text that reaches from the labels over the cells
	}
	return best
}

func byLeft(segments []segment) []segment {
	out := slices.Clone(segments)
	slices.SortStableFunc(out, func(a, b segment) int { return compareFloat(a.box.left, b.box.left) })
	return out
}

// isAmount reports whether a cell is a number, except a year, or only a sign in its place.
func isAmount(cell string) bool {
	if !strings.ContainsFunc(cell, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Sc, r) }) {
		return true
	}
	return isNumberCell(strings.TrimSpace(cell)) && !slices.ContainsFunc(plainWords(cell), extract.IsYear)
}
