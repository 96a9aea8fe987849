package citations

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// keptWords are texts whose words may pass for conjunctions of some language, and what remains.
var keptWords = map[string]string{
	"Coordinates are x [1], y [2], z [3]. Vitamins A [1], E [2].": "Coordinates are x, y, z. Vitamins A, E.",
	"Kandidaten: a [1], e [2], i [3].":                            "Kandidaten: a, e, i.",
	"Die Kandidaten sind a [1] e [2] und i [3].":                  "Die Kandidaten sind a e und i.",
	"[1] or [2]?": "or?",
	"Las coordenadas del punto son x [1], y [2].":                     "Las coordenadas del punto son x, y.",
	"The axes are x [1] y [2].":                                       "The axes are x y.",
	"The word is [1] et [2].":                                         "The word is et.",
	"The words are [1], und [2].":                                     "The words are, und.",
	"Es ist der Stoff [1] or [2].":                                    "Es ist der Stoff or.",
	"Die Vokale sind [1] y [2], o [3].":                               "Die Vokale sind y, o.",
	"Units: m, s. [1]":                                                "Units: m, s.",
	"Es gibt dort einen Fluss, See [1].":                              "Es gibt dort einen Fluss, See.",
	"i [1] e [2] y [3]":                                               "i e y",
	"Cijene su porasle [1] i [2].":                                    "Cijene su porasle i.",
	"The set is {a [1], o [2], e [3], i [1], y [2]} with the vowels.": "The set is {a, o, e, i, y} with the vowels.",
}

// joinedWords are conjunctions of the language of their text.
var joinedWords = map[string]string{
	"Revenue grew (see [1]–[3]), costs fell, cf. [2].":               "Revenue grew, costs fell.",
	"It is shown by [1] or [2].":                                     "It is shown by.",
	"Los ingresos del grupo crecieron [1] y [2].":                    "Los ingresos del grupo crecieron.",
	"Il fatturato è cresciuto nel 2023 [1] e [2].":                   "Il fatturato è cresciuto nel 2023.",
	"Przychody wzrosły o 5 %, a zysk nie jest znany [1] i [2].":      "Przychody wzrosły o 5 %, a zysk nie jest znany.",
	"Les ventes ont augmenté [1] et [2], ou [3].":                    "Les ventes ont augmenté.",
	"De omzet is van het bedrijf [1] en [2].":                        "De omzet is van het bedrijf.",
	"Der Umsatz ist gewachsen [1] sowie [2], oder [3].":              "Der Umsatz ist gewachsen.",
	"Omsætningen er steget [1] og [2].":                              "Omsætningen er steget.",
	"Revenue [1] and [2].":                                           "Revenue.",
	"Umsatz [1] und [2].":                                            "Umsatz.",
	"Es steht im Bericht (s. [1]) und ist nicht neu (cf. [2]).":      "Es steht im Bericht und ist nicht neu.",
	"Der Umsatz ist gewachsen.\n\nSources: [1], [2]":                 "Der Umsatz ist gewachsen.\n\n",
	"The lines are\n\n[1] and [2]\n\nas they were with [1] or\n[2].": "The lines are\n\n\nas they were with or\n.",
}

// Streams are cut at every byte: the language is that of the text before.
func TestOnlyConjunctionsOfTheTextsLanguageGo(t *testing.T) {
	sources := []Source{{DocumentID: "a", Text: "x"}, {DocumentID: "b", Text: "y"}, {DocumentID: "c", Text: "z"}}
	for _, texts := range []map[string]string{keptWords, joinedWords} {
		for text, want := range texts {
			if got := StripAnswer(text); got != want {
				t.Errorf("%q became %q, want %q", text, got, want)
				continue
			}
			for at := range len(text) + 1 {
				tracker := NewSet(sources, Options{Markers: MarkersStrip}).Tracker()
				if got := tracker.Write(0, text[:at]) + tracker.Write(0, text[at:]) + tracker.Close(0); got != want {
					t.Fatalf("%q cut at %d became %q, want %q", text, at, got, want)
				}
			}
		}
	}
}

// Of a text without markers nothing goes. Of one with markers the markers go, and of its words
// only conjunctions of its language that stand between two of them.
func TestOnlyMarkersAndTheGlueBetweenThemGo(t *testing.T) {
	openings := [...]struct{ text, glue string }{
		{"The report says that it has grown with the market, which they have not seen. ", "and or"},
		{"Der Bericht ist nicht neu, die Zahlen sind aus dem Jahr 2023 für das Werk. ", "und oder sowie"},
		{"Los datos del informe son claros para el grupo, pero también hay los otros. ", "y o"},
		{"Il rapporto è nella cartella della casa, che non è di una delle persone. ", "e"},
		{"Raport nie jest nowy, że dla grupy się zmienia, jak był przez rok przy tym. ", "i oraz lub"},
		// Two conjunctions may show the language of the words. Its single letters are glue then: "i" in Polish.
		{"", "and or und oder sowie et ou en of och eller og oraz lub a e i o u y"},
	}
	words := strings.Fields("a e i o u x y z A E I O Y and or und oder sowie et ou en of och eller og oraz lub revenue Wert valor costo zysk 5 2023")
	signs := []string{" ", " ", " ", ", ", ", ", "; ", ". ", "? ", "\n", "\n\n", ": "}
	r := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		for _, opening := range openings {
			var plain, marked strings.Builder
			list := make([]looseWord, 0, 6)
			for _, word := range strings.FieldsFunc(opening.text, isBetweenWords) {
				list = append(list, looseWord{word, false})
			}
			after := false
			for range 1 + r.IntN(6) {
				word, sign, marker := words[r.IntN(len(words))], signs[r.IntN(len(signs))], []string{" [1]", "[2]", " [3]", "", "", ""}[r.IntN(6)]
				plain.WriteString(word + sign)
				marked.WriteString(word + marker + sign)
				list = append(list, looseWord{word, after && marker != "" && slices.Contains(strings.Fields(opening.glue), word)})
				after = marker != ""
			}
			if text := opening.text + plain.String(); StripMarkers(text) != text {
				t.Fatalf("%q became %q", text, StripMarkers(text))
			}
			text := opening.text + marked.String()
			if left := StripMarkers(text); !remain(list, strings.FieldsFunc(left, isBetweenWords)) {
				t.Fatalf("%q became %q", text, left)
			}
			checkModes(t, text, r)
		}
	}
}

// A looseWord is a word that may go, if it is glue.
type looseWord struct {
	word string
	glue bool
}

// remain reports whether words are left of a list from which only glue went.
func remain(list []looseWord, left []string) bool {
	if len(list) == 0 {
		return len(left) == 0
	}
	return len(left) > 0 && left[0] == list[0].word && remain(list[1:], left[1:]) || list[0].glue && remain(list[1:], left)
}

func isBetweenWords(r rune) bool { return strings.ContainsRune(" ,;.:?\n", r) }
