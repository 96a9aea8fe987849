package citations

import (
	"fmt"
	"strconv"
	"strings"
)

// List returns the sources that a choice cites as a Markdown list to append to its
// text, for clients that show nothing else. It is "" if the choice cites nothing.
// Each entry has the number of its markers. Markdown renumbers an ordered list, so
// every gap in the numbers starts a new list by changing the delimiter, which
// CommonMark treats as a new list: 2. and then 5).
func (c *Citations) List(choice int) string {
	var b strings.Builder
	delimiter, last := ".", 0
	for i := range c.Sources {
		src := &c.Sources[i]
		if _, cited := c.mention(choice, src.Index); !cited {
			continue
		}
		switch {
		case last == 0:
			b.WriteString(listHeading)
		case src.Index != last+1:
			delimiter = map[string]string{".": ")", ")": "."}[delimiter]
			b.WriteByte('\n')
		default:
			b.WriteByte('\n')
		}
		last = src.Index
		b.WriteString(strconv.Itoa(last) + delimiter + " ")
		b.WriteString(entry(title(src), linkOf(c.Sources, i)))
	}
	return b.String()
}

// entry returns the text of a source in the list.
func entry(title, link string) string {
	if link == "" {
		return escapedStart(title)
	}
	return "[" + escapedName(title) + "](" + linkTarget.Replace(link) + ")"
}

// linkTarget escapes a URL so that Markdown finds its end.
var linkTarget = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", `\`, "%5C", "\n", "%0A", "\r", "%0D", "\t", "%09")

// escapedName writes a name so that Markdown shows it unchanged. Brackets and $ are
// written as entities, because many clients take \[ and $ for math and \[1\] for a
// marker. An underscore inside a word has no meaning and stays.
func escapedName(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '[', ']', '$':
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
		case '<':
			b.WriteString("&lt;")
		case '&':
			if isEntity(name[i:]) {
				b.WriteString("&amp;")
			} else {
				b.WriteByte(c)
			}
		case '_':
			if i == 0 || i == len(name)-1 || !isWord(name[i-1]) || !isWord(name[i+1]) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '\\', '`', '*', '~', '|':
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapedStart is escapedName for a name at the start of a line, where some
// characters would begin a heading, a quote or another list.
func escapedStart(name string) string {
	escaped := escapedName(name)
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	switch {
	case strings.ContainsRune("#>-+=", rune(name[0])):
		return `\` + escaped
	case digits > 0 && digits < len(name) && (name[digits] == '.' || name[digits] == ')'):
		return escaped[:digits] + `\` + escaped[digits:]
	default:
		return escaped
	}
}

// isEntity reports whether s, which begins with &, would be read as a character reference.
func isEntity(s string) bool {
	end := strings.IndexByte(s, ';')
	return end > 1 && strings.Trim(s[1:end], "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isWord reports whether c is part of a word; every byte that is not ASCII counts.
func isWord(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// List is [Citations.List] for a choice that has ended while others continue.
func (t *Tracker) List(index int) string {
	if own := t.citationsOf(index); own != nil {
		return own.List(index)
	}
	return ""
}

// citationsOf returns the citations of one choice alone, nil if it has none.
func (t *Tracker) citationsOf(index int) (citationsOf *Citations) {
	c := t.choices[index]
	if c == nil || t.fault != nil || t.set.opt.Orphans == OrphansDisclaim && !c.invalid.empty() {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			t.fault, citationsOf = fmt.Errorf("citations: scanning failed: %v", r), nil
		}
	}()
	c.scan.scan(true)
	citationsOf = t.set.result(StatusNone)
	citationsOf.Sources = t.numbers.order(citationsOf.Sources)
	for _, m := range c.markers {
		citationsOf.Markers = append(citationsOf.Markers, c.marker(m))
	}
	citationsOf.unlisted = c.late
	return citationsOf
}
