package lexical

import (
	"fmt"
	"testing"
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
