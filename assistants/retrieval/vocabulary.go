package retrieval

import (
	_ "embed"
	"strings"

	"footnote/assistants/lexical"
)

// A language is one whose follow-up questions are recognised by their words.
type language int

const (
	english language = iota
	german
	french
	italian
	spanish
	portuguese
	dutch
	languages
)

// languageCodes are those of package lexical.
var languageCodes = [languages]string{english: "en", german: "de", french: "fr", italian: "it", spanish: "es", portuguese: "pt", dutch: "nl"}

// A wordList holds the words by which follow-up questions of a language are recognised.
type wordList struct {
	openings [][]string      // beginnings of follow-up questions
	changes  [][]string      // phrases that say that the subject changes
	pronouns map[string]bool // words that stand for something named before
	endings  []string        // of words that have such a pronoun at their end
}

//go:embed followup.txt
var followUpWords string

// smallWords begin sentences and are no part of a name.
var smallWords = lexical.Set(lexical.Lists(followUpWords)["small words"])

var vocabulary = func() (all [languages]wordList) {
	lists := lexical.Lists(followUpWords)
	for l, name := range [languages]string{"english", "german", "french", "italian", "spanish", "portuguese", "dutch"} {
		all[l] = wordList{
			openings: phrases(lists[name+" openings"]),
			changes:  phrases(lists[name+" changes"]),
			pronouns: lexical.Set(lists[name+" pronouns"]),
			endings:  strings.Fields(lists[name+" endings"]),
		}
	}
	return all
}()

func phrases(lines string) (list [][]string) {
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		list = append(list, strings.Fields(line))
	}
	return list
}

// notBefore returns a rule that holds unless one of the words comes next.
func notBefore(words string) func([]string, int) bool {
	stop := lexical.Set(words)
	return func(all []string, i int) bool { return i+1 >= len(all) || !stop[all[i+1]] }
}

// notNextTo returns a rule that holds unless one of the words comes directly before or after.
func notNextTo(words string) func([]string, int) bool {
	stop, before := lexical.Set(words), notBefore(words)
	return func(all []string, i int) bool { return (i == 0 || !stop[all[i-1]]) && before(all, i) }
}

// lastOr returns a rule that holds at the end of a question and before one of the words.
func lastOr(words string) func([]string, int) bool {
	next := lexical.Set(words)
	return func(all []string, i int) bool { return i+1 == len(all) || next[all[i+1]] }
}

// pronounRules say when some of the pronouns stand for something named before: by the
// words of the question and the pronoun's index.
var pronounRules = [languages]map[string]func(words []string, i int) bool{
	english: {
		"it":      notNextTo(`possible allowed necessary permitted required ok okay true mandatory legal important safe take takes mean means better best worth recommended hard easy cost`),
		"that":    lastOr(`apply happen happens work include mean also still change case one true is count hold for in with not`),
		"one":     lastOr(`apply work use instead is for with`),
		"such":    notBefore(`as`),
		"there":   lastOr(``),
		"another": notBefore(`question thing`),
		"this":    notBefore(`handbook manual document company year month`),
	},
	german: {
		"es":  notNextTo(`gibt ist möglich erlaubt nötig kostet dauert heißt geht sich`),
		"das": lastOr(`auch für bei in im am an auf aus mit noch nicht genau so denn aber eigentlich möglich erlaubt gelten sein heißt bedeutet dann`),
		"sein": func(words []string, i int) bool {
			return i+1 < len(words) && i > 0 && words[i-1] != "muss" && words[i-1] != "kann"
		},
		"ihr":    func(words []string, i int) bool { return i > 0 && i+1 < len(words) },
		"dies":   lastOr(`auch für bei gelten möglich erlaubt`),
		"diesem": notBefore(`jahr handbuch dokument unternehmen`),
		"dieses": notBefore(`jahr handbuch dokument unternehmen`),
		"diesen": notBefore(`monat`),
	},
	french: {
		"il":    notNextTo(`faut y possible est t existe`),
		"ce":    notNextTo(`est qu que qui`),
		"y":     notNextTo(`il a`),
		"même":  lastOr(`pour chose`),
		"leur":  func(words []string, i int) bool { return i > 0 },
		"cette": notBefore(`année`),
	},
	italian: {
		"altro": notBefore(`argomento tema`),
		"altra": notBefore(`cosa domanda`),
	},
	spanish: {
		"lo":   notBefore(`que mismo más mejor`),
		"otra": notBefore(`cosa pregunta`),
		"otro": notBefore(`tema`),
	},
	portuguese: {
		"outra": notBefore(`coisa pergunta`),
		"outro": notBefore(`assunto`),
	},
	dutch: {
		"dat": lastOr(`ook voor bij in met op niet nog`),
		"die": lastOr(`ook voor bij in met op niet nog`),
	},
}
