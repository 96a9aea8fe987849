package office

import (
	"context"
	"strings"
)

// odfStyles are the styles of an OpenDocument file by name: those of the
// author and those that the program made for single paragraphs.
type odfStyles struct {
	styles map[string]odfStyle
	lists  map[string][]odfLevel
}

type odfStyle struct {
	parent string
	level  int // of the outline
	list   string
	before bool // begins a page
	after  bool // ends one
	hidden bool // of a sheet
}

// An odfLevel says how the items of a list are marked at a depth.
type odfLevel struct {
	bullet         bool
	format         string // 1, a, A, i, I or none
	prefix, suffix string
	display        int // how many levels' numbers are shown
	start          int
}

// outlineStyle is the name under which the numbering of headings is kept.
const outlineStyle = "\x00outline"

func (s *odfStyles) read(ctx context.Context, a *archive, part string) error {
	if s.styles == nil {
		s.styles, s.lists = map[string]odfStyle{}, map[string][]odfLevel{}
	}
	return a.part(ctx, part, func(x *xmlReader, e element) error {
		if e.name != "styles" && e.name != "automatic-styles" {
			return nil
		}
		return x.children(func(e element) error {
			if len(s.styles) > 1<<16 || len(s.lists) > 1<<16 {
				return nil
			}
			switch e.name {
			case "style":
				return s.readStyle(x, e)
			case "list-style":
				return s.readList(x, e.attr("name"))
			case "outline-style":
				return s.readList(x, outlineStyle)
			}
			return nil
		})
	})
}

func (s *odfStyles) readStyle(x *xmlReader, e element) error {
	// Each family has its own names. Styles of characters are not needed.
	name, family := e.attr("name"), e.attr("family")
	if family != "paragraph" && family != "table" {
		return nil
	}
	style := odfStyle{parent: e.attr("parent-style-name"), level: intOf(e.attr("default-outline-level")), list: e.attr("list-style-name")}
	style.before = e.attr("master-page-name") != ""
	err := x.children(func(e element) error {
		switch e.name {
		case "paragraph-properties", "table-properties":
			style.before = style.before || e.attr("break-before") == "page"
			style.after = e.attr("break-after") == "page"
			style.hidden = e.name == "table-properties" && e.attr("display") == "false"
		}
		return nil
	})
	s.styles[family+" "+name] = style
	return err
}

func (s *odfStyles) readList(x *xmlReader, name string) error {
	levels := make([]odfLevel, 10)
	for i := range levels {
		levels[i].bullet = name != outlineStyle // unless it says otherwise
	}
	err := x.children(func(e element) error {
		depth := intOf(e.attr("level"))
		if depth < 1 || depth > len(levels) {
			return nil
		}
		levels[depth-1] = odfLevel{
			bullet: e.name == "list-level-style-bullet" || e.name == "list-level-style-image",
			format: e.attr("num-format"), prefix: e.attr("num-prefix"), suffix: e.attr("num-suffix"),
			display: max(1, intOf(e.attr("display-levels"))), start: max(1, intOf(e.attr("start-value"))),
		}
		return nil
	})
	s.lists[name] = levels
	return err
}

// chain calls do for a paragraph's style and its parents, until do returns true.
func (s *odfStyles) chain(name string, do func(name string, style odfStyle) bool) {
	for range 32 { // a style may be its own parent
		style, ok := s.styles["paragraph "+name]
		if !ok || do(name, style) {
			return
		}
		name = style.parent
	}
}

// level returns the level of a paragraph that its style makes a heading, else 0.
func (s *odfStyles) level(name string) int {
	level := 0
	s.chain(name, func(name string, style odfStyle) bool {
		if level = style.level; level == 0 && name == "Title" {
			level = 1
		}
		return level > 0
	})
	return min(level, 10)
}

func (s *odfStyles) isTitle(name string) bool {
	title := false
	s.chain(name, func(name string, _ odfStyle) bool {
		title = title || name == "Title"
		return title
	})
	return title
}

// breaksBefore and breaksAfter look at the paragraph's style and its parent only. Styles
// further up are those of all paragraphs.
func (s *odfStyles) breaksBefore(name string) bool {
	style := s.styles["paragraph "+name]
	return style.before || s.styles["paragraph "+style.parent].before
}

func (s *odfStyles) breaksAfter(name string) bool {
	style := s.styles["paragraph "+name]
	return style.after || s.styles["paragraph "+style.parent].after
}

// An odfList is a list that is being read.
type odfList struct {
	style  string
	count  int
	marked bool   // its current item has a mark
	mark   string // of the item
}

// list reads a list, which may be nested in an item of another list.
func (d *odf) list(x *xmlReader, e element) error {
	l := odfList{style: e.attr("style-name")}
	if n := len(d.lists); l.style == "" && n > 0 {
		l.style = d.lists[n-1].style
	}
	if e.attr("continue-numbering") == "true" || e.attr("continue-list") != "" {
		l.count = d.counted[l.style]
	}
	depth := len(d.lists)
	continued := d.continued
	d.lists = append(d.lists, l)
	err := x.children(func(e element) error {
		if e.name != "list-item" && e.name != "list-header" {
			return nil
		}
		d.startItem(e)
		d.continued = false
		return d.blocks(x)
	})
	d.counted[l.style] = d.lists[depth].count
	d.lists = d.lists[:depth]
	d.continued = continued
	if depth == 0 {
		d.continued = false
		d.endList()
	}
	return err
}

// startItem counts an item of the innermost list.
func (d *odf) startItem(e element) {
	l := &d.lists[len(d.lists)-1]
	l.marked = e.name == "list-item"
	if !l.marked {
		return
	}
	levels := d.styles.lists[l.style]
	depth := len(d.lists)
	if depth > len(levels) || levels[depth-1].bullet || levels == nil {
		l.mark = bullet
		return
	}
	if l.count++; l.count == 1 {
		l.count = levels[depth-1].start
	}
	if start := intOf(e.attr("start-value")); start > 0 {
		l.count = start
	}
	counts := make([]int, depth)
	for i := range counts {
		counts[i] = d.lists[i].count
	}
	l.mark = markOf(levels, counts)
	l.marked = l.mark != ""
}

// markOf writes the number of an item from those of the levels above it.
func markOf(levels []odfLevel, counts []int) string {
	last := levels[len(counts)-1]
	if last.format == "" {
		return oneLine(last.prefix + last.suffix)
	}
	var numbers []string
	for i := max(0, len(counts)-last.display); i < len(counts); i++ {
		if l := levels[i]; l.format != "" && !l.bullet {
			format := map[string]string{"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}[l.format]
			numbers = append(numbers, formatNumber(max(1, counts[i]), format))
		}
	}
	return oneLine(last.prefix + strings.Join(numbers, ".") + last.suffix)
}
