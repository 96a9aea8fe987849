package lexical

import "strings"

// The names of months in several languages, and their abbreviations, folded, by the number of the month.
var months, shortMonths = byLine("months"), byLine("short months")

// byLine returns the numbers, from 1, of the lines that have a word.
func byLine(heading string) map[string]int {
	all := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(wordLists[heading]), "\n") {
		for _, word := range strings.Fields(line) {
			all[word] = i + 1
		}
	}
	return all
}

// Month returns the number of the month, from 1, that a word is the name of; 0: it is none.
func Month(word string) int { return months[fold(word)] }

// ShortMonth returns the number of the month, from 1, that a word abbreviates, without its dot; 0: it does not.
func ShortMonth(word string) int { return shortMonths[fold(word)] }
