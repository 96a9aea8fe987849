package pdf

import (
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

// wholeGrids returns the grids that are tables, without those that are a part of one only. The cells
// of a table may have a ground in colour, whose edges are rules. If there is a small space between two
// cells, the labels and the first amounts are in one grid, and the amounts behind it are not.
func wholeGrids(segments []segment, grids []grid) []grid {
	if len(grids) == 0 {
		return nil
	}
	lines := groupRows(segments)
	for i := range lines {
		lines[i].segments = byLeft(lines[i].segments)
	}
	var parts []grid
	for _, g := range grids {
		if g.groundGoesOn() && g.amountsFollow(lines) {
			parts = append(parts, g)
		}
	}
	if len(parts) == 0 {
		return grids
	}
	return slices.DeleteFunc(slices.Clone(grids), func(g grid) bool {
		return slices.ContainsFunc(parts, g.isPartWith) &&
			(slices.ContainsFunc(parts, func(p grid) bool { return p.box == g.box }) || g.beginsWithAmounts(lines))
	})
}

// nextGround is the widest space between the grounds of two cells, in points.
const nextGround = 16

// groundGoesOn reports whether most rules across a grid have one close behind them at their height.
func (g grid) groundGoesOn() bool {
	n := 0
	for _, at := range g.rows {
		// Rules at about the same height are not in order.
		i, _ := slices.BinarySearchFunc(g.across, at-sameLevel, func(r rule, at float64) int { return compareFloat(r.at, at) })
		for ; i < len(g.across) && g.across[i].at <= at+sameLevel; i++ {
			if space := g.across[i].from - g.box.right; space > 0 && space <= nextGround {
				n++
				break
			}
		}
	}
	return 2*n >= len(g.rows)
}

// linesIn returns the rows of a page at the height of a grid.
func (g grid) linesIn(lines []textRow) []textRow {
	from, _ := slices.BinarySearchFunc(lines, g.box.top, func(r textRow, at float64) int { return compareFloat(r.baseline, at) })
	to := from
	for to < len(lines) && middle(lines[to].baseline, lines[to].size) <= g.box.bottom {
		to++
	}
	return lines[from:to]
}

// amountsFollow reports whether most rows of a grid have amounts behind it, as the next text.
func (g grid) amountsFollow(lines []textRow) bool {
	all, amounts := 0, 0
	for _, r := range g.linesIn(lines) {
		inside, behind := g.divideRow(r)
		if len(inside) == 0 {
			continue
		}
		all++
		if len(behind) > 0 && behind[0].isPlain() {
			amounts++
		}
	}
	return amounts > 1 && 2*amounts >= all
}

// beginsWithAmounts reports whether most rows of a grid have no label in it.
func (g grid) beginsWithAmounts(lines []textRow) bool {
	all, amounts := 0, 0
	for _, r := range g.linesIn(lines) {
		if inside, _ := g.divideRow(r); len(inside) > 0 {
			if all++; inside[0].isPlain() {
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

// divideRow returns the segments of a row that are in a grid, and those behind it.
func (g grid) divideRow(r textRow) (inside, behind []segment) {
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
	switch text := strings.TrimSpace(s.text()); {
	case s.table != nil:
		return false
	case text == "-", text == "–", text == "—":
		return true
	default:
		return isCurrency(text) || isNumberCell(text)
	}
}

// isPlain reports whether a figure is no year, time, weight or number of an item.
func (s segment) isPlain() bool { return s.isFigure() && isPlainAmount(strings.TrimSpace(s.text())) }

func isPlainAmount(text string) bool {
	return !extract.IsYear(text) && !strings.HasSuffix(text, ".") && !strings.ContainsFunc(text, func(r rune) bool { return r == ':' || unicode.IsLetter(r) })
}
