package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// A segment is words of one line that stand close together: a line of a
// column, a cell of a table, or a part of either.
type segment struct {
	words    []word
	box      box
	baseline float64
	size     float64
	table    []textLine // the rows of a ruled table, which the segment stands for
}

// wideGap is the space, in font sizes, that ends a segment. Justified lines rarely have
// wider spaces between words. If one has, its segments are joined again unless there
// are columns.
const wideGap = 0.9

// How far apart baselines may be that are one row's, in font sizes. Amounts may stand a little higher or
// lower than their label.
const (
	sameRow    = 0.3
	sameAmount = 0.45
)

// itemGap is the widest gap between the mark of a list's item and its text, in font sizes.
const itemGap = 4

// joinWords rotates a page so that most of its text is upright, and joins its words to
// segments. Text in other directions is returned separately, in PDFium's order.
func joinWords(words []word, turn int) (upright, rotated []segment) {
	for i := range words {
		w := &words[i]
		if w.turn != turn {
			rotated = appendWord(rotated, *w, func(last, next word) bool { return last.row == next.row })
			continue
		}
		w.setUpright()
		upright = appendWord(upright, *w, adjoins)
	}
	return upright, rotated
}

// joinMarks joins the marks of items to their text, which may stand far away. They are no
// cells of a table, unless other signs stand above or below them.
func joinMarks(all []segment) []segment {
	if !slices.ContainsFunc(all, segment.marksItem) {
		return all
	}
	var signs []float64 // where they begin
	for _, s := range all {
		if s.isSign() && !s.marksItem() {
			signs = append(signs, s.box.left)
		}
	}
	slices.Sort(signs)
	lines := groupRows(all)
	for i := range lines {
		line := byLeft(lines[i].segments)
		for k := len(line) - 2; k >= 0; k-- {
			mark, text := line[k], line[k+1]
			gap := text.box.left - mark.box.right
			if !mark.marksItem() || text.isSign() || text.table != nil || gap < 0 || gap >= itemGap*text.size {
				continue
			}
			if at, _ := slices.BinarySearch(signs, mark.box.left-mark.size); at < len(signs) && signs[at] <= mark.box.right+mark.size {
				continue
			}
			text.words = slices.Concat(mark.words, text.words)
			text.words[0].size = text.size // a larger mark makes no larger line
			text.box = text.box.union(mark.box)
			line = slices.Replace(line, k, k+2, text)
		}
		lines[i].segments = line
	}
	return flatten(lines)
}

// isSign reports whether a segment is a single character.
func (s segment) isSign() bool { return len(s.words) == 1 && len(s.words[0].glyphs) == 1 }

// marksItem reports whether a segment is the mark of a list's item and nothing else. A dash may
// be the empty amount of a table.
func (s segment) marksItem() bool {
	return s.isSign() && isBullet(s.words[0].glyphs[0].char) && !strings.ContainsRune("-–—*", s.words[0].glyphs[0].char)
}

func appendWord(to []segment, w word, adjoins func(last, next word) bool) []segment {
	if n := len(to); n > 0 {
		s := &to[n-1]
		if adjoins(s.words[len(s.words)-1], w) {
			s.words = append(s.words, w)
			s.box = s.box.union(w.box)
			if w.size > s.size {
				s.size, s.baseline = w.size, w.baseline
			}
			return to
		}
	}
	return append(to, segment{words: []word{w}, box: w.box, baseline: w.baseline, size: w.size})
}

// mainTurn returns the rotation of most characters of the page.
func mainTurn(words []word) int {
	var count [4]int
	for _, w := range words {
		count[w.turn] += len(w.glyphs)
	}
	best := 0
	for turn, n := range count {
		if n > count[best] {
			best = turn
		}
	}
	return best
}

// setUpright rotates a word to be upright and gives its box the height of the font.
func (w *word) setUpright() {
	w.box = rotate(w.box, w.turn)
	if w.turn >= 2 {
		w.baseline = -w.baseline
	}
	w.box.top, w.box.bottom = w.baseline-0.8*w.size, w.baseline+0.2*w.size
}

// rotate returns the place of a box on the page after it was rotated by quarter turns to
// make rotated text upright.
func rotate(b box, quarters int) box {
	switch quarters {
	case 1:
		return box{-b.bottom, b.left, -b.top, b.right}
	case 2:
		return box{-b.right, -b.bottom, -b.left, -b.top}
	case 3:
		return box{b.top, -b.right, b.bottom, -b.left}
	}
	return b
}

// adjoins reports whether a word follows the last one closely, on the same line of
// PDFium's text. The line may run from right to left.
func adjoins(last, next word) bool {
	size := max(last.size, next.size)
	return last.row == next.row &&
		math.Abs(last.baseline-next.baseline) <= 0.6*size &&
		max(next.box.left-last.box.right, last.box.left-next.box.right) < wideGap*size
}

// A textRow is segments on one baseline.
type textRow struct {
	segments []segment
	box      box
	baseline float64
	size     float64
}

func (r *textRow) add(s segment) {
	if len(r.segments) == 0 {
		r.box, r.baseline, r.size = s.box, s.baseline, s.size
	}
	r.segments = append(r.segments, s)
	r.box = r.box.union(s.box)
}

// groupRows groups segments by their baseline, from top to bottom. Small type next to larger
// type is a superscript and belongs to its row.
func groupRows(segments []segment) []textRow {
	body := typicalSize(segments)
	var out []textRow
	var small []segment
	for _, s := range sortedByBaseline(segments) {
		if s.size < 0.8*body {
			small = append(small, s)
			continue
		}
		if n := len(out); n > 0 && out[n-1].takes(s) {
			out[n-1].add(s)
			continue
		}
		var r textRow
		r.add(s)
		out = append(out, r)
	}
	var own []textRow // rows of small type alone: footnotes
	for _, s := range small {
		if i := nearestRow(out, s.baseline); i >= 0 && isNextTo(out[i], s) {
			out[i].add(s)
			continue
		}
		if n := len(own); n > 0 && math.Abs(own[n-1].baseline-s.baseline) < 0.3*s.size {
			own[n-1].add(s)
			continue
		}
		var r textRow
		r.add(s)
		own = append(own, r)
	}
	out = append(out, own...)
	slices.SortStableFunc(out, func(a, b textRow) int { return compareFloat(a.baseline, b.baseline) })
	return out
}

// takes reports whether a segment stands in a row.
func (r *textRow) takes(s segment) bool {
	switch step := math.Abs(r.baseline-s.baseline) / max(s.size, r.size); {
	case step < sameRow:
		return true
	case step >= sameAmount:
		return false
	}
	return s.isFigure() || !slices.ContainsFunc(r.segments, func(s segment) bool { return !s.isFigure() })
}

func sortedByBaseline(segments []segment) []segment {
	out := slices.Clone(segments)
	slices.SortStableFunc(out, func(a, b segment) int { return compareFloat(a.baseline, b.baseline) })
	return out
}

func nearestRow(rows []textRow, baseline float64) int {
	i, _ := slices.BinarySearchFunc(rows, baseline, func(r textRow, at float64) int { return compareFloat(r.baseline, at) })
	switch {
	case len(rows) == 0:
		return -1
	case i == len(rows):
		return i - 1
	case i > 0 && baseline-rows[i-1].baseline < rows[i].baseline-baseline:
		return i - 1
	}
	return i
}

// levelDash is how far from a row's baseline the dash of an empty amount in small type may stand, in font sizes.
const levelDash = 0.1

// isNextTo reports whether small type stands next to a row's and within its height, or is the dash of an empty
// amount.
func isNextTo(r textRow, s segment) bool {
	if s.isSign() && s.isFigure() && math.Abs(s.baseline-r.baseline) <= levelDash*r.size {
		return true
	}
	if s.baseline < r.baseline-0.8*r.size || s.baseline > r.baseline+0.35*r.size {
		return false
	}
	for _, t := range r.segments {
		if max(s.box.left-t.box.right, t.box.left-s.box.right) < wideGap*r.size {
			return true
		}
	}
	return false
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// typicalSize returns the font size of most characters.
func typicalSize(segments []segment) float64 {
	count := make(map[int]int)
	best := 0
	for _, s := range segments {
		for _, w := range s.words {
			k := int(math.Round(w.size * 4))
			count[k] += len(w.glyphs)
			if n, top := count[k], count[best]; n > top || n == top && k < best {
				best = k
			}
		}
	}
	return max(float64(best)/4, 0.25)
}

// runsLeft reports whether most letters are of a script written from right to left.
func runsLeft(segments []segment) bool {
	balance := 0
	for _, s := range segments {
		for _, w := range s.words {
			balance += rightToLeftBalance(w.glyphs)
		}
	}
	return balance > 0
}

func isRightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8FF || r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF
}

// isWide reports whether r is of a script without spaces between words.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}
