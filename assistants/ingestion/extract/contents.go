package extract

import (
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
