package retrieval

import (
	"regexp"
	"strconv"
	"strings"
)

// contentsWorth is what the score of a part of a table of contents is multiplied
// by, because it has the words of passages that it only points to.
const contentsWorth = 0.5

// fewestLeaders is how many lines of a table of contents a passage has at least.
const fewestLeaders = 4

var (
	// leader matches the dots between a title and its page number.
	leader = regexp.MustCompile(`(?m)(?:\.{4,}|(?:\. ){3,}|…)[\s|]*(?:\d|[ivxlc]+$)`)
	// amount matches a number with groups of digits, a fraction or a currency.
	amount = regexp.MustCompile(`^(?:\d{1,3}(?:[.,'’]\d{3})+\b|\d+[.,]\d{2}(?:[^.,\d]|$)|\d[\d.,]*\s?(?:[€$£¥%]|EUR|USD|GBP|CHF))`)
	// section matches a number that may be a section's, before its title.
	section = regexp.MustCompile(`^(\d+)\.(\d\d) +\pL`)
)

// isContents reports whether a passage is part of a table of contents or a list of
// figures.
func isContents(text string) bool {
	// This check is fast, and it rules out nearly all passages.
	if strings.Count(text, "....")+strings.Count(text, ". . .")+strings.Count(text, "…") < fewestLeaders {
		return false
	}
	return pointsToPages(text)
}

// pointsToPages reports whether a text has at least one leader to a page number per dozen
// words. The dots of price lists and statements lead to amounts, unlike those of an index.
func pointsToPages(text string) bool {
	found := leader.FindAllStringIndex(text, -1)
	if n := len(found); n < fewestLeaders || 12*n < len(strings.Fields(text)) {
		return false
	}
	amounts, last := 0, 0
	for _, at := range found {
		number := text[at[1]-1:]
		if at := sectionAt(number); at > last { // sections ascend
			last = at
		} else if amount.MatchString(number) {
			amounts++
		}
	}
	return 2*amounts <= len(found)
}

// sectionAt returns the place of a section such as 2.13 among all, or 0.
func sectionAt(number string) int {
	m := section.FindStringSubmatch(number)
	if m == nil {
		return 0
	}
	chapter, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return 0
	}
	return 100*chapter + n
}
