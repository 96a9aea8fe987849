package support

import (
	"html"
	"strings"
)

// Documents are extracted into rows with bars between their cells. A passage of a request may
// bring its table as CSV or HTML.

const (
	maxField  = 80 // bytes of a cell between commas or semicolons; longer ones are prose
	maxEntity = 10 // bytes of an entity of HTML
)

// withBars returns a passage whose tables of CSV and HTML have bars between their cells and a
// line for each row. No byte that stays moves.
func withBars(text string) string {
	if strings.Contains(text, "<t") || strings.Contains(text, "<T") {
		text = tagsToBars(text)
	}
	if !strings.ContainsAny(text, "\t;,") {
		return text
	}
	var b []byte // the text, once something is replaced
	var first, by, cells = 0, byte(0), 0
	rows := 0
	flush := func(end int) {
		if rows > 1 {
			if b == nil {
				b = []byte(text)
			}
			toBars(b[first:end], text[first:end], by)
		}
		rows = 0
	}
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := strings.TrimSuffix(text[at:end], "\r")
		separator, n := separatorOf(line)
		if separator != by || n != cells || separator == 0 || rows == 0 {
			flush(at)
			first, by, cells = at, separator, n
		}
		if separator != 0 {
			rows++
		}
		at = end + 1
	}
	flush(len(text))
	if b == nil {
		return text
	}
	return string(b)
}

// separatorOf returns what divides a line into cells, and how many there are; 0 if the line is
// no row: in prose a space follows a comma, and sentences are long.
func separatorOf(line string) (by byte, cells int) {
	if len(line) > maxTableRow || strings.HasSuffix(line, ".") || strings.IndexByte(line, '|') >= 0 {
		return 0, 0
	}
	for _, by := range [...]byte{'\t', ';', ','} {
		if strings.IndexByte(line, by) < 0 {
			continue
		}
		cells, fits := 0, true
		fields(line, by, func(from, end int) bool {
			cells++
			fits = by == '\t' || end-from <= maxField && (end == from || line[from] != ' ')
			return fits
		})
		if fits && cells > 1 {
			return by, cells
		}
	}
	return 0, 0
}

// fields calls yield with the range of each field of a row until it returns false. Separators in
// quotation marks divide nothing.
func fields(line string, by byte, yield func(from, end int) bool) {
	quoted, from := false, 0
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == by && !quoted:
			if !yield(from, i) {
				return
			}
			from = i + 1
		}
	}
	yield(from, len(line))
}

// toBars replaces the separators of some rows by bars. A first row that has only its first cell
// is a title, and loses them.
func toBars(b []byte, rows string, by byte) {
	for at := 0; at < len(rows); {
		end := lineEnd(rows, at)
		line, sign := rows[at:end], byte('|')
		if at == 0 && onlyFirst(line, by) {
			sign = ' '
		}
		fields(line, by, func(_, to int) bool {
			if to < len(line) {
				b[at+to] = sign
			}
			return true
		})
		at = end + 1
	}
}

// onlyFirst reports whether a row has only its first cell.
func onlyFirst(line string, by byte) bool {
	only := true
	fields(line, by, func(from, end int) bool {
		only = from == 0 || strings.TrimSpace(line[from:end]) == ""
		return only
	})
	return only
}

// tagsToBars replaces the tags of the tables of HTML.
func tagsToBars(text string) string {
	var b []byte
	for at := tagFrom(text, 0, "table"); at >= 0; {
		end := tagFrom(text, at, "/table")
		if end < 0 {
			end = len(text)
		} else {
			end = tagEnd(text, end)
		}
		if b == nil {
			b = []byte(text)
		}
		replaceTags(b[at:end], text[at:end])
		at = tagFrom(text, end, "table")
	}
	if b == nil {
		return text
	}
	return string(b)
}

// replaceTags replaces the tags of a table: those of cells by bars, those of rows and of the
// title by line breaks, entities by what they stand for, and all others by spaces, as well as
// its line breaks.
func replaceTags(b []byte, table string) {
	first := true // in the row
	for i := 0; i < len(table); i++ {
		end, stands := i+1, " "
		switch table[i] {
		case '<':
			end = tagEnd(table, i)
			switch tag := strings.TrimRight(table[i+1:end], ">"); {
			case isTag(tag, "td") || isTag(tag, "th"):
				if !first {
					stands = "|"
				}
				first = false
			case isTag(tag, "tr") || isTag(tag, "table") || isTag(tag, "/table") || isTag(tag, "caption") || isTag(tag, "/caption"):
				stands, first = "\n", true
			}
		case '\n':
		case '&':
			end = min(len(table), i+maxEntity)
			if n := strings.IndexByte(table[i:end], ';'); n > 0 {
				end = i + n + 1
			}
			stands = html.UnescapeString(table[i:end])
			if stands == table[i:end] || len(stands) > end-i {
				continue
			}
		default:
			continue
		}
		for n := copy(b[i:end], stands); i+n < end; n++ {
			b[i+n] = ' '
		}
		i = end - 1
	}
}

// tagEnd returns where the tag at a position ends.
func tagEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '>'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// tagFrom returns where the next tag with a name begins, -1 if there is none.
func tagFrom(text string, from int, name string) int {
	for from < len(text) {
		at := strings.IndexByte(text[from:], '<')
		if at < 0 {
			return -1
		}
		from += at
		if isTag(text[from+1:], name) {
			return from
		}
		from++
	}
	return -1
}

// isTag reports whether the text behind "<" is a tag with a name.
func isTag(rest, name string) bool {
	return len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) && (len(rest) == len(name) || strings.IndexByte(" >\t\r\n/", rest[len(name)]) >= 0)
}
