package lexical

import (
	"slices"
	"strings"
	"testing"
)

func TestVerbsThatAreTakenApartFindTheWholeOnes(t *testing.T) {
	for _, c := range []struct{ question, known, want string }{
		// Passages that only name the whole verb, that use both, and that have neither.
		{"Wie melde ich mich an?", "anmeld portal", "anmeld"},
		{"Wie melde ich mich am Portal an?", "anmeld meld portal", "anmeld meld portal"},
		{"Wie melde ich mich am Portal an?", "meld portal", "meld portal"},
		{"Wie melde ich mich am Portal an?", "portal", "meld portal"},
		{"wie schalte ich den drucker ab", "abschalt druck", "abschalt druck"},
		{"Wann schaltet der Server die Rechner aus, und wann fährt er hoch?", "ausschalt serv rechn hochfahr", "ausschalt serv rechn hochfahr"},
		{"Wie stelle ich ein Verzeichnis wieder her?", "wiederherstell verzeichnis", "wiederherstell verzeichnis"},
		{"Wie gebe ich ein Buch zurück?", "zuruckgeb buch", "zuruckgeb buch"},
		{"Wann gibt der Server die Meldung aus?", "ausgeb serv meldung", "ausgeb serv meldung"},
		// Other forms of a verb than its infinitive.
		{"Wann startet der Server?", "start serv", "start serv"},
		{"Wann startet der Server?", "startet start serv", "startet serv"},
		// A noun is no verb, a particle within a clause none, and English has none.
		{"Welche Meldung kommt an?", "anmeld ankomm meldung", "meldung ankomm"},
		{"Wie melde ich mich an der Pforte", "anmeld pfort", "meld pfort"},
		{"Which reports do I hand in?", "inhand inreport report hand", "report hand"},
		{"An wen wende ich mich?", "anwend", "wend"},
		{"Wie finde ich heraus, wer Wache hat?", "herausfind wach", "wach"},
		{"Wann findet die Wahl statt?", "stattfind wahl", "stattfind wahl"},
		{"Wie ziehe ich den Stecker heraus?", "herauszieh steck", "herauszieh steck"},
		// Only the first that is one counts: no article, adjective or adverb.
		{"Wie lege ich den Ordner an?", "and anleg ordn", "anleg ordn"},
		{"Wie schalte ich die Heizung richtig ein?", "einricht einschalt heizung richtig", "einschalt heizung richtig"},
		{"Wie logge ich mich mal ein?", "einlogg einmal", "einlogg"},
		{"wie rufe ich den stand ab", "abruf abstand", "abruf stand"},
		// More than one particle, verbs that change their vowel, and elided names.
		{"Wie schalte ich den Drucker wieder ein?", "einschalt druck", "einschalt druck"},
		{"Wer nimmt am Treffen teil?", "teilnehm treff", "teilnehm treff"},
		{"Wann tritt die Satzung in Kraft?", "tret satzung kraft", "tret satzung kraft"},
		{"Was liegt wo?", "legt leg lieg", "lieg"},
		{"Was ist lieber?", "leb", "lieb"},
		{"Wie melde ich mich bei L'Oréal an?", "anmeld oreal", "anmeld l oreal"},
		// Compounds are taken apart as before.
		{"Zu welcher Uhrzeit?", "uhr zeit", "uhr zeit"},
	} {
		known := strings.Fields(c.known)
		got := AskedTerms(c.question, QueryTerms(c.question), func(term string) bool { return slices.Contains(known, term) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s gives %q, want %q", c.question, got, c.want)
		}
	}
}

// What is asked with is known, or is what the question gives.
func FuzzAskedTermsAreKnownOrTheQuestions(f *testing.F) {
	f.Add("Wie melde ich mich an?", "anmeld")
	f.Add("Wie stelle ich (mit der Uhrzeit) alles wieder her", "uhr zeit herstell")
	f.Add("Bei L'Oréal?\nWie melde ich mich bei L'Oréal an, dell'elenco", "anmeld oreal")
	f.Fuzz(func(t *testing.T, question, known string) {
		terms, all := QueryTerms(question), strings.Fields(known)
		got := AskedTerms(question, terms, func(term string) bool { return slices.Contains(all, term) })
		if len(terms) > 0 && len(got) == 0 || len(got) > MaxQueryTerms {
			t.Errorf("%q is asked with %q", question, got)
		}
		for i, term := range got {
			if !slices.Contains(terms, term) && !slices.Contains(all, term) || slices.Contains(got[:i], term) {
				t.Errorf("%q is asked with %q", question, got)
			}
		}
	})
}
