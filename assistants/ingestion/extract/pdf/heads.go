package pdf

import "slices"

// Bounds of the lines in which programs print the names of a table's columns.
const (
	mostNames  = 3   // lines with names above a rule
	headStep   = 1.8 // the greatest step from line to line, in font sizes
	leastRule  = 8   // dashes of a rule
	leastNamed = 3   // columns that a line names without a rule
)

// printedHead returns how many rows above a table name its columns, as programs print them: up
// to three lines in type of fixed width and the rule of dashes below them, or one such line
// with a word over each column. The rule crosses the gutter between the columns, and names
// may, so these rows are not among the table's.
func printedHead(above []textRow, first textRow, columns []box) int {
	n, names, ruled, next := 0, 0, false, first
	for i := len(above) - 1; i >= 0; i-- {
		r := above[i]
		if next.baseline-r.baseline > headStep*max(r.size, next.size) {
			break
		}
		next = r
		switch {
		case isRule(r.glyphs()):
			ruled, names = true, 0
		case !ruled && overEach(columns, r):
			return len(above) - i
		case !ruled || !maybeNames(r, len(columns)):
			return n
		case names == mostNames: // these are the rows of another table
			return 0
		default:
			names++
			n = len(above) - i
		}
	}
	return n
}

// isRule reports whether characters are a line of dashes.
func isRule(chars []glyph) bool {
	dashes := 0
	for _, g := range chars {
		switch g.char {
		case '-', '=', '–', '—', '─', '━', '═':
			dashes++
		case ' ', '|':
		default:
			return false
		}
	}
	return dashes >= leastRule
}

func (r textRow) glyphs() []glyph {
	var out []glyph
	for _, w := range r.words() {
		out = append(out, w.glyphs...)
	}
	return out
}

func (r textRow) words() []word {
	var out []word
	for _, s := range r.segments {
		out = append(out, s.words...)
	}
	return out
}

func isFixed(words []word) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w word) bool { return !w.fixed })
}

// maybeNames reports whether a row may hold names of columns: few words, and no amounts.
func maybeNames(r textRow, columns int) bool {
	words := r.words()
	if !isFixed(words) || len(words) > 2*columns+2 || len(r.segments) == 1 && endsSentence(r.glyphs()) {
		return false
	}
	return !slices.ContainsFunc(words, func(w word) bool {
		return isNumberCell(w.text()) && slices.ContainsFunc(w.glyphs, func(g glyph) bool { return g.char == '.' })
	})
}

// overEach reports whether a row has one word over each column; the first may have none.
func overEach(columns []box, r textRow) bool {
	words := r.words()
	if len(columns) < leastNamed || !isFixed(words) {
		return false
	}
	over := make([]int, len(columns))
	for _, w := range words {
		c := columnOver(columns, w.box)
		if c < 0 {
			return false
		}
		over[c]++
	}
	return over[0] <= 1 && !slices.ContainsFunc(over[1:], func(n int) bool { return n != 1 })
}

// headLines makes lines of the rows that name a table's columns.
func (p part) headLines() []textLine {
	if !p.printed {
		return p.nameLines()
	}
	var out []textLine
	for _, r := range p.rows[:p.head] {
		out = append(out, p.headLine(r))
	}
	return out
}

// headLine makes a line of a row that names a table's columns, or of the rule below it.
func (p part) headLine(r textRow) textLine {
	if isRule(r.glyphs()) {
		return newLine(r)
	}
	byColumn := make([]textRow, len(p.columns))
	for _, s := range r.segments {
		names := eachWord(s)
		if !p.overColumns(names) {
			names = []segment{s}
		}
		for _, name := range names {
			c := columnOver(p.columns, name.box)
			if c < 0 {
				c = columnAt(p.columns, name)
			}
			byColumn[c].add(name)
		}
	}
	cells := make([][]textLine, len(p.columns))
	for c, cell := range byColumn {
		if len(cell.segments) > 0 {
			cells[c] = []textLine{newLine(cell)}
		}
	}
	l := tableLine(cells, r, r)
	if len(cells[0]) == 0 {
		l.emptyFirst()
	}
	return l
}

// eachWord returns the words of a segment as segments of their own.
func eachWord(s segment) []segment {
	var out []segment
	for _, w := range s.words {
		out = append(out, segment{words: []word{w}, box: w.box, baseline: w.baseline, size: w.size})
	}
	return out
}

// overColumns reports whether each word stands over a column of its own.
func (p part) overColumns(words []segment) bool {
	last := -1
	for _, w := range words {
		c := columnOver(p.columns, w.box)
		if c <= last {
			return false
		}
		last = c
	}
	return true
}

// columnOver returns the first column that a name stands over, or -1.
func columnOver(columns []box, name box) int {
	return slices.IndexFunc(columns, func(c box) bool { return name.left < c.right && name.right > c.left })
}

// withoutRunningHead leaves out a table's first row at the top of the text if it stands apart,
// has the number of a page or a section, and words that reach over several of the table's
// columns. These would be one.
func (g gutter) withoutRunningHead(all []textRow) gutter {
	rows := all[g.from:g.to]
	if g.from > 0 || len(rows) < 3 {
		return g
	}
	var steps []float64
	for i := 2; i < len(rows); i++ {
		steps = append(steps, rows[i].baseline-rows[i-1].baseline)
	}
	columns := columnsOf(rows[1:], g.size)
	numbered := slices.ContainsFunc(rows[0].segments, func(s segment) bool {
		return parsePaging(s.text()).paged == pagingAlone
	})
	across := slices.ContainsFunc(rows[0].segments, func(s segment) bool {
		first := columnOver(columns, s.box)
		return first >= 0 && columnOver(columns[first+1:], s.box) >= 0
	})
	labelled := 0 // rows with text in the first column
	for _, r := range rows[1:] {
		if r.box.left < columns[0].right {
			labelled++
		}
	}
	if numbered && across && rows[1].baseline-rows[0].baseline > runningApart*median(steps) && 2*labelled > len(rows) {
		g.from++
	}
	return g
}

// belowRule returns the table whose names a gutter has separated from its rows, because a rule
// of dashes is between them.
func (g gutter) belowRule(all []textRow) gutter {
	if g.to-g.from > mostNames+1 || g.to+2 >= len(all) || !isRule(all[g.to].glyphs()) {
		return g
	}
	end := g.to + 1
	for end < len(all) && !isRule(all[end].glyphs()) && all[end].baseline-all[end-1].baseline <= headStep*all[end].size {
		end++
	}
	rest := all[g.to+1 : end]
	if below, ok := findGutter(rest); ok {
		if core, ok := below.tableCore(rest); ok && core.from == 0 {
			core.from, core.to = core.from+g.to+1, core.to+g.to+1
			return core
		}
	}
	return g
}
