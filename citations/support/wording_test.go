package support

import "testing"

// A pair of claims about one passage: the first says the same, the second looks like it and does not.
type wordings struct{ passage, same, other string }

func (w wordings) check(t *testing.T) {
	t.Helper()
	if w.same != "" {
		if level := checked(w.same, w.passage).Level; level != Supported {
			t.Errorf("%q is %s by %q", w.same, level, w.passage)
		}
	}
	if w.other != "" {
		if level := checked(w.other, w.passage).Level; level == Supported {
			t.Errorf("%q is supported by %q", w.other, w.passage)
		}
	}
}

func TestWhatOpensAnAnswerIsNoPartOfIt(t *testing.T) {
	for _, w := range []wordings{
		{"The pass is personal.", "Yes, the pass is personal.", "Yes, the pass is transferable."},
		{"Pets are not allowed in the flat.", "No, pets are not allowed in the flat.", "No pets are forbidden in the flat."},
		{"The deposit is returned in May.", "According to the tenancy agreement, the deposit is returned in May.", "According to Anna Weber, the deposit is returned in June."},
		{"The deposit is returned in May.", "The handbook states that the deposit is returned in May.", "The mayor doubts that the deposit is returned in May."},
		{"Die Frist beträgt drei Tage.", "Laut Handbuch beträgt die Frist drei Tage.", "Laut Handbuch beträgt die Frist vier Tage."},
		{"Un repas coûte 3 euros.", "D'après le règlement, un repas coûte 3 euros.", "D'après le règlement, un repas coûte 4 euros."},
		{"El aforo es de 80 personas.", "Según el reglamento, el aforo es de 80 personas.", "Según el reglamento, el aforo es de 90 personas."},
		{"Critics say that the pool is unsafe.", "", "According to the report, the pool is unsafe."},
		{"The plan was adopted in May.", "", "According to the 2019 report of Anna Weber, the plan was adopted in May."},
	} {
		w.check(t)
	}
}

func TestAWeakerBoundFollowsFromAValueOrAStrongerBound(t *testing.T) {
	for _, w := range []wordings{
		{"Wait at least ten minutes.", "You should wait more than five minutes.", "You should wait more than ten minutes."},
		{"Employees get 26 days of leave.", "Employees get more than 20 days of leave.", "Employees get more than 26 days of leave."},
		{"The repair takes at most two hours.", "The repair takes less than three hours.", "The repair takes less than two hours."},
		{"Who lives more than 25 km away may leave the club.", "Who lives more than 25 km away may leave the club.", "Who lives more than 15 km away may leave the club."},
		{"El sendero del lago mide 14 km.", "El sendero del lago mide más de 10 km.", "El sendero del lago mide más de 15 km."},
		{"Demand fell below the supply.", "", "Demand exceeds the supply."},
	} {
		w.check(t)
	}
}

func TestFormsOfAWordBelongToItsGroup(t *testing.T) {
	for _, w := range []wordings{
		{"Os clientes foram avisados por mensagem.", "Os clientes foram informados por mensagem.", "Os clientes foram recebidos por mensagem."},
		{"The request was turned down in May.", "The request was rejected in May.", "The request was approved in May."},
		{"The meeting was put off in June.", "The meeting was postponed in June.", ""},
		{"Der Rat lehnt den Antrag der Schule ab.", "Der Antrag der Schule wird vom Rat abgelehnt.", "Der Antrag der Schule wird vom Rat angenommen."},
		{"El consejo nombró presidente a Carlos Rey.", "El consejo designó presidente a Carlos Rey.", "El consejo rechazó como presidente a Carlos Rey."},
		{"Le propriétaire remplace les pièces usées.", "Les pièces usées sont remplacées par le propriétaire.", "Les pièces usées sont remplacées par le locataire."},
		{"The lessee was insured.", "", "The lessor was insured."},
	} {
		w.check(t)
	}
}

func TestNumbersAndTimesInWordsOfEachLanguage(t *testing.T) {
	for _, w := range []wordings{
		{"La biblioteca possiede dodicimila volumi.", "La biblioteca possiede 12.000 volumi.", "La biblioteca possiede 13.000 volumi."},
		{"Leva meio quilo de farinha.", "Leva 500 g de farinha.", "Leva 50 g de farinha."},
		{"The walk takes half an hour.", "The walk takes 30 minutes.", "The walk takes 90 minutes."},
		{"The goods are replaced within twelve months.", "The goods are replaced within a year.", "The goods are replaced within two years."},
		{"Le piazzole si lasciano libere entro mezzogiorno.", "Le piazzole si lasciano libere entro le 12.", "Le piazzole si lasciano libere entro le 11."},
		{"De zaal telt vijfentwintig stoelen.", "De zaal telt 25 stoelen.", "De zaal telt 35 stoelen."},
		{"El curso dura treinta y cinco horas.", "El curso dura 35 horas.", "El curso dura 30 horas."},
		{"La caldera admite botellas de 12 kg de gas.", "", "La caldera admite botellas de 12 litros de gas."},
		{"Students get a discount from Monday to Wednesday.", "On Tuesdays students get a discount.", "On Fridays students get a discount."},
		{"Der Laden hat von Montag bis Freitag geöffnet.", "Der Laden hat am Mittwoch geöffnet.", "Der Laden hat am Samstag geöffnet."},
	} {
		w.check(t)
	}
	if level := checked("The shop is closed on Sundays.", "The shop is open Monday to Saturday.").Level; level == Unsupported {
		t.Error("closed on Sundays is denied by open Monday to Saturday")
	}
}

func TestWhatOpensASentenceMayStandAtItsEnd(t *testing.T) {
	for _, w := range []wordings{
		{"For each day an item is late, the library charges 20 pence.", "The library charges 20 pence for each day an item is late.", "The library charges 20 pence for each day an item is early."},
		{"Der Melder piept alle 40 Sekunden, sobald die Batterie zur Neige geht.", "Geht die Batterie zur Neige, piept der Melder alle 40 Sekunden.", "Geht die Batterie zur Neige, piept der Melder alle 50 Sekunden."},
		{"Die Elternvertretung wird im Oktober gewählt.", "Gewählt wird die Elternvertretung im Oktober.", "Gewählt wird die Elternvertretung im November."},
		{"The lamp is red if the battery is low.", "If the battery is low, the lamp is red.", "If the lamp is red, the battery is low."},
		{"Wird ein Kind zu spät abgeholt, zahlen die Eltern 10 Euro.", "", "Die Eltern zahlen 10 Euro."},
	} {
		w.check(t)
	}
}

func TestWeAndYouStandForSomebody(t *testing.T) {
	for _, w := range []wordings{
		{"We followed 64 bee colonies over two summers.", "The researchers followed 64 bee colonies over two summers.", "The mayor followed 64 bee colonies over two summers."},
		{"The tenant shall pay the rent of £900 by the third day of the month.", "You have to pay the rent of £900 by the third day of the month.", "You have to pay the rent of £900 by the fifth day of the month."},
		{"We are sending you a new lamp this week.", "A new lamp is being sent this week.", "A new lamp was sent this week."},
		{"If the tenant reports no damage, the tenant is liable for the cost.", "If you report no damage, you are liable for the cost.", ""},
	} {
		w.check(t)
	}
}

func TestASentenceThatCarriesTheClaimOverrulesTheNearestOne(t *testing.T) {
	const seal = "The door seal should be wiped with a damp cloth once a week. It must not be treated with oil."
	wordings{seal, "The door seal must not be treated with oil.", "The door seal must be treated with oil."}.check(t)
	const shop = "The workshop gives three months of guarantee on repairs. On new bicycles the guarantee rises to two years."
	wordings{shop, "On new bicycles the guarantee is two years.", "On repairs the guarantee is two years."}.check(t)
	const deposit = "Une caution de 500 euros est demandée. Elle est rendue si le bateau est en bon état."
	wordings{deposit, "La caution de 500 euros est rendue si le bateau est en bon état.", "La caution de 600 euros est rendue si le bateau est en bon état."}.check(t)
	const pump = "The model GX needs no outdoor unit but does need a deep borehole."
	wordings{pump, "", "The model GX needs an outdoor unit."}.check(t)
	const firm = "The company provides a laptop; it does not pay for internet access."
	wordings{firm, "The company does not pay for internet access.", "The company does not provide a laptop."}.check(t)
}

func TestTwoPeopleOfASentenceAreNotOne(t *testing.T) {
	const note = "En cas d'allergie, les parents remettent un certificat médical à la directrice, Mme Perrot ; la cuisinière, Mme Blin, prépare alors un plateau à part."
	wordings{note, "", "C'est Mme Perrot qui prépare un plateau à part pour les enfants allergiques."}.check(t)
	const dividend = "Management proposes a dividend of $0.40 per share, unchanged from the previous year."
	wordings{dividend, "", "The proposed dividend of $0.40 per share is higher than the one paid for the previous year."}.check(t)
}

func TestWordsThatPutACellIntoASentence(t *testing.T) {
	const boats = "Item | Weekday | Weekend\nCanoe, per day | £40 | £52\nPedal boat, per hour | £14 | £18"
	wordings{boats, "Renting a canoe for a day at the weekend costs £52.", "Renting a canoe for a day at the weekend costs £40."}.check(t)
	wordings{boats, "", "Renting a large canoe for a day at the weekend costs £52."}.check(t)
	const cakes = "Taart\tPersonen\tPrijs\nAppel\t10\t€ 18,50\nMokka\t8\t€ 21,75"
	wordings{cakes, "De mokkataart is voor acht personen en kost € 21,75.", "De mokkataart is voor tien personen en kost € 21,75."}.check(t)
}

func TestCapitalsAndMissingAccentsShowNoLanguage(t *testing.T) {
	for _, w := range []wordings{
		{"Non-EU citizens need a visa.", "Non-EU citizens need a visa.", "EU citizens need a visa."},
		{"Lekarz bada pacjenta.", "Lekarz bada pacjenta.", "Pacjent bada lekarza."},
		{"The lamp is off.", "The lamp is off.", "The lamp is on."},
	} {
		w.check(t)
	}
}

func TestWhatMustBeDoneMayBeNamed(t *testing.T) {
	for _, w := range []wordings{
		{"Für Überstunden ist die Genehmigung des Vorgesetzten erforderlich.", "Überstunden müssen vom Vorgesetzten genehmigt werden.", "Überstunden wurden vom Vorgesetzten genehmigt."},
		{"Overtime must be approved by the manager.", "Approval by the manager is required for overtime.", "Approval by the tenant is required for overtime."},
		{"You may send the goods back within 30 days.", "The goods can be returned within 30 days.", "The goods can be replaced within 60 days."},
		{"Vous pouvez retourner gratuitement les articles pendant 30 jours.", "Le retour des articles est gratuit pendant 30 jours.", "Le retour des articles est gratuit pendant 60 jours."},
		{"The approval of the manager was rejected.", "", "The manager was approved."},
		{"The mayor's resignation was rejected.", "", "The mayor must resign."},
	} {
		w.check(t)
	}
}
