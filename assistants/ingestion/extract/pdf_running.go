package extract

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	marginLines  = 4 // lines of a page's top and of its bottom that may be running ones
	runningSpan  = 6 // pages around one among which its running lines occur again
	runningTimes = 3 // how often they do, itself included
)

// A marginLine is a line near a page's top or bottom.
type marginLine struct {
	line  *textLine
	block *textBlock
	page  int
	text  string
	keys  []string // what is the same wherever the line runs
	bare  bool     // a page's number and nothing else
}

// markRunning finds running headers, footers and page numbers: lines near a
// page's top or bottom that stand at the same height on pages nearby, the same
// but for a number that counts with the pages. They are left out of the text,
// for they would be found with every question and cut sentences apart. The
// first of each kind stays if its words stand nowhere else.
func markRunning(pages []pageLayout, titles []string) {
	places := make(map[string][]int) // by key: pages, ascending
	margins := make([][2][]marginLine, len(pages))
	for i := range pages {
		margins[i] = pages[i].margins(i)
		for _, side := range margins[i] {
			for _, m := range side {
				for _, k := range m.keys {
					if at := places[k]; len(at) == 0 || at[len(at)-1] != i {
						places[k] = append(at, i)
					}
				}
			}
		}
	}
	var found []marginLine
	for i := range margins {
		for _, side := range margins[i] {
			for _, m := range side {
				if !m.runs(places) {
					break // what stands further in is text
				}
				m.line.running = true
				found = append(found, m)
			}
		}
	}
	keepFirst(pages, found, titles)
}

// keepFirst brings back the first of equal running lines whose words would be lost.
func keepFirst(pages []pageLayout, found []marginLine, titles []string) {
	if len(found) == 0 {
		return
	}
	known := make(map[string]bool)
	for _, t := range titles {
		known[squeezeLetters(t)] = true
	}
	for i := range pages {
		for _, b := range pages[i].blocks {
			var whole strings.Builder
			for _, l := range b.lines {
				if l.running {
					continue
				}
				text := squeezeLetters(l.text())
				known[text] = true
				whole.WriteString(text)
			}
			known[whole.String()] = true
		}
	}
	for _, m := range found {
		text := squeezeLetters(m.text)
		if m.bare || utf8.RuneCountInString(text) < 4 || known[text] {
			continue
		}
		known[text] = true
		m.line.running = false
	}
}

func (m marginLine) runs(places map[string][]int) bool {
	for _, k := range m.keys {
		near := 0
		for _, page := range places[k] {
			if page >= m.page-runningSpan && page <= m.page+runningSpan {
				near++
			}
		}
		if near >= runningTimes || m.bare && near >= 2 {
			return true
		}
	}
	return false
}

// margins are the outermost lines of a page, the outermost first.
func (l *pageLayout) margins(page int) [2][]marginLine {
	var all []marginLine
	l.lines(func(b *textBlock, line *textLine) {
		all = append(all, marginLine{line: line, block: b, page: page})
	})
	slices.SortStableFunc(all, func(a, b marginLine) int { return compareFloat(a.line.baseline, b.line.baseline) })
	var out [2][]marginLine
	n := min(marginLines, len(all))
	out[0] = slices.Clone(all[:n])
	out[1] = slices.Clone(all[len(all)-n:])
	slices.Reverse(out[1])
	for side := range out {
		for i := range out[side] {
			out[side][i].identify()
		}
	}
	return out
}

// identify makes the keys of a line: its words and its height on the page.
// Numbers that may be the page's are replaced by their distance from it.
func (m *marginLine) identify() {
	m.text = m.line.text()
	words := strings.FieldsFunc(strings.ToLower(m.text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	letters := 0
	var numbers []int
	for i, w := range words {
		if _, ok := number(w); ok {
			numbers = append(numbers, i)
		} else {
			letters += utf8.RuneCountInString(w)
		}
	}
	m.bare = len(numbers) > 0 && letters <= 12 && len(words)-len(numbers) <= 2
	var texts []string
	if letters >= 3 {
		texts = append(texts, strings.Join(words, " "))
	}
	for _, i := range numbers {
		if i != numbers[0] && i != numbers[len(numbers)-1] {
			continue
		}
		n, _ := number(words[i])
		counted := slices.Clone(words)
		counted[i] = "#" + strconv.Itoa(n-m.page)
		texts = append(texts, strings.Join(counted, " "))
	}
	// Heights that differ by less than a point or two fall into a common step.
	step := int(math.Floor(m.line.baseline / 4))
	for _, t := range texts {
		m.keys = append(m.keys, strconv.Itoa(step)+" "+t, strconv.Itoa(step+1)+" "+t)
	}
}

// number reads a page's number, in digits or Roman ones.
func number(word string) (int, bool) {
	if n, err := strconv.Atoi(word); err == nil && len(word) <= 5 {
		return n, true
	}
	if word == "" || len(word) > 7 {
		return 0, false
	}
	total, last := 0, 0
	for i := len(word) - 1; i >= 0; i-- {
		at := strings.IndexByte("ivxlcdm", word[i])
		if at < 0 {
			return 0, false
		}
		v := [...]int{1, 5, 10, 50, 100, 500, 1000}[at]
		if v < last {
			total -= v
		} else {
			total += v
			last = v
		}
	}
	return total, true
}

// squeezeLetters keeps the letters, in lower case.
func squeezeLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
