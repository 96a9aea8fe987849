package office

import (
	"strconv"
	"strings"
)

// inline reads the content of a paragraph. e is the start of an element in it.
func (d *docx) inline(x *xmlReader, e element) error {
	switch e.name {
	case "r":
		return d.run(x)
	case "del", "moveFrom", "pPr", "sdtPr", "sdtEndPr", "customXmlPr", "oMathParaPr":
		return nil
	case "AlternateContent":
		return firstChoice(x, func() error {
			return x.children(func(e element) error { return d.inline(x, e) })
		})
	case "oMath":
		return d.formula(x)
	}
	// Links, insertions, fields, content controls … hold more of the same.
	return x.children(func(e element) error { return d.inline(x, e) })
}

// run reads text with the same formatting.
func (d *docx) run(x *xmlReader) error {
	hidden, bold := false, false
	return x.children(func(e element) error {
		if e.name == "rPr" {
			return x.children(func(e element) error {
				switch e.name {
				case "vanish":
					hidden = isOn(e)
				case "b":
					bold = isOn(e)
				}
				return nil
			})
		}
		if hidden && e.name != "lastRenderedPageBreak" {
			return nil
		}
		return d.runContent(x, e, bold)
	})
}

func (d *docx) runContent(x *xmlReader, e element, bold bool) error {
	switch e.name {
	case "t":
		text, err := x.text()
		d.addText(text, bold)
		return err
	case "tab", "ptab":
		d.Space()
	case "br":
		if e.attr("type") == "page" {
			d.pageBreak(true)
			return nil
		}
		d.newLine(1)
	case "cr":
		d.newLine(1)
	case "noBreakHyphen":
		d.addText("-", bold)
	case "sym":
		d.addText(symbol(e.attr("char")), bold)
	case "lastRenderedPageBreak":
		d.pageBreak(false)
	case "footnoteReference", "endnoteReference":
		d.note(strings.TrimSuffix(e.name, "Reference"), e.attr("id"))
	case "AlternateContent":
		return firstChoice(x, func() error {
			return x.children(func(e element) error { return d.runContent(x, e, bold) })
		})
	case "drawing", "pict", "object":
		d.newPage = false // a page with a picture is not empty
		return d.textBoxes(x)
	case "ruby":
		return x.each("rubyBase", func(element) error {
			return x.children(func(e element) error { return d.inline(x, e) })
		})
	}
	return nil
}

func (d *docx) addText(text string, bold bool) {
	if hasText(text) {
		d.newPage = false
		d.header.any = true
		d.header.plain = d.header.plain || !bold
	}
	d.write(text)
}

// textBoxes reads the text of a drawing, which is written after the paragraph.
func (d *docx) textBoxes(x *xmlReader) error {
	return x.children(func(e element) error {
		switch e.name {
		case "AlternateContent":
			return firstChoice(x, func() error { return d.textBoxes(x) })
		case "txbxContent":
			box, err := d.separately(func() error { return d.blocks(x) })
			box.Headings = nil
			d.due = append(d.due, box)
			return err
		}
		return d.textBoxes(x)
	})
}

// formula reads the letters of a formula.
func (d *docx) formula(x *xmlReader) error {
	return x.children(func(e element) error {
		if e.name != "t" {
			return d.formula(x)
		}
		text, err := x.text()
		d.addText(text, false)
		return err
	})
}

// note adds a note that the text refers to.
func (d *docx) note(kind, id string) {
	note, ok := d.notes[kind+id]
	if !ok || d.boxes > 0 {
		return
	}
	delete(d.notes, kind+id) // a second reference would repeat it
	d.addNote(note, kind == "endnote")
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	return strings.Map(func(r rune) rune { return digits[r-'0'] }, strconv.Itoa(n))
}

// symbols are the characters of the fonts Symbol and Wingdings that are kept. Most
// others are bullets.
var symbols = map[uint64]string{
	0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0xFD: "☒", 0x78: "☒", 0xFE: "☑", 0xFC: "✓", 0xFB: "✗", 0xE0: "→", 0xF0: "⇒", 0xDF: "←",
}

func symbol(code string) string {
	n, err := strconv.ParseUint(code, 16, 32)
	switch {
	case err != nil:
		return ""
	case n >= 0xF000 && n <= 0xF0FF:
		return symbols[n-0xF000]
	}
	return string(rune(n))
}

// isOn returns the value of a boolean property, which is true without a value.
func isOn(e element) bool {
	switch e.attr("val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// intOf parses a number. It returns 0 for other texts and for large or negative numbers.
func intOf(s string) int {
	n, err := strconv.ParseInt(s, 0, 32)
	if err != nil && strings.HasPrefix(s, "0") {
		n, err = strconv.ParseInt(s, 10, 32)
	}
	if err != nil || n < 0 {
		return 0
	}
	return int(n)
}

// outline turns a level of the outline, counted from 0, into a heading's level,
// counted from 1. 10 is running text.
func outline(val string) int {
	if n := intOf(val); n < 9 {
		return n + 1
	}
	return 10
}
