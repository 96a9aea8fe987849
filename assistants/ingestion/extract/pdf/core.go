package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Bounds of what belongs to a table, in points and in line steps.
const (
	alignedWithin = 1.5 // how far the edges of a column's cells may be from each other
	farRow        = 5   // the step, in font sizes, below which a row must have its cells in the columns
	headingStep   = 1.4 // the least step above a heading in bold within a table's rows
)

// tableCore limits a gutter to the rows of one table: those with text on both sides, and
// those that continue its columns. A title in the middle of the page, the end of a
// paragraph or the heading of the next table may leave the gutter free, too, but are no
// rows. If all that leaves the gutter free is no table, its rows are one only with a column
// of numbers. Code next to its output has rows as well, but no such column.
func (g gutter) tableCore(all []textRow) (core gutter, ok bool) {
	span := all[g.from:g.to]
	whole := isTable(span, columnsOf(span, g.size), g.size)
	for i := g.from; i < g.to; {
		if !g.bothSides(all[i]) {
			i++
			continue
		}
		run := g.runFrom(all, i)
		i = run.to
		rows := all[run.from:run.to]
		if len(rows) < 2 || len(rows) <= core.to-core.from {
			continue
		}
		if columns := columnsOf(rows, g.size); (whole || hasNumbers(rows, columns)) && isTable(rows, columns, g.size) {
			core, ok = run, true
		}
	}
	return core, ok
}

// runFrom returns the rows of a table, the first of which has text on both sides at from.
func (g gutter) runFrom(all []textRow, from int) gutter {
	run := g
	run.from, run.to = from, from+1
	columns := columnsOf(all[from:from+1], g.size)
	var counted numberCount
	for i := from + 1; i < g.to; i++ {
		switch {
		case i-1 > from && namesAgain(columns, all[from:g.to], i-from, &counted):
			i = g.to
		case g.bothSides(all[i]) && (all[i].baseline-all[i-1].baseline <= farRow*all[i].size || aligned(columns, all[i])):
			for ; run.to <= i; run.to++ {
				columns = addToColumns(columns, all[run.to], g.size)
			}
		case g.mayLead(all, i) && g.leadsRows(columnsBelow(all[from:run.to], columns, g.size), all, i, maxLeading):
		case apart(all[i-1], all[i]) || !within(columns, all[i]) || isBold(all[i]) && !isBold(all[i-1]) && i-1 > from &&
			all[i].baseline-all[i-1].baseline > headingStep*(all[i-1].baseline-all[i-2].baseline):
			i = g.to
		}
	}
	for run.from > g.from && continues(columns, all[run.from-1], all[run.from]) && !isSumRow(columns, all[run.from-1]) {
		run.from--
	}
	for run.from > 0 && namesColumns(columns, all[run.from-1], all[run.from]) { // a wide name may cross the gutter
		run.from--
	}
	for run.to < g.to && continues(columns, all[run.to], all[run.to-1]) && isBold(all[run.to]) == isBold(all[run.to-1]) {
		run.to++
	}
	return run
}

// maxLeading is the most labels with a colon that follow each other.
const maxLeading = 3

// namesAgain reports whether the i-th row begins the names of the next table's columns. There is more space above it than
// above the row before, and it has no amounts. The names may take two rows. The rows above it were counted before in part.
func namesAgain(columns []box, rows []textRow, i int, counted *numberCount) bool {
	if rows[i].baseline-rows[i-1].baseline <= headingStep*(rows[i-1].baseline-rows[i-2].baseline) {
		return false
	}
	var names []textRow
	for j := i; j < min(i+2, len(rows)) && !slices.ContainsFunc(rows[j].segments, func(s segment) bool { return isAmount(s.text()) }); j++ {
		names = append(names, rows[j])
	}
	return named(names, columns) >= max(2, leastNames(columns)) && counted.hasNumbers(rows[:i], columns)
}

// mayLead reports whether the i-th row is a label with a colon not far below the last row of a table. The label may take
// two lines.
func (g gutter) mayLead(all []textRow, i int) bool {
	r := all[i]
	if len(r.segments) != 1 || i+1 == g.to || r.baseline-all[i-1].baseline > farRow*r.size || !closeTo(r, all[i+1]) || isBold(r) {
		return false
	}
	next := all[i+1]
	return endsWithColon(r) || len(next.segments) == 1 && i+2 < g.to && next.baseline-r.baseline <= headingStep*r.size && endsWithColon(next) && !isBold(next)
}

func endsWithColon(r textRow) bool {
	chars := r.glyphs()
	return len(chars) > 0 && chars[len(chars)-1].char == ':'
}

// leadsRows reports whether the i-th row is a label with a colon above further rows of a table: "Cost of sales:". There
// may be more space above it than between other rows, and it may be the first label below the names of the columns. A
// list of amounts, such as an invoice's sums, has no such labels.
func (g gutter) leadsRows(columns []box, all []textRow, i, most int) bool {
	r, next := all[i], all[i+1]
	if r.box.right < columns[0].left {
		return g.bothSides(next) && slices.ContainsFunc(next.segments, segment.isFigure)
	}
	if len(columns) < 3 || r.box.left < columns[0].left-alignedWithin {
		return false
	}
	return continuesAmounts(columns, next) || most > 1 && g.mayLead(all, i+1) && g.leadsRows(columns, all, i+1, most-1)
}

// continuesAmounts reports whether a row has a label, and amounts that end where those of a table do.
func continuesAmounts(columns []box, r textRow) bool {
	cells := byLeft(r.segments)
	return len(cells) > 1 && !cells[0].isFigure() && !slices.ContainsFunc(cells[1:], func(s segment) bool {
		c := columns[columnAt(columns, s)]
		return !s.isFigure() || !isCurrency(s.text()) && math.Abs(s.box.right-c.right) > max(alignedWithin, bracketWidth*s.size)
	})
}

// hasNumbers reports whether most cells of a column, except the first, are numbers.
func hasNumbers(rows []textRow, columns []box) bool {
	var counted numberCount
	return counted.hasNumbers(rows, columns)
}

// A numberCount has the numbers in a table's columns. It counts only the rows that were added, as long as no column
// becomes wider.
type numberCount struct {
	columns []box
	rows    int   // that were counted
	cells   []int // by column
	numbers []int // the cells that are numbers
}

func (n *numberCount) hasNumbers(rows []textRow, columns []box) bool {
	if !slices.EqualFunc(n.columns, columns, func(a, b box) bool { return a.right == b.right }) {
		*n = numberCount{columns: slices.Clone(columns), cells: make([]int, len(columns)), numbers: make([]int, len(columns))}
	}
	for ; n.rows < len(rows); n.rows++ {
		for _, s := range rows[n.rows].segments {
			text := s.text()
			if isCurrency(text) {
				continue
			}
			c := columnAt(columns, s)
			if n.cells[c]++; isNumberCell(text) {
				n.numbers[c]++
			}
		}
	}
	for c := 1; c < len(columns); c++ {
		if n.cells[c] >= 2 && 5*n.numbers[c] >= 3*n.cells[c] {
			return true
		}
	}
	return false
}

// text returns the words of a segment.
func (s segment) text() string {
	var b strings.Builder
	for _, w := range s.words {
		for _, g := range w.glyphs {
			b.WriteRune(g.char)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// bothSides reports whether a row has text on both sides of the gutter.
func (g gutter) bothSides(r textRow) bool {
	left, right := splitAt([]textRow{r}, g.at)
	return len(left) > 0 && len(right) > 0
}

// namesColumns reports whether a row above a table names its columns: it is bold, and has no
// text in the first one but cells over others. They may be centred over a currency sign and its
// amounts, so that no edge is aligned. A single cell may as well be the title, unless there is
// only one column to name.
func namesColumns(columns []box, r, next textRow) bool {
	first, last := columns[0], columns[len(columns)-1]
	if len(columns) < 2 || !isBold(r) || r.box.left < first.right || r.box.right > last.right+2*r.size || !closeTo(r, next) {
		return false
	}
	return len(r.segments) > 1 || len(columns) <= 3 && r.box.left > columns[1].left-2*r.size
}

func closeTo(r, next textRow) bool {
	return math.Abs(r.baseline-next.baseline) <= 2.2*max(r.size, next.size) && math.Abs(r.size-next.size) <= 1
}

// continues reports whether a row at a table's end has its cells in the table's columns.
func continues(columns []box, r, next textRow) bool { return closeTo(r, next) && aligned(columns, r) }

// aligned reports whether each cell begins or ends where its column does.
func aligned(columns []box, r textRow) bool {
	return !slices.ContainsFunc(r.segments, func(s segment) bool {
		c := columns[columnAt(columns, s)]
		return math.Abs(s.box.left-c.left) > alignedWithin && math.Abs(s.box.right-c.right) > alignedWithin && !endsAmounts(c, s)
	})
}

// isSumRow reports whether a row has amounts and no label. It is the end of a table.
func isSumRow(columns []box, r textRow) bool {
	numbers := 0
	for _, s := range r.segments {
		text := strings.TrimSpace(s.text())
		switch {
		case isAmount(text):
			if isNumberCell(text) {
				numbers++
			}
		case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
			return false
		}
	}
	return numbers > 0 && r.box.left >= columns[0].right
}

// isSumOf reports whether the row below a table is its sum: all its amounts end where those of a
// column do. A rule or two may be between them.
func isSumOf(columns []box, r, last textRow) bool {
	return isSumRow(columns, r) && r.baseline-last.baseline <= farNames*max(r.size, last.size) && math.Abs(r.size-last.size) <= 1 &&
		!slices.ContainsFunc(r.segments, func(s segment) bool {
			return isNumberCell(strings.TrimSpace(s.text())) && !endsAmounts(columns[columnAt(columns, s)], s)
		})
}

// within reports whether a row begins within the table's columns.
func within(columns []box, r textRow) bool {
	return !slices.ContainsFunc(r.segments, func(s segment) bool {
		c := columns[columnAt(columns, s)]
		return s.box.left < c.left-alignedWithin && !endsAmounts(c, s)
	})
}

// bracketWidth is how much wider an amount in brackets is at the right, in font sizes.
const bracketWidth = 0.4

// endsAmounts reports whether a cell is an amount that ends where those of a column do, with or
// without a bracket. A sum may be wider than they are.
func endsAmounts(column box, s segment) bool {
	return math.Abs(s.box.right-column.right) <= max(alignedWithin, bracketWidth*s.size) && isNumberCell(strings.TrimSpace(s.text()))
}

func isBold(r textRow) bool {
	return !slices.ContainsFunc(r.segments, func(s segment) bool {
		return slices.ContainsFunc(s.words, func(w word) bool { return !w.bold })
	})
}
