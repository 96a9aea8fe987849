package extractive

import (
	"regexp"
	"strings"
)

// A kind is what the answer to a question probably contains.
type kind struct{ number, date, open bool }

var (
	asksNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|often|old|far|high|large|big|fast|heavy|soon|early|late)|what (percentage|percent|share|number|amount|price|fee|cost|rate|limit|size)|wie ?viele?|wie (lange|oft|hoch|alt|weit|gross|groß|schnell|schwer|teuer)|was kostet|combien|cu[aá]nt[oa]s?|quant[oaie])\b|多少|几|いくら|いくつ|何(日|人|時間|円|回|%|ヶ月|年|分|歳|個|台)|どのくらい`)
	asksDate   = regexp.MustCompile(`(?i)\b(when|what (time|date|day|year|month)|which (date|day|year|month)|by what|deadline|since when|until when|wann|welche[rnsm]? (tag|datum|jahr|monat)|um wie ?viel uhr|ab wann|bis wann|quand|cu[aá]ndo|quando|(quelle|en quelle|à quelle) (date|année|heure)|(che|quale|in che|a che) (anno|data|giorno|ora)|(qué) (año|fecha|día|hora))\b|いつ|何時|何日|何月|什么时候|何时`)

	asksOpen   = regexp.MustCompile(`(?i)\b(who|whom|whose|what|which|when|where|why|how|wer|wen|wem|wessen|was|welche[rnsm]?|wann|wo|woher|wohin|warum|weshalb|wieso|wie|womit|wof[uü]r|qui|que|quoi|quels?|quelles?|quand|o[uù]|pourquoi|comment|combien|qui[eé]n|qu[eé]|cu[aá]l|cu[aá]ndo|d[oó]nde|c[oó]mo|cu[aá]nt[oa]s?|chi|che|cosa|quale|quando|dove|perch[eé]|come|quant[oaie])\b|[何誰谁哪几幾]|いつ|どこ|どの|どう|どれ|どんな|なぜ|だれ|いく[らつ]|什么|什麼|怎|多少|为什么|為什麼`)
	denies     = regexp.MustCompile(`(?i)\b(no|not|never|none|nobody|nothing|without|cannot|nicht|nie|niemals|niemand|nichts|ohne|kein(e[nmrs]?)?|pas|jamais|sans|nunca|sin|non|mai|senza)\b|n['’]t\b|ない|ません|[不没無无]`)
	endsAsSaid = regexp.MustCompile(`[.!。！।…]["”’»」』)]*$`)

	hasNumber = regexp.MustCompile(`(?i)\p{Nd}|\b(` + numberWords + `|half|third|quarter|twice|once|halbe?[rns]?)\b|[一二三四五六七八九十百千万]`)
	hasDate   = regexp.MustCompile(`(?i)\b(` + months + `|` + weekdays + `)s?\b|\b(19|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(am|pm|uhr)\b|\b\d{1,2}\.\d{1,2}\.|[年月日時]|\b(before|after|until|by|within|from|daily|weekly|monthly|annually|every (day|week|month|year)|ab dem|bis zum|avant|après|jusqu|à partir|entro|prima del|dopo il|fino al|antes de|después de|hasta)\b`)
)

// numberWords are the numbers in words of the languages whose questions for one are known.
// Those that are common words, too, are left out, such as the French un and the Italian sei.
const numberWords = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|` +
	`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|` +
	`ein(?:e[nmrs]?)?|zwei|drei|vier|f(?:ü|ue)nf|sechs|sieben|acht|neun|zehn|elf|zw(?:ö|oe)lf|zwanzig|drei(?:ß|ss)ig|vierzig|f(?:ü|ue)nfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend|` +
	`deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante|soixante|cent|mille|` +
	`quattro|cinque|sette|otto|nove|dieci|undici|dodici|quindici|venti|trenta|quaranta|cinquanta|sessanta|novanta|cento|` +
	`tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|cincuenta|sesenta|noventa|cien`

// kindOf derives the kind from a question.
func kindOf(question string) kind {
	return kind{number: asksNumber.MatchString(question), date: asksDate.MatchString(question), open: asksOpen.MatchString(question)}
}

// fits is the factor for a sentence, given the kind of the question. Numbers that
// only repeat the question's do not count.
func (k kind) fits(sentence, question string) float64 {
	f := 1.0
	if k.number {
		f *= gain(newNumber(sentence, question))
	}
	if k.date {
		f *= gain(hasDate.MatchString(sentence))
	}
	return f
}

// echoes reports whether a sentence only repeats the question, as titles do. A
// question for yes or no is answered even by a sentence that repeats it whole.
func (k kind) echoes(s *sentence, said map[string]bool) bool {
	for t := range s.terms {
		if !said[t] {
			return false
		}
	}
	return !denies.MatchString(s.said) && (k.open || !endsAsSaid.MatchString(s.said))
}

func gain(found bool) float64 {
	if found {
		return 1.3
	}
	return 0.8
}

func newNumber(sentence, question string) bool {
	question, sentence = strings.ToLower(question), references.ReplaceAllString(dates.ReplaceAllString(sentence, ""), "")
	for _, n := range numbers(sentence) {
		if !strings.Contains(question, strings.ToLower(n)) {
			return true
		}
	}
	return false
}

// Names of months and days in the languages whose questions for a date are known. Words
// that end in a letter with an accent are left out, because no boundary is seen after it.
const (
	months = `(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|maerz|mai|juni|juli|oktober|dezember|` +
		`janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|dicembre|` +
		`enero|febrero|abril|mayo|junio|julio|septiembre|octubre|noviembre|diciembre)`
	weekdays = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|` +
		`lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|sabato|domenica|lunes|martes|miércoles|jueves|viernes|sábado|domingo)`
)

// dates are no amounts.
var dates = regexp.MustCompile(`(?i)\b(?:` + months + ` \d{1,2}|\d{1,2}\.? ` + months + `)\b(?:,? (?:19|20)\d\d\b)?`)

// references are no amounts, either: "Figure 3.4", and the number of a heading.
var references = regexp.MustCompile(`(?i)\b(?:fig(?:ure|\.)|abb(?:ildung|\.)|figura|tab(?:le|elle|leau|ella|la|\.)|section|abschnitt|sezione|sección|chapter|kapitel|chapitre|capitolo|capítulo|page|seite|pagina|página) ?\p{Nd}+(?:[.-]\p{Nd}+)*|^\p{Nd}+(?:\.\p{Nd}+)+ `)

var digits = regexp.MustCompile(`\p{Nd}[\p{Nd}.,:]*`)

func numbers(s string) []string {
	return append(digits.FindAllString(s, -1), hasNumber.FindAllString(s, -1)...)
}
