package lexical

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

var wordLists = Lists(wordsFile)

var languageNames = [languages]string{"english", "german", "french", "italian", "spanish", "portuguese", "dutch"}

var (
	// functionIn are the words of each language that carry no subject.
	functionIn = perLanguage("function")
	// askingWords are words that wrap a question around its subject. Documents keep
	// them; questions drop them as long as something else remains.
	askingWords = perLanguage("asking")
	// functionWords give no terms in a document. German words that mean something in
	// English ("war", "die") are not among them.
	functionWords = Set(wordLists["english function"] + wordLists["german function"] + wordLists["romance function"])
	// asking are phrases of Chinese, Japanese, Korean and Thai questions that carry no
	// subject, by their first character.
	asking = byFirst(wordLists["eastern asking"])
)

func perLanguage(kind string) (sets [languages]map[string]bool) {
	for l, name := range languageNames {
		sets[l] = Set(wordLists[name+" "+kind] + wordLists[name+" "+kind+" also english"])
	}
	return sets
}

// germanSuffixes are endings by which a single word is taken for German.
var germanSuffixes = strings.Fields(wordLists["german suffixes"])

// Lists reads lists of words or phrases. A line such as "[months]" is the heading of a
// list. Lines that begin with # are comments.
func Lists(text string) map[string]string {
	lists := map[string]string{}
	heading := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			heading = strings.TrimSuffix(name, "]")
		} else if line != "" && line[0] != '#' {
			lists[heading] += line + "\n"
		}
	}
	return lists
}

// Set returns the words of a list.
func Set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func byFirst(phrases string) map[rune][]string {
	m := map[rune][]string{}
	for _, p := range strings.Fields(phrases) {
		r, _ := utf8.DecodeRuneInString(p)
		m[r] = append(m[r], p)
	}
	return m
}
