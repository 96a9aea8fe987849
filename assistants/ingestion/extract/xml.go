package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
)

const (
	// maxAttributes and maxAttribute bound what is shown of an element's
	// attributes: how many, and how much of each in bytes.
	maxAttributes = 32
	maxAttribute  = 500
)

var (
	errDTD = &Error{Code: CodeUnreadable, Message: "The XML defines a document type of its own (DTD), which is not read for safety. Save it without one."}

	xmlEncoding = regexp.MustCompile(`^<\?xml[^>]{0,100}encoding=["']([A-Za-z0-9._-]{1,40})["']`)
)

// readXML reads a document. Titles, paragraphs, tables and the elements within them
// are read as text. Everything else is data: an element per line as "name: text",
// with its child elements indented below. Entities that XML does not define itself
// stay as they are written. Nothing is fetched.
func readXML(raw []byte, opt Options) (Document, error) {
	text, encoding := decodeMarkup(raw)
	x := xmlWalk{w: Writer{Limit: opt.MaxText}}
	x.d = xml.NewDecoder(strings.NewReader(Normalise(text)))
	x.d.Strict = false // unknown entities stay as they are, and end tags close the element that they name
	x.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if err := x.read(); err != nil {
		return Document{}, err
	}
	doc := x.w.Finish()
	doc.Encoding, doc.Title = encoding, x.title
	return doc, nil
}

// decodeMarkup chooses the encoding by the byte order mark, then by the XML
// declaration, then by the bytes.
func decodeMarkup(raw []byte) (text, encoding string) {
	if said := xmlEncoding.FindSubmatch(raw[:min(len(raw), 200)]); said != nil && utf16Order(raw) == nil {
		if e, name := charset.Lookup(string(said[1])); e != nil && name != "utf-8" && !bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
			return decodeWith(e, raw), name
		}
	}
	return decode(raw)
}

// An xmlWalk is the state of reading an XML file.
type xmlWalk struct {
	d     *xml.Decoder
	w     Writer
	open  []xmlElement
	title string
}

// An xmlElement is an open element.
type xmlElement struct {
	name  string
	kind  elementKind
	label string // begins its line; "" once it is written
	level int    // indentation of its content
	text  bool   // it has text of its own, so its child elements are inline
	block bool   // it is a record
	cells int    // of a row
}

type elementKind int

const (
	kindData elementKind = iota
	kindProse
	kindTitle
	kindSection
	kindTable
	kindHead
	kindRow
	kindCell
	kindCode
	kindList
	kindItem
	kindInline
	kindGroup // has no output of its own
)

// kinds are the elements of texts: those of DocBook, DITA, JATS, TEI and XHTML.
var kinds = func() map[string]elementKind {
	all := map[string]elementKind{}
	for kind, names := range map[elementKind]string{
		kindProse: "p para simpara formalpara abstract quote blockquote note warning caution tip important shortdesc lg l ab remark caption dt dd dlentry attribution",
		kindTitle: "title subtitle head heading h1 h2 h3 h4 h5 h6",
		kindSection: "section sect sect1 sect2 sect3 sect4 sect5 chapter article appendix part preface sec body front back div div1 div2 div3 text topic concept task reference " +
			"conbody taskbody refbody book bookinfo articleinfo info simplesect refsect1 refsect2 glossary main html tei teiheader dita",
		kindTable: "table informaltable simpletable",
		kindHead:  "thead sthead",
		kindRow:   "row tr strow",
		kindCell:  "entry td th cell stentry",
		kindCode:  "programlisting screen codeblock pre literallayout",
		kindList:  "itemizedlist orderedlist list ul ol sl variablelist simplelist",
		kindItem:  "listitem item li sli member",
		kindGroup: "tgroup tbody tfoot colspec spanspec colgroup col varlistentry",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = kind
		}
	}
	return all
}()

func (x *xmlWalk) read() error {
	for {
		token, err := x.d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) {
			return &Error{Code: CodeUnreadable, Message: fmt.Sprintf("The XML is damaged at line %d.", syntax.Line), Err: err}
		}
		if err != nil {
			return fmt.Errorf("read XML: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(x.open) == maxDataDepth {
				return errTooDeep
			}
			x.start(token)
		case xml.EndElement:
			x.endNamed(token.Name.Local)
		case xml.CharData:
			x.chars(string(token))
		case xml.Directive:
			// "<!DOCTYPE name SYSTEM …>" refers to a definition, which is not fetched.
			// A definition within the document could define entities.
			if bytes.IndexByte(token, '[') >= 0 {
				return errDTD
			}
		}
		if x.w.Full() {
			return TooMuchText(x.w.Limit)
		}
	}
}

// inText reports whether the next token belongs to running text.
func (x *xmlWalk) inText() bool {
	if len(x.open) == 0 {
		return false
	}
	switch top := x.open[len(x.open)-1]; top.kind {
	case kindTitle, kindCode, kindInline, kindProse, kindCell:
		return true
	default:
		return top.text
	}
}

func (x *xmlWalk) start(token xml.StartElement) {
	e := xmlElement{name: token.Name.Local}
	known, ok := kinds[strings.ToLower(e.name)]
	switch parent := x.parent(); {
	case ok && x.fits(known, parent.kind):
		e.kind = known
	case x.inText():
		e.kind = kindInline
	default:
		e.level = parent.level
		if parent.kind == kindData && len(x.open) > 1 {
			x.announce()
			e.level++
		}
		if len(x.open) > 0 {
			e.label = keyOf(e.name) + attributes(token.Attr)
		}
	}
	if e.kind == kindTitle && x.parent().kind == kindTable {
		e.kind = kindRow
	}
	x.open = append(x.open, e)
	x.begin(e.kind)
}

func (x *xmlWalk) parent() xmlElement {
	if len(x.open) == 0 {
		return xmlElement{kind: kindData}
	}
	return x.open[len(x.open)-1]
}

// fits reports whether a known element name has its usual meaning within the parent
// element. Data formats use the same names for other things.
func (x *xmlWalk) fits(kind, parent elementKind) bool {
	switch parent {
	case kindInline, kindTitle, kindCode:
		return false
	}
	switch kind {
	case kindTitle:
		return parent == kindSection || parent == kindTable
	case kindItem:
		return parent == kindList || parent == kindGroup
	case kindHead, kindRow:
		return parent == kindTable || parent == kindGroup || parent == kindHead
	case kindCell:
		return parent == kindRow
	case kindGroup:
		return parent == kindTable || parent == kindList || parent == kindGroup
	case kindProse:
		return len(x.open) > 0 && parent != kindData
	case kindSection:
		return len(x.open) == 0 || parent == kindSection
	}
	return true
}

// begin separates a new element from the text before it.
func (x *xmlWalk) begin(kind elementKind) {
	switch kind {
	case kindData:
		x.w.BreakLine(1)
	case kindProse, kindSection:
		x.breakLine(2)
	case kindTitle:
		x.w.StartHeading(max(1, min(x.sections(), 9)))
	case kindTable:
		x.w.StartBlock(BlockTable)
	case kindRow:
		x.w.BreakLine(1)
	case kindCell:
		x.cell()
	case kindCode:
		x.w.StartBlock(BlockCode)
		x.w.Pre++
	case kindList:
		x.w.StartBlock(BlockList)
	case kindItem:
		x.w.BreakLine(1)
		x.w.item(0, 0)
	case kindHead, kindInline, kindGroup:
	}
}

// breakLine ends the line, or in a cell the word.
func (x *xmlWalk) breakLine(n int) {
	for _, e := range x.open {
		if e.kind == kindCell {
			x.w.Space()
			return
		}
		if e.kind == kindItem {
			n = 1
		}
	}
	x.w.BreakLine(n)
}

func (x *xmlWalk) cell() {
	for i := len(x.open) - 2; i >= 0; i-- {
		if row := &x.open[i]; row.kind == kindRow {
			if row.cells++; row.cells > 1 {
				x.w.Cell()
			}
			return
		}
	}
}

// sections counts the sections that are open.
func (x *xmlWalk) sections() int {
	n := 0
	for _, e := range x.open {
		if e.kind == kindSection {
			n++
		}
	}
	return n
}

// announce writes the label of the innermost open element on a line of its own,
// because the element has child elements.
func (x *xmlWalk) announce() {
	e := &x.open[len(x.open)-1]
	if e.label == "" {
		return
	}
	if len(x.open) == 2 && !e.block {
		e.block = true
		x.w.StartBlock(BlockList)
	}
	x.w.BreakLine(1)
	x.w.Lead = strings.Repeat("  ", min(e.level, 8))
	x.w.Text(e.label)
	x.w.BreakLine(1)
	e.label = ""
}

func (x *xmlWalk) chars(text string) {
	if len(x.open) == 0 || strings.TrimSpace(text) == "" && !x.inText() {
		return
	}
	e := &x.open[len(x.open)-1]
	if strings.TrimSpace(text) != "" {
		e.text = true
	}
	if e.label != "" {
		x.w.BreakLine(1)
		x.w.Mark(e.level, e.label+":")
		e.label = ""
	}
	x.w.Text(text)
}

// endNamed closes the innermost element of that name and all elements in it.
func (x *xmlWalk) endNamed(name string) {
	for i := len(x.open) - 1; i >= 0; i-- {
		if x.open[i].name == name {
			for len(x.open) > i {
				x.end()
			}
			return
		}
	}
}

func (x *xmlWalk) end() {
	e := &x.open[len(x.open)-1]
	if e.kind == kindData && strings.Contains(e.label, "(") {
		e.block = true // its attributes are written on a line
		x.announce()
		e.block = false
	}
	switch e.kind {
	case kindData:
		if e.block {
			x.w.EndBlock(BlockList)
		}
		x.w.BreakLine(1)
	case kindProse, kindSection:
		x.breakLine(2)
	case kindTitle:
		x.w.EndHeading()
		if n := len(x.w.Headings); x.title == "" && n == 1 {
			x.title = x.w.Headings[0].Title
		}
	case kindTable:
		x.w.EndBlock(BlockTable)
	case kindHead:
		x.w.EndHeader()
	case kindCode:
		x.w.Pre--
		x.w.EndBlock(BlockCode)
	case kindList:
		x.w.EndBlock(BlockList)
	case kindRow, kindItem:
		x.w.BreakLine(1)
	case kindCell, kindInline, kindGroup:
	}
	x.open = x.open[:len(x.open)-1]
}

// attributes returns an element's attributes in brackets, without those that
// concern XML itself.
func attributes(attrs []xml.Attr) string {
	var b strings.Builder
	shown := 0
	for _, a := range attrs {
		value := strings.Join(strings.Fields(Normalise(a.Value)), " ")
		if a.Name.Space == "xmlns" || a.Name.Space == "xml" || a.Name.Space == "xsi" || a.Name.Local == "xmlns" || value == "" {
			continue
		}
		if shown++; shown > maxAttributes {
			b.WriteString(", …")
			break
		}
		if shown > 1 {
			b.WriteString(", ")
		}
		if len(value) > maxAttribute {
			value = strings.ToValidUTF8(value[:maxAttribute], "") + "…"
		}
		b.WriteString(a.Name.Local + ": " + value)
	}
	if b.Len() == 0 {
		return ""
	}
	return " (" + b.String() + ")"
}
