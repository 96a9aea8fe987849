package lexical

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed kinds/*.txt
var kindFiles embed.FS

// A kindPhrase is what documents of a kind call themselves.
type kindPhrase struct {
	kind  string
	words []string
}

// kindPhrases are those of all languages by their first word, and kindEndings the ends of
// words that say a kind.
var kindPhrases, kindEndings = readKinds()

// longestEnding is the length of the longest of kindEndings in bytes.
var longestEnding = func() (longest int) {
	for ending := range kindEndings {
		longest = max(longest, len(ending))
	}
	return longest
}()

func readKinds() (phrases map[string][]kindPhrase, endings map[string]string) {
	phrases, endings = map[string][]kindPhrase{}, map[string]string{}
	files, _ := kindFiles.ReadDir("kinds") // it is compiled in
	for _, f := range files {
		text, _ := kindFiles.ReadFile(path.Join("kinds", f.Name()))
		for kind, lines := range Lists(string(text)) {
			for line := range strings.Lines(lines) {
				line = strings.TrimSpace(line)
				if ending, ok := strings.CutPrefix(line, "-"); ok {
					endings[ending] = kind
					continue
				}
				words := strings.Fields(line)
				phrases[words[0]] = append(phrases[words[0]], kindPhrase{kind, words})
			}
		}
	}
	return phrases, endings
}

// Folded returns the runs of letters and digits of a text, in lower case and without
// accents.
func Folded(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Kinds returns the kinds of documents that a text names, such as "contract" and "price
// list", each once: the longest names first, and of those the first ones.
func Kinds(text string) []string {
	type found struct {
		kind   string
		length int
	}
	var all []found
	words := Folded(text)
	for i, w := range words {
		for _, p := range kindPhrases[w] {
			if n := len(p.words); i+n <= len(words) && slices.Equal(words[i:i+n], p.words) {
				all = append(all, found{p.kind, len(strings.Join(p.words, " "))})
			}
		}
		for at := max(0, len(w)-longestEnding); at < len(w); at++ {
			if kind, ok := kindEndings[w[at:]]; ok && utf8.RuneCountInString(w[:at]) > 2 {
				all = append(all, found{kind, len(w)})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.length, a.length) })
	var kinds []string
	for _, f := range all {
		if !slices.Contains(kinds, f.kind) {
			kinds = append(kinds, f.kind)
		}
	}
	return kinds
}

var languageCodes = [languages]string{"en", "de", "fr", "it", "es", "pt", "nl"}

// leastSmall is the least share of small words that the language of a text has of all the
// small words in it.
const leastSmall = 0.5

// QuestionLanguage returns the code of the language that a question is taken for, such as "en". A few
// words decide; isShown is false if none does.
func QuestionLanguage(text string) (code string, isShown bool) {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	l, isShown := detect(ws)
	return languageCodes[l], isShown
}

// Language returns the code of the language of a text, such as "en", or "" if its small
// words do not show it.
func Language(text string) string {
	var ws []word
	eachWord(text, func(w word) { ws = append(ws, w) })
	t := tallyOf(ws)
	l, alone := t.best()
	sum := 0.0
	for _, n := range t {
		sum += n
	}
	if !alone || t[l] < 2*enoughSmall || t[l] < leastSmall*sum {
		return ""
	}
	return languageCodes[l]
}
