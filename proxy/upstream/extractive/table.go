package extractive

import (
	"regexp"
	"strings"

	"footnote/citations/tables"
	"footnote/proxy/upstream"
)

// A row of a table in the form for an answer. Names of columns and rules have no quote.
type row struct {
	quote string
	said  string          // the quote without its units
	head  map[string]bool // terms of the names of its columns
}

// rowsOf reads the rows of tables among the parts of a passage; other parts have none.
func rowsOf(p upstream.Passage, parts []part) []row {
	var lines []tables.Line
	for line := range strings.Lines(p.TableHeader) {
		lines = append(lines, tables.Line{Text: line, Cells: namesIn(line), Head: true})
	}
	first := len(lines)
	at := make([]int, len(parts))
	for i, part := range parts {
		if part.apart {
			lines = append(lines, tables.Line{})
		}
		at[i] = len(lines)
		lines = append(lines, tables.Line{Text: part.text, Cells: part.cells})
	}
	read := tables.Read(lines)
	heads := map[*tables.Head]map[string]bool{}
	out := make([]row, len(parts))
	for i := range out {
		r := read[at[i]]
		if r.Kind != tables.Data {
			continue
		}
		if r.Head != nil && r.Head.Guessed && r.Head.First >= first { // it may be a row like others
			r.Head, r.Names = nil, nil
		}
		if r.Head != nil && heads[r.Head] == nil {
			terms := map[string]bool{}
			for _, line := range lines[r.Head.First : r.Head.Last+1] {
				terms = joined(terms, termSet(line.Text))
			}
			heads[r.Head] = terms
		}
		out[i] = quoteRow(r)
		out[i].head = heads[r.Head]
	}
	return out
}

// namesIn returns the cells of a line of a table's header. Years alone are cells, too.
func namesIn(line string) []string {
	words := strings.Fields(line)
	for _, w := range words {
		if !tables.IsPeriod(w) {
			return cellsOf(line)
		}
	}
	if len(words) < 2 {
		return nil
	}
	return words
}

// quoteRow returns a row with the names of its columns, as far as they are known, and what
// its amounts are in.
func quoteRow(r tables.Row) row {
	var named, bare []string
	counts := false
	for i, cell := range r.Cells {
		if cell = clean(cell); cell == "" {
			continue
		}
		bare = append(bare, cell)
		counts = counts || i > 0 && tables.IsAmount(cell) && !strings.Contains(cell, "%")
		if r.Names != nil && r.Names[i] != "" {
			cell = strings.TrimRight(clean(r.Names[i]), ":") + ": " + cell
		}
		named = append(named, cell)
	}
	if len(bare) == 2 && noteMark.MatchString(bare[0]) && len(strings.Fields(bare[1])) >= leastNote {
		named, bare = bare[1:], bare[1:] // the text of a note
	} else if len(named) < 2 {
		return row{}
	}
	said := strings.Join(named, "; ")
	if len(said) > maxQuote {
		said = strings.Join(bare, "; ")
	}
	// Again, because joining put new signs after the ends of cells ("Price $:").
	said = shorten(mathless(said))
	if !counts || r.About == "" {
		return row{quote: said, said: said}
	}
	return row{quote: said + " (" + clean(r.About) + ")", said: said}
}

// noteMark matches the mark in front of a note below a table, which is a sentence: it has leastNote
// words or more.
var noteMark = regexp.MustCompile(`^\(?(?:\d{1,2}|[a-z]|\*{1,3})\)?$`)

const leastNote = 5

// cellsOf splits the row of a table; nil if the text is not a row. Markdown and the
// extracted text of other formats separate cells with bars or tabs.
func cellsOf(raw string) []string {
	raw = strings.TrimSpace(raw)
	separator := "|"
	switch {
	case strings.Contains(raw, "\n"):
		return nil
	case strings.HasPrefix(raw, "|"), strings.Contains(raw, " | "):
		raw = strings.TrimSuffix(strings.TrimPrefix(raw, "|"), "|")
	case strings.Contains(raw, "\t"):
		separator = "\t"
	default:
		return nil
	}
	cells := strings.Split(raw, separator)
	if len(cells) < 2 {
		return nil
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}
