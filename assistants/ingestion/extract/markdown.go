package extract

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// maxNesting is how many block markers (quotes, lists) may open on one line.
// Parsers of Markdown take quadratic time and deep stacks beyond.
const maxNesting = 64

// readMarkdown keeps the source as the text, because Markdown is readable, and
// quotes can then be found in the file. Only front matter is removed. The syntax
// tree gives headings, tables, lists and code.
func readMarkdown(raw []byte) Document {
	text, encoding := decode(raw)
	text, title := cutFrontMatter(Normalise(text))
	doc := Document{Text: text, Encoding: encoding, Title: title}
	source := []byte(text)
	if tooNested(source) {
		return doc
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAttribute()))
	root := md.Parser().Parse(gmtext.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			doc.addHeading(h, source)
			continue
		}
		if kind := blockKind(n); kind != "" {
			if start, end, ok := lineSpan(n, source); ok {
				doc.addBlock(kind, start, end)
			}
			if kind == BlockTable {
				doc.addHeader(n, source)
			}
		}
	}
	if doc.Title == "" && len(doc.Headings) > 0 && doc.Headings[0].Level == 1 {
		doc.Title = doc.Headings[0].Title
	}
	return doc
}

func (d *Document) addHeading(h *ast.Heading, source []byte) {
	if h.Lines().Len() == 0 {
		return // "##" without words
	}
	title := strings.Join(strings.Fields(plain(h, source)), " ")
	start := lineStart(source, h.Lines().At(0).Start)
	d.Headings = append(d.Headings, Heading{Start: start, Level: h.Level, Title: title})
}

func (d *Document) addBlock(kind BlockKind, start, end int) {
	if n := len(d.Blocks); n > 0 && start < d.Blocks[n-1].End {
		start = d.Blocks[n-1].End
	}
	if start < end {
		d.Blocks = append(d.Blocks, Block{Kind: kind, Start: start, End: end})
	}
}

// addHeader records the header of the table just added: its first row, and the
// line of dashes below.
func (d *Document) addHeader(n ast.Node, source []byte) {
	if len(d.Blocks) == 0 || n.FirstChild() == nil || n.FirstChild().Kind() != extast.KindTableHeader {
		return
	}
	b := &d.Blocks[len(d.Blocks)-1]
	_, end, ok := lineSpan(n.FirstChild(), source)
	if ok && b.Start < end && end < b.End {
		b.HeaderEnd = min(lineEnd(source, end+1), b.End)
	}
}

func blockKind(n ast.Node) BlockKind {
	switch n.Kind() {
	case extast.KindTable:
		return BlockTable
	case ast.KindList:
		return BlockList
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		return BlockCode
	}
	return ""
}

// plain is the text of a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	// The walker returns no error of its own.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// lineSpan is the range of whole lines that hold a block.
func lineSpan(n ast.Node, source []byte) (start, end int, ok bool) {
	start, end = len(source), 0
	take := func(s gmtext.Segment) {
		start, end = min(start, s.Start), max(end, s.Stop)
	}
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() != ast.TypeInline {
			for i := range n.Lines().Len() {
				take(n.Lines().At(i))
			}
		} else if t, isText := n.(*ast.Text); isText {
			take(t.Segment)
		}
		return ast.WalkContinue, nil
	})
	if start >= end {
		return 0, 0, false
	}
	start = lineStart(source, start)
	end = lineEnd(source, end)
	if n.Kind() == ast.KindFencedCodeBlock { // the fences
		start = lineStart(source, max(start-1, 0))
		end = lineEnd(source, end+1)
	}
	return start, end, true
}

func lineStart(source []byte, at int) int { return bytes.LastIndexByte(source[:at], '\n') + 1 }

// lineEnd is the end of the line that holds the byte before at, its LF included.
func lineEnd(source []byte, at int) int {
	at = min(at, len(source))
	if at > 0 && source[at-1] == '\n' {
		return at
	}
	if i := bytes.IndexByte(source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(source)
}

// cutFrontMatter removes the YAML that many tools put at the head of a file, and
// returns the title in it.
func cutFrontMatter(text string) (body, title string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text, ""
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		end := min(at+len(line)+1, len(rest))
		switch {
		case line == "---" || line == "...":
			return strings.TrimLeft(rest[end:], "\n"), title
		case strings.HasPrefix(line, "title:"):
			title = strings.Trim(strings.TrimSpace(line[len("title:"):]), `"'`)
		case line != "" && !strings.Contains(line, ":") && !strings.HasPrefix(line, " ") &&
			!strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "#"):
			return text, "" // not front matter, but a thematic break ("---") and prose
		}
		at = end
	}
	return text, ""
}

// tooNested reports whether a line opens more blocks than any text does.
func tooNested(source []byte) bool {
	for line := range bytes.Lines(source) {
		depth := 0
		for {
			rest := afterMarker(bytes.TrimLeft(line, " \t"))
			if rest == nil {
				break
			}
			if depth++; depth > maxNesting {
				return true
			}
			line = rest
		}
	}
	return false
}

// afterMarker is what follows the marker of a quote or list at the start of
// line, or nil.
func afterMarker(line []byte) []byte {
	switch {
	case len(line) > 0 && line[0] == '>':
		return line[1:]
	case len(line) > 1 && bytes.IndexByte([]byte("-+*"), line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t'):
		return line[2:]
	}
	digits := 0
	for digits < len(line) && digits < 9 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits > 0 && len(line) > digits+1 && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return line[digits+2:]
	}
	return nil
}
