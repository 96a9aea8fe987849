package lexical

import (
	"slices"
	"testing"
)

func TestQuestionsFindInflectedWordsOfTheirLanguage(t *testing.T) {
	for question, doc := range map[string]string{
		"Quels sont les délais de préavis ?":                        "Le délai de préavis est de trois mois pour les cadres.",
		"Est-ce que je peux modifier l'adresse ?":                   "Les adresses sont modifiées par le service du personnel.",
		"Qu'est-ce qu'une sauvegarde complète ?":                    "Les sauvegardes complètes sont faites dans la nuit.",
		"Quali documenti devo allegare alla domanda di rimborso?":   "Il documento è allegato alle domande di rimborso che sono inviate.",
		"Come si cambia il colore dell'intestazione?":               "I colori delle intestazioni sono cambiati con il comando che segue.",
		"¿Cuántos contratos puedo firmar?":                          "El contrato se firma en la oficina de la empresa.",
		"Quais férias posso acumular?":                              "As férias são acumuladas até o fim do ano que vem.",
		"Welke contracten kan ik meenemen?":                         "Het contract van het jaar wordt niet afgegeven, maar meenemen kan met toestemming van de chef.",
		"Pourquoi la fréquence d'échantillonnage est-elle réglée ?": "On règle les fréquences d’échantillonnage dans le menu des réglages.",
	} {
		if !finds(question, doc) {
			t.Errorf("%q: %q not all in %q", question, QueryTerms(question), texts(doc))
		}
	}
}

func TestQuestionsOfEachLanguageLoseWhatOnlyAsks(t *testing.T) {
	for question, want := range map[string][]string{
		"Quel est le délai de préavis ?":                  {"del", "preav"},
		"Est-ce que je peux imprimer la liste ?":          {"imprim", "list"},
		"Qu'est-ce que c'est qu'une sauvegarde ?":         {"sauvegard"},
		"Posso stampare l'elenco?":                        {"stamp", "elenc"},
		"Quale pacchetto devo installare?":                {"pacchett", "install"},
		"¿Cuál es el plazo de entrega?":                   {"plaz", "entreg"},
		"Qual é o prazo de entrega?":                      {"praz", "entreg"},
		"Hoe lang is de proeftijd?":                       {"proeftijd"},
		"In un documento, quanto misura \\LARGE?":         {"document", "misur", "larg"},
		"Kann ich die Einstellungen im Menü ändern?":      {"einstell", "menu", "and"},
		"Wie hoch ist der Zuschuss für den Kindergarten?": {"zuschuss", "kindergart"},
	} {
		if got := QueryTerms(question); !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, want %q", question, got, want)
		}
	}
}

func TestElidedWordsStandAlone(t *testing.T) {
	for question, doc := range map[string]string{
		"elenco": "nell'elenco", "avis": "L’avis", "intestazione": "Dell'intestazione", "ordre": "jusqu'ordre",
	} {
		if !finds(question, doc) {
			t.Errorf("%q is not found in %q: %q", question, doc, texts(doc))
		}
	}
	for _, word := range []string{"o'clock", "O'Reilly"} {
		if got := QueryTerms(word); len(got) != 1 {
			t.Errorf("%q is taken apart: %q", word, got)
		}
	}
}

func TestWhatTellsNoLanguageIsFoundInEach(t *testing.T) {
	doc := "Réglages, impostazioni, configuraciones, Einstellungen"
	for _, question := range []string{
		"Où est-ce que sont les réglages ?", "Dove sono le impostazioni?", "¿Dónde están las configuraciones?", "Wo sind die Einstellungen?",
	} {
		if !finds(question, doc) {
			t.Errorf("%q: %q not in %q", question, QueryTerms(question), texts(doc))
		}
	}
}

func TestCompoundsAreTakenApartIntoKnownWords(t *testing.T) {
	words := map[string]bool{}
	for _, w := range QueryTerms("Spenden, Gelder, Versionen, Spende, Datei, Rechte, installieren, Verbindung, Zeiten, Haus, Wirt") {
		words[w] = true
	}
	known := func(term string) bool { return words[term] }
	for word, want := range map[string][]string{
		"Spendengelder": {"spend", "geld"}, "Dateirechten": {"datei", "recht"},
		"Verbindungszeiten": {"verbind", "zeit"}, "nachinstallieren": {"installi"}, "Hauswirt": {"haus", "wirt"},
		"Kindergarten": nil, "Spendenquote": nil, "Geld": nil, "ℌ𝔞𝔲𝔰": nil, "有給休暇": nil,
	} {
		terms := QueryTerms("der " + word)
		if len(terms) == 0 {
			t.Fatalf("no term in %q", word)
		}
		if got := Parts(terms[0], known); !slices.Equal(got, want) {
			t.Errorf("%q (%q) is taken apart into %q, want %q", word, terms[0], got, want)
		}
	}
}

// A made-up word of a question is searched by its known parts.
func TestCompoundsOfQuestionsAreTakenApartFurther(t *testing.T) {
	words := map[string]bool{}
	for _, w := range QueryTerms("die Spenden und der Versionen oder Uhren, Zeiten, Installation") {
		words[w] = true
	}
	known := func(term string) bool { return words[term] }
	for word, want := range map[string][]string{
		"Uhrzeit": {"uhr", "zeit"}, "Versionssprung": {"version"}, "Spendenquote": {"spend"}, "Zeitung": nil, "Kindergarten": nil, "Uhrwerke": nil,
	} {
		if got := AskedParts(QueryTerms("der " + word)[0], known); !slices.Equal(got, want) {
			t.Errorf("%q is taken apart into %q, want %q", word, got, want)
		}
	}
}

func FuzzPartsAreKnown(f *testing.F) {
	f.Add("spendengeld", uint8(3))
	f.Add("aaaaaaaaaaaa", uint8(0))
	f.Add("größe\xff", uint8(7))
	f.Fuzz(func(t *testing.T, term string, salt uint8) {
		known := func(s string) bool { return len(s) > 0 && (uint8(len(s))*31+s[0])%8 != salt%8 }
		for _, part := range slices.Concat(Parts(term, known), AskedParts(term, known)) {
			if !known(part) || len(part) < 1 || part == term {
				t.Fatalf("%q gives %q", term, part)
			}
		}
	})
}
