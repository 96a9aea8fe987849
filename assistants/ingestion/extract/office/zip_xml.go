package office

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"footnote/assistants/ingestion/extract"
)

// Limits of XML. Office programs stay below a tenth of them.
const (
	maxElements = 256
	maxTag      = 256 << 10 // bytes of a tag with its attributes
	maxNode     = 4 << 20   // bytes of a text, a comment or anything else
)

// An xmlReader walks the elements of an XML part. Names are without their
// prefix: office formats exist in several name spaces that mean the same, and
// within one part no two elements that matter share a name.
//
// A document cannot declare entities, because DTDs are refused.
type xmlReader struct {
	ctx    context.Context
	d      *xml.Decoder
	open   []string // the elements that are open
	tokens int
	close  func() error
}

// An element is a start tag.
type element struct {
	name  string
	attrs []xml.Attr
}

// attr returns the value of an attribute, whatever its prefix, or "" if there is none.
func (e element) attr(name string) string {
	for i := range e.attrs {
		if e.attrs[i].Name.Local == name {
			return e.attrs[i].Value
		}
	}
	return ""
}

// relation returns the value of an attribute that names a relationship. Its prefix
// distinguishes it from the element's own id.
func (e element) relation(name string) string {
	for i := range e.attrs {
		if e.attrs[i].Name.Local == name && e.attrs[i].Name.Space != "" {
			return e.attrs[i].Value
		}
	}
	return ""
}

// xml opens a part of the archive. The caller closes it.
func (a *archive) xml(ctx context.Context, name string) (*xmlReader, error) {
	part, err := a.open(name)
	if err != nil {
		return nil, err
	}
	d := xml.NewDecoder(&xmlGuard{r: bufio.NewReaderSize(decodeXML(part), 32<<10)})
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decodeXML has done it
	return &xmlReader{ctx: ctx, d: d, close: part.Close}, nil
}

// decodeXML turns a part into UTF-8. Programs write UTF-8; the formats allow
// UTF-16, and books exist in more.
func decodeXML(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	head, _ := in.Peek(256) // an error comes back with the first read
	var e encoding.Encoding
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("<?xml")):
		declaration, _, _ := bytes.Cut(head, []byte("?>"))
		if _, name, ok := bytes.Cut(declaration, []byte("encoding=")); ok && len(name) > 1 {
			label, _, _ := bytes.Cut(name[1:], name[:1])
			e, _ = charset.Lookup(string(label))
		}
	}
	if e == nil || e == encoding.Nop || e == unicode.UTF8 {
		return in
	}
	return e.NewDecoder().Reader(in)
}

// next returns the next token: an [element], an end (nil) or a text ([]byte,
// valid until the next call). Its error is io.EOF or of type [*Error], or the
// context's.
func (x *xmlReader) next() (any, error) {
	for {
		if x.tokens++; x.tokens%4096 == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		t, err := x.d.RawToken()
		if err != nil {
			return nil, x.fault(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(x.open) >= maxElements {
				return nil, &extract.Error{Code: extract.CodeTooComplex, Message: "The document's parts are nested too deeply."}
			}
			x.open = append(x.open, t.Name.Local)
			return element{t.Name.Local, t.Attr}, nil
		case xml.EndElement:
			n := len(x.open)
			if n == 0 || x.open[n-1] != t.Name.Local {
				return nil, damaged(fmt.Errorf("</%s> ends nothing", t.Name.Local))
			}
			x.open = x.open[:n-1]
			return nil, nil //nolint:nilnil // an end has no content
		case xml.CharData:
			return []byte(t), nil
		}
	}
}

func (x *xmlReader) fault(err error) error {
	var known *extract.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.EOF) && len(x.open) == 0:
		return io.EOF
	}
	return damaged(err)
}

// root finds the outermost element.
func (x *xmlReader) root() (element, error) {
	for {
		t, err := x.next()
		if errors.Is(err, io.EOF) {
			return element{}, damaged(err)
		}
		if err != nil {
			return element{}, err
		}
		if e, ok := t.(element); ok {
			return e, nil
		}
	}
}

// children calls do for each child of the element that was opened last. Content
// that do does not read is skipped.
func (x *xmlReader) children(do func(e element) error) error {
	return x.content(do, func([]byte) {})
}

// each calls do for each child with a name.
func (x *xmlReader) each(name string, do func(e element) error) error {
	return x.children(func(e element) error {
		if e.name != name {
			return nil
		}
		return do(e)
	})
}

// content calls do for each child, and text for the text between them.
func (x *xmlReader) content(do func(e element) error, text func([]byte)) error {
	depth := len(x.open)
	for {
		t, err := x.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return damaged(err)
			}
			return err
		}
		switch t := t.(type) {
		case element:
			if err := do(t); err != nil {
				return err
			}
			if err := x.skipTo(depth); err != nil {
				return err
			}
		case []byte:
			text(t)
		default:
			if len(x.open) < depth {
				return nil
			}
		}
	}
}

// skipTo skips the rest of the elements deeper than depth.
func (x *xmlReader) skipTo(depth int) error {
	for len(x.open) > depth {
		if _, err := x.next(); err != nil {
			if errors.Is(err, io.EOF) {
				return damaged(err)
			}
			return err
		}
	}
	return nil
}

// text returns all text in the element that was opened last.
func (x *xmlReader) text() (string, error) {
	var b strings.Builder
	err := x.textInto(&b)
	return b.String(), err
}

func (x *xmlReader) textInto(b *strings.Builder) error {
	return x.content(
		func(element) error { return x.textInto(b) },
		func(t []byte) {
			if b.Len() <= maxNode {
				b.Write(t)
			}
		})
}

// part opens a part and walks the children of its outermost element.
func (a *archive) part(ctx context.Context, name string, do func(x *xmlReader, e element) error) error {
	x, err := a.xml(ctx, name)
	if err != nil {
		return err
	}
	defer x.close() //nolint:errcheck // only read from
	if _, err := x.root(); err != nil {
		return err
	}
	return x.children(func(e element) error { return do(x, e) })
}

// An xmlGuard limits the lengths of tags and texts, which the decoder keeps in memory.
// It refuses every DTD.
type xmlGuard struct {
	r     *bufio.Reader
	state int
	quote byte // of the attribute value that is open, else 0
	n     int  // bytes of the current tag, text …
	last  [3]byte
}

// States of an xmlGuard.
const (
	inText = iota
	inMarkup
	inTag
	inComment
	inCDATA
	inInstruction
)

func (g *xmlGuard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := g.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

func (g *xmlGuard) ReadByte() (byte, error) {
	b, err := g.r.ReadByte()
	if err != nil {
		return 0, err
	}
	g.n++
	switch g.state {
	case inText:
		if b == '<' {
			g.enter(inMarkup)
		}
	case inMarkup:
		err = g.markup(b)
	case inTag:
		switch {
		case g.quote != 0:
			if b == g.quote {
				g.quote = 0
			}
		case b == '"' || b == '\'':
			g.quote = b
		case b == '>':
			g.enter(inText)
		}
	case inComment:
		g.until(b, "-->")
	case inCDATA:
		g.until(b, "]]>")
	case inInstruction:
		g.until(b, "?>")
	}
	if g.n > maxNode || g.state == inTag && g.n > maxTag {
		return 0, &extract.Error{Code: extract.CodeTooComplex, Message: "The document holds a single piece that is too large."}
	}
	return b, err
}

func (g *xmlGuard) enter(state int) { g.state, g.n, g.last = state, 0, [3]byte{} }

// until returns to the state inText after end.
func (g *xmlGuard) until(b byte, end string) {
	g.last = [3]byte{g.last[1], g.last[2], b}
	if string(g.last[3-len(end):]) == end {
		g.enter(inText)
	}
}

// markup finds out what kind of markup a '<' begins.
func (g *xmlGuard) markup(b byte) error {
	switch {
	case g.n == 1 && b == '?':
		g.enter(inInstruction)
	case g.n == 1 && b != '!':
		g.enter(inTag)
	case g.n == 2 && b == '-':
	case g.n == 3: // the second dash, or nothing that the decoder takes
		g.enter(inComment)
	case g.n == 2 && b == '[':
		g.enter(inCDATA)
	case g.n == 2:
		return &extract.Error{Code: extract.CodeUnreadable, Message: "The document declares XML entities or a document type, which no office program does."}
	}
	return nil
}

// firstChoice reads the first alternative of a part that offers several.
func firstChoice(x *xmlReader, read func() error) error {
	done := false
	return x.children(func(e element) error {
		if done || e.name != "Choice" && e.name != "Fallback" {
			return nil
		}
		done = true
		return read()
	})
}
