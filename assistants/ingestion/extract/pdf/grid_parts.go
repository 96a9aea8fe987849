package pdf

import (
	"slices"
	"strings"
)

// wholeGrids returns the grids that are tables, without those that are a part of one only. The cells
// of a table may have a ground in colour, whose edges are rules. If there is a small space between two
// cells, the labels and the first amounts are in one grid, and the amounts behind it are not.
func wholeGrids(segments []segment, grids []grid) []grid {
	if len(grids) == 0 {
		return nil
	}
	lines := rows(segments)
	for i := range lines {
		lines[i].segments = byLeft(lines[i].segments)
	}
	var parts []grid
	for _, g := range grids {
		if g.goesOn(lines) {
			parts = append(parts, g)
		}
	}
	return slices.DeleteFunc(slices.Clone(grids), func(g grid) bool {
		return slices.ContainsFunc(parts, func(p grid) bool { return g.isPartWith(p) }) && (g.goesOn(lines) || g.beginsWithAmounts(lines))
	})
}

// goesOn reports whether most rows of a grid have amounts behind it, as the next text.
func (g grid) goesOn(lines []textRow) bool {
	all, amounts := 0, 0
	for _, r := range lines {
		inside, behind := g.cut(r)
		if len(inside) == 0 {
			continue
		}
		all++
		if len(behind) > 0 && behind[0].isFigure() {
			amounts++
		}
	}
	return amounts > 1 && 2*amounts >= all
}

// beginsWithAmounts reports whether most rows of a grid have no label in it.
func (g grid) beginsWithAmounts(lines []textRow) bool {
	all, amounts := 0, 0
	for _, r := range lines {
		if inside, _ := g.cut(r); len(inside) > 0 {
			if all++; inside[0].isFigure() {
				amounts++
			}
		}
	}
	return 2*amounts >= all
}

// isPartWith reports whether a grid is part p of a table, or stands behind it at the same height.
func (g grid) isPartWith(p grid) bool {
	overlap := min(g.box.bottom, p.box.bottom) - max(g.box.top, p.box.top)
	return g.box == p.box || g.box.left >= p.box.right-sameLevel && 2*overlap >= g.box.height()
}

// cut returns the segments of a row that are in a grid, and those behind it.
func (g grid) cut(r textRow) (inside, behind []segment) {
	if height := middle(r.baseline, r.size); height < g.box.top || height > g.box.bottom {
		return nil, nil
	}
	for _, s := range r.segments {
		switch {
		case s.box.left > g.box.right:
			behind = append(behind, s)
		case s.box.right > g.box.left:
			inside = append(inside, s)
		}
	}
	return inside, behind
}

// isFigure reports whether a segment is a number, the dash of none, or the sign of a currency.
func (s segment) isFigure() bool {
	switch text := strings.TrimSpace(s.text()); text {
	case "-", "–", "—":
		return true
	default:
		return isCurrency(text) || isNumberCell(text)
	}
}
