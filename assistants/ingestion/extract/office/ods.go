package office

import (
	"context"
	"strconv"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// readODS reads a spreadsheet. Its cells contain their text as it is shown, so that no
// number is formatted here. Each sheet is a page.
func readODS(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	d, err := openODF(ctx, a, opt)
	if err != nil {
		return extract.Document{}, err
	}
	err = d.body(func(x *xmlReader, e element) error {
		if e.name != "table" || d.styles.styles["table "+e.attr("style-name")].hidden {
			return nil
		}
		d.BreakLine(2)
		d.StartPage()
		if len(d.Pages) > opt.MaxPages {
			return tooManyPages(len(d.Pages), opt.MaxPages)
		}
		s := &odfSheet{sheetRows: sheetRows{w: &d.Writer, name: oneLine(e.attr("name"))}}
		err := s.rows(x, false)
		s.end()
		return err
	})
	if err != nil {
		return extract.Document{}, err
	}
	return d.document(opt, true, d.documentTitle())
}

// An odfSheet is the state of reading a sheet.
type odfSheet struct {
	sheetRows
	number int // of the last row
}

// maxRows is how many rows a sheet has at most.
const maxRows = 1 << 20

func (s *odfSheet) rows(x *xmlReader, header bool) error {
	return x.children(func(e element) error {
		switch e.name {
		case "table-header-rows":
			return s.rows(x, true)
		case "table-rows", "table-row-group":
			return s.rows(x, header)
		case "table-row":
			return s.rowElement(x, e, header)
		}
		return nil
	})
}

// rowElement reads a row, which may stand for many equal ones: programs end a sheet with
// a million empty rows.
func (s *odfSheet) rowElement(x *xmlReader, e element, header bool) error {
	repeated := max(1, min(intOf(e.attr("number-rows-repeated")), maxRows))
	cells, err := s.cells(x)
	if err != nil {
		return err
	}
	if len(cells) == 0 {
		s.number += repeated
		return nil
	}
	for range repeated {
		s.number++
		if header && s.number <= maxHeaderRows {
			s.frozen = s.number
		}
		s.row(s.number, cells)
		if s.w.Full() {
			return extract.TooMuchText(s.w.Limit)
		}
	}
	return nil
}

func (s *odfSheet) cells(x *xmlReader) ([]sheetCell, error) {
	var cells []sheetCell
	column := 0
	err := x.children(func(e element) error {
		if e.name != "table-cell" && e.name != "covered-table-cell" {
			return nil
		}
		repeated := max(1, min(intOf(e.attr("number-columns-repeated")), maxColumns))
		text, err := s.cellText(x)
		if err != nil {
			return err
		}
		number := false
		switch e.attr("value-type") {
		case "", "string":
		default:
			number = true
		}
		if !hasText(text) {
			text = cellValue(e)
		}
		if _, ok := cellOf(column, text, number); ok {
			for i := 0; i < repeated && column+i < maxColumns; i++ {
				cell, _ := cellOf(column+i, text, number)
				cells = append(cells, cell)
			}
		}
		column = min(column+repeated, maxColumns)
		return nil
	})
	return cells, err
}

// cellText returns the paragraphs of a cell, without comments and pictures.
func (s *odfSheet) cellText(x *xmlReader) (string, error) {
	var b strings.Builder
	var inline func() error
	inline = func() error {
		return x.content(func(e element) error {
			switch e.name {
			case "s", "tab", "line-break":
				b.WriteByte(' ')
				return nil
			case "annotation", "frame":
				return nil
			}
			return inline()
		}, func(t []byte) {
			if b.Len() <= maxNode {
				b.Write(t)
			}
		})
	}
	err := x.each("p", func(element) error {
		b.WriteByte(' ')
		return inline()
	})
	return b.String(), err
}

// cellValue returns the value of a cell without text. Office programs write both, other
// programs often the value alone.
func cellValue(e element) string {
	switch e.attr("value-type") {
	case "float", "currency":
		return decimal(e.attr("value"), 1)
	case "percentage":
		if v := decimal(e.attr("value"), 100); v != "" {
			return v + "%"
		}
	case "date":
		return strings.Replace(e.attr("date-value"), "T", " ", 1)
	case "time":
		return e.attr("time-value")
	case "boolean":
		return strings.ToUpper(e.attr("boolean-value"))
	case "string":
		return e.attr("string-value")
	}
	return ""
}

func decimal(value string, scale float64) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	return general(v * scale)
}
