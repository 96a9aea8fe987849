package support

import "testing"

func TestNumbersInWordsOfManyLanguages(t *testing.T) {
	for _, c := range []struct{ claim, passage string }{
		{"La biblioteca del comune conserva 12.000 volumi antichi.", "La biblioteca del comune conserva dodicimila volumi antichi, in gran parte di argomento giuridico."},
		{"Il comune ha chiuso 128 piscine nel 2020.", "Il comune ha chiuso centoventotto piscine nel 2020."},
		{"Il comune ha chiuso 31 piscine nel 2020.", "Il comune ha chiuso trentuno piscine nel 2020."},
		{"De gemeente gaf 5.131 euro uit.", "De gemeente gaf vijfduizendhonderdeenendertig euro uit."},
		{"El ayuntamiento cerró 345 piscinas en 2020.", "El ayuntamiento cerró trescientas cuarenta y cinco piscinas en 2020."},
		{"A câmara fechou 345 piscinas em 2020.", "A câmara fechou trezentas e quarenta e cinco piscinas em 2020."},
		{"В городе закрыли 245 школ в 2020 году.", "В городе закрыли двести сорок пять школ в 2020 году."},
		{"La collection compte 92 tableaux.", "La collection compte quatre-vingt-douze tableaux."},
	} {
		if f := checked(c.claim, c.passage); f.Level != Supported {
			t.Errorf("%s ← %s: %s", c.claim, c.passage, f.Level)
		}
	}
}

func TestNumbersThatAreOneWord(t *testing.T) {
	for _, c := range []struct {
		language language
		word     string
		value    float64 // 0: none
	}{
		{italian, "ventidue", 22}, {italian, "ventuno", 21}, {italian, "trentotto", 38}, {italian, "duecentocinquanta", 250}, {italian, "millenovecento", 1900},
		{italian, "dodicimila", 12000}, {italian, "finestre", 0}, {italian, "contento", 0}, {italian, "momento", 0},
		{dutch, "tweeentwintig", 22}, {dutch, "tweehonderdvijftig", 250}, {dutch, "vijfduizend", 5000}, {dutch, "honderdeen", 101}, {dutch, "vriend", 0}, {dutch, "achtend", 0},
		{swedish, "tjugofem", 25}, {swedish, "trettioett", 31}, {swedish, "tvahundra", 200}, {swedish, "arbetet", 0},
		{danish, "femogtyve", 25}, {danish, "syvoghalvfems", 97}, {danish, "tohundrede", 200}, {danish, "steder", 0},
	} {
		a := &analysed{lex: theLexicon(), language: c.language}
		value, ok := a.compoundNumber([]byte(c.word))
		if ok != (c.value > 0) || ok && value != c.value {
			t.Errorf("%s: %v, %v", c.word, value, ok)
		}
		if ok && !a.mayBeCompound([]byte(c.word)) {
			t.Errorf("%s is excluded by its ending", c.word)
		}
	}
}
