package extractive

import (
	"strings"
	"testing"

	"footnote/assistants/lexical"
	"footnote/proxy/upstream"
)

// stated returns the quantities that a text states.
func stated(text string) string {
	var terms []string
	for _, q := range quantities {
		if q.has.MatchString(text) {
			terms = append(terms, q.term)
		}
	}
	return strings.Join(terms, " ")
}

func TestAmountsInWords(t *testing.T) {
	for text, want := range map[string]string{
		"It takes thirty days.":              "#time",
		"It takes eleven weeks.":             "#time",
		"It takes eighty-five days.":         "#time",
		"Es dauert elf Tage.":                "#time",
		"Es dauert dreissig Tage.":           "#time",
		"Es dauert zwoelf Tage.":             "#time",
		"Il dure deux jours.":                "#time",
		"Dura tres días.":                    "#time",
		"Dura sette settimane.":              "#time",
		"It takes twelve (12) months.":       "#time",
		"It takes ten-hour shifts.":          "#time",
		"It carries two hundred tonnes.":     "#mass",
		"Sie reicht fünfzig\u202fKilometer.": "#length",
		"Sie reicht fünfzig\u00a0km.":        "#length",
		"It needs twenty V.":                 "#voltage",
		// These are no amounts.
		"Tens of people came.":          "",
		"Hundreds came, then millions.": "",
		"The ones that came.":           "",
		"Often days pass.":              "",
		"On the third day.":             "",
	} {
		if got := stated(text); got != want {
			t.Errorf("%q states %q, want %q", text, got, want)
		}
	}
}

// TestNumbersInWords shows that the numbers of amounts count as numbers.
func TestNumbersInWords(t *testing.T) {
	for _, word := range []string{
		"one", "twelve", "thirty", "eighty", "ein", "eines", "fünf", "fuenf", "elf", "dreißig", "dreissig", "deux", "trente", "sette", "tres", "once", "veinte",
	} {
		if !hasNumber.MatchString(word) {
			t.Errorf("%s is no number", word)
		}
	}
	for _, word := range []string{"un", "sei", "often", "none", "tens", "Rente"} {
		if n := hasNumber.FindString(word); n != "" {
			t.Errorf("%s is a number: %q", word, n)
		}
	}
}

func TestTheSentenceWithAnAmountInWordsComesFirst(t *testing.T) {
	for question, text := range map[string]string{
		"How long does the pump run?":            "The pump has four valves. The pump runs thirty days.",
		"Wie lange läuft die Pumpe?":             "Die Pumpe hat vier Ventile. Die Pumpe läuft elf Tage.",
		"Combien de temps la pompe marche-elle?": "La pompe coûte trente euros. La pompe tourne deux jours.",
		"¿Cuánto dura la bomba?":                 "La bomba pesa diez kilos. La bomba dura tres días.",
	} {
		_, want, _ := strings.Cut(text, ". ")
		if got := answerTo(question, []upstream.Passage{{Index: 1, Text: text}}, false); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// TestMonthsAreThoseOfTheIndex compares the names here, as they are written, with those of
// lexical, which are folded.
func TestMonthsAreThoseOfTheIndex(t *testing.T) {
	for _, name := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(months, "(?:"), ")"), "|") {
		if name != "maerz" && lexical.Month(name) == 0 { // an ä that could not be typed
			t.Errorf("%s is no month", name)
		}
	}
}
