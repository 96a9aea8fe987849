package office

import (
	"context"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// An odf is the state of reading an OpenDocument text or presentation. It skips
// the same parts as [docx].
type odf struct {
	prose
	ctx     context.Context
	a       *archive
	styles  odfStyles
	lists   []odfList      // open, outermost first
	counted map[string]int // the last number of each list style, for lists that continue the numbering
	outline []int          // numbers of the headings by level

	paged     bool // the file records its page breaks
	newPage   bool // a page break is due before the next paragraph
	continued bool // the next paragraph belongs to the same list item
}

// openODF refuses encrypted documents and reads the styles.
func openODF(ctx context.Context, a *archive, opt extract.Options) (*odf, error) {
	d := &odf{ctx: ctx, a: a, counted: map[string]int{}}
	d.Limit = opt.MaxText
	if a.has("META-INF/manifest.xml") {
		err := a.part(ctx, "META-INF/manifest.xml", func(x *xmlReader, _ element) error {
			return x.children(func(e element) error {
				if e.name == "encryption-data" {
					return passwordProtected()
				}
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	for _, part := range []string{"styles.xml", "content.xml"} {
		if part == "content.xml" || a.has(part) {
			if err := d.styles.read(ctx, a, part); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// body calls do for each child element of the document's body.
func (d *odf) body(do func(x *xmlReader, e element) error) error {
	return d.a.part(d.ctx, "content.xml", func(x *xmlReader, e element) error {
		if e.name != "body" {
			return nil
		}
		return x.children(func(e element) error { // text, spreadsheet, presentation
			d.paged = e.attr("use-soft-page-breaks") == "true"
			return x.children(func(e element) error {
				if d.Full() {
					return extract.TooMuchText(d.Limit)
				}
				return do(x, e)
			})
		})
	})
}

// documentTitle is the title in the document's properties.
func (d *odf) documentTitle() string {
	title := ""
	if !d.a.has("meta.xml") {
		return ""
	}
	// If the properties cannot be read, only the title is missing.
	_ = d.a.part(d.ctx, "meta.xml", func(x *xmlReader, _ element) error {
		return x.each("title", func(element) error {
			text, err := x.text()
			title = oneLine(text)
			return err
		})
	})
	return title
}

func readODT(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	d, err := openODF(ctx, a, opt)
	if err != nil {
		return extract.Document{}, err
	}
	d.StartPage()
	if err := d.body(d.block); err != nil {
		return extract.Document{}, err
	}
	d.endList()
	d.writeDue()
	for _, n := range d.endnotes {
		d.add(n)
	}
	return d.document(opt, d.paged, d.documentTitle())
}

func (d *odf) blocks(x *xmlReader) error {
	return x.children(func(e element) error {
		if d.Full() {
			return extract.TooMuchText(d.Limit)
		}
		return d.block(x, e)
	})
}

// block reads an element between paragraphs. e is its start.
func (d *odf) block(x *xmlReader, e element) error {
	switch e.name {
	case "p", "h":
		return d.paragraphElement(x, e)
	case "list":
		return d.list(x, e)
	case "table":
		return d.table(x)
	case "soft-page-break":
		d.breakPage(false)
	case "table-of-content":
		defer func(mute bool) { d.mute = mute }(d.mute)
		d.mute = true
		return d.blocks(x)
	case "section":
		if e.attr("display") == "none" {
			return nil
		}
		return d.blocks(x)
	case "numbered-paragraph", "index-body", "index-title", "bibliography", "illustration-index", "table-index", "object-index",
		"user-index", "alphabetical-index", "text-box", "g", "a":
		return d.blocks(x)
	case "frame", "custom-shape", "rect", "ellipse", "caption", "line", "connector", "polygon", "path":
		err := d.textBox(x)
		d.writeDue()
		return err
	}
	return nil // such as deleted text
}

func (d *odf) paragraphElement(x *xmlReader, e element) error {
	style := e.attr("style-name")
	if d.newPage || d.styles.breaksBefore(style) {
		d.newPage = false
		if d.Started() {
			d.breakPage(true)
		}
	}
	level := d.styles.level(style)
	if e.name == "h" {
		level = max(1, min(intOf(e.attr("outline-level")), 10))
	}
	heading := level > 0 && len(d.grids) == 0 && d.boxes == 0
	switch {
	case heading:
		d.paragraph()
		d.StartHeading(level)
		if e.name == "h" && e.attr("is-list-header") != "true" {
			if mark := d.headingNumber(level); mark != "" {
				d.Mark(0, mark)
			}
		}
	case d.continued:
		d.newLine(1)
	case len(d.lists) > 0 && d.lists[len(d.lists)-1].marked:
		l := &d.lists[len(d.lists)-1]
		d.listItem(len(d.lists)-1, l.mark)
		d.continued = true
	default:
		d.paragraph()
	}
	if err := d.inline(x); err != nil {
		return err
	}
	if heading {
		d.endTitle(d.styles.isTitle(style))
	}
	d.writeDue()
	d.newPage = d.styles.breaksAfter(style)
	return nil
}

func (d *odf) headingNumber(level int) string {
	for len(d.outline) < 11 {
		d.outline = append(d.outline, 0)
	}
	levels := d.styles.lists[outlineStyle]
	if level > len(levels) {
		return ""
	}
	if d.outline[level]++; d.outline[level] == 1 {
		d.outline[level] = max(1, levels[level-1].start)
	}
	clear(d.outline[level+1:])
	return markOf(levels, d.outline[1:level+1])
}

// inline reads the text of a paragraph.
func (d *odf) inline(x *xmlReader) error {
	return x.content(func(e element) error {
		switch e.name {
		case "s", "tab":
			d.Space()
		case "line-break":
			d.newLine(1)
		case "soft-page-break":
			d.breakPage(false)
		case "note":
			return d.note(x, e)
		case "frame", "custom-shape", "rect", "ellipse", "caption", "g", "text-box", "connector", "line", "polygon", "path":
			return d.textBox(x)
		case "annotation", "ruby-text", "hidden-text", "script", "title", "desc", "tracked-changes", "deletion":
		default:
			return d.inline(x)
		}
		return nil
	}, func(t []byte) { d.write(string(t)) })
}

// separately runs read with an empty text of its own and returns that text.
func (d *odf) separately(read func() error) (extract.Document, error) {
	lists, newPage, continued := d.lists, d.newPage, d.continued
	d.lists, d.continued = nil, false
	doc, err := d.apart(func() error {
		err := read()
		d.writeDue()
		return err
	})
	d.lists, d.newPage, d.continued = lists, newPage, continued
	return doc, err
}

// textBox reads the text of a drawing, which is written after the paragraph.
func (d *odf) textBox(x *xmlReader) error {
	box, err := d.separately(func() error { return d.blocks(x) })
	box.Headings = nil
	d.due = append(d.due, box)
	return err
}

// note reads a note, which the file has at the place that refers to it.
func (d *odf) note(x *xmlReader, e element) error {
	if d.boxes > 0 {
		return nil
	}
	note, err := d.separately(func() error {
		return x.each("note-body", func(element) error { return d.blocks(x) })
	})
	note.Text = strings.ReplaceAll(note.Text, "\n\n", "\n")
	note.Headings, note.Blocks = nil, nil
	d.addNote(note, e.attr("note-class") == "endnote")
	return err
}

// table reads a table.
func (d *odf) table(x *xmlReader) error {
	continued := d.continued
	d.continued = false
	d.openTable()
	err := d.rows(x, false)
	d.closeTable()
	d.continued = continued
	d.writeDue()
	return err
}

func (d *odf) rows(x *xmlReader, header bool) error {
	return x.children(func(e element) error {
		switch e.name {
		case "table-header-rows":
			return d.rows(x, true)
		case "table-rows", "table-row-group":
			return d.rows(x, header)
		case "soft-page-break":
			d.breakPage(false)
		case "table-row":
			d.openRow()
			err := d.cells(x)
			d.closeRow(header)
			d.dueBreaks()
			return err
		}
		return nil
	})
}

func (d *odf) cells(x *xmlReader) error {
	return x.children(func(e element) error {
		switch e.name {
		case "covered-table-cell":
			d.emptyCells(max(1, intOf(e.attr("number-columns-repeated"))))
		case "table-cell":
			d.openCell()
			lists := d.lists
			d.lists, d.continued = nil, false
			err := d.blocks(x)
			d.lists, d.continued = lists, false
			d.emptyCells(intOf(e.attr("number-columns-repeated")) - 1)
			return err
		}
		return nil
	})
}
