package extract

import (
	"sort"
	"strings"
)

// maxOpeningLines is how many lines at the top of a page are its opening.
const maxOpeningLines = 3

// Opening returns the end of the lines at the top of a page that read like titles, the start
// of the page if there are none. "Consolidated Statement of Income" above the fifth passage
// of its page says what the page is about, also where no table was recognised below it.
func (d *Document) Opening(p Page) (end int) {
	text := d.Text[p.Start:p.End]
	if b := sort.Search(len(d.Blocks), func(k int) bool { return d.Blocks[k].End > p.Start }); b < len(d.Blocks) {
		text = text[:max(0, min(len(text), d.Blocks[b].Start-p.Start))]
	}
	end = p.Start
	at, lines := 0, 0
	for at < len(text) {
		paragraph, _, _ := strings.Cut(text[at:], "\n\n")
		for line := range strings.Lines(paragraph) {
			switch line = strings.TrimSpace(line); {
			case line == "":
			case !isTitle(line) && !IsUnits(line): // a paragraph that has others is none
				return end
			default:
				lines++
			}
		}
		if lines > maxOpeningLines {
			return end
		}
		at += len(paragraph)
		if lines > 0 {
			end = p.Start + at
		}
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], "\n"))
	}
	return end
}
