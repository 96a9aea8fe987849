package profile

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"footnote/assistants/lexical"
)

//go:embed words.txt
var wordsFile string

// lists has the phrases of words.txt by their heading.
var lists = func() map[string][]string {
	all := map[string][]string{}
	for heading, lines := range lexical.Lists(wordsFile) {
		all[heading] = strings.Split(strings.TrimSpace(lines), "\n")
	}
	return all
}()

func setOf(heading string) map[string]bool { return lexical.Set(strings.Join(lists[heading], "\n")) }

// general are words of titles that are no subject.
var general = setOf("general")

// companies are what companies are, after their names.
var companies = setOf("company")

// fold brings a text into the form of words.txt: lower case, without accents.
func fold(text string) string {
	text = norm.NFD.String(strings.ToLower(text))
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

func isOne(heading, text string) bool { return slices.Contains(lists[heading], text) }

func startsWithOne(heading, text string) bool {
	return slices.ContainsFunc(lists[heading], func(p string) bool { return text == p || strings.HasPrefix(text, p+" ") })
}

// containsOne reports whether a text has one of some phrases, as whole words.
func containsOne(heading, text string) bool {
	text = " " + strings.Join(lexical.Folded(text), " ") + " "
	return slices.ContainsFunc(lists[heading], func(p string) bool { return strings.Contains(text, " "+p+" ") })
}
