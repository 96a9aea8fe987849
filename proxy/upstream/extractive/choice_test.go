package extractive

import (
	"strings"
	"testing"

	"footnote/proxy/upstream"
)

// dishwasher is a manual whose title page has more of each question's words than the
// page that answers.
var dishwasher = []upstream.Passage{
	{Index: 1, Name: "td-310-manual-v2.pdf", Page: 1, Section: "Tide Dishwasher TD-310", Score: 0.8, Text: "User Manual, version 2.0, for devices made since 2020"},
	{Index: 2, Name: "td-310-manual-v2.pdf", Page: 5, Section: "Service", Score: 0.5, Text: "Code | What to do\nE1 | the motor is blocked; remove what is caught in it\nE4 | the drain is blocked; clean the sieve\n" +
		"Technical data\nValue\nNet weight | 57.5 kg\nRated power | 600 W\nNoise level | 42 dB(A)"},
	{Index: 3, Name: "td-310-manual-v2.pdf", Page: 6, Section: "Warranty", Score: 0.5, Text: "The warranty ends 24 months after purchase. It does not cover wear."},
}

func TestTheSentenceWithTheAskedQuantityComesFirst(t *testing.T) {
	for question, want := range map[string]string{
		"How heavy is the Tide Dishwasher TD-310 (manual version 2)?":                    "Net weight; 57.5 kg [2].",
		"How many watts does the Tide Dishwasher TD-310 draw, version 2 of the manual?":  "Rated power; 600 W [2].",
		"How loud is the Tide Dishwasher TD-310 according to manual v2?":                 "Noise level; 42 dB(A) [2].",
		"How long is the guarantee of the Tide Dishwasher TD-310 in manual version 2?":   "The warranty ends 24 months after purchase [3].",
		"My Tide Dishwasher TD-310 (manual version 2) shows E4 on the display. And now?": "Code: E4; What to do: the drain is blocked; clean the sieve [2].",
	} {
		if got := answerTo(question, dishwasher, true); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// Each text has a unit that is not asked for before the one that is.
func TestQuantitiesAreToldApart(t *testing.T) {
	for question, text := range map[string]string{
		"How long does the pump run?":            "The pump has 40 kg. The pump runs 12 hours.",
		"How far does the pump reach?":           "The pump runs 12 hours. The pump reaches 30 metres.",
		"What does the pump cost?":               "The pump has 40 kg. The pump is sold at EUR 310 or €310 in all.",
		"Which share of the pump is recycled?":   "The pump has 40 kg. Of the pump 85 percent are used again.",
		"How hot may the pump get?":              "The pump has 40 kg. The pump stands 60 °C.",
		"Wie lange läuft die Pumpe?":             "Die Pumpe wiegt 40 kg. Die Pumpe läuft zwölf Stunden.",
		"Wie schwer ist die Pumpe?":              "Die Pumpe läuft 12 Stunden. Die Pumpe hat 40 kg.",
		"Combien de temps la pompe marche-elle?": "La pompe coûte 30 euros. La pompe tourne 12 heures.",
		"What voltage does the pump need?":       "The pump needs 40 kg of ballast. The pump needs 230 V.",
		"Which current does the pump draw?":      "The pump must draw water 5 a day. The pump will draw 2.5 A.",
		"Quelle résistance a la pompe ?":         "La pompe a une masse de 40 kg. La pompe a 2,2 kΩ.",
		"At which frequency does the pump hum?":  "The pump may hum for 12 hours. The pump may hum at 50 Hz.",
		"Wie schnell ist die Pumpe?":             "Die Pumpe ist 40 kg schwer. Die Pumpe ist mit 20 km/h unterwegs.",
		"Wie viel Speicher braucht die Pumpe?":   "Die Pumpe braucht 40 kg Sand. Die Pumpe braucht 2 GiB.",
		"Quanto dura la pompa?":                  "La pompa pesa 40 kg. La pompa dura 12 anni.",
	} {
		_, want, _ := strings.Cut(text, ". ")
		if got := answerTo(question, []upstream.Passage{{Index: 1, Text: text}}, false); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// What a document is called is on pages about anything.
func TestWordsThatNameTheDocumentDoNotAnswer(t *testing.T) {
	report := []upstream.Passage{
		{Index: 1, Name: "orrin-annual-report-2020.pdf", Page: 2, Section: "Orrin Freight, Inc.", Score: 0.6, Text: "Annual Report 2020 of Orrin Freight for the fiscal year ended December 31, 2020."},
		{Index: 2, Name: "orrin-annual-report-2020.pdf", Page: 3, Section: "Human Capital", Score: 0.6, Text: "At year end we had approximately 2,898 employees in four countries."},
	}
	for _, question := range []string{
		"How many employees did Orrin have in 2020?", "How many employees had Orrin Freight in FY20?", "Employees of Orrin according to the annual report 2020?",
	} {
		if got := answerTo(question, report, true); !strings.HasPrefix(got, "At year end we had approximately 2,898 employees in four countries [2].") {
			t.Errorf("%s: %s", question, got)
		}
	}
	// A question of nothing but such words is answered by them.
	if got := answerTo("Orrin annual report 2020?", report[:1], true); !strings.HasSuffix(got, "[1].") {
		t.Error(got)
	}
	leave := []upstream.Passage{
		{Index: 1, Name: "Travel policy.docx", Text: "Trips of more than 20 days need a permit."},
		{Index: 2, Name: "Parental leave policy.docx", Text: "Parents are entitled to 60 days."},
	}
	if got := answerTo("How long is parental leave?", leave, true); !strings.HasPrefix(got, "Parents are entitled to 60 days [2].") {
		t.Error(got)
	}
}

func TestRowsOfTablesAreQuotedWithTheirColumns(t *testing.T) {
	statement := []upstream.Passage{
		{Index: 1, Text: "Net sales rose by 12 percent. We sold more products in each region."},
		{Index: 2, Text: "Consolidated Statements of Income\nYears ended December 31, | 2020 | 2019\nNet sales | 5,165.1 | 5,120.0\nCost of products sold | 3,354.9 | 2,904.4\n" +
			"Gross profit | 1,810.3 | 2,215.6\nThe accompanying notes are an integral part of these statements."},
	}
	for question, want := range map[string]string{
		"What was the cost of products sold in 2020?": "Cost of products sold; 2020: 3,354.9; 2019: 2,904.4 [2].",
		"What is the gross profit?":                   "Gross profit; 2020: 1,810.3; 2019: 2,215.6 [2].",
	} {
		if got := answerTo(question, statement, true); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// Statements have the signs of currencies in cells of their own, and columns without a name
// above their labels.
func TestRowsOfAStatementHaveItsYears(t *testing.T) {
	for _, table := range []upstream.Passage{
		{Text: "2019 | 2018\nCash and cash equivalents | $ | 187,704 | $ | 130,292\nTaxes receivable | 86,309 | 80,972"},
		{Text: "Cash and cash equivalents | $ | 187,704 | $ | 130,292\nTaxes receivable | 86,309 | 80,972", TableHeader: "2019 | 2018"},
		{Text: "As of December 31 | 2019 | 2018\nCash and cash equivalents | $ | 187,704 | $ | 130,292\nTaxes receivable | 86,309 | 80,972"},
	} {
		table.Index = 1
		for question, want := range map[string]string{
			"How much cash was there?":        "Cash and cash equivalents; 2019: $ 187,704; 2018: $ 130,292 [1].",
			"How many taxes were receivable?": "Taxes receivable; 2019: 86,309; 2018: 80,972 [1].",
		} {
			if got := answerTo(question, []upstream.Passage{table}, true); got != want {
				t.Errorf("%s\n got %s\nwant %s", question, got, want)
			}
		}
	}
}

// A statement goes on below the titles of its parts and in the next passage.
func TestRowsOfTheLaterPartsOfAStatementHaveItsYears(t *testing.T) {
	const rows = "Cash flows from operating activities:\nNet loss | (70,511) | (59,780)\nCash flows from investing activities:\nPurchases of securities | (389,881) | (220,321)"
	for _, p := range []upstream.Passage{
		{Text: "(in thousands)\n\nYear ended December 31, 2021 | Year ended December 31, 2020\n" + rows},
		{Text: rows, TableHeader: "(in thousands)\n\nYear ended December 31, 2021 | Year ended December 31, 2020"},
	} {
		p.Index = 1
		want := "Purchases of securities; Year ended December 31, 2021: (389,881); Year ended December 31, 2020: (220,321) (in thousands) [1]."
		if got := answerTo("How much was paid for purchases of securities?", []upstream.Passage{p}, true); !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// A note below a table is quoted without its mark, and a name with a year is no answer.
func TestNotesAreQuotedAndNamesAreNot(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Text: "1996 Employee Purchase Plan. Under the plan they purchase shares at 85 percent of their price.\n\n" +
		"Item | 2022 | 2021\nBonus | 5 | 4\n(1) | Payments of the bonus are made in March of each year.\n(2) | It has no tax."}}
	for question, want := range map[string]string{
		"What is the discount of the employee purchase plan?": "Under the plan they purchase shares at 85 percent of their price [1].",
		"When are payments of the bonus made?":                "Payments of the bonus are made in March of each year [1].",
	} {
		if got := answerTo(question, passages, true); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// What stands above a table says what its rows are about, and is no answer.
func TestWhatNamesATableIsNotQuoted(t *testing.T) {
	text := "Reserves of the fund (in thousands of dollars)\n\nTax stabilization | 23,215 | 35,686\nRoads | 121,754 | 84,443"
	if got := answerTo("Which reserves has the fund for roads?", []upstream.Passage{{Index: 1, Text: text}}, true); !strings.HasPrefix(got, "Roads; 121,754; 84,443 (in thousands of dollars) [1].") || strings.Contains(got, "Reserves") {
		t.Error(got)
	}
}

// Names of columns are said only of the cells below them.
func TestColumnsAreNotNamedWrongly(t *testing.T) {
	for _, c := range []struct{ text, question, want string }{
		{"2019 | 2018\nCash | 12 | 11\nGrants | 7", "How large were the grants?", "Grants; 7 [1]."}, // the place of 7 is not known
		{"Begin | End\nMay 1, 2024 | June 30, 2024\nRoom | 7", "When does it begin and end?", "Begin: May 1, 2024; End: June 30, 2024 [1]."},
		{"Year | Revenue | Model year\n2019 | 2018 | 2017\nFoo | 3 | 4", "What is the revenue of Foo?", "Year: Foo; Revenue: 3; Model year: 4 [1]."},
		{"Item | Currency | Price | Stock\nPump | EUR | 24 | 5\nHose | EUR | 4 | 50", "What does the pump cost?", "Item: Pump; Currency: EUR; Price: 24; Stock: 5 [1]."},
		{"Emergency number: 112\n\nRoom | Places\nR1 | 20\nR2 | 30", "What is the emergency number?", "Emergency number: 112 [1]."},
		{"The deposit for a key is 500 euros\n\nRoom | Places\nR1 | 20\nR2 | 30", "How much is the deposit for a key?", "The deposit for a key is 500 euros [1]."},
	} {
		if got := answerTo(c.question, []upstream.Passage{{Index: 1, Text: c.text}}, true); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.question, got, c.want)
		}
	}
}

func TestADateIsNoAmount(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Name: "report-2021.pdf", Text: "We thank the people of the plant who were with us on December 31, 2021. The people of the plant are 290 fitters."}}
	if got := answerTo("How many people worked in the plant at the end of 2021?", passages, true); !strings.HasPrefix(got, "The people of the plant are 290 fitters [1].") {
		t.Error(got)
	}
}

func TestCodesWeighMoreThanWords(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Text: "The display shows the last programme. The display dims after a minute."},
		{Index: 2, Text: "Code | Remedy\nE4 | clean the sieve\nE7 | call an electrician"},
	}
	for question, want := range map[string]string{"The display shows E7, what now?": "Code: E7; Remedy: call an electrician [2].", "What does the display show?": "The display shows the last programme [1]."} {
		if got := answerTo(question, passages, true); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

func TestTheHeadingOfAPassageIsNotQuoted(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Section: "Capital expenditure of the plant", Score: 0.8, Text: "7.4 Capital expenditure of the plant\n\nSee below."},
		{Index: 2, Section: "Investments", Score: 0.7, Text: "The capital expenditure of the plant was 40 million."},
	}
	if got := answerTo("What was the capital expenditure of the plant?", passages, true); !strings.HasPrefix(got, "The capital expenditure of the plant was 40 million [2].") {
		t.Error(got)
	}
}

func TestOneLineWithABarIsNoTable(t *testing.T) {
	text := "To count the files of the folder you may type\nls | wc with its option -l and then read what\nit prints, which is the number of files in the folder."
	if got := answerTo("How do I count the files?", []upstream.Passage{{Index: 1, Text: text}}, true); !strings.Contains(got, "ls | wc with its option") || !strings.HasSuffix(got, "in the folder [1].") {
		t.Error(got)
	}
}

// The text of a page goes on at the next one.
func TestAPassageBesideABetterOneIsTrustedNearlyAsMuch(t *testing.T) {
	for page, want := range map[int]string{4: "[2]", 5: "[2]", 9: "[1]"} {
		passages := []upstream.Passage{
			{Index: 1, Name: "pump.pdf", Page: 4, Text: "The sieve of the pump keeps sand out.", Score: 0.8},
			{Index: 2, Name: "pump.pdf", Page: page, Text: "Clean the sieve of the pump with vinegar.", Score: 0.5},
		}
		if got := answerTo("How do I clean the sieve of the pump?", passages, true); !strings.HasSuffix(strings.SplitAfter(got, "]")[0], want) {
			t.Errorf("page %d: %s", page, got)
		}
	}
}

func TestWordsOfTheSentencesAroundCountToo(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Text: "The lamp blinks at night. The door is open."},
		{Index: 2, Text: "The pump has a filter. Turn the lid to the left. The lamp blinks twice."},
	}
	if got := answerTo("What does it mean when the lamp of the pump blinks?", passages, true); !strings.HasPrefix(got, "The lamp blinks twice [2].") {
		t.Error(got)
	}
}

func TestPartsOfACompoundAreWords(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Text: "Die Wartung der Heizung macht der Hausmeister im Herbst."},
		{Index: 2, Text: "Die Druckerwartung macht die Firma Krause im Mai."},
	}
	if got := answerTo("Wer macht die Wartung der Drucker?", passages, true); !strings.HasPrefix(got, "Die Druckerwartung macht die Firma Krause im Mai [2].") {
		t.Error(got)
	}
}

func TestAReferenceIsNoAmount(t *testing.T) {
	for question, text := range map[string]string{
		"How many coils does the transformer have?": "Figure 3.4 shows the coils of the transformer. The transformer has two coils.",
		"Combien de bobines a le transformateur ?":  "Les bobines du transformateur sont à la page 12. Le transformateur a quatre bobines.",
		"Quanti avvolgimenti ha il trasformatore?":  "Il trasformatore ha avvolgimenti di rame. Il trasformatore ha quattro avvolgimenti.",
		"In che anno è uscita la prima versione?":   "La prima versione è uscita con grande successo. La prima versione è uscita nel 1982.",
		"Wie viele Spulen hat der Transformator?":   "Abbildung 7 zeigt die Spulen, die der Transformator hat. Der Transformator hat zwei Spulen.",
		"Combien de jours dure l’essai du moteur ?": "Tableau 2 : essai du moteur et jours de repos. L’essai du moteur dure dix jours.",
	} {
		_, want, _ := strings.Cut(text, ". ")
		if got := answerTo(question, []upstream.Passage{{Index: 1, Text: text}}, false); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

// A heading with a number is one even before a short heading below it.
func TestANumberedHeadingIsNotQuoted(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Section: "Aim", Text: "6.5 Calibrating the thermometer\n\n6.5.1 Aim\n\nThe thermometer is put into ice."}}
	if got := answerTo("How is calibrating the thermometer done?", passages, true); got != "The thermometer is put into ice [1]." {
		t.Error(got)
	}
	passages[0].Text = "2.4 GHz band of the radio\n\nIt is switched on."
	if got := answerTo("Which band does the radio have?", passages, true); got != "2.4 GHz band of the radio [1]." {
		t.Error(got)
	}
}

// TestWordsThatRetrievalKnowsToNameTheDocumentDoNotAnswer: the title page has most of them.
func TestWordsThatRetrievalKnowsToNameTheDocumentDoNotAnswer(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Text: "This is the protocol of the melanoma vaccine study of Arvik.", Name: "a.pdf", Score: 0.6},
		{Index: 2, Text: "All of them stop when nobody gets better.", Name: "a.pdf", Score: 0.6},
	}
	const question = "When does the melanoma vaccine study of Arvik stop?"
	for want, naming := range map[string][]string{"[1].": nil, "[2].": {"melanoma", "vaccin", "studi", "arvik"}} {
		if got := answer(question, naming, passages, true); !strings.Contains(got, want) || strings.Index(got, "[") != strings.Index(got, want[:3]) {
			t.Errorf("with %q: %q", naming, got)
		}
	}
}
