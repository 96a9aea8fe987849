package office

import (
	"slices"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// A sheetRows writes the rows of a sheet: its name as a heading, then a row per line.
// Empty rows separate tables. But if the first rows are frozen, the whole sheet is one
// table, and they are its header.
type sheetRows struct {
	w      *extract.Writer
	name   string
	frozen int // number of frozen rows
	left   int // first column in use

	started bool
	last    int  // number of the last row with text
	open    bool // a table is open

	decided   bool // the table's header is known
	rows      int  // of the table so far
	widest    int  // number of cells of the widest row without numbers
	headerEnd int  // where that row ends
}

// A sheetCell is a cell that is not empty; columns count from 0.
type sheetCell struct {
	column int
	text   string
	number bool // a number, a date or a truth value
}

// row writes a row; rows count from 1 and come in order. Cells are in order.
func (s *sheetRows) row(number int, cells []sheetCell) {
	if len(cells) == 0 || s.w.Full() {
		return
	}
	if !s.started {
		s.started = true
		s.w.StartHeading(1)
		s.w.Text(s.name)
		s.w.EndHeading()
	}
	if s.open && number > s.last+1 && s.frozen == 0 {
		s.end()
	}
	s.last = number
	if !s.open {
		s.open, s.decided, s.rows, s.widest = true, false, 0, 0
		s.w.StartBlock(extract.BlockTable)
	}
	s.w.BreakLine(1)
	at := s.left
	for i, c := range cells {
		for gap := min(c.column-at, maxGap); gap > 0; gap-- {
			s.w.Cell()
		}
		if i > 0 && c.column <= at {
			s.w.Cell()
		}
		s.w.Text(c.text)
		at = max(c.column, at)
	}
	s.noteHeader(number, cells)
}

// noteHeader finds the table's header, which ends with the widest row above the first
// row with a number. Titles and notes above that row are part of it.
func (s *sheetRows) noteHeader(number int, cells []sheetCell) {
	if s.frozen > 0 {
		if number <= s.frozen {
			s.w.EndHeader()
		}
		return
	}
	if s.decided {
		return
	}
	s.rows++
	words := !slices.ContainsFunc(cells, func(c sheetCell) bool { return c.number })
	if words && len(cells) > max(1, s.widest) {
		s.widest, s.headerEnd = len(cells), s.w.Out.Len()
	}
	if !words || s.rows == maxHeaderRows {
		s.decideHeader()
	}
}

func (s *sheetRows) decideHeader() {
	if !s.decided && s.widest > 0 {
		s.w.EndHeaderAt(s.headerEnd)
	}
	s.decided = true
}

// maxHeaderRows is how many rows a header may have.
const maxHeaderRows = 8

// end ends the table that is open.
func (s *sheetRows) end() {
	if s.open {
		s.open = false
		if s.frozen == 0 {
			s.decideHeader()
		}
		s.w.EndBlock(extract.BlockTable)
	}
}

// cellOf makes a cell of a text; ok is false if the text is blank.
func cellOf(column int, text string, number bool) (cell sheetCell, ok bool) {
	if !hasText(text) {
		return sheetCell{}, false
	}
	return sheetCell{column: column, text: strings.TrimSpace(text), number: number}, true
}
