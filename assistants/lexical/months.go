package lexical

import "strings"

// months are the names of months in several languages, and their abbreviations, folded, by the number of
// the month.
var months = func() map[string]int {
	all := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(wordLists["months"]), "\n") {
		for _, name := range strings.Fields(line) {
			all[name] = i + 1
		}
	}
	return all
}()

// Month returns the number of the month, from 1, that a word is the name of; 0: it is none.
func Month(word string) int { return months[fold(word)] }
