package lexical

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDocumentsSayWhatKindTheyAre(t *testing.T) {
	for text, want := range map[string]string{
		"Halvorsen Annual Report 2021":               "[report]",
		"ACTIVISIONBLIZZARD_2019_10K":                "[report]",
		"master-services-agreement-amendment-1":      "[contract]",
		"ferrand price list 2024 Q1":                 "[price list]",
		"Arbeitsvertrag Müller":                      "[contract]",
		"Geschäftsbericht":                           "[report]",
		"Geschäftsverträge der Gesellschaft":         "[contract]",
		"Allgemeine Geschäftsbedingungen":            "[contract]",
		"Réglement intérieur":                        "[policy law]",
		"Manual de usuario":                          "[manual]",
		"Handbuch zum Vertrag":                       "[manual contract]",
		"The reporter reported it within 30 minutes": "[]",
		"What is the capital expenditure of 3M?":     "[]",
		"":                                           "[]",
	} {
		if got := fmt.Sprint(Kinds(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestTheKindOfALongWordIsItsEnding: only as much of a word is looked at as an ending may
// have, or a word of many letters would take seconds.
func TestTheKindOfALongWordIsItsEnding(t *testing.T) {
	if longestEnding < len("geschäftsbedingungen")/2 || longestEnding > 40 {
		t.Errorf("the longest ending has %d bytes", longestEnding)
	}
	begin := time.Now()
	for end, want := range map[string]string{"vertrag": "[contract]", "x": "[]"} {
		if got := fmt.Sprint(Kinds(strings.Repeat("ab", 1_000_000) + end)); got != want {
			t.Errorf("%s: %s, want %s", end, got, want)
		}
	}
	if took := time.Since(begin); took > 5*time.Second { // every suffix: minutes
		t.Errorf("it took %s", took)
	}
}

func TestLanguageOfATextIsShownByItsSmallWords(t *testing.T) {
	for text, want := range map[string]string{
		"The notice period is three months. It is the same for both of the parties, and it can not be changed without the other.":                         "en",
		"Die Kündigungsfrist beträgt drei Monate. Sie gilt für beide Seiten und kann nicht ohne die Zustimmung der anderen geändert werden.":              "de",
		"Le délai de préavis est de trois mois. Il est le même pour les deux parties, et ne peut pas être modifié sans l'accord de l'autre.":              "fr",
		"El plazo de preaviso es de tres meses. Es el mismo para las dos partes y no se puede cambiar sin el acuerdo de la otra parte, como se ha dicho.": "es",
		"M6 12.50\nM8 13.70\nM10 14.90": "",
		"":                              "",
	} {
		if got := Language(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
