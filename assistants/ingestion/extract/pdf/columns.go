package pdf

import (
	"math"
	"slices"
)

// A part is a stretch of a page in reading order: running text, or the rows of a
// table.
type part struct {
	rows    []textRow
	columns []box // of a table; nil: running text
	head    int   // the first rows of a table that name its columns
	printed bool  // a program printed the names, in type of fixed width
}

// Bounds of how often a page is divided, and of the places looked at each time.
const (
	maxDepth   = 24
	maxGutters = 500
)

// divide puts the segments of a region into reading order. It looks for the
// tallest empty gutter with text on both sides. What stands above and below is
// read before and after; what stands side by side is read column by
// column, or row by row if it is a table.
func divide(segments []segment, depth int) []part {
	if len(segments) == 0 {
		return nil
	}
	all := groupRows(segments)
	g, ok := findGutter(all)
	if !ok || depth == 0 {
		return []part{{rows: all}}
	}
	if core, ok := g.tableCore(all); ok {
		g = core
	}
	g = g.belowRule(all).withoutRunningHead(all)
	middle, below := all[g.from:g.to], all[g.to:]
	columns := columnsOf(middle, g.size)
	var out []part
	if isTable(middle, columns, g.size) {
		for len(below) > 0 && isSumOf(columns, below[0], all[g.to-1]) {
			g.to++
			below = all[g.to:]
		}
		t := withNames(all, g, columns)
		from := t.from
		if t.names.to > t.names.from {
			from = t.names.from
		}
		out = append(divide(flatten(all[:from]), depth-1), t.parts(all, g.to, depth-1)...)
	} else {
		out = divide(flatten(all[:g.from]), depth-1)
		left, right := splitAt(middle, g.at)
		if runsLeft(flatten(middle)) {
			left, right = right, left
		}
		out = append(out, divide(left, depth-1)...)
		out = append(out, divide(right, depth-1)...)
	}
	return append(out, divide(flatten(below), depth-1)...)
}

func flatten(rows []textRow) []segment {
	var out []segment
	for _, r := range rows {
		out = append(out, r.segments...)
	}
	return out
}

func splitAt(rows []textRow, at float64) (left, right []segment) {
	for _, s := range flatten(rows) {
		if s.box.right <= at {
			left = append(left, s)
		} else {
			right = append(right, s)
		}
	}
	return left, right
}

// A gutter is an empty strip between the columns of rows[from:to].
type gutter struct {
	at       float64 // its middle
	from, to int
	size     float64 // font size of the text around it
	score    float64
}

// findGutter looks for the gutter that separates the most rows. A right column
// begins at the left end of some segment, so those are all the places to look.
func findGutter(all []textRow) (gutter, bool) {
	segments := flatten(all)
	size := typicalSize(segments)
	var best gutter
	tried := make(map[int]bool)
	for _, s := range segments {
		if key := int(math.Round(s.box.left / 2)); !tried[key] && len(tried) < maxGutters {
			tried[key] = true
			if g := gutterAt(all, s.box.left, size); g.score > best.score {
				best = g
			}
		}
	}
	return best, best.score > 0
}

// minGutter returns the least width of a gutter between that many rows, in font
// sizes. Few rows may leave the same place empty by chance, so theirs must be wider.
func minGutter(rows int) float64 {
	switch {
	case rows >= 5:
		return 0.8
	case rows >= 3:
		return 1.1
	}
	return 1.8
}

// gutterAt finds the best stretch of rows that leave free the place before x.
func gutterAt(all []textRow, x, size float64) gutter {
	var best gutter
	from := 0
	for i := 0; i <= len(all); i++ {
		if i < len(all) && !crosses(all[i], x, size) {
			continue
		}
		if g := measureGutter(all, from, i, x, size); g.score > best.score {
			best = g
		}
		from = i + 1
	}
	return best
}

func crosses(r textRow, x, size float64) bool {
	for _, s := range r.segments {
		if s.box.left < x-2 && s.box.right > x-0.6*size {
			return true
		}
	}
	return false
}

// measureGutter judges the place before x between two rows that cross it.
func measureGutter(all []textRow, from, to int, x, size float64) gutter {
	from, to = trimSpan(all, from, to, x)
	var lefts, rights int
	l := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	r := l
	for _, row := range all[from:to] {
		var onLeft, onRight bool
		for _, s := range row.segments {
			if s.box.left < x-2 {
				l, onLeft = l.union(s.box), true
			} else {
				r, onRight = r.union(s.box), true
			}
		}
		if onLeft {
			lefts++
		}
		if onRight {
			rights++
		}
	}
	n := min(lefts, rights)
	width := r.left - l.right
	if n < 2 || width < minGutter(n)*size {
		return gutter{}
	}
	overlap := min(l.bottom, r.bottom) - max(l.top, r.top)
	if overlap < 1.5*size {
		return gutter{}
	}
	return gutter{
		at: (l.right + r.left) / 2, from: from, to: to, size: size,
		score: overlap/size + min(width/size, 4),
	}
}

// trimSpan removes rows at both ends that have text on one side only and a large
// gap to the rest. They are read before or after the columns, not as part of one.
func trimSpan(all []textRow, from, to int, x float64) (int, int) {
	sides := func(i int) (left, right bool) {
		for _, s := range all[i].segments {
			if s.box.left < x-2 {
				left = true
			} else {
				right = true
			}
		}
		return left, right
	}
	seen := [2]int{-1, -1} // the first row on either side
	last := [2]int{-1, -1}
	for i := from; i < to; i++ {
		left, right := sides(i)
		for side, there := range [2]bool{left, right} {
			if !there {
				continue
			}
			if seen[side] < 0 {
				seen[side] = i
			}
			last[side] = i
		}
	}
	if seen[0] < 0 || seen[1] < 0 {
		return from, from
	}
	for i := max(seen[0], seen[1]); i > from; i-- {
		if apart(all[i-1], all[i]) {
			from = i
			break
		}
	}
	for i := min(last[0], last[1]) + 1; i < to; i++ {
		if apart(all[i-1], all[i]) {
			to = i
			break
		}
	}
	return from, to
}

func apart(above, below textRow) bool {
	return below.baseline-above.baseline > 2.2*max(above.size, below.size)
}

// columnsOf returns the columns of rows: text that no empty strip separates is one
// column.
func columnsOf(rows []textRow, size float64) []box {
	segments := flatten(rows)
	slices.SortStableFunc(segments, func(a, b segment) int { return compareFloat(a.box.left, b.box.left) })
	var out []box
	for _, s := range segments {
		if n := len(out); n > 0 && s.box.left < out[n-1].right+0.6*size {
			out[n-1] = out[n-1].union(s.box)
			continue
		}
		out = append(out, s.box)
	}
	return out
}

// addToColumns returns the columns of some rows and one more. They are those of columnsOf for all these rows.
func addToColumns(columns []box, r textRow, size float64) []box {
	gap := 0.6 * size
	for _, s := range r.segments {
		from, _ := slices.BinarySearchFunc(columns, s.box.left, func(c box, left float64) int {
			if c.right+gap <= left {
				return -1
			}
			return 1
		})
		all, to := s.box, from
		for ; to < len(columns) && columns[to].left < s.box.right+gap; to++ {
			all = all.union(columns[to])
		}
		columns = slices.Replace(columns, from, to, all)
	}
	return columns
}

// columnAt returns the column that a segment stands in.
func columnAt(columns []box, s segment) int {
	middle := (s.box.left + s.box.right) / 2
	for i, c := range columns {
		if middle <= c.right {
			return i
		}
	}
	return len(columns) - 1
}

// isTable distinguishes rows of cells from columns of running text. A column of text
// has lines of some length that mostly fill it. Cells of a table stand on
// common baselines.
func isTable(rows []textRow, columns []box, size float64) bool {
	if len(columns) < 2 || slices.ContainsFunc(flatten(rows), func(s segment) bool { return s.table != nil }) {
		return false
	}
	type column struct {
		lines  int
		shared int // lines with text of another column at the same height
		chars  []float64
		fills  []float64
	}
	stats := make([]column, len(columns))
	for _, r := range rows {
		var chars, width = make([]float64, len(columns)), make([]box, len(columns))
		filled := 0
		for _, s := range r.segments {
			i := columnAt(columns, s)
			if chars[i] == 0 {
				filled++
				width[i] = s.box
			}
			chars[i] += widthInChars(s)
			width[i] = width[i].union(s.box)
		}
		for i := range columns {
			if chars[i] == 0 {
				continue
			}
			stats[i].lines++
			if filled > 1 {
				stats[i].shared++
			}
			stats[i].chars = append(stats[i].chars, chars[i])
			stats[i].fills = append(stats[i].fills, width[i].width()/max(columns[i].width(), 1))
		}
	}
	prose, fewest := 0, 0
	for i, c := range stats {
		if c.lines >= 3 && median(c.chars) >= 18 && median(c.fills) >= 0.6 {
			prose++
		}
		if c.lines < stats[fewest].lines {
			fewest = i
		}
	}
	if prose >= 2 {
		return false
	}
	few := stats[fewest]
	if float64(few.shared) < 0.7*float64(few.lines) {
		return false
	}
	if prose == 1 && len(columns) == 2 {
		// Labels are scattered next to a text; a side column is continuous.
		return !(few.lines >= 6 && median(few.chars) >= 12 && dense(rows, columns, fewest, size))
	}
	return true
}

// dense reports whether a column's lines follow each other like those of a text.
func dense(rows []textRow, columns []box, column int, size float64) bool {
	var at []float64
	for _, r := range rows {
		for _, s := range r.segments {
			if columnAt(columns, s) == column {
				at = append(at, r.baseline)
				break
			}
		}
	}
	near := 0
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < 1.6*size {
			near++
		}
	}
	return near*5 >= (len(at)-1)*4
}

// widthInChars returns the number of characters and counts Chinese and Japanese ones
// twice, because they are twice as wide.
func widthInChars(s segment) float64 {
	n := 0
	for _, l := range s.table {
		n = max(n, len(l.chars))
	}
	for _, w := range s.words {
		n += len(w.glyphs) + 1
		for _, g := range w.glyphs {
			if isWide(g.char) {
				n++
			}
		}
	}
	return float64(n)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
