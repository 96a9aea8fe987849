package extract

import "strings"

// A sheet writes the rows of a spreadsheet's sheet: its name as a heading, a
// row per line. Rows between empty ones are a table of their own, unless rows
// at the head of the sheet are held in place: then the sheet is one table and
// those are its header.
type sheet struct {
	w      *writer
	name   string
	frozen int // rows held in place
	left   int // first column in use

	started bool
	open    bool // a table is
	header  bool // the table's header rows are over
	last    int  // number of the last row with text
}

// A sheetCell is a cell that is not empty; columns count from 0.
type sheetCell struct {
	column int
	text   string
	number bool // a number, a date or a truth value
}

// row writes a row; rows count from 1 and come in order. Cells are in order.
func (s *sheet) row(number int, cells []sheetCell) {
	if len(cells) == 0 || s.w.full() {
		return
	}
	if !s.started {
		s.started = true
		s.w.startHeading(1)
		s.w.text(s.name)
		s.w.endHeading()
	}
	if s.open && number > s.last+1 && s.frozen == 0 {
		s.end()
	}
	s.last = number
	if !s.open {
		s.open, s.header = true, false
		s.w.startBlock(BlockTable)
	}
	s.w.breakLine(1)
	at := s.left
	for i, c := range cells {
		for gap := min(c.column-at, maxGap); gap > 0; gap-- {
			s.w.cell()
		}
		if i > 0 && c.column <= at {
			s.w.cell()
		}
		s.w.text(c.text)
		at = max(c.column, at)
	}
	s.noteHeader(number, cells)
}

// noteHeader decides whether a row belongs to the table's header: lines of a
// single cell, which are titles, and then the first row of several, if all of
// them are words.
func (s *sheet) noteHeader(number int, cells []sheetCell) {
	if s.frozen > 0 {
		if number <= s.frozen {
			s.w.endHeader()
		}
		return
	}
	if s.header || len(cells) < 2 {
		return
	}
	s.header = true
	for _, c := range cells {
		if c.number {
			return
		}
	}
	s.w.endHeader()
}

// end ends the table that is open.
func (s *sheet) end() {
	if s.open {
		s.open = false
		s.w.endBlock(BlockTable)
	}
}

// cellOf makes a cell of a text; ok is false if nothing of it can be seen.
func cellOf(column int, text string, number bool) (cell sheetCell, ok bool) {
	if !hasText(text) {
		return sheetCell{}, false
	}
	return sheetCell{column: column, text: strings.TrimSpace(text), number: number}, true
}
