package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"footnote/assistants/ingestion/extract"
)

// maxTitleRows is the most title rows of a table, and the most rows in bold that name
// its columns.
const maxTitleRows = 3

// A tableShape has the properties by which a table's continuation is recognised.
type tableShape struct {
	start   int // in the text
	left    float64
	numbers []bool // by column: most of its cells are numbers
	columns []box  // their places; none for a ruled table
	amounts []box  // the same without the labels' one, and with signs of a currency in their amounts' columns
	titled  bool   // it begins with a title in larger type
	parted  bool   // a line with several parts is between the table and the one before
	over    int    // where the names of columns above it begin; 0: there are none
	page    int
	size    float64
}

// cells returns the texts of a row's cells without the empty ones.
func (l textLine) cells() []string {
	return l.split(func(g glyph) bool { return g == glyph{'|', -1} })
}

// shapeOf returns the shape of the rows with the most common number of cells, and
// how many such rows there are.
func shapeOf(rows []textLine) (tableShape, int) {
	byCount := make(map[int][][]string)
	shape := tableShape{left: math.Inf(1)}
	for i := range rows {
		cells := rows[i].cells()
		byCount[len(cells)] = append(byCount[len(cells)], cells)
		shape.left = min(shape.left, rows[i].box.left)
	}
	most := 0
	for n, list := range byCount {
		if len(list) > len(byCount[most]) || len(list) == len(byCount[most]) && n > most {
			most = n
		}
	}
	shape.numbers = make([]bool, most)
	for c := range shape.numbers {
		count := 0
		for _, cells := range byCount[most] {
			if isNumberCell(cells[c]) {
				count++
			}
		}
		shape.numbers[c] = 5*count >= 4*len(byCount[most])
	}
	return shape, len(byCount[most])
}

// headerRows returns the number of a table's header rows: its titles, and the rows that
// name its columns.
func headerRows(rows []textLine) int {
	for i := min(mostNames, len(rows)-2); i > 0; i-- {
		if isRule(rows[i].chars) && !isRule(rows[i-1].chars) {
			return i + 1
		}
	}
	if slices.ContainsFunc(rows, textLine.hasLeader) && extract.IsContents(textsOf(rows)) {
		return 0 // chapters in bold type name no columns
	}
	title := 0
	for title < min(len(rows), maxTitleRows) && len(rows[title].cells()) == 1 {
		title++
	}
	if n := namingRows(rows[title:]); n > 0 {
		return title + n
	}
	if len(rows) > 1 && rows[0].bold && !rows[1].bold && !rows[0].hasAmounts() {
		return 1
	}
	return 0
}

// hasAmounts reports whether the cells of a row behind the first are amounts: a sum in bold, and no names.
func (l textLine) hasAmounts() bool {
	cells := l.cells()
	return len(cells) > 1 && !slices.ContainsFunc(cells[1:], func(cell string) bool {
		return !isNumberCell(cell) || utf8.RuneCountInString(cell) < leastAmount || !isPlainAmount(cell)
	})
}

// leastAmount is how many characters an amount has at least that is no column's number.
const leastAmount = 3

// titled reports whether the first of a table's rows is its title: one cell, in bold and larger type.
func titled(rows []textLine) bool {
	return len(rows) > 1 && len(rows[0].cells()) == 1 && rows[0].bold && rows[0].size > 1.1*rows[1].size
}

func textsOf(rows []textLine) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.text()
	}
	return texts
}

// namingRows returns how many rows name the columns: the rows in bold above rows that are
// not, or one row that has words above columns of numbers.
func namingRows(rows []textLine) int {
	bold := 0
	for bold < len(rows) && rows[bold].bold && (bold == 0 || len(rows[bold].cells()) > 1) {
		bold++
	}
	if bold > 0 && bold < len(rows) && bold <= maxTitleRows && !rows[0].hasAmounts() && !slices.ContainsFunc(rows[1:bold], hasNumberCell) {
		return bold
	}
	if len(rows) < 3 || bold > 0 {
		return 0
	}
	head := rows[0].cells()
	ofYears := len(head) > 1 && extract.IsUnits(head[0]) && !slices.ContainsFunc(head[1:], func(cell string) bool { return !extract.IsYear(withoutMark(cell)) })
	shape, alike := shapeOf(rows[1:])
	switch {
	case len(head) < 2 || len(head) != len(shape.numbers) || 2*alike < len(rows)-1 || !slices.Contains(shape.numbers, true):
		return 0
	case len(head) == 2 && len(rows) < 5: // "Name | Ada" above a form's numbers
		return 0
	case ofYears:
		return 1
	case slices.ContainsFunc(head, func(cell string) bool {
		return !extract.IsDate(withoutMark(cell)) && (isNumberCell(cell) || !strings.ContainsFunc(cell, unicode.IsLetter))
	}):
		return 0
	}
	return 1
}

// withoutMark returns a cell without the mark of a footnote behind it: "31.12.2021 1".
func withoutMark(cell string) string {
	if n := len(cell) - 2; n > 0 && cell[n] == ' ' && unicode.IsDigit(rune(cell[n+1])) {
		return cell[:n]
	}
	return cell
}

func hasNumberCell(row textLine) bool { return slices.ContainsFunc(row.cells(), isNumberCell) }

// isNumberCell reports whether a cell is a number, maybe with a currency, a unit or the
// month of a date.
func isNumberCell(cell string) bool {
	rest := strings.TrimLeftFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if strings.HasPrefix(rest, "000") && extract.IsUnits(cell) {
		return false // "$'000"
	}
	letters := 0
	for _, r := range rest {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsNumber(first) && letters <= 4
}

// joinTables joins the parts of a table that continues on the next page, so that all
// parts have its header. It marks the tables that stand under the columns of another one.
func joinTables(doc *extract.Document, shapes []tableShape) {
	at := make(map[int]tableShape, len(shapes))
	for _, s := range shapes {
		at[s.start] = s
	}
	var out []extract.Block
	last := tableShape{}
	for _, b := range doc.Blocks {
		shape, ok := at[b.Start]
		if n := len(out); n > 0 && ok && b.HeaderEnd == 0 && !shape.titled && out[n-1].HeaderEnd > 0 && last.continuesIn(shape) && turnsPage(doc, out[n-1].End, b.Start) {
			out[n-1].End = b.End
			continue
		}
		b.Under, b.Over = ok && last.above(shape), shape.over
		out = append(out, b)
		last = shape
	}
	doc.Blocks = out
}

func (s tableShape) continuesIn(next tableShape) bool {
	return len(s.numbers) > 1 && slices.Equal(s.numbers, next.numbers) && math.Abs(s.left-next.left) <= 6 || s.alignedWith(next)
}

// alignedWith reports whether two tables have their columns at the same distances: each begins
// or ends as far from the first as the other one's does. Left and right pages may have
// other margins.
func (s tableShape) alignedWith(next tableShape) bool {
	if len(s.columns) < 3 || len(s.columns) != len(next.columns) {
		return false
	}
	shift := next.columns[0].left - s.columns[0].left
	return slices.EqualFunc(s.columns, next.columns, func(a, b box) bool {
		return math.Abs(a.left+shift-b.left) <= alignedWithin || math.Abs(a.right+shift-b.right) <= alignedWithin
	})
}

// above reports whether the columns of a table stand over those of the next one, each at the same left or right edge.
// No line with several parts is between the two: these may be names of other columns.
func (s tableShape) above(next tableShape) bool {
	if len(next.amounts) < 2 || s.page != next.page || next.parted {
		return false
	}
	return slices.EqualFunc(s.amounts, next.amounts, func(a, b box) bool {
		return math.Abs(a.left-b.left) <= alignedWithin || math.Abs(a.right-b.right) <= max(alignedWithin, bracketWidth*s.size)
	})
}

// turnsPage reports whether a page ends between two places, and nothing else is there.
func turnsPage(d *extract.Document, from, to int) bool {
	i, _ := slices.BinarySearchFunc(d.Pages, from, func(p extract.Page, at int) int { return p.Start - at })
	return i < len(d.Pages) && d.Pages[i].Start <= to && extract.IsBlank(d.Text[from:to])
}
