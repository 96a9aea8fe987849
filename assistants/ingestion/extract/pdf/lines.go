package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"footnote/assistants/ingestion/extract"
)

// wideSpace is the glyph number that marks a space for a wide gap.
const wideSpace = -2

// A textLine is a line of text, or a row of a table, as it is read.
type textLine struct {
	chars    []glyph // with a negative number for characters that are not on the page
	box      box
	baseline float64
	size     float64
	bold     bool
	fixed    bool
	hyphen   rune    // the hyphen that was removed from the end of the line, else 0
	rotated  bool    // it is rotated on its page
	running  bool    // a running header or footer, which is left out of the text
	foot     bool    // the first of equal running footers, which stays in the text
	hang     float64 // where the text of the item that it starts begins, else no number
}

func (l textLine) text() string {
	var b strings.Builder
	for _, c := range l.chars {
		b.WriteRune(c.char)
	}
	return b.String()
}

// newLine puts the segments of a row together.
func newLine(r textRow) textLine {
	segments := slices.Clone(r.segments)
	if runsLeft(segments) {
		slices.SortStableFunc(segments, func(a, b segment) int { return compareFloat(b.box.right, a.box.right) })
	} else {
		slices.SortStableFunc(segments, func(a, b segment) int { return compareFloat(a.box.left, b.box.left) })
	}
	l := textLine{box: r.box, baseline: r.baseline, bold: true, fixed: true, hang: math.NaN()}
	n, second := 0, math.NaN() // where the second word begins
	var last *word
	for i := range segments {
		for j := range segments[i].words {
			w := &segments[i].words[j]
			if last != nil {
				l.spaces(*last, *w, j == 0)
			}
			if n++; n == 2 {
				second = w.box.left
			}
			l.append(*w)
			last = w
		}
	}
	if last != nil {
		l.endHyphen(last.hyphen)
	}
	l.leaders()
	if startsItem(l.chars) {
		l.hang = second
	}
	return l
}

// spaces adds the spaces between two words. In a font of fixed width it keeps columns.
// Parts of a word that PDFium separated get none.
func (l *textLine) spaces(last, next word, apart bool) {
	gap := max(next.box.left-last.box.right, last.box.left-next.box.right)
	n := 1
	switch {
	case last.fixed && next.fixed:
		advance := max(last.box.width()/float64(max(len(last.glyphs), 1)), 0.3*last.size)
		n = min(max(int(math.Round(gap/advance)), 1), 40)
	case apart && gap < 0.1*max(last.size, next.size) && last.row != next.row && !marksNumber(last, next):
		n = 0
	}
	space := glyph{' ', -1}
	if gap > 1.5*max(last.size, next.size) {
		space.index = wideSpace
	}
	for range n {
		l.chars = append(l.chars, space)
	}
}

// hasGap reports whether there is a wide gap between words of the line.
func (l textLine) hasGap() bool {
	return slices.ContainsFunc(l.chars, func(g glyph) bool { return g.index == wideSpace })
}

// marksNumber reports whether a word is the mark of a footnote behind a number, of which it is no digit.
func marksNumber(last, next word) bool {
	n := len(last.glyphs)
	return n > 0 && len(next.glyphs) > 0 && unicode.IsDigit(last.glyphs[n-1].char) && unicode.IsDigit(next.glyphs[0].char) && next.size < last.size
}

func (l *textLine) append(w word) {
	l.size = max(l.size, w.size)
	l.bold, l.fixed = l.bold && w.bold, l.fixed && w.fixed
	for _, g := range w.glyphs {
		if letters := ligature(g.char); letters != "" {
			for _, r := range letters {
				l.chars = append(l.chars, glyph{r, g.index})
			}
			continue
		}
		l.chars = append(l.chars, g)
	}
}

// endHyphen removes a hyphen that may have cut a word at the end of the line, and all
// soft hyphens.
func (l *textLine) endHyphen(marked bool) {
	if marked {
		l.hyphen = '-'
	} else if n := len(l.chars); n > 1 && isHyphen(l.chars[n-1].char) && (unicode.IsLetter(l.chars[n-2].char) || unicode.IsDigit(l.chars[n-2].char)) {
		l.hyphen = l.chars[n-1].char
		l.chars = l.chars[:n-1]
	}
	l.chars = slices.DeleteFunc(l.chars, func(g glyph) bool { return g.char == '\u00AD' })
}

func isHyphen(r rune) bool { return r == '-' || r == '\u2010' || r == '\u00AD' }

// leaders shortens the dots that lead from a title to its page.
func (l *textLine) leaders() {
	const least, longest = 5, 5000 // characters; longer lines are no table of contents
	if len(l.chars) > longest {
		return
	}
	for i := 0; i < len(l.chars); i++ {
		if l.chars[i].char != '.' {
			continue
		}
		dots, end := 0, i
		for j := i; j < len(l.chars) && (l.chars[j].char == '.' || l.chars[j].char == ' ' || l.chars[j].char == '…'); j++ {
			if l.chars[j].char != ' ' {
				dots, end = dots+1, j+1
			}
		}
		if dots >= least {
			l.chars = slices.Replace(l.chars, i, end, glyph{'…', -1})
		}
	}
}

// A textBlock is lines that belong together.
type textBlock struct {
	kind    extract.BlockKind // "": running text
	lines   []textLine
	item    bool  // of a list
	columns []box // of a table
	amounts []box // its columns without the labels' one
	head    int   // the first lines of a table that name its columns
}

// blocks divides a part of a page into paragraphs, items, code and tables.
func (p part) blocks() []textBlock {
	if p.columns != nil {
		amounts := amountColumns(p.columns, p.rows[p.head:])[1:]
		return []textBlock{{kind: extract.BlockTable, lines: p.tableRows(), columns: p.columns, amounts: amounts, head: len(p.headLines())}}
	}
	var out []textBlock
	var lines []textLine
	for _, r := range p.rows {
		var tables []textBlock
		var words textRow
		for _, s := range r.segments {
			if s.table != nil {
				tables = append(tables, textBlock{kind: extract.BlockTable, lines: s.table})
			} else {
				words.add(s)
			}
		}
		if len(words.segments) > 0 {
			lines = append(lines, newLine(words))
		}
		if len(tables) > 0 {
			out = append(append(out, paragraphs(lines)...), tables...)
			lines = nil
		}
	}
	return append(out, paragraphs(lines)...)
}

// paragraphs divides lines into paragraphs.
func paragraphs(lines []textLine) []textBlock {
	m := measureLines(lines)
	hang := math.NaN()
	var out []textBlock
	for i, l := range lines {
		item := startsItem(l.chars)
		if n := len(out); n > 0 && !m.breaks(lines[i-1], l, item, hang) {
			b := &out[n-1]
			b.lines = append(b.lines, l)
			continue
		}
		hang = l.hang
		b := textBlock{lines: []textLine{l}, item: item && !l.fixed}
		if l.fixed {
			b.kind = extract.BlockCode
		}
		out = append(out, b)
	}
	return out
}

// wideStep is the distance between lines, in font sizes, that is wide for running text.
const wideStep = 1.8

// A measure has the margins and the line spacing of a column.
type measure struct {
	left, right float64
	leading     float64 // from line to line, in font sizes
}

func measureLines(lines []textLine) measure {
	m := measure{left: math.Inf(1), right: math.Inf(-1), leading: 1.2}
	var steps []float64
	core := withoutMargins(lines)
	for i, l := range lines {
		if i >= core.from && i < core.to {
			m.left, m.right = min(m.left, l.box.left), max(m.right, l.box.right)
		}
		if i > 0 && l.size > 0 {
			if step := (l.baseline - lines[i-1].baseline) / l.size; step > 0.8 && step < 2.5 {
				steps = append(steps, step)
			}
		}
	}
	slices.Sort(steps)
	// The longer steps include gaps between paragraphs. A few wide steps may be nothing else.
	if n := len(steps); n > 3 || n > 0 && steps[n/3] < wideStep {
		m.leading = steps[n/3]
	}
	return m
}

type span struct{ from, to int }

// withoutMargins returns the range of lines without those far above or below, which are
// running headers and footers and may be wider than the text.
func withoutMargins(lines []textLine) span {
	far := func(i int) bool {
		return lines[i].baseline-lines[i-1].baseline > 2.2*max(lines[i].size, lines[i-1].size)
	}
	s := span{0, len(lines)}
	for i := 1; i < min(marginLines, len(lines)); i++ {
		if far(i) {
			s.from = i
		}
	}
	for i := len(lines) - 1; i > max(len(lines)-marginLines, s.from); i-- {
		if far(i) {
			s.to = i
		}
	}
	return s
}

// breaks reports whether b begins a new paragraph after a. In an item of a list, hang is where its
// text begins: a list may be narrower than the text around it, and its sentences go on there.
func (m measure) breaks(a, b textLine, item bool, hang float64) bool {
	size := max(min(a.size, b.size), 1)
	step := b.baseline - a.baseline
	switch {
	case a.fixed && b.fixed:
		return step > 2.6*size
	case step > 1.3*m.leading*size+0.5 && step > 1.25*size:
		return true
	case a.size > 1.12*b.size || b.size > 1.12*a.size, a.isRow() != b.isRow():
		return true
	case a.bold != b.bold && (a.bold || step > 1.1*m.leading*size):
		return true
	case a.hyphen != 0:
		return false
	case a.fixed != b.fixed && math.Abs(a.box.left-b.box.left) > size:
		return true
	case item && (isBullet(b.chars[0].char) || endsSentence(a.chars) || b.box.left > m.left+size || startsItem(a.chars)):
		return true
	case isRightToLeftLine(a):
		return a.box.left-m.left > firstWordWidth(b)+2*size
	case b.box.left > m.left+0.8*size && a.box.left < b.box.left-0.8*size && !startsItem(a.chars):
		return true // an indented first line
	}
	right := m.right
	if math.Abs(b.box.left-hang) < hangSlack*size && !item && !endsSentence(a.chars) {
		right = b.box.right
	}
	return right-a.box.right > firstWordWidth(b)+2.5*size
}

// isRow reports whether a line is a row of amounts without a table, such as the years above the
// columns of one: there are several numbers, and nothing else but a label that stands apart.
func (l textLine) isRow() bool {
	numbers, parts := 0, l.parts()
	for i, p := range parts {
		letters := strings.ContainsFunc(p, unicode.IsLetter)
		switch {
		case letters && i > 0:
			return false
		case letters:
			continue
		}
		for w := range strings.FieldsSeq(p) {
			if isNumberCell(w) {
				numbers++
			}
		}
	}
	return numbers > 1 && len(parts) > 1
}

func isRightToLeftLine(l textLine) bool { return rightToLeftBalance(l.chars) > 0 }

// rightToLeftBalance returns the number of letters written from right to left, less the
// number of others.
func rightToLeftBalance(glyphs []glyph) (balance int) {
	for _, g := range glyphs {
		switch {
		case isRightToLeft(g.char):
			balance++
		case unicode.IsLetter(g.char):
			balance--
		}
	}
	return balance
}

// firstWordWidth estimates the width of a line's first word; in a script without spaces,
// that of its first character.
func firstWordWidth(l textLine) float64 {
	if len(l.chars) == 0 {
		return 0
	}
	n := 0
	for n < len(l.chars) && l.chars[n].char != ' ' {
		if isWide(l.chars[n].char) {
			n++
			break
		}
		n++
	}
	return l.box.width() * float64(n) / float64(len(l.chars))
}

func endsSentence(chars []glyph) bool {
	if len(chars) == 0 {
		return true
	}
	return strings.ContainsRune(".:;!?。：；！？", chars[len(chars)-1].char)
}

// tableRows makes a line of each row of a table. A line continues the row above it if
// it is close and its first cell is empty, but not if it has amounts below amounts: these
// are the row's sum.
func (p part) tableRows() []textLine {
	out := p.headLines()
	var cells [][]textLine
	var first, last textRow
	emit := func() {
		if len(cells) > 0 {
			l := tableLine(cells, first, last)
			if len(out) == 0 && l.bold && len(cells[0]) == 0 && onlyCell(cells) {
				l.emptyFirst()
			}
			out = append(out, l)
		}
		cells = nil
	}
	near := math.Inf(1)
	for i := p.head + 1; i < len(p.rows); i++ {
		if step := p.rows[i].baseline - p.rows[i-1].baseline; step > 0.8*p.rows[i].size {
			near = min(near, step)
		}
	}
	rightToLeft := runsLeft(flatten(p.rows))
	columns := p.columns
	if p.head < len(p.rows) {
		columns = amountColumns(p.columns, p.rows[p.head:])
	}
	for i, r := range p.rows {
		if i < p.head {
			continue
		}
		byColumn := make([]textRow, len(columns))
		filled := 0
		for _, s := range r.segments {
			c := columnAt(columns, s)
			if rightToLeft {
				c = len(columns) - 1 - c
			}
			if len(byColumn[c].segments) == 0 {
				filled++
			}
			byColumn[c].add(s)
		}
		if !rightToLeft {
			moveSigns(byColumn)
		}
		if i == p.head || r.baseline-p.rows[i-1].baseline > 1.3*near || len(byColumn[0].segments) > 0 || isSum(byColumn, cells) {
			emit()
			cells, first = make([][]textLine, len(columns)), r
		}
		last = r
		for c, part := range byColumn {
			if len(part.segments) > 0 {
				cells[c] = append(cells[c], newLine(part))
			}
		}
	}
	emit()
	return out
}

// isSum reports whether a line without a label has only amounts, one of which is below
// another amount of the row above.
func isSum(line []textRow, above [][]textLine) bool {
	below := false
	for c, cell := range line {
		if len(cell.segments) == 0 {
			continue
		}
		text := newLine(cell).text()
		if strings.ContainsFunc(text, unicode.IsLetter) {
			return false
		}
		if n := len(above[c]); n > 0 && isNumberCell(text) && isNumberCell(above[c][n-1].text()) {
			below = true
		}
	}
	return below
}

func tableLine(cells [][]textLine, first, last textRow) textLine {
	out := textLine{box: first.box.union(last.box), baseline: first.baseline, bold: true, fixed: true}
	written := false
	for _, lines := range cells {
		if len(lines) == 0 {
			continue
		}
		if written {
			out.chars = append(out.chars, glyph{' ', -1}, glyph{'|', -1}, glyph{' ', -1})
		}
		written = true
		for i, l := range lines {
			if i > 0 {
				out.join(lines[i-1], l)
			}
			out.chars = append(out.chars, l.chars...)
			out.size = max(out.size, l.size)
			out.bold, out.fixed = out.bold && l.bold, out.fixed && l.fixed
		}
		if l := lines[len(lines)-1]; l.hyphen != 0 && l.hyphen != '\u00AD' {
			out.chars = append(out.chars, glyph{'-', -1})
		}
	}
	return out
}

// emptyFirst puts an empty first cell in front of a row, which names columns and not the table.
func (l *textLine) emptyFirst() { l.chars = append([]glyph{{'|', -1}, {' ', -1}}, l.chars...) }

// onlyCell reports whether a row has a single cell with text.
func onlyCell(cells [][]textLine) bool {
	n := 0
	for _, lines := range cells {
		if len(lines) > 0 {
			n++
		}
	}
	return n == 1
}

// join adds the space or hyphen between two lines of a cell.
func (l *textLine) join(last, next textLine) {
	switch {
	case last.hyphen == 0 && !joinsClosely(last.chars, next.chars):
		l.chars = append(l.chars, glyph{' ', -1})
	case last.hyphen != 0 && last.hyphen != '\u00AD' && keepsHyphen(last.chars, next.chars):
		l.chars = append(l.chars, glyph{'-', -1})
	}
}

// joinsClosely reports whether two lines are joined without a space, as in scripts
// without spaces.
func joinsClosely(last, next []glyph) bool {
	return len(last) > 0 && len(next) > 0 && isWide(last[len(last)-1].char) && isWide(next[0].char)
}
