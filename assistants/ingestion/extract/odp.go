package extract

import "context"

// readODP reads a presentation: a slide is a page, see [pptx].
func readODP(ctx context.Context, a *archive, opt Options) (Document, error) {
	d, err := openODF(ctx, a, opt)
	if err != nil {
		return Document{}, err
	}
	err = d.body(func(x *xmlReader, e element) error {
		if e.name != "page" {
			return nil
		}
		d.breakLine(2)
		d.startPage()
		if len(d.pages) > opt.MaxPages {
			return tooManyPages(len(d.pages), opt.MaxPages)
		}
		var shapes, notes []slideText
		if err := d.shapes(x, &shapes, &notes); err != nil {
			return err
		}
		if title := d.writeSlide(shapes); len(d.pages) == 1 {
			d.title = title
		}
		d.writeNotes(notes)
		return nil
	})
	if err != nil {
		return Document{}, err
	}
	if d.full() {
		return Document{}, tooMuchText(opt.MaxText)
	}
	doc := d.finish()
	if doc.Title = d.documentTitle(); doc.Title == "" {
		doc.Title = d.title
	}
	return doc, nil
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
			return nil // what stands on every slide
		}
		if e.name == "page-thumbnail" || len(*shapes) > maxEntries {
			return nil
		}
		text, err := d.apart(func() error { return d.shapeText(x) })
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
