package extract

import (
	"slices"
	"strconv"
	"strings"
)

// IsContents reports whether lines are part of a table of contents: dots lead from most of them
// to the number of a page. The dots of a price list or a statement lead to amounts: they have
// fractions, signs, units or other amounts after them, or do not ascend as pages do.
func IsContents(lines []string) bool {
	led, pages, falls, last := 0, 0, 0, 0
	for _, line := range lines {
		_, to, ok := strings.Cut(line, "…")
		if !ok {
			continue
		}
		led++
		page, ok := pageLedTo(to)
		if !ok {
			continue
		}
		pages++
		if page > 0 {
			if page < last {
				falls++
			}
			last = page
		}
	}
	return 2*led > len(lines)-1 && 2*pages >= led && 4*falls <= pages
}

// maxPage is the highest number that may be that of a page.
const maxPage = 9999

// pageLedTo returns the page that dots lead to; it is 0 if the page is numbered with letters,
// stands elsewhere, or if more entries follow.
func pageLedTo(to string) (page int, ok bool) {
	fields := strings.Fields(strings.Trim(to, " |."))
	if len(fields) == 0 || strings.Contains(to, "…") || strings.Trim(fields[0], "ivxlc") == "" {
		return 0, true
	}
	page, err := strconv.Atoi(fields[0])
	return page, err == nil && len(fields) == 1 && 0 < page && page <= maxPage
}

// endContents ends the headings of tables of contents with the last page that has entries. Where the
// text after it has no headings of its own, all of it would be called "Contents" otherwise.
func (d *Document) endContents() {
	var headings []Heading
	for i, h := range d.Headings {
		headings = append(headings, h)
		if !slices.Contains(titleWords["contents"], strings.ToLower(strings.TrimSpace(h.Title))) {
			continue
		}
		end := len(d.Text)
		if i+1 < len(d.Headings) {
			end = d.Headings[i+1].Start
		}
		page := slices.IndexFunc(d.Pages, func(p Page) bool { return p.Start > h.Start })
		if page < 1 || !hasEntries(d.Text[h.Start:d.Pages[page-1].End]) {
			continue // what is in a box has contents, too
		}
		for page < len(d.Pages) && d.Pages[page].Start < end && hasEntries(d.Text[d.Pages[page].Start:d.Pages[page].End]) {
			page++
		}
		if page < len(d.Pages) && d.Pages[page].Start < end {
			headings = append(headings, Heading{Start: d.Pages[page].Start, Level: h.Level})
		}
	}
	d.Headings = headings
}

// hasEntries reports whether at least half of the lines of a page end with a number, as the entries of
// a table of contents do.
func hasEntries(page string) bool {
	entries, lines := 0, 0
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line != "" {
			lines++
			if endsWithPage(line) {
				entries++
			}
		}
	}
	return lines > 0 && 2*entries >= lines
}
