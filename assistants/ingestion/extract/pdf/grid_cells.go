package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

// takeGrids replaces the words of each ruled table by one segment that stands for the
// whole table.
func takeGrids(segments []segment, grids []grid) []segment {
	for _, g := range grids {
		var rest []segment
		lines := make([][]segment, len(g.rows)-1) // by row
		taken := 0
		for _, s := range segments {
			height := middle(s.baseline, s.size)
			if s.table != nil || height < g.box.top || height > g.box.bottom || s.box.right < g.box.left-2 || s.box.left > g.box.right+2 {
				rest = append(rest, s)
				continue
			}
			i, _ := slices.BinarySearch(g.rows, height)
			i = min(max(i-1, 0), len(lines)-1)
			lines[i] = append(lines[i], s)
			taken++
		}
		if taken < 2 {
			continue
		}
		if more := g.undivided(lines); len(more) > 0 {
			g.columns = slices.Sorted(slices.Values(slices.Concat(g.columns, more)))
		}
		cells := make([][][]word, len(lines))
		for i := range lines {
			cells[i] = g.cellsOf(lines[i])
		}
		if stacksAmounts(cells) {
			continue
		}
		if table := gridTable(g, cells); len(table) > 0 {
			segments = slices.Concat(rest, atTitles(table, g.box))
		}
	}
	return segments
}

// middle is the height of a line at which rules are looked for.
func middle(baseline, size float64) float64 { return baseline - 0.3*size }

// atTitles returns the parts of a table in a box, each as a segment. A title in larger type
// begins a part.
func atTitles(table []textLine, in box) []segment {
	var out []segment
	for i := range table {
		last := len(out) - 1
		if i > 0 && (!titled(table[i:]) || table[i].size <= 1.1*table[i-1].size) {
			out[last].table = append(out[last].table, table[i])
			continue
		}
		if i > 0 {
			out[last].box.bottom, in.top = table[i].box.top, table[i].box.top
		}
		out = append(out, segment{box: in, baseline: in.top + 1, size: table[i].size, table: slices.Clone(table[i : i+1])})
	}
	return out
}

// cellsOf returns the words of a row by their columns. Those of a cell that spans columns, such as
// a title over all of them, are in the first.
func (g grid) cellsOf(lines []segment) [][]word {
	cells := make([][]word, len(g.columns)+1)
	open := make([]bool, len(g.columns)) // whether a cell goes on behind the rule
	var ruled []bool                     // whether a line has the rule
	for _, s := range lines {
		for words := s.words; len(words) > 0; {
			n, all := 1, words[0].box
			for n < len(words) && (g.column(words[n-1].box) == g.column(words[n].box) || g.spanned(words[n-1], words[n])) {
				all = all.union(words[n].box)
				n++
			}
			at, last := g.columnsOf(words[:n])
			if at < last && ruled == nil {
				ruled = g.ruledIn(lines)
			}
			if at < last && slices.Contains(ruled[at:last], true) {
				at, last = g.column(all), 0
			}
			for c := at; c < last; c++ {
				open[c] = true
			}
			cells[at] = append(cells[at], words[:n]...)
			words = words[n:]
		}
	}
	for c := len(open) - 1; c >= 0; c-- {
		if open[c] {
			cells[c], cells[c+1] = append(cells[c], cells[c+1]...), nil
		}
	}
	return cells
}

// column returns the index of the column that the middle of a box is in.
func (g grid) column(b box) int {
	j, _ := slices.BinarySearch(g.columns, (b.left+b.right)/2)
	return j
}

// columnsOf returns the first and the last column that words are in.
func (g grid) columnsOf(words []word) (first, last int) {
	first = len(g.columns)
	for _, w := range words {
		first, last = min(first, g.column(w.box)), max(last, g.column(w.box))
	}
	return first, last
}

// ruledIn returns which rules of the columns are at the height of a line.
func (g grid) ruledIn(lines []segment) []bool {
	out := make([]bool, len(g.columns))
	for c, x := range g.columns {
		out[c] = slices.ContainsFunc(lines, func(s segment) bool { return g.ruled(x-sameRule, x+sameRule, middle(s.baseline, s.size)) })
	}
	return out
}

const (
	wordSpace = 0.5 // the widest space between two words of a title, in font sizes
	sameRule  = 4   // how far apart the rules of a column may be
)

// spanned reports whether two adjacent words of a line are in one cell that spans columns: they
// stand as close as words do, and no rule is between them there.
func (g grid) spanned(last, next word) bool {
	size := max(last.size, next.size)
	if max(next.box.left-last.box.right, last.box.left-next.box.right) > wordSpace*size {
		return false
	}
	both := last.box.union(next.box)
	return !g.ruled(both.left, both.right, middle(next.baseline, next.size))
}

// ruled reports whether a rule down is between two places at a height.
func (g grid) ruled(left, right, height float64) bool {
	// Rules at about the same place are not in order.
	i, _ := slices.BinarySearchFunc(g.down, left-sameLevel, func(d rule, at float64) int { return compareFloat(d.at, at) })
	for ; i < len(g.down) && g.down[i].at < right+sameLevel; i++ {
		if d := g.down[i]; left < d.at && d.at < right && d.from <= height && height <= d.to {
			return true
		}
	}
	return false
}

// namesSome reports whether words are over several columns, but not over all of them: rules divide
// them from others.
func (g grid) namesSome(words []word) bool {
	first, last := g.columnsOf(words)
	if first >= last {
		return false
	}
	all, height := words[0].box, middle(words[0].baseline, words[0].size)
	for _, w := range words {
		all = all.union(w.box)
	}
	return slices.ContainsFunc(g.columns, func(x float64) bool {
		return (x < all.left || x > all.right) && g.ruled(x-sameRule, x+sameRule, height)
	})
}

// leastStack is how many amounts stand below each other in a cell that holds several rows.
const leastStack = 4

// stacksAmounts reports whether most text of a grid is rows of amounts that no rules are
// between. Its rules are below sums or around a column then, and do not show where cells end.
func stacksAmounts(cells [][][]word) bool {
	all, stacked := 0, 0
	for _, row := range cells {
		most, amounts, tall := 0, 0, 0
		for _, words := range row {
			lines := groupRows(segmentsOf(words))
			numbers := 0
			for _, l := range lines {
				if isNumberCell(newLine(l).text()) {
					numbers++
				}
			}
			most, amounts = max(most, len(lines)), max(amounts, numbers)
			if len(lines) >= leastStack {
				tall++
			}
		}
		all += most
		if amounts >= leastStack && tall > 1 {
			stacked += most
		}
	}
	return stacked > 0 && 2*stacked >= all
}

func segmentsOf(words []word) []segment {
	var out []segment
	for _, w := range words {
		out = appendWord(out, w, adjoins)
	}
	return out
}

// gridTable makes a line of each row.
func gridTable(g grid, cells [][][]word) []textLine {
	var out []textLine
	for i := range cells {
		lines := make([][]textLine, len(cells[i]))
		var all []segment
		for j, words := range cells[i] {
			parts := segmentsOf(words)
			all = append(all, parts...)
			for _, r := range groupRows(parts) {
				lines[j] = append(lines[j], newLine(r))
			}
		}
		if len(all) == 0 {
			continue
		}
		names := len(out) == 0 && onlyCell(lines) && g.namesSome(slices.Concat(cells[i]...))
		place := textRow{box: box{g.box.left, g.rows[i], g.box.right, g.rows[i+1]}, baseline: all[0].baseline}
		for k, row := range unstacked(lines) {
			if k > 0 {
				place.baseline = row[0][0].baseline
				out[len(out)-1].box.bottom, place.box.top = place.baseline-all[0].size, place.baseline-all[0].size
			}
			if runsLeft(all) {
				slices.Reverse(row)
			}
			l := tableLine(row, place, place)
			if names {
				l.emptyFirst()
			}
			out = append(out, l)
		}
	}
	return out
}

// unstacked returns the rows of a table that stand between two rules: one, unless the cells behind the label
// have several amounts, and each is on the same height as a line of the label. Other lines of the label are
// titles, or go on with the line above. A first line of years is a row of its own if amounts are below it. So is
// one with a unit in a column beside the years: "2022", "2021", "in millions".
func unstacked(cells [][]textLine) [][][]textLine {
	label, years := cells[0], beginWithYears(cells[1:])
	at := make([][]int, len(cells)) // the label's line that each amount is level with
	var amounts []int               // those that have one
	for c, lines := range cells {
		if c == 0 {
			continue
		}
		for k, l := range lines {
			i := slices.IndexFunc(label, func(of textLine) bool {
				return math.Abs(l.baseline-of.baseline) <= sameRow*max(l.size, of.size)
			})
			if i < 0 || !l.isPlain() && !(years && k == 0) {
				return [][][]textLine{cells}
			}
			at[c], amounts = append(at[c], i), append(amounts, i)
		}
	}
	slices.Sort(amounts)
	amounts = slices.Compact(amounts)
	titled := years && len(amounts) == 1 && len(label) > 1 && amounts[0] == 0 && extract.IsUnits(label[0].text())
	if !titled && (len(amounts) < 2 || goesOnLabels(label, amounts)) {
		return [][][]textLine{cells}
	}
	var out [][][]textLine
	for i := range label {
		if n := len(out); n == 0 || !label[i].goesOnLabel() || slices.Contains(amounts, i) {
			out = append(out, make([][]textLine, len(cells)))
		}
		row := out[len(out)-1]
		row[0] = append(row[0], label[i])
		for c := range at {
			for k, line := range at[c] {
				if line == i {
					row[c] = append(row[c], cells[c][k])
				}
			}
		}
	}
	return out
}

// beginWithYears reports whether the first line of each cell that is not empty is a year or a date.
func beginWithYears(cells [][]textLine) bool {
	filled := 0
	for _, lines := range cells {
		if len(lines) == 0 {
			continue
		}
		if text := strings.TrimSpace(lines[0].text()); !extract.IsYear(text) && !extract.IsDate(text) {
			return false
		}
		filled++
	}
	return filled > 0
}

// goesOnLabels reports whether most lines of a label that have amounts go on with the line above. The amounts are no
// rows then.
func goesOnLabels(label []textLine, amounts []int) bool {
	n := 0
	for _, i := range amounts {
		if i > 0 && label[i].goesOnLabel() {
			n++
		}
	}
	return 2*n >= len(amounts)
}

// isPlain reports whether a line is an amount, or the dash of none.
func (l textLine) isPlain() bool {
	text := strings.TrimSpace(l.text())
	return strings.Trim(text, "-–—") == "" || isNumberCell(text) && isPlainAmount(text)
}

// goesOnLabel reports whether a line of a label goes on with the one above it: it begins with no capital letter and
// no mark of an item.
func (l textLine) goesOnLabel() bool {
	text := l.text()
	first := strings.IndexFunc(text, unicode.IsLetter)
	item := first > 0 && isBullet([]rune(text)[0])
	return !item && (first != 0 || !unicode.IsUpper([]rune(text)[0]))
}
