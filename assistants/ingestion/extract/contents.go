package extract

import (
	"cmp"
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

// endContents ends the headings of tables of contents with the last page that has entries. The text
// after it would be called "Contents" otherwise where it has no headings of their rank.
func (d *Document) endContents() {
	var ends []Heading
	for i, h := range d.Headings {
		if !slices.Contains(titleWords["contents"], strings.ToLower(strings.TrimSpace(h.Title))) {
			continue
		}
		end := len(d.Text)
		if n := slices.IndexFunc(d.Headings[i+1:], func(next Heading) bool { return next.Level <= h.Level }); n >= 0 {
			end = d.Headings[i+1+n].Start
		}
		page := slices.IndexFunc(d.Pages, func(p Page) bool { return p.Start > h.Start })
		if page < 1 {
			continue
		}
		listed := hasEntries(d.Text[h.Start:d.Pages[page-1].End])
		begun := func(p Page) bool { // a chapter begins on the page
			return slices.ContainsFunc(d.Headings[i+1:], func(next Heading) bool { return next.Start >= p.Start && next.Start < p.End })
		}
		for listed && page < len(d.Pages) && d.Pages[page].Start < end && !begun(d.Pages[page]) && hasEntries(d.Text[d.Pages[page].Start:d.Pages[page].End]) {
			page++
		}
		// What is in a box has contents, too. At the top of a first page it is a link to the contents.
		if page < len(d.Pages) && d.Pages[page].Start < end && (listed || h.Start == 0 && page == 1 && end > d.Pages[1].End) {
			ends = append(ends, Heading{Start: d.Pages[page].Start, Level: h.Level})
		}
	}
	if ends != nil {
		d.Headings = append(ends, d.Headings...)
		slices.SortStableFunc(d.Headings, func(a, b Heading) int { return cmp.Compare(a.Start, b.Start) })
	}
}

// hasEntries reports whether at least half of the lines of a page end with a number, as the entries of
// a table of contents do, or dots lead from them to one.
func hasEntries(page string) bool {
	var lines []string
	entries := 0
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
			if endsWithPage(line) {
				entries++
			}
		}
	}
	return len(lines) > 0 && (2*entries >= len(lines) || IsContents(lines))
}
