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

// matchLines finds the lines of the page whose letters, in order, are exactly those
// wanted. It returns their characters and letters, or nil if there are none.
func (l *pageLayout) matchLines(want []letter) ([]glyph, []letter) {
	lines := l.pageLines()
	// before[i] maps each number of letters that the first i lines can match to the
	// number that was matched without line i.
	before := make([]map[int]int, len(lines)+1)
	before[0] = map[int]int{0: 0}
	for i, line := range lines {
		next := make(map[int]int)
		for at := range before[i] {
			if _, ok := next[at]; !ok {
				next[at] = at // the line is left out
			}
			if n := len(line.letters); n > 0 && sameLetters(want[at:], line.letters) {
				next[at+n] = at
			}
		}
		before[i+1] = next
	}
	at := len(want)
	if _, ok := before[len(lines)][at]; !ok {
		return nil, nil
	}
	used := make([]bool, len(lines))
	for i := len(lines); i > 0; i-- {
		last := before[i][at]
		used[i-1] = last != at
		at = last
	}
	var kept []pageLine
	for i, line := range lines {
		if used[i] {
			kept = append(kept, line)
		}
	}
	return joinLines(kept)
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

func sameLetters(want, line []letter) bool {
	if len(line) > len(want) {
		return false
	}
	for i, c := range line {
		if want[i].char != c.char {
			return false
		}
	}
	return true
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
