package cli

import (
	"slices"
	"strings"
)

// A textPart is a piece of a text that is checked by itself.
type textPart struct {
	text string
	line int // of its first character, from 1
}

// maxPart bounds a part in bytes, so that a server checks all of its sentences.
const maxPart = 3000

// partsOf cuts a text between paragraphs into parts that are as long as maxPart allows. A
// paragraph is never cut. Blank parts are left out.
func partsOf(text string) []textPart {
	var parts []textPart
	for _, p := range paragraphsOf(text) {
		if last := len(parts) - 1; last >= 0 && len(parts[last].text)+len(p.text) <= maxPart {
			parts[last].text += p.text
		} else {
			parts = append(parts, p)
		}
	}
	return slices.DeleteFunc(parts, func(p textPart) bool { return strings.TrimSpace(p.text) == "" })
}

// paragraphsOf cuts a text behind blank lines outside of fenced code.
func paragraphsOf(text string) []textPart {
	var list []textPart
	var paragraph strings.Builder
	line, begin, fence := 1, 1, ""
	for row := range strings.Lines(text) {
		paragraph.WriteString(row)
		line++
		fence = fenceAfter(fence, row)
		if fence == "" && strings.TrimSpace(row) == "" {
			list = append(list, textPart{paragraph.String(), begin})
			paragraph.Reset()
			begin = line
		}
	}
	return append(list, textPart{paragraph.String(), begin})
}

// fenceAfter returns the fence that is open after a line, "" for none.
func fenceAfter(open, row string) string {
	row = strings.TrimSpace(row)
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(row, mark) {
			continue
		}
		run := row[:len(row)-len(strings.TrimLeft(row, mark[:1]))]
		switch {
		case open == "":
			return run
		case strings.HasPrefix(run, open) && run == row:
			return ""
		}
	}
	return open
}
