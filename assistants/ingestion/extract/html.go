package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// ReadHTML reads the visible text of a page. It walks the tokens and builds no
// tree, so that a hundred thousand nested tags do not exhaust the stack, and the
// text of a page with broken nesting is still read.
func ReadHTML(raw []byte) Document {
	text, encoding := decodeHTML(raw)
	p := page{z: html.NewTokenizer(strings.NewReader(text)), w: &Writer{}}
	for p.step() {
	}
	doc := p.w.Finish()
	doc.Encoding = encoding
	doc.Title = p.title
	return doc
}

func decodeHTML(raw []byte) (text, encoding string) {
	if utf16Order(raw) == nil && !mostlyUTF8(raw) {
		// The encoding that the page declares takes precedence over a guess.
		if e, name, _ := charset.DetermineEncoding(raw, ""); e != nil && name != "windows-1252" && name != "utf-8" {
			return decodeWith(e, raw), name
		}
	}
	return decode(raw)
}

// A page is the state of reading an HTML page.
type page struct {
	z     *html.Tokenizer
	w     *Writer
	title string

	skipped atom.Atom // the element being skipped, 0: none
	depth   int       // how many skipped elements of that name are open
	inTitle bool
	raised  int // how many <sup> are open
	lists   []list
	tables  []table
}

type list struct {
	ordered bool
	items   int
}

type table struct {
	cells  int  // of the present row
	titles int  // how many of the cells are <th>
	nested bool // it contains a table, so it only serves the layout
	body   bool // a row that is no header has been seen
	inHead bool // within <thead>
}

// step reads one token and returns false at the end of the page.
func (p *page) step() bool {
	switch p.z.Next() {
	case html.ErrorToken:
		return false
	case html.TextToken:
		if p.skipped == 0 {
			p.text(string(p.z.Text()))
		}
	case html.StartTagToken:
		name, attrs := p.z.TagName()
		p.open(atom.Lookup(name), attrs, false)
	case html.SelfClosingTagToken:
		name, attrs := p.z.TagName()
		// HTML ignores the slash, except in foreign elements, which are skipped.
		a := atom.Lookup(name)
		p.open(a, attrs, a == atom.Svg || a == atom.Math)
	case html.EndTagToken:
		name, _ := p.z.TagName()
		p.end(atom.Lookup(name))
	}
	return true
}

func (p *page) text(raw string) {
	s := html.UnescapeString(raw)
	if p.inTitle {
		if p.title == "" {
			p.title = strings.Join(strings.Fields(Normalise(s)), " ")
		}
		return
	}
	if p.raised > 0 {
		s = superscript(s)
	}
	p.w.Text(s)
}

// superscript writes raised numbers with superscript digits. Otherwise the number of
// a footnote would read as a digit of the price before it.
func superscript(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(s) {
		at := strings.IndexRune("0123456789+-−=()", r)
		if at < 0 {
			return s
		}
		// The index counts bytes: "−" has three.
		b.WriteString([]string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁺", "⁻", "⁻", "", "", "⁼", "⁽", "⁾"}[at])
	}
	return b.String()
}

// isSkipped reports whether the content of an element is not read.
func isSkipped(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Canvas,
		atom.Noscript, atom.Noembed, atom.Noframes, atom.Nav, atom.Select, atom.Textarea, atom.Button,
		atom.Audio, atom.Video, atom.Datalist:
		return true
	}
	return false
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link,
		atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

func (p *page) open(a atom.Atom, attrs, closed bool) {
	if p.skipped != 0 {
		if a != p.skipped {
			return
		}
		if a != atom.P && a != atom.Li && a != atom.Td && a != atom.Tr && a != atom.Dd && a != atom.Dt {
			p.depth++
			return
		}
		p.skipped = 0 // its end tag was left out
	}
	if closed {
		return
	}
	if isSkipped(a) || !isVoid(a) && attrs && p.hidden() {
		p.skipped, p.depth = a, 1
		if a == 0 {
			p.skipped = unknownElement
		}
		return
	}
	switch a {
	case atom.Title:
		p.inTitle = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.w.StartHeading(int(a.String()[1] - '0'))
	case atom.Table:
		p.openTable()
	case atom.Tr:
		p.openRow()
	case atom.Td, atom.Th:
		p.openCell(a == atom.Th)
	case atom.Thead:
		p.setHead(true)
	case atom.Tbody, atom.Tfoot:
		p.setHead(false)
	case atom.Ul, atom.Ol, atom.Menu:
		if len(p.lists) == 0 {
			p.w.StartBlock(BlockList)
		}
		p.lists = append(p.lists, list{ordered: a == atom.Ol})
		p.breakLine(1)
	case atom.Li:
		p.openItem()
	case atom.Pre:
		p.w.StartBlock(BlockCode)
		p.w.Pre++
	case atom.Sup:
		p.raised++
	case atom.Br:
		p.breakLine(1)
	default:
		p.breakLine(breaks(a))
	}
}

// unknownElement stands for hidden elements with custom names. Their end tags
// cannot be distinguished, so the first one ends the element.
const unknownElement = atom.Atom(1)

// hidden reports whether the tag just read says that its element is not shown.
func (p *page) hidden() bool {
	for range 64 {
		key, value, more := p.z.TagAttr()
		switch string(key) {
		case "hidden":
			return true
		case "role":
			if string(value) == "doc-backlink" {
				return true // a link from a footnote back to the text
			}
		case "class":
			if bytes.Contains(value, []byte("footnote-back")) {
				return true
			}
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(string(value)), ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
		if !more {
			break
		}
	}
	return false
}

func (p *page) end(a atom.Atom) {
	if p.skipped != 0 {
		if a == p.skipped || a == 0 && p.skipped == unknownElement {
			if p.depth--; p.depth == 0 {
				p.skipped = 0
			}
		}
		return
	}
	switch a {
	case atom.Title:
		p.inTitle = false
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.w.EndHeading()
	case atom.Table:
		p.closeTable()
	case atom.Thead:
		p.setHead(false)
	case atom.Ul, atom.Ol, atom.Menu:
		if len(p.lists) == 0 {
			return
		}
		p.lists = p.lists[:len(p.lists)-1]
		p.breakLine(1)
		if len(p.lists) == 0 {
			p.w.EndBlock(BlockList)
		}
	case atom.Sup:
		p.raised = max(p.raised-1, 0)
	case atom.Pre:
		if p.w.Pre > 0 {
			p.w.Pre--
			p.w.EndBlock(BlockCode)
		}
	default:
		p.breakLine(breaks(a))
	}
}

// breaks is how many line ends stand before and after an element.
func breaks(a atom.Atom) int {
	switch a {
	case atom.P, atom.Blockquote, atom.Hr, atom.Figure, atom.Article, atom.Section, atom.Dl, atom.Header, atom.Footer,
		atom.Main, atom.Aside, atom.Fieldset, atom.Form, atom.Details:
		return 2
	case atom.Div, atom.Dt, atom.Dd, atom.Address, atom.Figcaption, atom.Caption, atom.Summary, atom.Legend,
		atom.Option, atom.Center, atom.Body, atom.Html, atom.Tr, atom.Li:
		return 1
	}
	return 0
}

// breakLine ends the line. In a table's cell it only ends the word, because a row is
// one line.
func (p *page) breakLine(n int) {
	if n == 0 {
		return
	}
	p.raised = 0 // the end tag of <sup> was left out
	switch {
	case p.inCell():
		p.w.Space()
	default:
		p.w.BreakLine(n)
	}
}

func (p *page) inCell() bool {
	n := len(p.tables)
	return n > 0 && p.tables[n-1].cells > 0 && !p.tables[n-1].nested
}

func (p *page) openTable() {
	if n := len(p.tables); n > 0 {
		p.tables[n-1].nested = true
		p.w.DropBlock(BlockTable)
	}
	p.tables = append(p.tables, table{})
	p.w.StartBlock(BlockTable)
}

func (p *page) closeTable() {
	n := len(p.tables)
	if n == 0 {
		return
	}
	p.closeRow()
	p.tables = p.tables[:n-1]
	p.w.EndBlock(BlockTable)
}

// closeRow ends a row. A row is part of the table's header if it is in <thead>, or
// if it and all rows before it consist of <th> cells.
func (p *page) closeRow() {
	t := &p.tables[len(p.tables)-1]
	if t.cells == 0 || t.nested {
		return
	}
	if t.inHead || t.titles == t.cells && !t.body {
		p.w.EndHeader()
	} else {
		t.body = true
	}
	t.cells, t.titles = 0, 0
}

// setHead begins or ends the head of the current table.
func (p *page) setHead(in bool) {
	if n := len(p.tables); n > 0 {
		p.closeRow()
		p.tables[n-1].inHead = in && !p.tables[n-1].body
	}
}

func (p *page) openRow() {
	if n := len(p.tables); n > 0 {
		p.closeRow()
		p.tables[n-1].cells = 0
	}
	p.w.BreakLine(1)
}

func (p *page) openCell(title bool) {
	n := len(p.tables)
	if n == 0 {
		p.w.Space()
		return
	}
	t := &p.tables[n-1]
	t.cells++
	if title {
		t.titles++
	}
	switch {
	case t.nested:
		p.w.BreakLine(1)
	case t.cells > 1:
		p.w.Cell()
	}
}

func (p *page) openItem() {
	p.breakLine(1)
	n := len(p.lists)
	if n == 0 {
		p.w.item(0, 0)
		return
	}
	l := &p.lists[n-1]
	l.items++
	number := 0
	if l.ordered {
		number = l.items
	}
	p.w.item(n-1, number)
}
