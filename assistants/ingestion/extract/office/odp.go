package office

import (
	"context"

	"footnote/assistants/ingestion/extract"
)

// readODP reads a presentation: a slide is a page, see [pptx].
func readODP(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	d, err := openODF(ctx, a, opt)
	if err != nil {
		return extract.Document{}, err
	}
	err = d.body(func(x *xmlReader, e element) error {
		if e.name != "page" {
			return nil
		}
		d.BreakLine(2)
		d.StartPage()
		if len(d.Pages) > opt.MaxPages {
			return tooManyPages(len(d.Pages), opt.MaxPages)
		}
		var shapes, notes []slideText
		if err := d.shapes(x, &shapes, &notes); err != nil {
			return err
		}
		if title := d.writeSlide(shapes); len(d.Pages) == 1 {
			d.title = title
		}
		d.writeNotes(notes)
		return nil
	})
	if err != nil {
		return extract.Document{}, err
	}
	return d.document(opt, true, d.documentTitle())
}

// shapes reads the shapes of a slide; notes is nil inside of its notes.
func (d *odf) shapes(x *xmlReader, shapes, notes *[]slideText) error {
	return x.children(func(e element) error {
		switch e.name {
		case "g", "a":
			return d.shapes(x, shapes, notes)
		case "notes":
			if notes == nil {
				return nil
			}
			return d.shapes(x, notes, nil)
		case "forms", "animations", "par", "seq":
			return nil
		}
		class := e.attr("class")
		switch class {
		case "header", "footer", "date-time", "page-number", "page":
			return nil // repeated on every slide
		}
		if e.name == "page-thumbnail" || len(*shapes) > maxEntries {
			return nil
		}
		text, err := d.separately(func() error { return d.shapeText(x) })
		if text.Text != "" {
			*shapes = append(*shapes, slideText{title: class == "title", doc: text})
		}
		return err
	})
}

func (d *odf) shapeText(x *xmlReader) error {
	return x.children(func(e element) error {
		switch e.name {
		case "text-box", "object", "g":
			return d.shapeText(x)
		}
		return d.block(x, e)
	})
}
