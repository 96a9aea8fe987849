package lexical

// A language is one that has a stemmer and a list of function words here.
type language int

const (
	languageEnglish language = iota
	languageGerman
	languageFrench
	languageItalian
	languageSpanish
	languagePortuguese
	languageDutch
	languages
)

// A languageSet is a set of languages, a bit for each.
type languageSet uint8

func (s languageSet) has(l language) bool { return s&(1<<l) != 0 }

const allLanguages = languageSet(1<<languages - 1)
