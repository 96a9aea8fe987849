package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// A letter is a letter or digit in lower case, with its byte offset in the text or
// its index on the page.
type letter struct {
	char rune
	at   int
}

// lettersOf are the letters and digits of a text with their offsets.
func lettersOf(text string) []letter {
	var out []letter
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			out = append(out, letter{unicode.ToLower(r), i})
		}
	}
	return out
}

// locate returns the indexes of the page's characters that are the bytes
// [start, end) of its text. The text has the same lines as the page, without running
// headers and with other hyphens, spaces and cell marks. So it compares only
// letters and digits.
func (l *pageLayout) locate(text string, start, end int) []int32 {
	want := lettersOf(text)
	from, _ := slices.BinarySearchFunc(want, start, func(a letter, at int) int { return a.at - at })
	to, _ := slices.BinarySearchFunc(want, end, func(a letter, at int) int { return a.at - at })
	if from >= to {
		return nil
	}
	chars, letters := l.matchLines(want)
	if letters == nil {
		// The text was made otherwise, by an older version for instance.
		if chars, letters, from, to = l.search(want[from:to]); letters == nil {
			return nil
		}
	}
	var out []int32
	for _, g := range chars[letters[from].at : letters[to-1].at+1] {
		if g.index >= 0 && (len(out) == 0 || out[len(out)-1] != g.index) {
			out = append(out, g.index)
		}
	}
	return out
}

// A pageLine is a line of the page and its letters.
type pageLine struct {
	chars   []glyph
	letters []letter
}

func (l *pageLayout) pageLines() []pageLine {
	var out []pageLine
	l.lines(func(_ *textBlock, line *textLine) {
		p := pageLine{chars: line.chars}
		for i, g := range line.chars {
			if unicode.IsLetter(g.char) || unicode.IsNumber(g.char) {
				p.letters = append(p.letters, letter{unicode.ToLower(g.char), i})
			}
		}
		out = append(out, p)
	})
	return out
}

// maxCompared is how many letters and places are compared for a page before its text is searched instead.
const maxCompared = 1 << 26

// matchLines finds the lines of the page whose letters, in order, are exactly those
// wanted. It returns their characters and letters, or nil if there are none.
func (l *pageLayout) matchLines(want []letter) ([]glyph, []letter) {
	lines := l.pageLines()
	first, ok := reachable(lines, want)
	if !ok {
		return nil, nil
	}
	used := make([]bool, len(lines))
	for i, at := len(lines), len(want); i > 0; i-- {
		letters := lines[i-1].letters
		n := len(letters)
		if n > 0 && n <= at && int(first[at-n]) < i && commonLetters(want[at-n:], letters) == n {
			used[i-1] = true
			at -= n
		}
	}
	var kept []pageLine
	for i, line := range lines {
		if used[i] {
			kept = append(kept, line)
		}
	}
	return joinLines(kept)
}

// reachable returns how many of the first lines can match each number of letters wanted, without lines that are left
// out: the least that can, or more than there are lines. ok is false if no lines match all letters, or if it would take
// too long to find them.
func reachable(lines []pageLine, want []letter) (first []int32, ok bool) {
	first = make([]int32, len(want)+1)
	for at := range first {
		first[at] = int32(len(lines) + 1)
	}
	first[0] = 0
	reached, compared := []int{0}, 0
	for i, line := range lines {
		n := len(line.letters)
		if n == 0 {
			continue
		}
		for _, at := range reached { // without those that this line adds
			if compared++; compared > maxCompared {
				return nil, false
			}
			if at+n > len(want) || int(first[at+n]) <= i+1 {
				continue
			}
			common := commonLetters(want[at:], line.letters)
			if compared += common; common == n {
				first[at+n] = int32(i + 1)
				reached = append(reached, at+n)
			}
		}
	}
	return first, int(first[len(want)]) <= len(lines)
}

func joinLines(lines []pageLine) (chars []glyph, letters []letter) {
	for _, line := range lines {
		for _, c := range line.letters {
			letters = append(letters, letter{c.char, c.at + len(chars)})
		}
		chars = append(chars, line.chars...)
	}
	return chars, letters
}

// commonLetters returns with how many letters of a line the letters wanted begin.
func commonLetters(want, line []letter) int {
	n := 0
	for n < len(line) && n < len(want) && want[n].char == line[n].char {
		n++
	}
	return n
}

// search finds the first place of the page that holds the letters wanted.
func (l *pageLayout) search(want []letter) ([]glyph, []letter, int, int) {
	chars, letters := joinLines(l.pageLines())
	at := strings.Index(letterString(letters), letterString(want))
	if at < 0 {
		return nil, nil, 0, 0
	}
	from := len([]rune(letterString(letters)[:at]))
	return chars, letters, from, from + len(want)
}

func letterString(letters []letter) string {
	var b strings.Builder
	for _, c := range letters {
		b.WriteRune(c.char)
	}
	return b.String()
}
