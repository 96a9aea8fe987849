package extract

import (
	"slices"
	"strings"
)

// A statement is a table in parts with a title above all of them: "Balance sheet", below it units, a
// period or names of columns, and then "Assets" above the first part and "Liabilities" above
// the next one. Its parts are on one page.
type statement struct {
	state statementState
	level int     // of the parts' titles
	after int     // the level of what comes after the statement
	given int     // the level that the parts' titles had as headings of the document; 0: they were found
	page  int     // where its page starts
	paged Heading // its title, if it ends with its page

	units   Span            // the units and the period above the first part
	names   Span            // the names of the columns there
	amounts int             // the first part's columns of amounts
	first   int             // where the first part's rows start
	labels  map[string]bool // of the first part's rows; nil: they were not read
	alone   bool            // its title is that of the first part, and there is no other part yet

	financial bool // its title is a financial statement's, whose parts have the same columns
}

// A statementState says whether there is a statement.
type statementState int

const (
	noStatement    statementState = iota
	openStatement                 // the tables on its page may be parts of it
	endedStatement                // the next title is no part of it, and has the level after it
)

// Bounds of what stands above a statement's first part.
const (
	maxLinesOfHead = 16  // lines from its title to the part's
	maxBetween     = 2   // lines between the names of columns and the part's title
	maxColumnWords = 2   // words of a line that may name a column, without years: "Budget", "Budget 2019"
	maxColonWords  = 6   // words of a part's title that ends with a colon
	maxNameRows    = 3   // rows of names above the first part
	maxBelowNames  = 120 // bytes between such rows and the part
)

// begin notes that a statement may begin with a table whose title is the k-th of some lines above its rows.
func (t *tableTitler) begin(b *Block, lines []titleLine, k int) {
	head, titled := t.headOfStatement(lines[:k])
	heads := lines[head:k]
	_, names := t.headsIn(heads)
	switch {
	case titled:
		t.nest(lines[:k], head)
	case names.End > 0 && !t.inStatement():
		h := t.headings[len(t.headings)-1]
		t.statement = statement{state: openStatement, level: h.Level, after: h.Level, page: t.page, paged: t.paged, financial: isStatement(h.Title)}
		if !t.own {
			t.statement.given = h.Level
		}
	case len(t.Pages) > 0 && !t.inStatement() && t.hasOwnHead(b, lines[k]) && t.columnsOf(*b) > 1:
		h := t.headings[len(t.headings)-1]
		s := statement{state: openStatement, level: h.Level + 1, after: h.Level, page: t.page, paged: t.paged, alone: true, financial: isStatement(h.Title)}
		if !t.own && !isStatement(h.Title) {
			s.after++
		}
		t.statement = s
	default:
		return
	}
	s := &t.statement
	s.first, s.amounts = b.Start, t.columnsOf(*b)
	s.units, s.names = t.headsIn(heads)
	if t.hasOwnHead(b, lines[k]) {
		units, names := t.headsIn(append(slices.Clone(lines[k+1:]), t.headerRows(b, lines)...))
		if units.End > 0 && s.units.End == 0 {
			s.units = units
		}
		if names.End > 0 {
			s.names = names
		}
	}
	if !nameAll(t.Text[s.names.Start:s.names.End], s.amounts) {
		s.names = Span{}
	}
}

// hasOwnHead reports whether units or names of columns stand between a table's title and its first row.
func (t *tableTitler) hasOwnHead(b *Block, title titleLine) bool { return b.HeaderEnd > title.end }

// headerRows returns the rows of a table's header below some lines.
func (t *tableTitler) headerRows(b *Block, lines []titleLine) []titleLine {
	var out []titleLine
	for at := max(b.Start, lines[len(lines)-1].end+1); at < b.HeaderEnd; {
		end := at + len(t.Text[at:b.HeaderEnd])
		if n := strings.IndexByte(t.Text[at:b.HeaderEnd], '\n'); n >= 0 {
			end = at + n
		}
		if l, ok := t.lineAt(at, end); ok {
			out = append(out, l)
		}
		at = end + 1
	}
	return out
}

// headsIn returns what lines above a statement's rows say: units and a period come first, and then the names
// of columns. Lines without a year name none, unless they are cells.
func (t *tableTitler) headsIn(lines []titleLine) (units, names Span) {
	n := 0
	for n < len(lines) && isOwnUnits(lines[n]) {
		n++
	}
	if n > 0 {
		units = Span{lines[0].start, lines[n-1].end}
	}
	last := len(lines) - 1
	for last >= n && !t.isHead(lines[last]) && !strings.Contains(lines[last].text, "|") {
		last--
	}
	if slices.ContainsFunc(lines[n:last+1], func(l titleLine) bool {
		return strings.Contains(l.text, "|") || slices.ContainsFunc(strings.Fields(l.text), IsYear)
	}) {
		names = Span{lines[n].start, lines[last].end}
	}
	return units, names
}

// nameAll reports whether lines name as many columns: with as many years or cells.
func nameAll(lines string, columns int) bool {
	years, cells := 0, 0
	for line := range strings.Lines(lines) {
		cells = max(cells, strings.Count(line, "|")+1)
		for _, word := range strings.Fields(line) {
			if IsYear(word) {
				years++
			}
		}
	}
	return years >= columns || cells >= columns
}

// mayBePart reports whether a table with a title may be a part of the present statement. below has
// the lines between the title and the rows.
func (t *tableTitler) mayBePart(b *Block, title titleLine, below []titleLine) bool {
	if s := &t.statement; s.alone {
		part := !t.hasOwnHead(b, title) && s.amounts == t.columnsOf(*b)
		s.alone = !part
		return part
	}
	return !isStatement(title.text) && !slices.ContainsFunc(below, isOwnUnits)
}

// takeHeads gives the i-th block the units of the financial statement that it is a part of, and the names of the
// columns, if it has as many columns of amounts as the first part. Of other statements it must have the labels of the
// first part, too. A table with units, a period or names of
// its own is none, and ends the statement: whose columns those below it are is not known. Formats
// without pages do not show where a statement ends. The block's title is the k-th of the lines above
// its rows; k is -1 if it has none.
func (t *tableTitler) takeHeads(i int, lines []titleLine, k int) {
	b, s := &t.Blocks[i], t.statement
	if !t.inStatement() {
		return
	}
	title := titleLine{end: b.Start}
	if k >= 0 {
		title = lines[k]
	}
	own := t.hasOwnHead(b, title)
	if first := b.Start <= s.first && s.first < b.End; !first {
		if len(t.Pages) == 0 || i > 0 && b.Start-t.Blocks[i-1].End >= shortNotes {
			return
		}
		other := own || slices.ContainsFunc(lines, func(l titleLine) bool { return t.isHead(l) || isStatement(l.text) })
		if !other && (s.amounts == 0 || s.amounts != t.columnsOf(*b)) || !s.financial && !t.labelledLike(*b) {
			return
		}
		if other {
			t.leaveStatement()
			return
		}
	}
	if s.units.End <= b.Start {
		b.Units = s.units
	}
	if s.names.End <= b.Start && !own {
		b.Names = s.names
	}
}

// nest makes the last heading, the title of a table, that of a statement's part: the title above it is that of
// the statement. The lines between the two, from the one at head on, begin the part.
func (t *tableTitler) nest(above []titleLine, head int) {
	title := above[head-1]
	n := len(t.headings) - 1
	inner := t.headings[n]
	s := statement{state: openStatement, level: inner.Level + 1, after: inner.Level, page: t.page}
	if t.inStatement() {
		s.level, s.after = t.statement.after+1, t.statement.after
	}
	if !t.own {
		s.given = inner.Level
		if t.inStatement() && t.statement.given > 0 {
			s.given = t.statement.given
		}
	}
	outer := t.headingIn(title)
	if outer >= 0 {
		h := t.headings[outer]
		s.level, s.after = h.Level+1, h.Level+1
		if isStatement(h.Title) {
			s.after, s.paged = h.Level, h
		}
	} else {
		name, _ := WithoutContinued(title.text)
		s.after = t.levelOf(Heading{Start: title.start, Level: s.after, Title: name})
		s.level = s.after + 1
		top := t.topOf(above[:head])
		outer, _ = slices.BinarySearchFunc(t.headings, top, func(h Heading, at int) int { return h.Start - at })
		s.paged = Heading{Start: top, Level: s.after, Title: name}
		t.headings = slices.Insert(t.headings, outer, s.paged)
	}
	parts := slices.DeleteFunc(t.headings[outer+1:], func(h Heading) bool {
		return slices.ContainsFunc(above[head:], func(l titleLine) bool { return l.start == h.Start && t.isHead(l) })
	})
	t.headings = t.headings[:outer+1+len(parts)]
	for i := outer + 1; i < len(t.headings); i++ {
		h := &t.headings[i]
		h.Start = t.headings[outer].Start
		if h.Level <= s.level || i == len(t.headings)-1 {
			h.Level = s.level
		}
	}
	if last := len(t.headings) - 1; last > outer+1 {
		t.headings[last].Level = t.headings[last-1].Level + 1 // below what stands between the two
	}
	s.financial = isStatement(title.text)
	t.statement = s
	if s.paged.Level > 0 {
		t.paged = s.paged
	}
}

// topOf returns where the passages of a statement begin: with its title, which is the last line,
// or with the page, if only a name or two are above the title.
func (t *tableTitler) topOf(lines []titleLine) int {
	title := lines[len(lines)-1].start
	n, _ := slices.BinarySearchFunc(t.headings, t.page, func(h Heading, at int) int { return h.Start - at })
	if n < len(t.headings) && t.headings[n].Start < title || !IsBlank(t.Text[t.page:lines[0].start]) || slices.ContainsFunc(lines, func(l titleLine) bool { return !isTitle(l.text) }) {
		return title
	}
	return lines[0].start
}

// headOfStatement returns the index of the first line between the title of a statement and
// that of its part. If no title is above units, a period or names of columns, it is that of the first of
// these, or the number of the lines if there are none. The last line of above is the one above the part's title.
func (t *tableTitler) headOfStatement(above []titleLine) (head int, titled bool) {
	head = len(above)
	for j, between := len(above)-1, 0; j >= 0 && between <= maxBetween; j-- {
		found := head < len(above)
		switch l := above[j]; {
		case t.isHead(l):
			head = j
		case t.headingIn(l) < 0 && !isTitle(l.text) && (found || !isShortColon(l.text)) || endsParagraph(above[:j+1]):
			return head, false
		case found && (j == 0 || !t.isHead(above[j-1]) || wordsWithoutYears(l.text) > maxColumnWords):
			return j + 1, true
		case !found:
			between++
		}
	}
	return head, false
}

// headingIn returns the index of the last heading in a line, or -1.
func (t *tableTitler) headingIn(l titleLine) int {
	for i := len(t.headings) - 1; i >= 0 && t.headings[i].Start >= l.start; i-- {
		if l.has(t.headings[i]) {
			return i
		}
	}
	return -1
}

// wordsWithoutYears returns how many words of a line are no years.
func wordsWithoutYears(line string) int {
	return len(slices.DeleteFunc(strings.Fields(line), IsYear))
}

// isHead reports whether a line is one of those between a statement's title and the parts: units,
// a period, or names of columns.
func (t *tableTitler) isHead(l titleLine) bool {
	if IsUnits(l.text) || isNames(l.text) || startsWithDate(l.text) {
		return true
	}
	i, _ := slices.BinarySearchFunc(t.names, l.start, func(b Block, at int) int { return b.End - 1 - at })
	return i < len(t.names) && t.names[i].Start <= l.start
}

// inStatement reports whether the present page has a statement that has not ended.
func (t *tableTitler) inStatement() bool {
	return t.statement.state == openStatement && t.statement.page == t.page
}

// leaveStatement ends the statement before the next title.
func (t *tableTitler) leaveStatement() {
	if t.statement.state == openStatement {
		t.statement.state = endedStatement
	}
}

// isOwnUnits reports whether a line has units or a period. Below its title, they are those of a table
// that is no part of a statement.
func isOwnUnits(l titleLine) bool {
	return IsUnits(strings.Trim(l.text, "()")) || startsWithDate(l.text)
}

// columnsOf returns how many columns of amounts a table has. They are counted once for a table that stays as it is.
func (t *tableTitler) columnsOf(b Block) int {
	if table := (Span{b.Start, b.End}); t.counted != table {
		t.counted, t.columns = table, amountColumns(t.Text[b.Start:b.End])
	}
	return t.columns
}

// keepParts makes the headings of the document from the n-th on parts of the statement, if
// only short text has followed the last of them, and the parts before are such headings, or
// these name parts of a financial statement.
func (t *tableTitler) keepParts(n, i int) {
	s := t.statement
	if s.state == noStatement || n == len(t.headings) {
		return
	}
	from := t.headings[n].Start
	if i > 0 {
		from = max(t.Blocks[i-1].End, t.page)
	}
	short := t.inStatement() && t.Blocks[i].Start-from < shortNotes
	for j := n; j < len(t.headings); j++ {
		h := &t.headings[j]
		switch {
		case isStatement(h.Title): // the next one
			t.statement = statement{}
			return
		case short && (h.Level == s.given || s.financial && namesPart(h.Title) && s.amounts == t.columnsOf(t.Blocks[i])):
			h.Level = s.level
		case !short || h.Level < s.level:
			t.statement = statement{}
			return
		}
	}
	if s.paged.Level > 0 {
		t.paged = s.paged
	}
}

// isPartTitle reports whether a line is the title of a statement's part that ends with a colon,
// and not the introduction of a table. above has the lines above it.
func (t *tableTitler) isPartTitle(l titleLine, above []titleLine) bool {
	if !isShortColon(l.text) {
		return false
	}
	_, titled := t.headOfStatement(above)
	return titled || t.inStatement()
}

// isShortColon reports whether a line is like a title, but ends with a colon.
func isShortColon(line string) bool {
	name, ok := strings.CutSuffix(line, ":")
	return ok && isTitle(name) && len(strings.Fields(name)) <= maxColonWords
}

// foldNames takes away the tables that are nothing but names of columns for the next table, because the
// title of a statement's first part may be between them. It returns them. Formats without pages
// say themselves where a table begins.
func (d *Document) foldNames() []Block {
	var names, rest []Block
	for i, b := range d.Blocks {
		if i+1 < len(d.Blocks) && d.namesColumns(b, d.Blocks[i+1]) {
			names = append(names, b)
		} else {
			rest = append(rest, b)
		}
	}
	d.Blocks = rest
	return names
}

// namesColumns reports whether a table has only rows that name the columns of the next one.
func (d *Document) namesColumns(b, next Block) bool {
	if len(d.Pages) == 0 || b.Kind != BlockTable || next.Kind != BlockTable || next.Start-b.End > maxBelowNames || d.pageOf(b.Start) != d.pageOf(next.Start) {
		return false
	}
	rows := strings.SplitN(d.Text[b.Start:b.End], "\n", maxNameRows+1)
	if len(rows) > maxNameRows {
		return false
	}
	columns, years := 0, false
	for _, row := range rows {
		cells := strings.Split(row, "|")
		if amountsIn(cells) > 0 || len(cells) == 1 && wordsWithoutYears(row) > maxColumnWords {
			return false
		}
		columns = max(columns, len(cells))
		years = years || slices.ContainsFunc(strings.Fields(row), IsYear)
	}
	amounts := amountColumns(d.Text[next.Start:next.End])
	return columns >= 2 && amounts >= 2 && (columns == amounts || columns == amounts+1 || years && columns < amounts)
}
