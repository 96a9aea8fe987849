package office

import (
	"context"
	"strconv"
	"strings"
)

// wordStyles are the styles of a Word document by their id. Ids are in the
// language of the program that wrote them; the names of built-in styles are
// always English.
type wordStyles map[string]wordStyle

type wordStyle struct {
	name     string // lower case
	basedOn  string
	level    int // as in wordParagraph
	number   string
	depth    int
	firstRow bool // a table's first row looks different
}

func (s *wordStyles) read(ctx context.Context, a *archive, part string) error {
	*s = wordStyles{}
	return a.part(ctx, part, func(x *xmlReader, e element) error {
		if e.name != "style" || len(*s) >= maxEntries {
			return nil
		}
		id := e.attr("styleId")
		style := wordStyle{depth: -1}
		err := x.children(func(e element) error {
			switch e.name {
			case "name":
				style.name = strings.ToLower(e.attr("val"))
			case "basedOn":
				style.basedOn = e.attr("val")
			case "tblStylePr":
				style.firstRow = style.firstRow || e.attr("type") == "firstRow"
			case "pPr":
				p := wordParagraph{depth: -1}
				err := p.read(x)
				style.level, style.number, style.depth = p.level, p.number, p.depth
				return err
			}
			return nil
		})
		(*s)[id] = style
		return err
	})
}

// chain calls do for a style and those that it is based on, until do returns true.
func (s wordStyles) chain(id string, do func(wordStyle) bool) {
	for range 32 { // a style may be based on itself
		style, ok := s[id]
		if !ok || do(style) {
			return
		}
		id = style.basedOn
	}
}

// level returns the level of a heading, and 0 for other paragraphs. The paragraph's own
// level takes precedence over its style's. A title has level 1.
func (s wordStyles) level(p wordParagraph) int {
	level := p.level
	if level == 0 {
		if s[p.style].name == "" { // no such style: programs rely on its id
			level = builtInLevel(strings.ToLower(p.style))
		}
		s.chain(p.style, func(style wordStyle) bool {
			if level = style.level; level == 0 {
				level = builtInLevel(style.name)
			}
			return level != 0
		})
	}
	if level > 9 {
		return 0
	}
	return level
}

func builtInLevel(name string) int {
	name = strings.ReplaceAll(name, " ", "")
	if name == "title" {
		return 1
	}
	if n, ok := strings.CutPrefix(name, "heading"); ok {
		if level, err := strconv.Atoi(n); err == nil && level >= 1 && level <= 9 {
			return level
		}
	}
	return 0
}

func (s wordStyles) isTitle(id string) bool {
	title := strings.EqualFold(id, "title")
	s.chain(id, func(style wordStyle) bool {
		title = title || style.name == "title"
		return title
	})
	return title
}

// isContents reports whether a style belongs to the table of contents.
func (s wordStyles) isContents(id string) bool {
	name := s[id].name
	if name == "" {
		name = strings.ToLower(id)
	}
	rest, ok := strings.CutPrefix(strings.ReplaceAll(name, " ", ""), "toc")
	return ok && len(rest) == 1 && rest[0] >= '1' && rest[0] <= '9'
}

// numbering returns the list that a paragraph belongs to, its style, and its depth in
// the list.
func (s wordStyles) numbering(p wordParagraph) (number, style string, depth int) {
	number, style, depth = p.number, p.style, p.depth
	s.chain(p.style, func(style wordStyle) bool {
		if number == "" {
			number = style.number
		}
		if depth < 0 {
			depth = style.depth
		}
		return number != "" && depth >= 0
	})
	return number, style, depth
}

// formatsFirstRow reports whether a table style formats the first row as a header.
func (s wordStyles) formatsFirstRow(id string) bool {
	found := false
	s.chain(id, func(style wordStyle) bool {
		found = found || style.firstRow
		return found
	})
	return found
}
