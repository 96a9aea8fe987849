package extractive

import (
	"strings"
	"testing"

	"footnote/proxy/upstream"
)

func TestAnswersQuoteTheSentenceThatAnswers(t *testing.T) {
	for question, want := range map[string]string{
		"How many days of holiday do I get?":        "Every full-time employee has 27 days of paid holiday a year, public holidays not included [1].",
		"Can I carry over unused days?":             "You may carry over up to five unused days into the next year [1].",
		"Until when must I take days carried over?": "They must be taken by 31 March and lapse after that date [1].",
		"What is the hotel limit in Norway?":        "Destination: Norway; Per diem: 74 pounds; Hotel limit: 170 pounds [2].",
		"Wann beginnt die Nachtschicht?":            "Die Nachtschicht beginnt um 22:00 Uhr [3].",
		"Wie lang ist der Jahresurlaub?":            "Der Jahresurlaub beträgt 30 Tage [3].",
		"経費の精算はいつまでですか":                             "経費の精算は月末までです [4]。",
		"How long does a refund take?":              "The refund takes 14 days (3) [5].",
	} {
		if got := answerTo(question, handbook, true); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestTheBestSentenceComesFirst(t *testing.T) {
	got := answerTo("What is the hotel limit in Norway?", handbook, true)
	if !strings.HasPrefix(got, "Destination: Norway;") {
		t.Error(got)
	}
}

func TestNothingRelevantIsSaidPlainly(t *testing.T) {
	for name, c := range map[string]struct {
		question string
		passages []upstream.Passage
	}{
		"no passages":         {"How many days of holiday do I get?", nil},
		"no question":         {"", handbook},
		"another subject":     {"Who painted the Sistine Chapel?", handbook},
		"passages of nothing": {"holiday", []upstream.Passage{{Index: 1, Text: " \n\n"}, {Index: 2}}},
		"only headings":       {"holiday", []upstream.Passage{{Index: 1, Text: "# Holiday\n"}}},
	} {
		if got := answerTo(c.question, c.passages, true); got != Nothing {
			t.Errorf("%s: %q", name, got)
		}
	}
	if strings.ContainsAny(Nothing, "[]") {
		t.Error("the sentence that says so has a marker")
	}
}

func TestAnswersAreShortAndDoNotRepeatThemselves(t *testing.T) {
	var passages []upstream.Passage
	for i := range 9 { // overlapping chunks carry the same sentence
		passages = append(passages, upstream.Passage{Index: i + 1, Text: "The warranty lasts 24 months. The warranty covers the sensor. " +
			"Warranty claims go to the service desk. The warranty does not cover lightning. The warranty of spare parts is short."})
	}
	got := answerTo("How long is the warranty?", passages, true)
	if n := strings.Count(got, "["); n == 0 || n > maxQuotes {
		t.Errorf("%d quotes: %s", n, got)
	}
	if strings.Count(got, "24 months") != 1 {
		t.Error(got)
	}
}

func TestAnswersAreTheSameEachTime(t *testing.T) {
	const question = "How many days may I carry over, and what is the limit in Japan?"
	want := answerTo(question, handbook, true)
	for range 20 {
		if got := answerTo(question, handbook, true); got != want {
			t.Fatalf("got %q, then %q", want, got)
		}
	}
}

func TestPassagesThatAreNotToBeCitedGetNoMarkers(t *testing.T) {
	got := answerTo("holiday", []upstream.Passage{{Text: "Everybody has a holiday of 27 days."}}, true)
	if got != "Everybody has a holiday of 27 days." {
		t.Error(got)
	}
}

func TestTheSectionOfAPassageSpeaksForItsSentences(t *testing.T) {
	passages := []upstream.Passage{
		{Index: 1, Text: "The bottle weighs two kilograms when it is full of water."},
		{Index: 2, Section: "Battery", Text: "Two kilograms with its case. It is charged overnight."},
	}
	if got := answerTo("How heavy is the battery?", passages, true); !strings.HasPrefix(got, "Two kilograms with its case [2].") {
		t.Error(got)
	}
}

func TestNumbersAndDatesArePreferredWhenAskedFor(t *testing.T) {
	passages := []upstream.Passage{{Index: 1, Text: "The audit of the laboratory is thorough and unannounced. " +
		"The audit of the laboratory takes three days. The audit of the laboratory begins on 4 May."}}
	for question, want := range map[string]string{
		"How long is the audit of the laboratory?": "The audit of the laboratory takes three days",
		"When is the audit of the laboratory?":     "The audit of the laboratory begins on 4 May",
	} {
		if got := answerTo(question, passages, true); !strings.HasPrefix(got, want) {
			t.Errorf("%s %s", question, got)
		}
	}
}

// What only repeats the question is no answer, however many of its words it has, nor is a title.
func TestASentenceThatTellsNothingNewIsTheLastChoice(t *testing.T) {
	slides := []upstream.Passage{
		{Index: 1, Text: "Osprey programme", Score: 0.9},
		{Index: 2, Text: "Team\n\nThe lead engineer is Maria Lindqvist, who joined in 2019.", Score: 0.8},
	}
	for _, c := range []struct {
		question, want string
		passages       []upstream.Passage
	}{
		{"Who is the lead engineer of the Osprey programme?", "The lead engineer is Maria Lindqvist, who joined in 2019 [2].", slides},
		{"Who is the lead engineer of the Osprey programme?", "Osprey programme [1].", slides[:1]},
		{"What did police patrols cost?", "Patrol; 18,218; 19,570 [2].", // a title says nothing
			[]upstream.Passage{{Index: 1, Text: "Costs of community policing", Score: 0.9}, {Index: 2, Text: "Patrol | 18,218 | 19,570\nDogs | 12 | 14", Section: "Police", Score: 0.8}}},
		{"Wer leitet das Programm Osprey?", "Das Programm Osprey leitet Maria Lindqvist [2].",
			[]upstream.Passage{{Index: 1, Text: "Programm Osprey"}, {Index: 2, Text: "Das Programm Osprey leitet Maria Lindqvist."}}},
		{"Is smoking allowed in the office?", "Smoking is allowed in the office [1].",
			[]upstream.Passage{{Index: 1, Text: "Smoking is allowed in the office. The office opens at eight."}}},
		{"Where is smoking allowed?", "Smoking is not allowed [1].",
			[]upstream.Passage{{Index: 1, Text: "Smoking is not allowed. Allowed are pets of any size in all of the rooms."}}},
	} {
		if got := answerTo(c.question, c.passages, true); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.question, got, c.want)
		}
	}
}

func TestRowsOfTables(t *testing.T) {
	for name, c := range map[string]struct{ text, question, want string }{
		"Markdown": {"| Case | Days |\n|:--|--:|\n| Wedding | 2 |\n| Moving | 1 |", "days for a wedding", "Case: Wedding; Days: 2 [1]."},
		"tabs":     {"Case\tDays\nWedding\t2\nMoving\t1", "days for a wedding", "Case: Wedding; Days: 2 [1]."},
		"bars":     {"Case | Days\nWedding | 2\nMoving | 1", "days for a wedding", "Case: Wedding; Days: 2 [1]."},
		"no head":  {"| Wedding | 2 days |\n| Moving | 1 day |", "wedding", "Wedding; 2 days [1]."},
		"a gap":    {"| Case | Days | Note |\n|---|---|---|\n| Wedding |  | as agreed |", "wedding", "Case: Wedding; Note: as agreed [1]."},
	} {
		got := answerTo(c.question, []upstream.Passage{{Index: 1, Text: c.text}}, true)
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Words alone would choose the second passage; that it fits the question much
// less well counts against it, and a little less well does not.
func TestPassagesThatFitBetterAreTrustedMore(t *testing.T) {
	const question = "How much holiday do employees get a year?"
	passages := func(second float64) []upstream.Passage {
		return []upstream.Passage{
			{Index: 1, Text: "Staff are entitled to a holiday of 27 days.", Score: 0.8},
			{Index: 2, Text: "Employees take their holiday within the year.", Score: second},
		}
	}
	for second, want := range map[float64]string{0: "[2]", 0.79: "[2]", 0.5: "[1]"} {
		list := passages(second)
		if second == 0 { // without scores
			list[0].Score = 0
		}
		if got := answerTo(question, list, true); !strings.Contains(got, want) || strings.Index(got, "[") != strings.Index(got, want) {
			t.Errorf("second passage %v: %s", second, got)
		}
	}
}

// A question need not have the form in which a sentence has its words.
func TestSentencesAreFoundByOtherFormsOfTheQuestionsWords(t *testing.T) {
	for question, text := range map[string]string{
		"Wie melde ich mich an?":   "Zum Anmelden gehört das Kennwort vom ersten Tag.",
		"Was startet wann?":        "Das Starten der Sicherung geschieht bei Nacht.",
		"Zu welcher Uhrzeit denn?": "Die Zeit an der Uhr der Pforte zählt.",
	} {
		passages := []upstream.Passage{{Index: 1, Text: "Die Kantine öffnet mittags."}, {Index: 2, Text: text}}
		if got := answerTo(question, passages, true); !strings.HasSuffix(got, "[2].") {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// A passage that continues a table has the names of its columns from the table's header.
func TestRowsOfAContinuedTableNameTheirColumns(t *testing.T) {
	got := answerTo("What does the hotel in Japan cost?", []upstream.Passage{{
		Index: 1, TableHeader: "Daily rates\nCountry | Meals | Hotel", Text: "Japan | 61 | 139\nNorway | 75 | 144",
	}}, true)
	if want := "Country: Japan; Meals: 61; Hotel: 139 [1]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
