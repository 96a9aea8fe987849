package extract

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxQuotedCell is the longest cell in quotes, in bytes; spreadsheets hold
	// 32,767 characters. A quote that is not closed within it is an ordinary character.
	maxQuotedCell = 128 << 10
	// delimiterSample is how much of a table is read to detect its delimiter, in bytes and rows.
	delimiterSample = 64 << 10
	delimiterRows   = 100
)

// readSeparated reads a table of separated values, a row per line. Formulas
// are text like everything else.
func readSeparated(raw []byte, opt Options) (Document, error) {
	text, encoding := decode(raw)
	doc, ok := separated(Normalise(text), opt)
	if !ok {
		return Document{}, TooMuchText(opt.MaxText)
	}
	doc.Encoding = encoding
	return doc, nil
}

// separated reads a table of separated values; ok is false when its text is longer
// than allowed.
func separated(text string, opt Options) (doc Document, ok bool) {
	delimiter, text := delimiterOf(text)
	rows := rowReader{text: text, delimiter: delimiter}
	w := Writer{Limit: opt.MaxText}
	var first []string
	inTable := false
	for n := 0; ; n++ {
		row, more := rows.next()
		if !more {
			break
		}
		if w.Full() {
			return Document{}, false
		}
		if blankRow(row) {
			continue
		}
		// A single cell above a table is its title, not its header.
		if !inTable && len(row) > 1 {
			inTable = true
			w.StartBlock(BlockTable)
			first = append(first, row...)
			w.row(row)
			continue
		}
		if first != nil && isHeader(first) {
			w.EndHeader()
		}
		first = nil
		w.row(row)
	}
	return w.Finish(), true
}

// nameTable makes the name of a table's file the heading above all others.
func (d *Document) nameTable(name string) {
	base := path.Base(filepath.ToSlash(name))
	title := strings.TrimSpace(strings.TrimSuffix(base, path.Ext(base)))
	if title == "" || title == "." || title == "/" {
		return
	}
	for i := range d.Headings {
		d.Headings[i].Level++
	}
	d.Headings = slices.Insert(d.Headings, 0, Heading{Level: 1, Title: title})
}

// row writes a row of a table on a line of its own.
func (w *Writer) row(cells []string) {
	w.BreakLine(1)
	for i, cell := range cells {
		if i > 0 {
			w.Cell()
		}
		w.Text(cell)
	}
}

func blankRow(row []string) bool {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// isHeader reports whether a first row names columns. At most one cell may be
// empty, and no cell may be an amount or a date.
func isHeader(row []string) bool {
	empty := 0
	for _, cell := range row {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			if empty++; empty > 1 {
				return false
			}
			continue
		}
		letter := strings.IndexFunc(cell, unicode.IsLetter)
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(cell, "+-$€£ "))
		// A year names a column of figures, an amount does not.
		if letter < 0 && !IsYear(cell) || unicode.IsDigit(first) && !IsYear(cell) && letter > 2 {
			return false
		}
	}
	return true
}

// delimiterOf finds the delimiter by content: the one that divides most rows
// into the same number of cells. Amounts may contain commas, so the
// comma comes last. Spreadsheets may name the delimiter in a first line like "sep=;".
func delimiterOf(text string) (delimiter byte, rest string) {
	if line, after, _ := strings.Cut(text, "\n"); len(line) == 5 && strings.HasPrefix(line, "sep=") && strings.IndexByte("\t;|,: ", line[4]) >= 0 {
		return line[4], after
	}
	sample := text[:min(len(text), delimiterSample)]
	delimiter, best := ',', 0.0
	for _, candidate := range []byte("\t;|,") {
		if share := evenRows(sample, candidate); share > best+0.02 {
			delimiter, best = candidate, share
		}
	}
	return delimiter, text
}

// evenRows returns the share of rows that have the most frequent number of
// cells. It ignores numbers of cells below two.
func evenRows(sample string, delimiter byte) float64 {
	rows, counts, total := rowReader{text: sample, delimiter: delimiter}, map[int]int{}, 0
	for total < delimiterRows {
		row, more := rows.next()
		if !more {
			break
		}
		if !blankRow(row) {
			counts[len(row)]++
			total++
		}
	}
	most := 0
	for cells, n := range counts {
		if cells > 1 {
			most = max(most, n)
		}
	}
	return float64(most) / float64(max(total, 1))
}

// A rowReader reads rows of cells. It never fails: a quote that does not begin
// a cell, or is never closed, is a character like others.
type rowReader struct {
	text      string
	delimiter byte
	at        int
	open      int // no cell in quotes ends before this offset
	row       []string
}

// next returns the next row, which is valid until the next call.
func (r *rowReader) next() (row []string, more bool) {
	if r.at >= len(r.text) {
		return nil, false
	}
	r.row = r.row[:0]
	for {
		r.row = append(r.row, r.cell())
		if r.at >= len(r.text) {
			return r.row, true
		}
		r.at++
		if r.text[r.at-1] == '\n' {
			return r.row, true
		}
	}
}

// cell reads a cell and stops at the delimiter or line end behind it.
func (r *rowReader) cell() string {
	start := r.at
	for start < len(r.text) && r.text[start] == ' ' {
		start++
	}
	if start < len(r.text) && r.text[start] == '"' {
		if end, after := r.closing(start + 1); end >= 0 {
			r.at = after
			return strings.ReplaceAll(r.text[start+1:end], `""`, `"`)
		}
	}
	n := strings.IndexAny(r.text[r.at:], string([]byte{r.delimiter, '\n'}))
	if n < 0 {
		n = len(r.text) - r.at
	}
	cell := r.text[r.at : r.at+n]
	r.at += n
	return cell
}

// closing returns the offset of the quote that ends the cell which begins at from,
// and the offset of the delimiter or line end after it; end is -1 when there is none.
func (r *rowReader) closing(from int) (end, after int) {
	limit := min(len(r.text), from+maxQuotedCell)
	for at := max(from, r.open); at < limit; at++ {
		n := strings.IndexByte(r.text[at:limit], '"')
		if n < 0 {
			break
		}
		at += n
		if at+1 < len(r.text) && r.text[at+1] == '"' {
			at++
			continue
		}
		after = at + 1
		for after < len(r.text) && r.text[after] == ' ' && r.delimiter != ' ' {
			after++
		}
		if after == len(r.text) || r.text[after] == '\n' || r.text[after] == r.delimiter {
			return at, after
		}
	}
	r.open = max(r.open, limit)
	return -1, 0
}
