package pdf

import "slices"

// leastUndivided is how many rows must have cells on both sides of a place where a rule is missing.
const leastUndivided = 3

// undivided returns the places between cells that no rule divides. Of a table with a ground in colour behind one
// of its columns, only that column has edges. lines has the table's rows.
func (g grid) undivided(lines [][]segment) []float64 {
	var out []float64
	edges := slices.Concat([]float64{g.box.left}, g.columns, []float64{g.box.right})
	for c := 1; c < len(edges); c++ {
		var region []textRow
		for _, line := range lines {
			var in []segment
			for _, s := range line {
				if middle := (s.box.left + s.box.right) / 2; edges[c-1] < middle && middle < edges[c] {
					in = append(in, s)
				}
			}
			region = append(region, groupRows(in)...)
		}
		out = append(out, dividesAmounts(region)...)
	}
	return out
}

// dividesAmounts returns the places in front of columns of amounts, if there are other cells in front of them in most
// rows.
func dividesAmounts(rows []textRow) []float64 {
	var figures []textRow
	for _, r := range rows {
		var f textRow
		for _, s := range r.segments {
			if s.isFigure() {
				f.add(s)
			}
		}
		if len(f.segments) > 0 {
			figures = append(figures, f)
		}
	}
	if len(figures) < leastUndivided {
		return nil
	}
	var out []float64
	for _, column := range columnsOf(figures, figures[0].size) {
		if at, ok := dividesAt(rows, column); ok {
			out = append(out, at)
		}
	}
	return out
}

// dividesAt returns the middle of the space in front of a column of amounts, whose name may be wider; ok is false if
// there is none.
func dividesAt(rows []textRow, column box) (at float64, ok bool) {
	for _, r := range rows {
		for _, s := range r.segments {
			if len(r.segments) > 1 && !s.isFigure() && s.box.left < column.left && s.box.right > column.left {
				column = column.union(s.box)
			}
		}
	}
	before, all, both := 0.0, 0, 0
	for _, r := range rows {
		figure, other := false, 0.0
		for _, s := range r.segments {
			switch {
			case s.box.left >= column.left:
				figure = figure || s.isFigure() && s.box.right <= column.right
			case s.box.right <= column.left:
				other = max(other, s.box.right)
			case len(r.segments) > 1:
				return 0, false
			}
		}
		if !figure {
			continue
		}
		if all++; other > 0 {
			both++
			before = max(before, other)
		}
	}
	return (before + column.left) / 2, both >= leastUndivided && 2*both >= all
}
