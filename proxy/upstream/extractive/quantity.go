package extractive

import "regexp"

// A quantity is what a question asks the amount of: time, mass, money. A sentence that
// states one counts as having one more word of the question, so that it weighs the more
// the fewer sentences state one.
type quantity struct {
	term string         // of a form that no word has
	asks *regexp.Regexp // questions
	has  *regexp.Regexp // sentences
}

// An amount is a number before one of some units.
const (
	amount  = `(?i)(\p{Nd}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|ein(?:e[nmrs]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf))[\])]?[ \x{a0}\x{202f}-]?(?:`
	unitEnd = `)(?:[^\p{L}]|$)`
)

// quantities are those that have units of their own. Counts have none: kind knows them.
var quantities = []quantity{
	{"#time", regexp.MustCompile(`(?i)\b(how (long|often|old|soon)|(what|which) (notice )?period|notice period|(how (many|much)) (notice|time)|wie (lange|oft|alt)|welche(r|n)? (frist|zeitraum)|combien de temps|quanto tempo)\b`),
		regexp.MustCompile(amount + `s|sec(?:onds?)?|min(?:utes?|uten?|uti)?|h|hours?|stunden?|heures?|ore|days?|tage?n?|jours?|giorni|weeks?|wochen?|semaines?|settimane|months?|monate?n?|mois|mesi|years?|jahre?n?|ans?|années?|anni` + unitEnd)},
	{"#length", regexp.MustCompile(`(?i)\b(how (far|wide|tall|high|deep|thick|long)|wie (weit|breit|hoch|tief|dick|lang))\b`),
		regexp.MustCompile(amount + `[nµcmk]?m|metres?|meters?|(?:centi|milli|kilo)met(?:re|er)s?|feet|ft|inch(?:es)?|miles?` + unitEnd)},
	{"#mass", regexp.MustCompile(`(?i)\b(how heavy|how much does .* weigh|weights?|wie schwer|gewicht|poids)\b`),
		regexp.MustCompile(amount + `[mk]?g|tonnes?|t|kilos?|kilogram(?:me|m)?s?|grams?|pounds?|lbs?|ounces?|oz` + unitEnd)},
	{"#sound", regexp.MustCompile(`(?i)\b(how (loud|noisy|quiet)|noise|wie laut|lautstärke)\b`),
		regexp.MustCompile(amount + `db(?:\(a\))?|decibels?|dezibel` + unitEnd)},
	{"#power", regexp.MustCompile(`(?i)\b(watts?|power|leistung|puissance|potenza)\b`),
		regexp.MustCompile(amount + `[mk]?w|(?:kilo)?watts?|kva|hp` + unitEnd)},
	{"#heat", regexp.MustCompile(`(?i)\b(how (hot|warm|cold)|temperatures?|wie (heiß|warm|kalt)|temperatur)\b`),
		regexp.MustCompile(amount + `°(?: ?[cf])?|degrees|grad|kelvin` + unitEnd)},
	{"#share", regexp.MustCompile(`(?i)\b(percent(age)?|share of|what share|tax rate|(what|which) [a-z ]*rate|prozent(satz)?|anteil|pourcentage)\b`),
		regexp.MustCompile(`(?i)\p{Nd} ?(%|percent|per cent|prozent|pour cent)`)},
	{"#money", regexp.MustCompile(`(?i)\b(how much (does|do|did|must|is|are|was|were|will|should) .*(cost|pay|spend|charge)|cost|price|fee|was kostet|preis|prix|prezzo)\b`),
		regexp.MustCompile(`(?i)[$€£¥] ?\p{Nd}|\p{Nd} ?([$€£¥]|eur|usd|gbp|chf|euros?|dollars?|pounds)(?:[^\p{L}]|$)`)},
}

// measure returns the terms of the quantities that a question asks for, and gives them
// to the sentences that state one.
func measure(question string, sentences []sentence) []string {
	var terms []string
	for _, q := range quantities {
		if !q.asks.MatchString(question) {
			continue
		}
		terms = append(terms, q.term)
		for i := range sentences {
			if q.has.MatchString(sentences[i].quote) {
				sentences[i].terms[q.term] = true
			}
		}
	}
	return terms
}
