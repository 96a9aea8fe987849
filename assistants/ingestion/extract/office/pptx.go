package office

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"footnote/assistants/ingestion/extract"
)

// A pptx is the state of reading a presentation. Each slide is a page. Hidden slides
// count, because PowerPoint numbers them, too. The speaker's notes follow the
// slide.
type pptx struct {
	flow
	ctx         context.Context
	a           *archive
	placeholder placeholder // of the current shape
	inNotes     bool        // reading the speaker's notes, which are not lists
	title       string      // of the first slide
	nums        []int       // numbers of the open lists by depth
	due         []slideText // texts of the slide's shapes so far
}

// A placeholder is the role of a shape in the slide's layout.
type placeholder struct {
	kind string // title, body, dt …; "" for a content placeholder or none
	is   bool   // the shape is a placeholder
}

// A slideText is the text of one shape.
type slideText struct {
	title bool
	doc   extract.Document
}

func readPPTX(ctx context.Context, a *archive, opt extract.Options) (extract.Document, error) {
	main, relations, err := a.mainRelations(ctx)
	if err != nil {
		return extract.Document{}, err
	}
	var slides []string
	err = a.part(ctx, main, func(x *xmlReader, e element) error {
		if e.name != "sldIdLst" {
			return nil
		}
		return x.children(func(e element) error {
			slides = append(slides, relations[e.relation("id")].target)
			return nil
		})
	})
	if err != nil {
		return extract.Document{}, err
	}
	if len(slides) > opt.MaxPages {
		return extract.Document{}, tooManyPages(len(slides), opt.MaxPages)
	}
	p := &pptx{ctx: ctx, a: a}
	p.Limit = opt.MaxText
	if err := a.pages(&p.Writer, opt, slides, func(i int) error { return p.slide(slides[i]) }); err != nil {
		return extract.Document{}, err
	}
	doc := p.Finish()
	doc.Title = cmp.Or(a.officeTitle(ctx), p.title)
	return doc, nil
}

// pages writes a page for each part. A missing part keeps its number.
func (a *archive) pages(w *extract.Writer, opt extract.Options, parts []string, write func(i int) error) error {
	reportProgress(opt, 0, len(parts))
	for i, part := range parts {
		w.BreakLine(2)
		w.StartPage()
		if part != "" && a.has(part) {
			if err := write(i); err != nil {
				return err
			}
		}
		if w.Full() {
			return extract.TooMuchText(opt.MaxText)
		}
		reportProgress(opt, i+1, len(parts))
	}
	return nil
}

func reportProgress(opt extract.Options, done, total int) {
	if opt.Progress != nil {
		opt.Progress(done, total)
	}
}

// slide reads a slide: first its title, wherever it is drawn, then the other shapes
// in order, then the notes.
func (p *pptx) slide(part string) error {
	relations, err := p.a.relations(p.ctx, part)
	if err != nil {
		return err
	}
	shapes, err := p.shapesOf(part, relations)
	if err != nil {
		return err
	}
	title := p.writeSlide(shapes)
	if len(p.Pages) == 1 {
		p.title = title
	}
	notes := p.a.related(relations, "notesSlide")
	if notes == "" {
		return nil
	}
	p.inNotes = true
	shapes, err = p.shapesOf(notes, nil)
	p.inNotes = false
	if err != nil {
		return err
	}
	p.writeNotes(shapes)
	return nil
}

// writeSlide writes the shapes of a slide. A slide without a title gets a section
// named by its number, so that it does not belong to the previous section.
func (f *flow) writeSlide(shapes []slideText) (title string) {
	for _, s := range shapes {
		if s.title {
			title = strings.TrimSpace(title + " " + oneLine(s.doc.Text))
		}
	}
	f.BreakLine(2)
	if title != "" {
		f.StartHeading(1)
		f.Text(title)
		f.EndHeading()
	} else {
		f.NameSection(1, "Slide "+strconv.Itoa(len(f.Pages)))
	}
	for _, s := range shapes {
		if !s.title {
			f.add(s.doc)
		}
	}
	return title
}

// writeNotes writes the speaker's notes.
func (f *flow) writeNotes(shapes []slideText) {
	said := false
	for _, s := range shapes {
		if s.doc.Text == "" {
			continue
		}
		if !said {
			said = true
			f.BreakLine(2)
			f.Text("Notes:")
			f.BreakLine(1)
		}
		f.Append(s.doc)
		f.BreakLine(2)
	}
}

// shapesOf reads the shapes of a slide or of its notes.
func (p *pptx) shapesOf(part string, relations map[string]relation) ([]slideText, error) {
	outer := p.flow
	p.due = nil
	err := p.a.part(p.ctx, part, func(x *xmlReader, e element) error {
		if e.name != "cSld" {
			return nil
		}
		return p.shapes(x, relations, part)
	})
	p.flow = outer
	return p.due, err
}

func (p *pptx) shapes(x *xmlReader, relations map[string]relation, part string) error {
	return x.children(func(e element) error {
		switch e.name {
		case "spTree", "grpSp":
			return p.shapes(x, relations, part)
		case "AlternateContent":
			return firstChoice(x, func() error { return p.shapes(x, relations, part) })
		case "sp", "graphicFrame", "cxnSp":
			return p.shape(x, relations)
		}
		return nil
	})
}

// shape reads one shape into a text of its own.
func (p *pptx) shape(x *xmlReader, relations map[string]relation) error {
	p.flow = flow{Writer: extract.Writer{Limit: p.Limit}}
	p.placeholder, p.nums = placeholder{}, nil
	if err := p.shapeContent(x, relations); err != nil {
		return err
	}
	doc := p.Finish()
	switch p.placeholder.kind {
	case "dt", "ftr", "hdr", "sldNum", "sldImg":
		return nil // repeated on every slide
	}
	if doc.Text != "" {
		p.due = append(p.due, slideText{title: p.placeholder.kind == "title" || p.placeholder.kind == "ctrTitle", doc: doc})
	}
	if len(p.due) > maxEntries {
		return &extract.Error{Code: extract.CodeTooComplex, Message: "The document has a slide with too many shapes."}
	}
	return nil
}

func (p *pptx) shapeContent(x *xmlReader, relations map[string]relation) error {
	return x.children(func(e element) error {
		switch e.name {
		case "ph":
			p.placeholder = placeholder{kind: e.attr("type"), is: true}
		case "txBody":
			return p.paragraphs(x)
		case "tbl":
			return p.table(x)
		case "relIds": // a diagram, whose text is in a separate part
			return p.diagram(relations[e.relation("dm")].target)
		case "AlternateContent":
			return firstChoice(x, func() error { return p.shapeContent(x, relations) })
		default:
			return p.shapeContent(x, relations)
		}
		return nil
	})
}

// diagram reads the words of a diagram.
func (p *pptx) diagram(part string) error {
	if part == "" || !p.a.has(part) {
		return nil
	}
	return p.a.part(p.ctx, part, func(x *xmlReader, e element) error {
		if e.name != "ptLst" {
			return nil
		}
		return x.children(func(element) error {
			return x.each("t", func(element) error { return p.paragraphs(x) })
		})
	})
}

// paragraphs reads the paragraphs of a text body.
func (p *pptx) paragraphs(x *xmlReader) error {
	return x.each("p", func(element) error {
		begun := false
		style := bulletStyle{}
		begin := func() {
			if !begun {
				begun = true
				p.begin(style)
			}
		}
		return x.children(func(e element) error {
			switch e.name {
			case "pPr":
				return style.read(x, e)
			case "r", "fld", "br", "m", "AlternateContent":
				begin()
				return p.run(x, e)
			}
			return nil
		})
	})
}

func (p *pptx) run(x *xmlReader, e element) error {
	switch e.name {
	case "br":
		p.newLine(1)
		return nil
	case "t":
		text, err := x.text()
		p.write(text)
		return err
	case "AlternateContent":
		return firstChoice(x, func() error {
			return x.children(func(e element) error { return p.run(x, e) })
		})
	}
	return x.children(func(e element) error { return p.run(x, e) })
}

// A bulletStyle is the bullet or numbering of a paragraph.
type bulletStyle struct {
	depth  int
	none   bool
	char   bool
	number string // a format such as arabicPeriod
	start  int
}

func (l *bulletStyle) read(x *xmlReader, e element) error {
	l.depth = min(intOf(e.attr("lvl")), listLevels-1)
	return x.children(func(e element) error {
		switch e.name {
		case "buNone":
			l.none = true
		case "buChar", "buBlip":
			l.char = true
		case "buAutoNum":
			l.number, l.start = e.attr("type"), max(1, intOf(e.attr("startAt")))
		}
		return nil
	})
}

// begin begins a paragraph. Paragraphs of a slide's body are list items unless they
// say otherwise: the slide master decides that, and nearly always has bullets.
func (p *pptx) begin(l bulletStyle) {
	for len(p.nums) <= l.depth {
		p.nums = append(p.nums, 0)
	}
	clear(p.nums[l.depth+1:])
	body := p.placeholder.is && (p.placeholder.kind == "" || p.placeholder.kind == "body" || p.placeholder.kind == "obj")
	switch {
	case l.number != "":
		if p.nums[l.depth] == 0 {
			p.nums[l.depth] = l.start - 1
		}
		p.nums[l.depth]++
		p.listItem(l.depth, autoNumber(p.nums[l.depth], l.number))
		return
	case !l.none && (l.char || body || l.depth > 0) && !p.inNotes:
		p.listItem(l.depth, bullet)
	default:
		p.paragraph()
	}
	p.nums[l.depth] = 0
}

// autoNumber writes a number in a format of PowerPoint's, such as romanLcParenR.
func autoNumber(n int, format string) string {
	kind, before, after := "decimal", "", ""
	for prefix, as := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"} {
		if strings.HasPrefix(format, prefix) {
			kind = as
		}
	}
	switch {
	case strings.HasSuffix(format, "ParenBoth"):
		before, after = "(", ")"
	case strings.HasSuffix(format, "ParenR"):
		after = ")"
	case strings.HasSuffix(format, "Period"):
		after = "."
	}
	return before + formatNumber(n, kind) + after
}

func (p *pptx) table(x *xmlReader) error {
	p.openTable()
	rows, header := 0, false
	err := x.children(func(e element) error {
		switch e.name {
		case "tblPr":
			header = e.attr("firstRow") == "1" || e.attr("firstRow") == "true"
		case "tr":
			rows++
			p.openRow()
			err := x.each("tc", func(element) error {
				p.openCell()
				return x.each("txBody", func(element) error { return p.paragraphs(x) })
			})
			p.closeRow(header && rows == 1)
			return err
		}
		return nil
	})
	p.closeTable()
	return err
}
