package tables

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A Line is a line or a sentence of a text. Cells are those of a row, nil if it is none. An empty
// line is the space between parts.
type Line struct {
	Text  string
	Cells []string
	Head  bool // the line is of the header of a table that began before
}

// A Row is what a table says of a line.
type Row struct {
	Kind  Kind
	Cells []string // signs of currencies are with their amounts
	Names []string // of the column of each cell, "" for none; nil if they do not pair off
	Head  *Head    // nil if nothing names the columns
	Table int      // the first line of the table
	Part  int      // the line with the title of this part of the table, -1 if there is none
	About string   // what the amounts are in, or their period: "in thousands"; "" if unknown
}

// Kind is what a line is in a table.
type Kind uint8

// The kinds of lines.
const (
	Text  Kind = iota // no row of a table
	Data              // a row
	Names             // names of columns
	Rule              // what divides names from rows in Markdown
)

// DropLone takes the cells from rows that stand alone and have neither an amount nor a year:
// "ls | wc" in a text is no table. A title between two rows does not part them.
func DropLone(lines []Line) {
	last, between := -1, 0 // the row before, and the lines with text since
	for i := range lines {
		switch {
		case lines[i].Cells == nil:
			if lines[i].Text != "" {
				between++
			}
			continue
		case last < 0 || between > 1:
			if next, gap := nextLine(lines[i+1:]); next == nil || gap > 1 {
				if !slices.ContainsFunc(lines[i].Cells, func(c string) bool { return IsAmount(c) || hasYear(c) }) {
					lines[i].Cells = nil
					between++
					continue
				}
			}
		}
		last, between = i, 0
	}
}

// nextLine returns the first row of some lines, and how many lines with text come before.
func nextLine(lines []Line) (cells []string, between int) {
	for _, line := range lines {
		if line.Cells != nil {
			return line.Cells, between
		}
		if line.Text != "" {
			between++
		}
	}
	return nil, between
}

// Read finds the tables among some lines. It returns a row for each line.
func Read(lines []Line) []Row {
	rows := make([]Row, len(lines))
	unit, day := "", ""
	for i := 0; i < len(lines); {
		if n := length(lines[i:]); n > 0 {
			t := table{lines: lines[i : i+n], rows: rows[i : i+n], at: i, unit: unit, period: day}
			t.read()
			unit, day = "", ""
			i += n
			continue
		}
		if text := lines[i].Text; text != "" {
			if !isTitle(text) {
				unit, day = "", ""
			}
			unit, day = cmp.Or(unitOf(text), unit), cmp.Or(dayOf(text), day)
		}
		i++
	}
	return rows
}

// length is the number of lines of the table that begins with the first one, 0 for none. Titles of
// its parts are within it.
func length(lines []Line) int {
	last := 0
	for i, line := range lines {
		switch {
		case line.Cells != nil:
			last = i + 1
		case last == 0 || !line.Head && !isTitle(line.Text):
			return last
		}
	}
	return last
}

// maxTitle is the largest number of words of a title within a table.
const maxTitle = 20

// isTitle reports whether a line may be the title of a part of a table ("Investing
// activities"), or its period. The part has the columns of the one above.
func isTitle(text string) bool {
	if len(text) > 20*maxTitle || endOfSentence.MatchString(text) || len(strings.Fields(text)) > maxTitle {
		return false
	}
	return !anyDigit(text) || !anyDigit(numbersOfNames.ReplaceAllString(text, ""))
}

var endOfSentence = regexp.MustCompile(`[.!?。！？।…]["'”’»」』)]*\s*$`)

// A table is one being read.
type table struct {
	lines  []Line
	rows   []Row
	at     int    // its first line
	unit   string // said above it, or in a title
	period string // of the part
	dated  bool   // rows have days of their own, so that a period is not said of all
	head   *Head
	before []string // the names of the last head, which may have ended

	begins        bool // no row came since the last title: a part may begin
	toldUnit      bool // that title said what the amounts are in
	beforeAmounts bool // no row has had an amount yet
	part          int  // the line with the last title, -1 for none
}

func (t *table) read() {
	t.dated = slices.ContainsFunc(t.lines, func(l Line) bool {
		return l.Cells != nil && hasYear(l.Cells[0]) && slices.ContainsFunc(l.Cells, IsAmount)
	})
	if t.dated {
		t.period = ""
	}
	t.begins, t.toldUnit, t.beforeAmounts, t.part = true, true, true, -1
	for i := 0; i < len(t.lines); i++ {
		cells := t.lines[i].Cells
		if cells == nil {
			t.title(i)
			continue
		}
		if n := headRows(t.lines[i:], t.begins, t.beforeAmounts, t.head != nil && !t.head.Guessed); n > 0 {
			t.setHead(newHead(t.lines[i:i+n], t.lines[i+n:]), i, n)
			i += n - 1
		} else {
			t.data(i)
		}
		t.begins, t.toldUnit = false, false
		t.beforeAmounts = t.beforeAmounts && !slices.ContainsFunc(cells, IsAmount)
	}
}

// setHead begins the rows below a head. The unit of other rows is not theirs.
func (t *table) setHead(h *Head, first, n int) {
	if t.before != nil && !t.toldUnit && !slices.Equal(t.before, h.names) {
		t.unit = ""
	}
	t.before = h.names
	if h.years {
		t.period = ""
	}
	t.head, h.First, h.Last = h, t.at+first, t.at+first+n-1
	for i := first; i < first+n; i++ {
		t.rows[i] = Row{Kind: Names, Cells: t.lines[i].Cells, Head: h, Table: t.at, Part: t.part}
	}
}

// title reads a line between rows.
func (t *table) title(i int) {
	text := strings.TrimSpace(t.lines[i].Text)
	afterRow := !t.begins
	t.begins = true
	period := periodOf(text)
	switch {
	case text == "":
		return
	case t.lines[i].Head:
		if !t.dated {
			t.period = cmp.Or(period, t.period)
		}
		return
	}
	t.part = t.at + i
	if unit := cmp.Or(unitOf(text), measureOf(text)); unit != "" {
		t.unit, t.toldUnit = unit, true
	}
	if afterRow || period != "" {
		t.period = ""
	}
	if !t.dated && period != "" {
		t.period = period
	}
	if t.head != nil && !t.head.goesOnBelow(text) {
		t.head = nil
	}
}

// goesOnBelow reports whether the names are also those of a part with this title. Years are, if the title has
// none. Words are, if the title is a period, a unit, or ends with a colon; other titles may be of another measure.
func (h *Head) goesOnBelow(title string) bool {
	switch {
	case unitOf(title) != "":
		return true
	case h.years:
		return !hasYear(title)
	}
	return strings.HasSuffix(title, ":") || periodOf(title) != ""
}

// data reads a row of data.
func (t *table) data(i int) {
	cells := t.lines[i].Cells
	if t.begins && !slices.ContainsFunc(cells, IsAmount) && !isRule(cells) && !strings.HasSuffix(cells[0], ":") {
		t.head = newHead(t.lines[i:i+1], t.lines[i+1:])
		t.head.First, t.head.Last, t.head.Guessed = t.at+i, t.at+i, true
	}
	r := Row{Kind: Data, Cells: cells, Head: t.head, Table: t.at, Part: t.part}
	if isRule(cells) {
		r.Kind = Rule
	} else {
		t.describe(&r)
	}
	t.rows[i] = r
}

// describe gives a row the names of its columns, and what is said of all its amounts.
func (t *table) describe(r *Row) {
	period, unit := t.period, t.unit
	if t.head != nil {
		r.Cells, r.Names = t.head.pair(r.Cells)
		unit = cmp.Or(t.head.unit, unit)
		if r.Names != nil && !t.dated {
			period = cmp.Or(t.head.period, period)
		}
	}
	r.About = period
	if unit != "" && unit != period {
		r.About = strings.TrimPrefix(period+", "+unit, ", ")
	}
}
