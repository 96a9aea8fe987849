package pdf

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Numbers that may be years.
const firstYear, lastYear = 1900, 2099

// markNumbering marks the rows at the edges of pages that number these beyond doubt, however few
// pages there are and however near the text is: "Page 2 of 3" on the second of three pages, or
// numbers that go on over all pages with text, in no larger type than the text's. It returns the rows.
func markNumbering(pages []pageLayout, body float64) []*marginRow {
	var totals, ends, starts []*marginRow
	texts := 0
	for i := range pages {
		rows := pages[i].rowsDown(i)
		if len(rows) == 0 {
			continue
		}
		texts++
		for k, r := range rows {
			if k >= marginLines && k < len(rows)-marginLines || r.length() > longestRunning {
				continue
			}
			if r.identify(); r.total() >= 0 {
				totals = append(totals, r)
			}
			if k == 0 {
				starts = append(starts, r)
			}
			if k == len(rows)-1 {
				ends = append(ends, r)
			}
		}
	}
	found := withRecurringParts(ofAllPages(totals, len(pages), texts))
	for _, edge := range [][]*marginRow{ends, starts} {
		if len(edge) == texts && countOn(edge, body) {
			found = append(found, edge...)
		}
	}
	found = slices.DeleteFunc(found, func(r *marginRow) bool { return r.lines[0].running })
	for _, r := range found {
		r.mark(true)
	}
	return found
}

// total returns the index of the row's part with the number of all pages, or -1.
func (r *marginRow) total() int {
	return slices.IndexFunc(r.parts, func(m marginPart) bool { return m.total > 0 })
}

// A numbering is how the numbers of pages differ from their place in the document, and how many
// pages they are said to be.
type numbering struct{ offset, total int }

// ofAllPages returns the rows that give the page's own number and that of all pages, which are so
// many. In a part of a longer document, they are on all pages with text, and count on. Without a word
// for a page, "5/12" may be a date or a share there.
func ofAllPages(rows []*marginRow, pages, texts int) []*marginRow {
	on := make(map[numbering]map[int]bool) // pages
	of := func(r *marginRow) numbering {
		m := r.parts[r.total()]
		return numbering{m.n - r.page, m.total}
	}
	for _, r := range rows {
		if on[of(r)] == nil {
			on[of(r)] = make(map[int]bool)
		}
		on[of(r)][r.page] = true
	}
	return slices.DeleteFunc(rows, func(r *marginRow) bool {
		own, all := of(r) == numbering{1, pages}, texts > 1 && len(on[of(r)]) == texts
		if r.parts[r.total()].word {
			return !own && !all
		}
		return !own || !all
	})
}

// withRecurringParts returns the rows whose other words are in those of another page, too.
func withRecurringParts(rows []*marginRow) []*marginRow {
	on := make(map[string]map[int]bool) // pages, by the words of a part
	for _, r := range rows {
		for _, key := range r.besideNumber() {
			if on[key] == nil {
				on[key] = make(map[int]bool)
			}
			on[key][r.page] = true
		}
	}
	return slices.DeleteFunc(rows, func(r *marginRow) bool {
		return slices.ContainsFunc(r.besideNumber(), func(key string) bool { return len(on[key]) < 2 })
	})
}

// besideNumber returns what a row says in addition to the number of its page, by its parts.
func (r *marginRow) besideNumber() []string {
	var out []string
	for i, m := range r.parts {
		switch {
		case i != r.total():
			out = append(out, m.key)
		case m.paged == pagingLabelled:
			words := slices.DeleteFunc(plainWords(m.text), func(w string) bool { return w == strconv.Itoa(m.n) || w == strconv.Itoa(m.total) })
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

// countOn reports whether rows of all pages are numbers of pages at one height that count on. The
// number of a chapter or a year may be in larger type, and that of a question has a mark: "3.".
func countOn(rows []*marginRow, body float64) bool {
	if len(rows) < runningTimes {
		return false
	}
	return !slices.ContainsFunc(rows, func(r *marginRow) bool {
		if len(r.parts) != 1 || r.parts[0].paged != pagingAlone || !isNumeral(r.parts[0].text) || strings.ContainsAny(r.parts[0].text, ".)") {
			return true
		}
		if firstYear <= r.parts[0].n && r.parts[0].n <= lastYear || slices.ContainsFunc(r.lines, func(l *textLine) bool { return l.size > 1.1*body }) {
			return true
		}
		return r.parts[0].n-r.page != rows[0].parts[0].n-rows[0].page || math.Abs(r.baseline-rows[0].baseline) > 2
	})
}
