package tables

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A Line is a line or a sentence of a text. Cells are those of a row, nil if it is none.
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

// A Kind tells what a line is.
type Kind uint8

// The kinds of lines.
const (
	Text  Kind = iota // no row of a table
	Data              // a row
	Names             // names of columns
	Rule              // what divides names from rows in Markdown
)

// Read tells of each line which row of which table it is.
func Read(lines []Line) []Row {
	rows := make([]Row, len(lines))
	unit, time := "", ""
	for i := 0; i < len(lines); {
		if n := length(lines[i:]); n > 0 {
			t := table{lines: lines[i : i+n], rows: rows[i : i+n], at: i, unit: unit, time: time}
			t.read()
			unit, time = "", ""
			i += n
			continue
		}
		if !isTitle(lines[i].Text) {
			unit, time = "", ""
		}
		unit, time = cmp.Or(unitOf(lines[i].Text), unit), cmp.Or(dayOf(lines[i].Text), time)
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
	return len(strings.Fields(text)) <= maxTitle && !endOfSentence.MatchString(text) && !anyDigit(numbersOfNames.ReplaceAllString(text, ""))
}

var endOfSentence = regexp.MustCompile(`[.!?。！？।…]["'”’»」』)]*\s*$`)

// A table is one being read.
type table struct {
	lines []Line
	rows  []Row
	at    int    // its first line
	unit  string // said above it
	time  string // of the part
	dated bool   // rows have days of their own
	head  *Head
}

func (t *table) read() {
	t.dated = slices.ContainsFunc(t.lines, func(l Line) bool {
		return l.Cells != nil && hasYear(l.Cells[0]) && slices.ContainsFunc(l.Cells, isAmount)
	})
	if t.dated {
		t.time = ""
	}
	first, early, part := true, true, -1
	for i := 0; i < len(t.lines); i++ {
		cells := t.lines[i].Cells
		if cells == nil {
			first, part = true, t.at+i
			t.title(t.lines[i].Text)
			continue
		}
		if n := headRows(t.lines[i:], first, early); n > 0 {
			t.head = newHead(t.lines[i:i+n], t.lines[i+n:])
			t.head.First, t.head.Last = t.at+i, t.at+i+n-1
			for end := i + n; i < end; i++ {
				t.rows[i] = Row{Kind: Names, Cells: t.lines[i].Cells, Head: t.head, Table: t.at, Part: part}
			}
			i--
			if t.head.years {
				t.time = ""
			}
		} else {
			if first && !slices.ContainsFunc(cells, isAmount) {
				t.head = newHead(t.lines[i:i+1], t.lines[i+1:])
				t.head.First, t.head.Last, t.head.Guessed = t.at+i, t.at+i, true
			}
			t.rows[i] = t.row(Row{Cells: cells, Head: t.head, Table: t.at, Part: part})
		}
		first, early = false, early && !slices.ContainsFunc(cells, isAmount)
	}
}

// title reads a line between rows.
func (t *table) title(text string) {
	t.unit = cmp.Or(unitOf(text), t.unit)
	if !hasYear(text) {
		return
	}
	if t.time = periodOf(text); t.dated {
		t.time = ""
	}
	if t.head != nil && t.head.years {
		t.head = nil // its years are not those of what follows
	}
}

// row completes a row: what it is, and the names of its columns.
func (t *table) row(r Row) Row {
	if isRule(r.Cells) {
		r.Kind = Rule
		return r
	}
	r.Kind = Data
	time, unit := t.time, t.unit
	if t.head != nil {
		r.Cells, r.Names = t.head.pair(r.Cells)
		unit = cmp.Or(t.head.unit, unit)
		if r.Names != nil && !t.dated {
			time = cmp.Or(t.head.time, time)
		}
	}
	r.About = time
	if unit != "" && unit != time {
		r.About = strings.TrimPrefix(time+", "+unit, ", ")
	}
	return r
}
