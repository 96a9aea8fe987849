package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isHyphenMark recognises what PDFium puts in place of a hyphen that ends a
// line in the middle of a word (older versions: U+0002); it leaves out the
// line end after it.
func isHyphenMark(r rune) bool { return r == '\uFFFE' || r == '\x02' }

// joinPages makes one text of the pages: lines trimmed, spaces single, words
// that a line end had divided whole again. Pages stand a blank line apart.
func joinPages(raw []string) Document {
	hyphenated := compounds(raw)
	var b strings.Builder
	doc := Document{Pages: make([]Page, len(raw))}
	for i, page := range raw {
		if i > 0 {
			b.WriteString("\n\n")
		}
		start := b.Len()
		writePage(&b, page, hyphenated)
		doc.Pages[i] = Page{Number: i + 1, Start: start, End: b.Len()}
	}
	doc.Text = b.String()
	return doc
}

// writePage writes a page's text without white space at its ends.
func writePage(b *strings.Builder, page string, hyphenated map[string]bool) {
	started, lines, blank := false, 0, false
	for i, r := range page {
		switch {
		case r == '\n' || r == '\r' && !strings.HasPrefix(page[i+1:], "\n"):
			lines++
		case unicode.IsSpace(r):
			blank = true
		case isHyphenMark(r):
			if keepsHyphen(page, i, hyphenated) {
				b.WriteByte('-')
			}
		case dropped(r):
		default:
			switch {
			case !started:
			case lines > 0:
				b.WriteString("\n\n"[:min(lines, 2)])
			case blank:
				b.WriteByte(' ')
			}
			started, lines, blank = true, 0, false
			if letters := ligature(r); letters != "" {
				b.WriteString(letters)
			} else {
				b.WriteRune(r)
			}
		}
	}
}

// keepsHyphen decides whether the hyphen at page[at], which ended a line,
// belongs to the word ("well-known") or to the line ("infor-mation"): the
// document's other pages and lines show how it writes the word.
func keepsHyphen(page string, at int, hyphenated map[string]bool) bool {
	before := page[:at]
	before = before[strings.LastIndexFunc(before, notLetter)+1:]
	_, width := utf8.DecodeRuneInString(page[at:])
	after := strings.TrimLeft(page[at+width:], "\r\n ")
	if end := strings.IndexFunc(after, notLetter); end >= 0 {
		after = after[:end]
	}
	if before == "" || after == "" {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(after); !unicode.IsLower(r) {
		return true // "Anglo-Saxon", "COVID-19"
	}
	return hyphenated[strings.ToLower(before+"-"+after)]
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\u00AD' }

// compounds collects the words that are written with a hyphen inside a line.
func compounds(pages []string) map[string]bool {
	found := make(map[string]bool)
	for _, page := range pages {
		for at := 0; ; {
			i := strings.IndexByte(page[at:], '-')
			if i < 0 {
				break
			}
			at += i
			before := page[:at]
			before = before[strings.LastIndexFunc(before, notLetter)+1:]
			at++
			after := page[at:]
			if end := strings.IndexFunc(after, notLetter); end >= 0 {
				after = after[:end]
			}
			if before != "" && after != "" && len(before)+len(after) < 64 {
				found[strings.ToLower(before+"-"+after)] = true
			}
		}
	}
	return found
}

// ligature spells out the Latin ligatures, which are how a font draws letters
// and not what was written.
func ligature(r rune) string {
	switch r {
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	case 'ﬅ', 'ﬆ':
		return "st"
	}
	return ""
}
