package extract

import (
	"sort"
	"strings"
)

// Bounds of the opening of a page.
const (
	maxOpeningLines = 3
	maxOpening      = 2 << 10 // bytes that are looked at
)

// Opening returns the end of the lines at the top of a page that read like titles, the start
// of the page if there are none. "Consolidated Statement of Income" above the fifth passage
// of its page says what the page is about, also where no table was recognised below it. A
// paragraph with another line does not belong to the opening.
func (d *Document) Opening(p Page) (end int) {
	text := d.Text[p.Start:p.End]
	if b := sort.Search(len(d.Blocks), func(k int) bool { return d.Blocks[k].End > p.Start }); b < len(d.Blocks) {
		text = text[:max(0, min(len(text), d.Blocks[b].Start-p.Start))]
	}
	end = p.Start
	whole := text
	text = text[:min(len(text), maxOpening)]
	titled := false // units alone say nothing about the page
	for at, lines := 0, 0; at < len(text); {
		paragraph, _, closed := strings.Cut(text[at:], "\n\n")
		if !closed && len(text) < len(whole) {
			return end // it goes on
		}
		for line := range strings.Lines(paragraph) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			if lines++; lines > maxOpeningLines || !isTitle(line) && !IsUnits(line) {
				return end
			}
			titled = titled || !IsUnits(line)
		}
		at += len(paragraph)
		if titled {
			end = p.Start + at
		}
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], "\n"))
	}
	return end
}
