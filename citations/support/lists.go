package support

import (
	"embed"
	"iter"
	"strings"
)

// The files of words. Lines that begin with # are comments.
var (
	//go:embed words/roles.txt
	roles string
	//go:embed words/synonyms.txt
	synonyms string
	//go:embed words/vocabulary.txt
	vocabulary string
	//go:embed words/units.txt
	units string
)

// lines returns the lines of a file of words.
func lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

var classNames = map[string]wordClass{
	"stop": classStop, "generic": classGeneric, "negator": classNegator, "ne-negator": classNeNegator, "month": classMonth,
	"weekday": classWeekday, "numeral": classNumeral, "scale": classScale, "ordinal": classOrdinal, "fraction": classFraction,
	"hedge": classHedge, "title": classTitle, "known": classKnown, "place": classPlace, "quarter": classQuarter,
	"break": classBreak, "condition": classCondition, "by": classBy, "article": classArticle, "preposition": classPreposition,
	"range": classRange, "abbreviation": classAbbreviation, "verb": classVerb, "pronoun": classPronoun, "ne": classNe,
	"without": classWithout, "only": classOnly, "and": classAnd, "of": classOf, "either": classEither, "side": classSide,
}

var languagesNamed = map[string][]language{
	"english": {english}, "german": {german}, "french": {french}, "": {english, german, french},
}

//go:embed words/??.txt
var languageFiles embed.FS

// languageCodes name the files of languages, in the order of the constants.
var languageCodes = [languages]string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "ru", "uk", "tr"}

// ofLanguages returns each language with its file of small words.
func ofLanguages() iter.Seq2[language, string] {
	return func(yield func(language, string) bool) {
		for l, code := range languageCodes {
			text, err := languageFiles.ReadFile("words/" + code + ".txt")
			if err != nil {
				panic("citations: no words of " + code)
			}
			if !yield(language(l), string(text)) {
				return
			}
		}
	}
}
