package retrieval

import "strings"

// A language is one whose follow-up questions are known by their words.
type language int

const (
	english language = iota
	german
	french
	italian
	languages
)

// A wordList is what follow-up questions of a language are known by.
type wordList struct {
	function map[string]bool // small words that identify the language
	openings [][]string      // beginnings of follow-up questions
	changes  [][]string      // phrases that say that the subject changes
	pronouns map[string]bool // words that stand for something named before
	endings  []string        // of words that have such a pronoun at their end
	// only says for some of them when they do: word i of the words.
	only map[string]func(words []string, i int) bool
}

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func phrases(lines string) (list [][]string) {
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		list = append(list, strings.Fields(line))
	}
	return list
}

// notBefore holds unless one of the words comes next.
func notBefore(words string) func([]string, int) bool {
	stop := setOf(words)
	return func(all []string, i int) bool { return i+1 >= len(all) || !stop[all[i+1]] }
}

// notNextTo holds unless one of the words stands directly before or after.
func notNextTo(words string) func([]string, int) bool {
	stop, before := setOf(words), notBefore(words)
	return func(all []string, i int) bool { return (i == 0 || !stop[all[i-1]]) && before(all, i) }
}

// lastOr holds at the end of a question and before one of the words.
func lastOr(words string) func([]string, int) bool {
	next := setOf(words)
	return func(all []string, i int) bool { return i+1 == len(all) || next[all[i+1]] }
}

var vocabulary = [languages]wordList{
	english: {
		function: setOf(`the is are was were does do did how what when where why who which of and for with about to can could should if it its they a an my there`),
		openings: phrases(`
and
but
or
also
no i mean
what about
how about
what if
what else
why not
why is that
which ones
which one
same for
for how long
since when
until when`),
		changes: phrases(`
another question
another topic
different topic
different question
different subject
changing the subject
something else entirely
something completely different
unrelated`),
		pronouns: setOf(`it its itself they them their theirs he him his she hers this that these those one ones same such former latter else instead another otherwise there`),
		only: map[string]func([]string, int) bool{
			"it":      notNextTo(`possible allowed necessary permitted required ok okay true mandatory legal important safe take takes mean means better best worth recommended hard easy cost`),
			"that":    lastOr(`apply happen happens work include mean also still change case one true is count hold for in with not`),
			"one":     lastOr(`apply work use instead is for with`),
			"such":    notBefore(`as`),
			"there":   lastOr(``),
			"another": notBefore(`question thing`),
			"this":    notBefore(`handbook manual document company year month`),
		},
	},
	german: {
		function: setOf(`der die das ist sind wie wann wo wer welche welcher welches und oder für mit von bei im zu den dem ein eine ich wir kann darf muss gilt gibt es nicht auch warum wieviel viel sie`),
		openings: phrases(`
und
aber
oder
auch
nein ich meine
was ist mit
was gilt
wie ist es mit
wie ist das
wie sieht es
wie sieht das
wie steht es
wie lange noch
seit wann
bis wann
ab wann
warum
wieso`),
		changes: phrases(`
anderes thema
andere frage
etwas anderes
etwas ganz anderes
themenwechsel`),
		pronouns: setOf(`er ihn ihm sie es dessen deren dies diese dieser dieses diesem diesen jene jener jenes das davon dafür dafuer damit dabei dazu darin daran darauf darüber darueber danach davor dagegen daraus darunter hierfür hierfuer hierbei dort ebenfalls derselbe dieselbe dasselbe denselben derselben beide beiden seine seinen seiner seinem ihre ihren ihrer ihrem sein ihr sonst stattdessen denen`),
		only: map[string]func([]string, int) bool{
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
	},
	french: {
		function: setOf(`le la les des est sont quel quelle quels quelles comment quand pour et dans du une un que qui où ou combien pourquoi peut doit avec sur au aux en il elle je on cela`),
		openings: phrases(`
et
mais
ou
aussi
non je
qu en est il
quid
même question
depuis quand
jusqu à quand
pourquoi`),
		changes: phrases(`
autre question
autre sujet
autre chose`),
		pronouns: setOf(`il ils elle elles lui leur leurs cela ça ceci celui celle ceux celles ce cet cette ces y son sa ses même mêmes autre autres`),
		only: map[string]func([]string, int) bool{
			"il":    notNextTo(`faut y possible est t existe`),
			"ce":    notNextTo(`est qu que qui`),
			"y":     notNextTo(`il a`),
			"même":  lastOr(`pour chose`),
			"leur":  func(words []string, i int) bool { return i > 0 },
			"cette": notBefore(`année`),
		},
	},
	italian: {
		function: setOf(`il lo gli i le della del dei delle degli di che come quando quanto quanti quale quali dove chi perché per con è sono si può posso un una e in da nel nella al alla cosa non mi`),
		openings: phrases(`
e
ma
o
anche
e se
che mi dici di
perché
da quando
fino a quando
no mi`),
		changes: phrases(`
altra domanda
altro argomento
altra cosa
tutt altro`),
		pronouns: setOf(`esso essa essi esse lui lei loro questo questa questi queste quello quella quelli quelle ne suo sua suoi sue stesso stessa stessi stesse altro altra`),
		endings:  []string{"arne", "erne", "irne", "arlo", "erlo", "irlo", "arla", "erla", "irla", "arli", "erli", "irli", "arle", "erle", "irle", "arci", "erci", "irci"},
		only: map[string]func([]string, int) bool{
			"altro": notBefore(`argomento tema`),
			"altra": notBefore(`cosa domanda`),
		},
	},
}
