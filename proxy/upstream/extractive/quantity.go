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

// An amount is a number before one of some units. A number in words has a gap before the
// unit: tens are no ten seconds.
const (
	gap     = `[ \x{a0}\x{202f}-]`
	amount  = `(?i)(?:\p{Nd}[\])]?` + gap + `?|\b(?:` + numberWords + `)[\])]?` + gap + `)(?:`
	unitEnd = `)(?:[^\p{L}]|$)`
)

// asked begins an expression for questions: a word that asks for one of several, before
// the name of a quantity.
const asked = `(?i)\b(?:how|what|which|wie|wieviele?|welche[nrsm]?|quel(?:le)?s?|combien|qual[ei]?|quant[oaie]|qué|cuál|cuánt[oa]s?)\b.*\b(?:`

// quantities are those that have units of their own. Counts have none: kind knows them.
// Units of one letter that is a word, too, are in capitals.
var quantities = []quantity{
	{"#time", regexp.MustCompile(`(?i)\b(how (long|often|old|soon)|(what|which) (notice )?period|notice period|(how (many|much)) (notice|time)|wie (lange|oft|alt)|welche(r|n)? (frist|zeitraum)|combien de temps|quelle (durée|période)|quel délai|quanto (tempo|dura)|quale (durata|periodo)|cuánto (tiempo|dura)|qué plazo)\b`),
		regexp.MustCompile(amount + `s|sec(?:onds?)?|min(?:utes?|uten?|uti)?|h|hours?|stunden?|heures?|ore|horas?|days?|tage?n?|jours?|giorni|días?|weeks?|wochen?|semaines?|settimane|semanas?|months?|monate?n?|mois|mesi|meses|sekunden?|secondes?|secondi|segundos?|years?|jahre?n?|ans?|années?|anni|años?` + unitEnd)},
	{"#length", regexp.MustCompile(`(?i)\b(how (far|wide|tall|high|deep|thick|long)|wie (weit|breit|hoch|tief|dick|lang)|quelle (longueur|largeur|hauteur|profondeur|épaisseur|distance)|quale (lunghezza|larghezza|altezza|spessore|distanza)|qué (longitud|altura|anchura|profundidad|distancia))\b`),
		regexp.MustCompile(amount + `[nµcmk]?m|metres?|meters?|mètres?|metri|metros?|(?:centi|milli|kilo)(?:met(?:re|er)|mètre)s?|feet|ft|inch(?:es)?|miles?` + unitEnd)},
	{"#mass", regexp.MustCompile(`(?i)\b(how heavy|how much does .* weigh|weights?|wie schwer|gewicht|poids|combien pèse|quanto pesa|peso|cuánto pesa)\b`),
		regexp.MustCompile(amount + `[mk]?g|tonnes?|t|kilos?|kilogram(?:me|m)?s?|grams?|pounds?|lbs?|ounces?|oz` + unitEnd)},
	{"#sound", regexp.MustCompile(`(?i)\b(how (loud|noisy|quiet)|noise|wie laut|lautstärke)\b`),
		regexp.MustCompile(amount + `db(?:\(a\))?|decibels?|dezibel` + unitEnd)},
	{"#power", regexp.MustCompile(`(?i)\b(watts?|power|leistung|puissance|potenza)\b`),
		regexp.MustCompile(amount + `[mk]?w|(?:kilo)?watts?|kva|hp` + unitEnd)},
	{"#voltage", regexp.MustCompile(asked + `volts?|voltages?|spannung|tension|tensione|tensión)\b`),
		regexp.MustCompile(amount + `(?-i:[mkµ]?V)|volts?` + unitEnd)},
	{"#current", regexp.MustCompile(asked + `amperes?|amps?|(?:electric )?current|stromstärke|intensidad)\b|\bintensit[éà]`),
		regexp.MustCompile(amount + `(?-i:[mµ]?A)|amp[eè]res?|amps?` + unitEnd)},
	{"#resistance", regexp.MustCompile(asked + `ohms?|resistance|widerstand|résistance|resistenza|resistencia)\b`),
		regexp.MustCompile(amount + `[mk]?[Ω\x{2126}]|(?:kilo|mega|méga)?-?ohms?` + unitEnd)},
	{"#frequency", regexp.MustCompile(asked + `hertz|frequency|frequenz|fréquence|frequenza|frecuencia)\b`),
		regexp.MustCompile(amount + `[mkg]?hz|hertz` + unitEnd)},
	{"#speed", regexp.MustCompile(`(?i)\b(how fast|speed|wie schnell|geschwindigkeit|vitesse|velocidad)\b|\bvelocità`),
		regexp.MustCompile(amount + `k?m/s|km/h|mph|[kmg]?bit/s|[kmg]bps` + unitEnd)},
	{"#data", regexp.MustCompile(asked + `(?:kilo|mega|giga|tera)?(?:bytes?|octets?)|memory|storage|disk (?:space|size)|speicher|speicherplatz|plattenplatz|festplatte|mémoire|disque|memoria|disco)\b`),
		regexp.MustCompile(amount + `[kmgt]i?b|[kmg]o|(?:kilo|mega|giga|tera)?(?:bytes?|octets?)` + unitEnd)},
	{"#heat", regexp.MustCompile(`(?i)\b(how (hot|warm|cold)|temperatures?|wie (heiß|warm|kalt)|temperatur|température|temperatura)\b`),
		regexp.MustCompile(amount + `°(?: ?[cf])?|degrees|grad|degrés|gradi|grados|kelvin` + unitEnd)},
	{"#share", regexp.MustCompile(`(?i)\b(percent(age)?|share of|what share|tax rate|(what|which) [a-z ]*rate|prozent(satz)?|anteil|pourcentage|quelle part|percentuale|porcentaje)\b`),
		regexp.MustCompile(`(?i)\p{Nd} ?(%|percent|per cent|prozent|pour cent|per cento|por ciento)`)},
	{"#money", regexp.MustCompile(`(?i)\b(how much (does|do|did|must|is|are|was|were|will|should) .*(cost|pay|spend|charge)|cost|price|fee|was kostet|preis|prix|combien coûte|prezzo|quanto costa|precio|cuánto cuesta)\b`),
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
			if q.has.MatchString(sentences[i].said) {
				sentences[i].terms[q.term] = true
			}
		}
	}
	return terms
}
