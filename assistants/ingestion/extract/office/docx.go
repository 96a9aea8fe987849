package office

import (
	"context"
	"maps"
	"slices"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// A docx is the state of reading a Word document. What a reader of the
// printed document does not see stays out: comments, deletions, hidden text,
// field instructions. So do the table of contents, which repeats the headings
// with the wrong page, and page headers and footers, which stand in no passage.
type docx struct {
	prose
	ctx     context.Context
	a       *archive
	styles  wordStyles
	numbers wordNumbers
	notes   map[string]extract.Document // by kind and id

	rendered bool // the document records where its pages ended in the last layout
	newPage  bool // the author began this page, which is still empty
	joined   bool // the next paragraph continues this one, because its end was deleted
	header   boldness
}

// boldness says whether all of a row's text is bold.
type boldness struct{ any, plain bool }

func readDOCX(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	main, relations, err := a.mainRelations(ctx)
	if err != nil {
		return extract.Document{}, err
	}
	d := &docx{ctx: ctx, a: a, notes: map[string]extract.Document{}}
	d.Limit = opt.MaxText
	if err := d.definitions(relations); err != nil {
		return extract.Document{}, err
	}
	d.StartPage()
	if err := d.readPart(main); err != nil {
		return extract.Document{}, err
	}
	for _, n := range d.endnotes {
		d.add(n)
	}
	if !hasText(d.Out.String()) {
		if err := d.margins(relations); err != nil {
			return extract.Document{}, err
		}
	}
	return d.document(opt, d.rendered, a.officeTitle(ctx))
}

// definitions reads what the text refers to. The parts are optional.
func (d *docx) definitions(relations map[string]relation) error {
	if part := d.a.related(relations, "styles"); part != "" {
		if err := d.styles.read(d.ctx, d.a, part); err != nil {
			return err
		}
	}
	if part := d.a.related(relations, "numbering"); part != "" {
		if err := d.numbers.read(d.ctx, d.a, part); err != nil {
			return err
		}
	}
	for _, kind := range []string{"footnote", "endnote"} {
		if part := d.a.related(relations, kind+"s"); part != "" {
			if err := d.readNotes(kind, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNotes reads footnotes or endnotes.
func (d *docx) readNotes(kind, part string) error {
	size := 0
	return d.a.part(d.ctx, part, func(x *xmlReader, e element) error {
		if e.name != kind || e.attr("type") != "" && e.attr("type") != "normal" {
			return nil // a separator line
		}
		note, err := d.separately(func() error { return d.blocks(x) })
		if size += len(note.Text); size > d.Limit {
			return extract.TooMuchText(d.Limit)
		}
		note.Text = strings.ReplaceAll(note.Text, "\n\n", "\n")
		note.Headings, note.Blocks = nil, nil
		d.notes[kind+e.attr("id")] = note
		return err
	})
}

// separately runs read with an empty text of its own and returns that text.
func (d *docx) separately(read func() error) (extract.Document, error) {
	joined := d.joined
	d.joined = false
	doc, err := d.apart(read)
	d.joined = joined
	return doc, err
}

// margins reads headers and footers: the text of a document without any other.
func (d *docx) margins(relations map[string]relation) error {
	for _, kind := range []string{"header", "footer"} {
		for _, id := range slices.Sorted(maps.Keys(relations)) {
			r := relations[id]
			if r.kind != kind || !d.a.has(r.target) {
				continue
			}
			if err := d.readPart(r.target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *docx) readPart(part string) error {
	if err := d.a.part(d.ctx, part, d.block); err != nil {
		return err
	}
	d.endList()
	return nil
}

// blocks reads paragraphs and tables, also those inside of containers.
func (d *docx) blocks(x *xmlReader) error {
	return x.children(func(e element) error { return d.block(x, e) })
}

func (d *docx) block(x *xmlReader, e element) error {
	if d.Full() {
		return extract.TooMuchText(d.Limit)
	}
	switch e.name {
	case "p":
		return d.paragraphElement(x)
	case "tbl":
		return d.table(x)
	case "body", "sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo":
		return d.blocks(x)
	case "AlternateContent":
		return firstChoice(x, func() error { return d.blocks(x) })
	}
	return nil
}

// A wordParagraph holds the properties of a paragraph.
type wordParagraph struct {
	style   string
	level   int // of the outline, 1 to 9; 0: not said; 10: none
	number  string
	depth   int // of the list; -1: not said
	deleted bool
	breaks  bool // begins a page
}

func (d *docx) paragraphElement(x *xmlReader) error {
	p := wordParagraph{depth: -1}
	begun := false
	begin := func() {
		if !begun {
			begun = true
			d.beginParagraph(p)
			d.mute = d.styles.isContents(p.style)
		}
	}
	err := x.children(func(e element) error {
		if e.name == "pPr" {
			return p.read(x)
		}
		begin()
		return d.inline(x, e)
	})
	if err != nil {
		return err
	}
	begin()
	d.mute = false
	d.endParagraph(p)
	return nil
}

func (p *wordParagraph) read(x *xmlReader) error {
	return x.children(func(e element) error {
		switch e.name {
		case "pStyle":
			p.style = e.attr("val")
		case "outlineLvl":
			p.level = outline(e.attr("val"))
		case "pageBreakBefore":
			p.breaks = isOn(e)
		case "numPr":
			return x.children(func(e element) error {
				switch e.name {
				case "ilvl":
					p.depth = intOf(e.attr("val"))
				case "numId":
					p.number = e.attr("val")
				}
				return nil
			})
		case "rPr":
			return x.children(func(e element) error {
				p.deleted = p.deleted || e.name == "del"
				return nil
			})
		}
		return nil
	})
}

func (d *docx) beginParagraph(p wordParagraph) {
	if p.breaks && d.boxes == 0 {
		d.pageBreak(true)
	}
	if d.joined {
		d.joined = false
		d.Space()
		return
	}
	mark, depth, listed := d.numbers.next(d.styles.numbering(p))
	level := d.styles.level(p)
	switch {
	case level > 0 && len(d.grids) == 0 && d.boxes == 0:
		d.paragraph()
		d.StartHeading(level)
		if listed && mark != bullet {
			d.Mark(0, mark)
		}
	case listed:
		d.listItem(depth, mark)
	default:
		d.paragraph()
	}
}

func (d *docx) endParagraph(p wordParagraph) {
	d.joined = p.deleted
	if d.joined {
		return
	}
	if d.Heading != nil {
		d.endTitle(d.styles.isTitle(p.style))
	}
	d.writeDue()
}

// table reads a table. Its header is the rows that the author or the style marks as
// such, or a first row in bold.
func (d *docx) table(x *xmlReader) error {
	d.joined = false
	d.openTable()
	rows, header, styled := 0, true, false
	outer := d.header
	var content func() error
	content = func() error {
		return x.children(func(e element) error {
			switch e.name {
			case "tblPr":
				var err error
				styled, err = d.headerByStyle(x)
				return err
			case "tr":
				rows++
				d.header = boldness{}
				marked, err := d.row(x, rows == 1 && styled)
				bold := rows == 1 && d.header.any && !d.header.plain
				header = header && (marked || bold)
				d.closeRow(header)
				d.dueBreaks()
				return err
			case "sdt", "sdtContent", "customXml":
				return content()
			}
			return nil
		})
	}
	err := content()
	d.header = outer
	d.closeTable()
	d.writeDue()
	return err
}

// headerByStyle reports whether the table uses a style that formats the first row as a
// header.
func (d *docx) headerByStyle(x *xmlReader) (bool, error) {
	style, look := "", false
	err := x.children(func(e element) error {
		switch e.name {
		case "tblStyle":
			style = e.attr("val")
		case "tblLook":
			look = e.attr("firstRow") == "1" || e.attr("firstRow") == "" && intOf("0x"+e.attr("val"))&0x20 != 0
		}
		return nil
	})
	return look && d.styles.formatsFirstRow(style), err
}

// row reads a row and reports whether it belongs to the table's header.
func (d *docx) row(x *xmlReader, header bool) (bool, error) {
	d.openRow()
	deleted := false
	var cells func() error
	cells = func() error {
		return x.children(func(e element) error {
			switch e.name {
			case "trPr":
				return x.children(func(e element) error {
					header = header || e.name == "tblHeader" && isOn(e)
					deleted = deleted || e.name == "del"
					return nil
				})
			case "tc":
				if deleted {
					return nil
				}
				return d.cellElement(x)
			case "sdt", "sdtContent", "customXml":
				return cells()
			}
			return nil
		})
	}
	err := cells()
	return header, err
}

func (d *docx) cellElement(x *xmlReader) error {
	d.openCell()
	columns := 1
	err := x.children(func(e element) error {
		if e.name != "tcPr" {
			return d.block(x, e)
		}
		return x.children(func(e element) error {
			if e.name == "gridSpan" {
				columns = intOf(e.attr("val"))
			}
			return nil
		})
	})
	d.emptyCells(columns - 1)
	return err
}

// pageBreak begins a page, as [prose.breakPage] does. byAuthor: the author put the
// break there, not the layout.
func (d *docx) pageBreak(byAuthor bool) {
	if d.boxes > 0 {
		return
	}
	if !byAuthor {
		d.rendered = true
		if d.newPage { // the layout records the author's break again
			d.newPage = false
			return
		}
	}
	if d.breakPage(byAuthor) {
		d.newPage = byAuthor
	}
}
