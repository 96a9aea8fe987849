package pdf

import "strings"

// markStamps marks the texts along the margins that stand on many pages: "For internal use only". The first of them
// stays in the text, but is no heading.
func markStamps(pages []pageLayout) {
	found := make(map[string][]*textLine)
	for i := range pages {
		onPage := make(map[string]bool)
		pages[i].lines(func(_ *textBlock, l *textLine) {
			if !l.rotated {
				return
			}
			text := strings.ToLower(strings.TrimSpace(l.text()))
			if text == "" || onPage[text] {
				return
			}
			onPage[text] = true
			found[text] = append(found[text], l)
		})
	}
	for _, lines := range found {
		if len(lines) < runningTimes || runningShare*len(lines) < len(pages) {
			continue
		}
		lines[0].foot = true
		for _, l := range lines[1:] {
			l.running = true
		}
	}
}
