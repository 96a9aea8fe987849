package citations

import (
	"path"
	"regexp"
	"strings"
)

// StripAnswer removes the markers from an answer in an earlier turn, and the list of
// sources that the markdown format added at its end, so that old numbers never meet new
// sources. A list that may be the answer's own stays, and so does one without which nothing
// would be left.
func StripAnswer(text string) string {
	body, list := splitList(text)
	if list == nil || !isOurs(body, list) {
		return StripMarkers(text)
	}
	if stripped := StripMarkers(body); strings.TrimSpace(stripped) != "" {
		return stripped
	}
	return StripMarkers(text)
}

// WithoutList cuts off the list of sources at the end of an answer that Footnote has just
// made, in exactly the form in which it is written, except for white space that clients trim.
func WithoutList(text string) string {
	body, _ := splitList(text)
	return body
}

// listHeading begins the list of sources after an answer.
const listHeading = "\n\n**Sources**\n\n"

// A listItem is an entry of a list of sources: "12. entry".
type listItem struct {
	number int
	entry  string
}

// splitList returns an answer without a list at its end that has the form of ours, and that
// list, nil if there is none.
func splitList(text string) (body string, items []listItem) {
	trimmed := strings.TrimRight(text, " \t\r\n")
	list, found := strings.CutPrefix(trimmed, strings.TrimLeft(listHeading, "\n"))
	start := 0
	if strings.Contains(trimmed, listHeading) { // asked first, because it is much faster
		at := strings.LastIndex(trimmed, listHeading)
		start, list, found = at, trimmed[at+len(listHeading):], true
	}
	if !found {
		return text, nil
	}
	last, delimiter := 0, byte('.')
	for line := range strings.SplitSeq(list, "\n") {
		item, by := readItem(line)
		if last > 0 && item.number > last+1 { // a gap, where another list begins
			delimiter ^= '.' ^ ')'
		}
		if item.number <= last || by != delimiter || !isListEntry(item.entry) {
			return text, nil
		}
		last = item.number
		items = append(items, item)
	}
	return text[:start], items
}

// readItem splits "12. entry"; the number is 0 if the line is not a list item.
func readItem(line string) (item listItem, delimiter byte) {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 3 || line[0] == '0' || len(line) < digits+3 || line[digits+1] != ' ' {
		return listItem{}, 0
	}
	for _, c := range []byte(line[:digits]) {
		item.number = item.number*10 + int(c-'0')
	}
	item.entry = line[digits+2:]
	return item, line[digits]
}

// isListEntry reports whether an entry is a name, or a linked name.
func isListEntry(entry string) bool {
	if name, linked := strings.CutPrefix(entry, "["); linked {
		name, url, _ := strings.Cut(name, "](")
		url, closed := strings.CutSuffix(url, ")")
		return closed && name != "" && url != "" && !strings.ContainsAny(name, "[]") && !strings.ContainsAny(url, " ()<>")
	}
	return !strings.ContainsAny(entry, "[]")
}

// isOurs reports whether a list was added to an answer: each of its entries has a page or one
// of our links; or is a file, is escaped as we do, or has the number of a marker, unless a colon announces the list
// as part of the answer.
func isOurs(body string, list []listItem) bool {
	located, files := true, true
	for _, item := range list {
		entry := item.entry
		name, url, linked := strings.Cut(strings.TrimPrefix(entry, "["), "](")
		here := pageAtEnd.MatchString(name) || linked && ourFragment.MatchString(url)
		located = located && here
		files = files && (here || !linked && documentTypes[strings.ToLower(path.Ext(entry))] || escapes.MatchString(name))
	}
	if located {
		return true
	}
	return (files || lists(list, citedIn(body))) && !strings.HasSuffix(strings.TrimSpace(StripMarkers(body)), ":")
}

var (
	// pageAtEnd is what follows the name of a document: see where.
	pageAtEnd = regexp.MustCompile(`., (page \d+|pages \d+–\d+)$`)
	// escapes are what escapedStart writes, and hardly a model.
	escapes = regexp.MustCompile("\\\\[-\\\\`*~|_#>+=.)]|&#(36|91|93);|&lt;|&amp;")
	// ourFragment is at the end of a link: see linkOf.
	ourFragment = regexp.MustCompile(`#(page|chunk)=\d+(&chunk=\d+)?\)$`)
)

// documentTypes are the endings of files that are documents.
var documentTypes = func() map[string]bool {
	types := map[string]bool{}
	for name := range strings.FieldsSeq("pdf doc docx odt rtf ppt pptx odp xls xlsx ods csv tsv epub md markdown txt htm html json xml eml msg") {
		types["."+name] = true
	}
	return types
}()

// lists reports whether a list has exactly the numbers that are cited up to its last one.
// Numbers above are of no source.
func lists(list []listItem, cited numberSet) bool {
	last := list[len(list)-1].number
	at := 0
	for n := 1; n <= last; n++ {
		listed := list[at].number == n
		if listed != cited.has(n) {
			return false
		}
		if listed {
			at++
		}
	}
	return true
}

// citedIn returns the numbers of all markers in a text.
func citedIn(text string) (cited numberSet) {
	var scan scanner
	scan.begin(UnitByte, func(f found) (*mark, bool) {
		for _, n := range f.numbers {
			cited.add(n)
		}
		return nil, false
	})
	scan.claim.off = true
	scan.write(text)
	scan.finish()
	return cited
}
