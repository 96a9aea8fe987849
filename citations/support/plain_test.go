package support

import "testing"

// Of a language that is not known, a sentence that denies does not support one that affirms, and
// the other way round, although both have small words of languages that are known.
func TestANegationOfAnUnknownLanguageSupportsNothing(t *testing.T) {
	for affirmed, denied := range map[string]string{
		"Amenda este de 2000 de lei la Cluj.":        "Amenda nu este de 2000 de lei la Cluj.",
		"La botiga de la plaça de Vic obre a les 9.": "La botiga de la plaça de Vic tampoc obre a les 9.",
		"A bolt nyitva van 9 és 5 között.":           "A bolt nincs nyitva 9 és 5 között.",
		"Kauppa on auki 9 ja 5.":                     "Kauppa ei ole auki 9 ja 5.",
		"O conto de la casa a 20 euro.":              "O conto de la casa nisciun a 20 euro.",
	} {
		for _, pair := range [][2]string{{affirmed, denied}, {denied, affirmed}} {
			if f := checked(pair[0], pair[1]); f.Level == Supported {
				t.Errorf("%q is supported by %q", pair[0], pair[1])
			}
		}
	}
}

// A short text whose small words belong to several known languages is read.
func TestAShortTextNeedNotShowItsLanguage(t *testing.T) {
	for claim, passage := range map[string]string{
		"La multa es de 2.000 euros.":               "La multa es de 2000 €.",
		"De afstand is 2 km.":                       "De afstand is 2000 m.",
		"The hall holds at least 300 people.":       "The hall holds 400 people.",
		"At least three people must be present.":    "Four people must be present.",
		"Entry is forbidden without a helmet.":      "Entry is not allowed without a helmet.",
		"É proibido entrar na sala sem capacete.":   "Não é permitido entrar na sala sem capacete.",
		"Model X lasts twelve hours, model Y nine.": "Model X lasts 12 hours on one charge. Model Y lasts nine hours.",
		"The lease lasts two years.":                "The lease lasts 24 months and cannot be ended earlier.",
	} {
		if f := checked(claim, passage); f.Level != Supported {
			t.Errorf("%q is %s by %q", claim, f.Level, passage)
		}
	}
	for claim, passage := range map[string]string{
		"The hall holds at least 300 people.": "The hall holds 200 people.",
		"The hall holds at least 30 people.":  "The hall holds 40 pianos.",
		"The hall holds 300 people.":          "The hall holds at least 300 people.",
		"The hall holds at most 300 people.":  "The hall holds 400 people.",
		"Entry is allowed without a helmet.":  "Entry is not allowed without a helmet.",
		"The plant reopened in April 2022.":   "The plant was closed in March 2023 and reopened in April.",
		"La tasa subió en 50 euros.":          "La tasa subió a 50 euros.",
		"De rechter bedankte de getuige.":     "De getuige bedankte de rechter.",
		"La multa no es de 2.000 euros.":      "La multa es de 2000 €.",
	} {
		if f := checked(claim, passage); f.Level == Supported {
			t.Errorf("%q is supported by %q", claim, passage)
		}
	}
	if f := checked("The plant reopened in April 2023.", "The plant was closed in March 2023 and reopened in April."); f.Level == Unsupported {
		t.Error("the year of a date that stands before another is denied")
	}
}
