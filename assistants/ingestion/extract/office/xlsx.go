package office

import (
	"context"
	"strconv"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// An xlsx is the state of reading a workbook. It reads the sheets as a
// stream of cells, so that a workbook takes the memory of its distinct strings
// and of the text that comes out. Nothing is calculated, for a formula's value
// is stored with it.
//
// A library does not replace this. excelize 2.11 takes 840 MB for a million rows when it
// is asked for formulas and cell types (47 MB here; the process that extracts has 512),
// and it unpacks every picture. It reads a damaged sheet up to the damage without an
// error, and shows elapsed hours of the 1904 calendar 35,000 too high.
//
// Each visible sheet is a page, in the order of the tabs. Hidden sheets are left out.
type xlsx struct {
	extract.Writer
	ctx     context.Context
	a       *archive
	strings sharedStrings
	styles  cellStyles
}

// sharedStrings are the distinct strings of a workbook in one buffer.
type sharedStrings struct {
	text []byte
	ends []int
}

func (s *sharedStrings) at(i int) string {
	if i < 0 || i >= len(s.ends) {
		return ""
	}
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return string(s.text[start:s.ends[i]])
}

// A tab is a sheet as the workbook lists it.
type tab struct{ name, part string }

func readXLSX(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	main, relations, err := a.mainRelations(ctx)
	if err != nil {
		return extract.Document{}, err
	}
	w := &xlsx{ctx: ctx, a: a}
	w.Limit = opt.MaxText
	tabs, err := w.tabs(main, relations)
	if err != nil {
		return extract.Document{}, err
	}
	if len(tabs) > opt.MaxPages {
		return extract.Document{}, tooManyPages(len(tabs), opt.MaxPages)
	}
	if part := a.related(relations, "styles"); part != "" {
		if err := w.styles.read(ctx, a, part); err != nil {
			return extract.Document{}, err
		}
	}
	if part := a.related(relations, "sharedStrings"); part != "" {
		if err := w.readStrings(part, 2*opt.MaxText); err != nil {
			return extract.Document{}, err
		}
	}
	parts := make([]string, len(tabs))
	for i, t := range tabs {
		parts[i] = t.part
	}
	if err := a.pages(&w.Writer, opt, parts, func(i int) error { return w.sheet(tabs[i]) }); err != nil {
		return extract.Document{}, err
	}
	doc := w.Finish()
	doc.Title = a.officeTitle(ctx)
	return doc, nil
}

// tabs lists the visible sheets.
func (w *xlsx) tabs(main string, relations map[string]relation) ([]tab, error) {
	var tabs []tab
	err := w.a.part(w.ctx, main, func(x *xmlReader, e element) error {
		switch e.name {
		case "workbookPr":
			w.styles.since1904 = e.attr("date1904") == "1" || e.attr("date1904") == "true"
		case "sheets":
			return x.children(func(e element) error {
				if state := e.attr("state"); e.name == "sheet" && state != "hidden" && state != "veryHidden" {
					tabs = append(tabs, tab{oneLine(e.attr("name")), relations[e.relation("id")].target})
				}
				return nil
			})
		}
		return nil
	})
	return tabs, err
}

// readStrings reads the shared strings, at most limit bytes of them.
func (w *xlsx) readStrings(part string, limit int) error {
	s := &w.strings
	return w.a.part(w.ctx, part, func(x *xmlReader, e element) error {
		if e.name != "si" {
			return nil
		}
		text, err := cellText(x)
		s.text = append(s.text, text...)
		s.ends = append(s.ends, len(s.text))
		if len(s.text)+8*len(s.ends) > limit {
			return extract.TooMuchText(limit / 2)
		}
		return err
	})
}

// cellText reads a string with all its formatted parts, without phonetic guides.
func cellText(x *xmlReader) (string, error) {
	var b strings.Builder
	var read func() error
	read = func() error {
		return x.children(func(e element) error {
			switch e.name {
			case "t":
				return x.textInto(&b)
			case "r":
				return read()
			}
			return nil
		})
	}
	err := read()
	return unescaped(b.String()), err
}

// unescaped replaces _x000D_ and its like, which stand for characters that XML
// cannot hold: line ends, for the most part.
func unescaped(s string) string {
	for at := 0; ; {
		i := strings.Index(s[at:], "_x")
		if i < 0 {
			return s
		}
		i += at
		at = i + 2
		if len(s) < i+7 || s[i+6] != '_' {
			continue
		}
		n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
		if err != nil {
			continue
		}
		char := " "
		if n > ' ' {
			char = string(rune(n))
		}
		s = s[:i] + char + s[i+7:]
		at = i + len(char)
	}
}

// sheet reads one sheet.
func (w *xlsx) sheet(t tab) error {
	s := &sheetRows{w: &w.Writer, name: t.name}
	row := 0
	err := w.a.part(w.ctx, t.part, func(x *xmlReader, e element) error {
		switch e.name {
		case "dimension":
			if column, _ := columnOf(e.attr("ref")); column > 0 {
				s.left = column
			}
		case "sheetViews":
			return x.children(func(element) error {
				return x.children(func(e element) error {
					if state := e.attr("state"); e.name == "pane" && (state == "frozen" || state == "frozenSplit") {
						s.frozen = intOf(e.attr("ySplit"))
					}
					return nil
				})
			})
		case "sheetData":
			if s.frozen > maxHeaderRows {
				s.frozen = 0 // so many rows are no header
			}
			return x.each("row", func(e element) error {
				if row++; intOf(e.attr("r")) > row {
					row = intOf(e.attr("r"))
				}
				cells, err := w.cells(x)
				s.row(row, cells)
				if w.Full() {
					return extract.TooMuchText(w.Limit)
				}
				return err
			})
		}
		return nil
	})
	s.end()
	return err
}

// cells reads the cells of a row.
func (w *xlsx) cells(x *xmlReader) ([]sheetCell, error) {
	var cells []sheetCell
	next := 0
	err := x.each("c", func(e element) error {
		column := next
		if at, ok := columnOf(e.attr("r")); ok && at >= next {
			column = at
		}
		next = column + 1
		text, number, err := w.cell(x, e)
		if cell, ok := cellOf(column, text, number); ok {
			cells = append(cells, cell)
		}
		return err
	})
	return cells, err
}

// cell returns the text that a cell shows. A formula without a value shows itself.
func (w *xlsx) cell(x *xmlReader, e element) (text string, number bool, err error) {
	kind, style := e.attr("t"), intOf(e.attr("s"))
	var value, formula, inline string
	err = x.children(func(e element) error {
		var err error
		switch e.name {
		case "v":
			value, err = x.text()
		case "f":
			formula, err = x.text()
		case "is":
			inline, err = cellText(x)
		}
		return err
	})
	switch {
	case kind == "inlineStr":
		return inline, false, err
	case value == "" && formula != "":
		return "=" + formula, true, err
	case value == "":
		return "", false, err
	}
	switch kind {
	case "s":
		i, bad := strconv.Atoi(strings.TrimSpace(value))
		if bad != nil {
			i = -1
		}
		return w.strings.at(i), false, err
	case "str":
		return unescaped(value), false, err
	case "b":
		if strings.TrimSpace(value) == "1" {
			return "TRUE", true, err
		}
		return "FALSE", true, err
	case "e":
		return value, true, err
	case "d":
		return strings.TrimSuffix(value, "T00:00:00"), true, err
	}
	return w.styles.show(value, style), true, err
}

// columnOf returns the column, from 0, of a cell such as "AB12".
func columnOf(name string) (column int, ok bool) {
	n := 0
	for i := 0; i < len(name) && i < 4; i++ {
		c := name[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	if n == 0 || n > maxColumns {
		return 0, false
	}
	return n - 1, true
}

const maxColumns = 16_384
