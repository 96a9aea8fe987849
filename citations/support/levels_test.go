package support

import "testing"

// A claimed is a claim with the passage it is cited for.
type claimed struct{ claim, passage string }

func TestNamesThatChangedAreNotSupported(t *testing.T) {
	for _, c := range []claimed{
		{"Hamilton said the plant will close in June.", "According to Norris, the plant closes in June. Hamilton was not available for comment."},
		{"Hamilton said the plant will close in June.", "According to Norris, the plant closes in June."},
		{"The CFO Anna Weber presented the results.", "The results were presented by the CEO, Anna Weber, and the CFO, Peter Kern, in Berlin."},
		{"CFO Anna Weber expects growth.", "CEO Anna Weber expects growth, whereas CFO Peter Kern is cautious."},
		{"The vaccine was developed by Norvax.", "The vaccine was developed by Biontis in 2019. Norvax distributes it."},
		{"Der Vertrag wurde von Frau Seidel unterzeichnet.", "Der Vertrag wurde von Frau Krause unterzeichnet, Frau Seidel war Zeugin."},
		{"Trainer Holger Fink verlängerte den Vertrag.", "Trainer Uwe Brand verlängerte den Vertrag. Holger Fink verließ den Verein."},
		{"Gegründet wurde die Firma 1921 in Passau.", "Gegründet wurde die Firma 1921 in Landshut."},
		{"Die Brücke entwarf Kowalski.", "Die Brücke entwarf Lindner."},
		{"Kowalski entwarf die Brücke.", "Die Brücke wurde von Lindner entworfen."},
		{"Das Stück schrieb Brecht.", "Das Stück schrieb Kleist."},
		{"Le maire Paul Girard a inauguré le pont.", "Le maire Luc Morel a inauguré le pont en présence de Paul Girard."},
		{"La sonde a été lancée depuis Kourou.", "La sonde a été lancée depuis Baïkonour."},
		{"Vertex licensed the patent to Helion.", "Helion licensed the patent to Vertex."},
		{"Oslo has more museums than Bergen.", "Bergen has more museums than Oslo."},
		{"Das Medikament Cordalin senkt den Blutdruck.", "Das Medikament Bexopril senkt den Blutdruck."},
		{"The novel was written by Jane Austen in England.", "Mary Shelley wrote the novel in England, where she met Jane Austen."},
		{"The gearbox was designed by Peter Kern in Zürich.", "Anna Weber designed the gearbox in Zürich with help from Peter Kern."},
		{"The gearbox was designed by Peter Kern.", "Anna Weber designed the gearbox, and Peter Kern the turbine."},
		{"The bridge was opened by Kowalski in Bonn.", "Lindner opened the bridge in Bonn, and Kowalski watched."},
		{"Anna Weber was succeeded by Peter Kern in 2019.", "Anna Weber succeeded Peter Kern in 2019."},
		{"Acme bought Initech in Berlin.", "In Berlin, Acme was bought by Initech."},
		{"The library is named after Edith Moran.", "The library, opened in 1931, is named after the poet Alma Reyes."},
		{"In Lyon the tram runs every ten minutes.", "In Nantes the tram runs every ten minutes, in Lyon every six."},
	} {
		if f := checked(c.claim, c.passage); f.Level == Supported {
			t.Errorf("%q is supported by %q", c.claim, c.passage)
		}
	}
}

func TestClaimsThatSayTheOppositeAreNotSupported(t *testing.T) {
	for _, c := range []claimed{
		{"The museum opens on Mondays.", "The museum does not open on Mondays."},
		{"The provider may use subcontractors without the client's prior consent.", "The provider may not use subcontractors without the client's prior consent."},
		{"Employees may not work from home.", "Employees may work from home two days a week."},
		{"Die Garantie umfasst auch den Akku.", "Der Akku ist von der Garantie ausgeschlossen."},
		{"Das Gerät ist nicht wasserdicht.", "Das Gerät ist wasserdicht bis 10 Meter."},
		{"Der Antrag wurde abgelehnt.", "Der Antrag wurde am 3. Mai genehmigt."},
		{"Le train circule le dimanche.", "Le train ne circule pas le dimanche."},
		{"L'accord n'a jamais été signé.", "L'accord a été signé en 2019."},
		{"The drug is unsafe for children.", "The drug is safe for children."},
		{"The committee approved the budget unanimously.", "The committee rejected the budget unanimously."},
		{"No passengers were injured.", "Three passengers were injured."},
		{"Revenue plummeted in 2020.", "Revenue increased in 2020."},
		{"The council ratified the treaty.", "The council rejected the treaty."},
		{"The workers quit the plant in May.", "The workers arrived at the plant in May."},
	} {
		if f := checked(c.claim, c.passage); f.Level == Supported {
			t.Errorf("%q is supported by %q", c.claim, c.passage)
		}
	}
}

func TestOtherWordsForTheSameAreSupported(t *testing.T) {
	for _, c := range []claimed{
		{"The firm was established in 1998 by two engineers.", "Two engineers founded the company in 1998."},
		{"Peter Kern founded the company in 1987.", "The Zetavane company was founded by Peter Kern in 1987 & employs 318 people."},
		{"The gearbox was designed by Anna Weber in Zürich.", "Anna Weber designed the Zetavane gearbox in Zürich."},
		{"The novel was written by Jane Austen in England.", "Jane Austen wrote the novel in England."},
		{"Files which were not made by bzip2 are ignored, and a warning issued.", "Files which were not made by bzip2 are ignored,\nand a warning issued. bzip2 then goes on to the next of the files."},
		{"Acme bought Initech in 2019.", "Acme, led by Peter Kern, bought Initech in 2019."},
		{"Profit fell by a fifth to 40 million euros.", "Net profit declined 20% to €40m."},
		{"Customers can return goods within two weeks.", "Goods may be sent back by the customer within 14 days of delivery."},
		{"The spacecraft needs seven months to get to Mars.", "It takes the probe seven months to reach Mars."},
		{"Tom Reed took over as head coach in July 2021.", "In July 2021 Tom Reed became head coach of the club."},
		{"Im Jahr 2023 sank der Verbrauch um ein Viertel.", "Der Verbrauch ging 2023 um 25 Prozent zurück."},
		{"Das Gerät darf nicht im Freien benutzt werden.", "Verwenden Sie das Gerät nicht im Freien."},
		{"Die Kirche wurde 1450 vollendet.", "Im Jahre 1450 war der Bau der Kirche abgeschlossen."},
		{"L'entreprise compte 350 salariés.", "La société emploie 350 personnes."},
		{"Le contrat prend fin le 31 décembre 2025.", "Le contrat expire le 31/12/2025."},
		{"Les ventes ont progressé de 12 % en 2022.", "En 2022, les ventes ont augmenté de douze pour cent."},
		{"Le médicament ne doit pas être pris pendant la grossesse.", "Ne prenez pas ce médicament si vous êtes enceinte."},
		{"Temperatures went up by 1.5 degrees between 1990 and 2020.", "From 1990 to 2020 the temperature rose 1.5 °C."},
		{"The software needs Python 3.11 or newer.", "Python 3.11 or later is required to run the program."},
		{"Backups are kept for thirty days.", "We retain backups for 30 days, then delete them."},
		{"The museum is closed on Mondays.", "The museum does not open on Mondays."},
		{"The bridge opened in May 2019.", "The bridge did not open until May 2019."},
	} {
		if f := checked(c.claim, c.passage); f.Level != Supported {
			t.Errorf("%q is %s (%v) by %q", c.claim, f.Level, f.Score, c.passage)
		}
	}
}
