package support

import (
	"strings"
	"testing"
)

// A table with a sentence for each of its columns. {R} is the name of a row, {V} the value of
// its cell.
type tableOfClaims struct {
	text   string
	claims []string // of each column but the first; empty: none
}

var tablesOfClaims = []tableOfClaims{
	{
		text:   "Parking fees\nCar park | Residents | Visitors | Lorries\nHarbour | €2 | €5 | €12\nMarket | free | €3 | €9\nStation | €1 | €4 | €7",
		claims: []string{"At {R}, residents pay {V}.", "Parking at {R} costs {V} for visitors.", "The fee at {R} is {V} for lorries."},
	},
	{
		text:   "| Edition | Backup | Mobile app | Single sign-on |\n|---|---|---|---|\n| Starter | yes | no | no |\n| Studio | yes | yes | no |\n| Agency | no | yes | yes |",
		claims: []string{"The {R} edition includes {V:backup}.", "The {R} edition has {V:a mobile app}.", "The {R} edition offers {V:single sign-on}."},
	},
	{
		text:   "Drug | Dose for adults | Dose for children | Intake\nCalvex | 40 mg | 10 mg | once daily\nDurol | 200 mg | 50 mg | three times daily\nNorvil | 5 mg | 2 mg | twice daily",
		claims: []string{"The dose of {R} for adults is {V}.", "Children are given {V} of {R}.", "{R} is taken {V}."},
	},
	{
		text:   "Peak | Height (m) | First ascent | Range\nKorva | 3,412 | 1871 | Tarn Alps\nLisk | 2,988 | 1904 | Odra Mountains\nMelde | 4,105 | 1856 | Vanda Chain",
		claims: []string{"{R} has a height of {V} m.", "The first ascent of {R} was in {V}.", "The range of {R} is the {V}."},
	},
	{
		text:   "Staff by office\nOffice | Designers | Drivers\nTurin | 34 | 12\nGhent | 27 | 58",
		claims: []string{"There are {V} designers in {R}.", "{R} has {V} drivers."},
	},
	{
		text:   "Gebühren\nLeistung | Mitglieder | Gäste\nSauna | 4 € | 9 €\nHalle | kostenlos | 15 €\nPlatz | 7 € | 12 €",
		claims: []string{"Die {R} kostet für Mitglieder {V}.", "Für Gäste kostet die {R} {V}."},
	},
	{
		text:   "Gerät | Garantie | Waschbar | Preis\nFilter | 2 Jahre | ja | 39 €\nHaube | 5 Jahre | nein | 210 €",
		claims: []string{"Das Gerät {R} hat {V} Garantie.", "Das Gerät {R} ist {V:waschbar}.", "Der Preis für das Gerät {R} beträgt {V}."},
	},
	{
		text:   "Tarifs\nSéance | Membres | Visiteurs\nYoga | 6 € | 11 €\nDanse | gratuit | 14 €",
		claims: []string{"La séance de {R} coûte {V} pour les membres.", "Pour les visiteurs, la séance de {R} coûte {V}."},
	},
	{
		text:   "Tarifas\nClase | Socios | Visitantes\nYoga | 6 € | 11 €\nDanza | 5 € | 14 €",
		claims: []string{"La clase de {R} cuesta {V} para los socios.", "Para los visitantes, la clase de {R} cuesta {V}."},
	},
	{
		text:   "Tariffe\nLezione | Soci | Visitatori\nYoga | 6 € | 11 €\nDanza | 5 € | 14 €",
		claims: []string{"La lezione di {R} costa {V} per i soci.", "Per i visitatori, la lezione di {R} costa {V}."},
	},
	{
		text:   "Tarieven\nLes | Leden | Bezoekers\nYoga | 6 € | 11 €\nDans | 5 € | 14 €",
		claims: []string{"De les {R} kost {V} voor leden.", "Voor bezoekers kost de les {R} {V}."},
	},
}

// claim fills in a sentence. Of a cell that says yes or no the sentence says that it is so.
func (t tableOfClaims) claim(sentence, row, value string) (text string, says bool) {
	text = strings.ReplaceAll(sentence, "{R}", row)
	if before, rest, found := strings.Cut(text, "{V:"); found {
		what, after, _ := strings.Cut(rest, "}")
		return before + what + after, value == "yes" || value == "ja"
	}
	return strings.ReplaceAll(text, "{V}", value), true
}

// Each cell supports what it says, and no other cell of its table supports it: neither one of
// another row nor one of another column.
func TestAClaimAboutACellNeedsItsRowAndItsColumn(t *testing.T) {
	right, all := 0, 0
	for _, table := range tablesOfClaims {
		var rows [][]string
		for line := range strings.Lines(table.text) {
			if line = strings.TrimSpace(line); isRow(line) && !isRuler(line) {
				rows = append(rows, cellsOf(line))
			}
		}
		for _, row := range rows[1:] {
			for i, sentence := range table.claims {
				truth, says := table.claim(sentence, row[0], row[i+1])
				if level := checked(truth, table.text).Level; says {
					all++
					if level == Supported {
						right++
					} else {
						t.Logf("%s: %q", level, truth)
					}
				} else if level == Supported {
					t.Errorf("%q is supported, the cell says %s", truth, row[i+1])
				}
				for _, other := range rows[1:] {
					for _, value := range other[1:] {
						claim, _ := table.claim(sentence, row[0], value)
						if value == row[i+1] || claim == truth || value == "yes" || value == "no" {
							continue
						}
						if level := checked(claim, table.text).Level; level == Supported {
							t.Errorf("%q is supported, the cell says %s", claim, row[i+1])
						}
					}
				}
			}
		}
	}
	if 100*right < 90*all {
		t.Errorf("%d of %d true claims are supported", right, all)
	}
	t.Logf("%d of %d", right, all)
}
