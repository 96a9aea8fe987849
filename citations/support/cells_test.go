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
		text:   "Prices per box\nItem | Order number | Price\nCopy paper 80 g | SI-004 | 45.96\nCopy paper 100 g | SI-014 | 61.19\nCopy paper 120 g | SI-024 | 194.88\nCard stock 80 g | NO-104 | 30.27",
		claims: []string{"Item: {R}; Order number: {V}.", "The price of {R} is {V}."},
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

// Statements have years above their amounts, nothing above their labels, and the sign of the currency
// in a cell of its own.
func TestTheYearsOfAStatementAreThoseOfItsAmounts(t *testing.T) {
	for _, text := range []string{
		"2019 | 2018\nCash and cash equivalents | $ | 187,704 | $ | 130,292\nTaxes receivable | 86,309 | 80,972",
		"Budget 2019 | 2018\nCash and cash equivalents | $ | 187,704 | $ | 130,292\nTaxes receivable | 86,309 | 80,972",
		"In thousands\n2019 | 2018\nCash and cash equivalents | 187,704 | 130,292\nTaxes receivable | 86,309 | 80,972",
	} {
		for claim, want := range map[string]string{
			"Taxes receivable were 86,309 in 2019.": Supported, "Taxes receivable were 80,972 in 2018.": Supported,
			"Taxes receivable were 86,309 in 2018.": Unsupported, "Taxes receivable were 80,972 in 2019.": Unsupported,
		} {
			if got := checked(claim, text).Level; got != want {
				t.Errorf("%q is %s by %q, want %s", claim, got, text, want)
			}
		}
		for _, claim := range []string{"Cash and cash equivalents were 187,704 in 2018.", "Cash and cash equivalents; 2018: $ 187,704; 2019: $ 130,292."} {
			if got := checked(claim, text).Level; got == Supported {
				t.Errorf("%q is supported by %q", claim, text)
			}
		}
	}
	quoted := "Cash and cash equivalents; 2019: $ 187,704; 2018: $ 130,292."
	if got := checked(quoted, "2019 | 2018\nCash and cash equivalents | $ | 187,704 | $ | 130,292").Level; got != Supported {
		t.Errorf("the row quoted with its years is %s", got)
	}
	// A header that lacks a column without years may lack any of them.
	if got := checked("The pump costs 24.", "Item | Price\nPump | 12 | 24").Level; got == Supported {
		t.Error("a cell below no header is one of the last header")
	}
}

// formsOf are the ways in which a request may bring a table that is written with bars.
func formsOf(text string) map[string]string {
	var title string
	var rows [][]string
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case !isRow(line):
			title = line
		case !isRuler(line):
			rows = append(rows, cellsOf(line))
		}
	}
	separated := func(by string) string {
		var b strings.Builder
		if title != "" {
			b.WriteString(title + strings.Repeat(by, len(rows[0])-1) + "\n")
		}
		for _, row := range rows {
			for i, cell := range row {
				if i > 0 {
					b.WriteString(by)
				}
				if strings.Contains(cell, by) {
					cell = `"` + cell + `"`
				}
				b.WriteString(cell)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	var tags strings.Builder
	tags.WriteString("<table class=\"t\">\n")
	if title != "" {
		tags.WriteString("<caption>" + title + "</caption>\n")
	}
	for i, row := range rows {
		tag := []string{"th", "td"}[min(i, 1)]
		tags.WriteString("<tr><" + tag + ">" + strings.Join(row, "</"+tag+">\n<"+tag+" align=left>") + "</" + tag + "></tr>\n")
	}
	tags.WriteString("</table>\n")
	return map[string]string{
		"csv": separated(","), "semicolons": separated(";"), "tabs": separated("\t"),
		"html": strings.ReplaceAll(tags.String(), "€", "&euro;"), "HTML": strings.NewReplacer("<t", "<T", "</td>", "", "</tr>", "").Replace(tags.String()),
	}
}

// A claim about a table gets the same verdict and the same row, whether its rows are written with
// bars, as CSV or as HTML.
func TestATableOfARequestSaysTheSameInEveryForm(t *testing.T) {
	count := 0
	for _, table := range tablesOfClaims {
		first := true
		for line := range strings.Lines(table.text) {
			row := cellsOf(strings.TrimSpace(line))
			if !isRow(line) || isRuler(line) {
				continue
			}
			if first {
				first = false
				continue
			}
			for i, sentence := range table.claims {
				for _, value := range row[1:] {
					claim, _ := table.claim(sentence, row[0], value)
					want := checked(claim, table.text)
					for name, text := range formsOf(table.text) {
						count++
						got := checked(claim, text)
						if got.Level != want.Level {
							t.Errorf("%s, column %d: %q is %s, with bars %s", name, i+1, claim, got.Level, want.Level)
						}
						if quote := text[got.Start:got.End]; want.HeaderEnd > want.HeaderStart && (!strings.Contains(quote, row[0]) || got.HeaderEnd <= got.HeaderStart) {
							t.Errorf("%s: the quote for %q is %q", name, claim, quote)
						}
					}
				}
			}
		}
	}
	if count < 400 {
		t.Errorf("%d claims", count)
	}
}

// Verbs of having and amounting say nothing that a cell must carry; those that say what is
// measured need a column of it.
func TestAVerbBetweenARowAndItsValue(t *testing.T) {
	const (
		depots = "Depot | Staff | Vehicles | Budget\nAlba | 34 | 21 | €210,000\nBoras | 51 | 40 | €340,000"
		pumps  = "Pump | Price | Weight | Flow\nP-3 | €480 | 12 kg | 40 l/min\nP-5 | €620 | 15 kg | 55 l/min"
		rooms  = "Room | Seats | Doors\nMaple | 12 | 2\nOak | 12 | 1\nElm | 20 | 2"
	)
	for claim, want := range map[string][2]string{
		"The Alba depot has 34 staff.":               {depots, Supported},
		"The Alba depot has 21 staff.":               {depots, Unsupported},
		"The Alba depot employs 34 people.":          {depots, Supported},
		"The Alba depot employs 21 people.":          {depots, Unsupported},
		"There are 34 staff at the Alba depot.":      {depots, Supported},
		"The budget of Alba amounts to €210,000.":    {depots, Supported},
		"The budget of Alba totals €210,000.":        {depots, Supported},
		"The budget of Alba stands at €340,000.":     {depots, Unsupported},
		"The P-3 pump costs €480.":                   {pumps, Supported},
		"The P-3 pump is priced at €620.":            {pumps, Unsupported},
		"The P-3 pump weighs 12 kg.":                 {pumps, Supported},
		"The P-3 pump weighs 15 kg.":                 {pumps, Unsupported},
		"Each P-3 pump costs €480.":                  {pumps, Supported},
		"Each pump costs €480.":                      {pumps, Weak},
		"Maple and Oak each have 12 seats.":          {rooms, Supported},
		"Maple and Elm seat 12 people each.":         {rooms, Unsupported},
		"Maple and Elm each have 2 doors.":           {rooms, Supported},
		"Maple and Oak each have 2 doors.":           {rooms, Unsupported},
		"Trier zählt 57 Mitarbeiter.":                {"Standort | Mitarbeiter\nUlm | 75\nTrier | 57", Supported},
		"L'usine de Vire compte 140 salariés.":       {"Usine | Salariés\nDole | 104\nVire | 140", Supported},
		"La sede di Lecco conta 91 addetti.":         {"Sede | Addetti\nComo | 19\nLecco | 91", Supported},
		"La tienda de Vigo cuenta con 23 empleados.": {"Tienda | Empleados\nVigo | 23\nLugo | 17", Supported},
		"Butiken i Kalmar har 23 anställda.":         {"Butik | Anställda\nLund | 14\nKalmar | 23", Supported},
		"Butiken i Kalmar har 14 anställda.":         {"Butik | Anställda\nLund | 14\nKalmar | 23", Unsupported},
		"Het depot in Zwolle telt 38 medewerkers.":   {"Depot | Medewerkers\nZwolle | 38\nVenlo | 51", Supported},
		"The Alba branch costs 34.":                  {"Branch | Vehicles\nAlba | 34\nBoras | 51", Weak},
		"The Alba branch has 34 people.":             {"Branch | Vehicles\nAlba | 34\nBoras | 51", Weak},
	} {
		if level := checked(claim, want[0]).Level; level != want[1] {
			t.Errorf("%q is %s, want %s", claim, level, want[1])
		}
	}
}

// Prose and lists with commas are no tables.
func TestProseIsNoTable(t *testing.T) {
	for _, text := range []string{
		"Dear Sir,\nthank you, indeed.", "Apples, pears\nPlums, figs", "He came, saw and won.\nShe left, too.", "a < b\nand <t", "See page 3,\nor page 4,", "x;y.\nz;w.",
		"<table></table>", "<table><tr><td>a</td></tr>", "one,two",
	} {
		a := analyse(withBars(text), english)
		for _, g := range a.tablesOf() {
			if len(g.rows) > 0 {
				t.Errorf("%q is a table: %+v", text, g)
			}
		}
	}
}

// isRuler reports whether a line separates the header of a Markdown table from its rows.
func isRuler(line string) bool {
	return strings.Trim(line, "|-: \t") == ""
}
