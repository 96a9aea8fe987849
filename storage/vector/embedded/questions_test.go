package embedded

import (
	"context"
	"path/filepath"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/vectortest"
)

// handbook is a small collection as people have it: one document per subject,
// chunks preceded by their heading path.
var handbook = map[string][]string{
	"Leave policy.md": {
		"Leave policy > Annual leave\nFull-time employees are entitled to 28 days of paid vacation per calendar year. Part-time employees accrue vacation in proportion to their contracted hours.",
		"Leave policy > Carrying over\nUp to five unused vacation days may be carried over into the next year. They expire on 31 March.",
		"Leave policy > Sick leave\nReport sick before 9:30 on the first day by calling your manager. A doctor's certificate is required from the fourth day of illness.",
		"Leave policy > Parental leave\nBoth parents may take up to 14 weeks of parental leave at full pay after the birth or adoption of a child.",
	},
	"Travel and expenses.pdf": {
		"Travel > Hotels\nHotel rooms may cost up to 140 euros per night, in London and Paris up to 190 euros. Breakfast is reimbursed.",
		"Travel > Trains and flights\nTravel by train in second class. Flights within Europe are booked in economy class; flights longer than six hours may be booked in premium economy.",
		"Travel > Expense reports\nSubmit expense reports with receipts within 30 days after the trip. Receipts are required for every amount above 25 euros. Reimbursement is paid with the next salary.",
		"Travel > Per diem\nMeals abroad are covered by a per diem of 48 euros for a full day.",
	},
	"IT security.html": {
		"IT security > Passwords\nPasswords have at least 14 characters and are kept in the password manager. They are changed only after a suspected compromise.",
		"IT security > Lost devices\nA lost or stolen laptop or phone is reported to the service desk at once, at any hour: +44 20 5550 199. The device is wiped remotely.",
		"IT security > Phishing\nForward suspicious e-mail to phishing@example.com and do not click on links.",
	},
	"Working hours.txt": {
		"Working hours\nCore hours are from 10:00 to 15:00. Outside of the core hours everyone arranges their day with the team.",
		"Remote work\nEmployees may work from home up to three days a week. Working from abroad is limited to 20 days a year and needs approval from the people team.",
		"Office dogs\nDogs are welcome in the office on Tuesdays and Thursdays if nobody in the room objects.",
	},
	"Vergütung.md": {
		"Vergütung > Auszahlung\nDas Gehalt wird am 25. jedes Monats überwiesen. Fällt der Tag auf ein Wochenende, wird am Freitag davor gezahlt.",
		"Vergütung > Kündigungsfristen\nIn der Probezeit beträgt die Kündigungsfrist zwei Wochen, danach drei Monate zum Quartalsende.",
	},
	"请假制度.md": {
		"请假制度\n员工每年享有15天带薪年假。病假需要提供医院证明。",
	},
}

func handbookIndex(t *testing.T, documents map[string][]string) *Index {
	t.Helper()
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	for name, texts := range documents {
		if err := x.Apply(context.Background(), vectortest.Doc("c1", name, name), 1, vectortest.Points(name, 1, texts...)); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func ask(t *testing.T, x *Index, question string) []assistants.Match {
	t.Helper()
	q := vectortest.Ask(question, "c1")
	q.MinScore = assistants.DefaultSettings().RetrievalScoreThreshold
	got, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return got.Matches
}

func TestQuestionsInAReadersWordsFindTheirPassage(t *testing.T) {
	x := handbookIndex(t, handbook)
	for question, want := range map[string]struct {
		document string
		chunk    int
	}{
		"How many vacation days do I get?":                                   {"Leave policy.md", 0},
		"Can I carry over unused vacation to next year?":                     {"Leave policy.md", 1},
		"When do I need a doctor's certificate if I'm ill?":                  {"Leave policy.md", 2},
		"who should I call when I am sick?":                                  {"Leave policy.md", 2},
		"How long is parental leave?":                                        {"Leave policy.md", 3},
		"How many weeks off do new parents get after a birth?":               {"Leave policy.md", 3},
		"What's the maximum hotel price per night in London?":                {"Travel and expenses.pdf", 0},
		"Am I allowed to fly premium economy?":                               {"Travel and expenses.pdf", 1},
		"How soon must I submit my expense report?":                          {"Travel and expenses.pdf", 2},
		"Do I need receipts for small amounts?":                              {"Travel and expenses.pdf", 2},
		"How much money do I get for meals abroad?":                          {"Travel and expenses.pdf", 3},
		"How long does a password have to be?":                               {"IT security.html", 0},
		"My laptop was stolen, what should I do?":                            {"IT security.html", 1},
		"Where do I report a phishing mail?":                                 {"IT security.html", 2},
		"What are the core working hours?":                                   {"Working hours.txt", 0},
		"May I work from home?":                                              {"Working hours.txt", 1},
		"Can I bring my dog to the office?":                                  {"Working hours.txt", 2},
		"Wann wird das Gehalt gezahlt?":                                      {"Vergütung.md", 0},
		"Wie lange ist die Kündigungsfrist in der Probezeit?":                {"Vergütung.md", 1},
		"Welche Kuendigungsfristen gelten?":                                  {"Vergütung.md", 1},
		"员工每年有多少天年假？":                                                        {"请假制度.md", 0},
		"怎么请病假":                                                              {"请假制度.md", 0},
		"Please tell me how many days a year I am able to work from abroad.": {"Working hours.txt", 1},
	} {
		got := ask(t, x, question)
		rank := -1
		for i, m := range got {
			if string(m.DocumentID) == want.document && m.ChunkID == assistants.NewChunkID(m.DocumentID, 1, want.chunk) {
				rank = i
			}
		}
		if rank < 0 || rank > 2 {
			t.Errorf("%q: passage %d of %s has rank %d in %+v", question, want.chunk, want.document, rank, got)
		}
	}
}

func TestForeignQuestionsFindNothing(t *testing.T) {
	x := handbookIndex(t, handbook)
	for _, question := range []string{
		"What is the airspeed velocity of an unladen swallow?", "xyzzy plugh frobnicate", "Who won the football world cup in 1998?",
		"How do I bake a chocolate cake?", "Wie hoch ist der Eiffelturm?", "珠穆朗玛峰有多高？", "asdf qwer",
		"What is the boiling point of liquid nitrogen?",
	} {
		if got := ask(t, x, question); len(got) > 0 {
			t.Errorf("%q finds %+v", question, got)
		}
	}
}

func TestACollectionOfOneShortDocumentAnswers(t *testing.T) {
	for text, question := range map[string]string{
		"Employees have 25 days of annual leave.":                 "How many vacation days do employees get?",
		"The revenue grew 15% year-over-year to $4.2B.":           "What was the revenue growth last year?",
		"The office opens at 8:00 and closes at 18:00.":           "When does the office open?",
		"Refunds are possible within 14 days after the purchase.": "How long do I have to request a refund?",
	} {
		x := handbookIndex(t, map[string][]string{"note.txt": {text}})
		if got := ask(t, x, question); len(got) != 1 {
			t.Errorf("%q does not find %q", question, text)
		}
		if got := ask(t, x, "Who won the football world cup?"); len(got) != 0 {
			t.Errorf("football finds %q", text)
		}
	}
}

func TestPartsOfCompoundsFindThem(t *testing.T) {
	x := handbookIndex(t, map[string][]string{
		"Technik.md": {
			"Das Schulnetz wird nachts gewartet.", "Der Zugang kostet nichts.", "Die Schule liegt am Netz der Stadtwerke.",
		},
	})
	got := ask(t, x, "Wann wird das Netz gewartet?")
	if len(got) == 0 || got[0].ChunkID != assistants.NewChunkID("Technik.md", 1, 0) || got[0].TextScore < 0.9 {
		t.Errorf("%+v", got)
	}
	for term, want := range map[string]bool{"schul": true, "schulnetz": true, "netz": true, "stadt": false} {
		if x.Knows("t1", []assistants.CollectionID{"c1"}, term) != want {
			t.Errorf("%q is known: %v", term, !want)
		}
	}
	if x.Knows("t2", []assistants.CollectionID{"c1"}, "netz") || x.Knows("t1", []assistants.CollectionID{"c2"}, "netz") {
		t.Error("a word of somebody else's is known")
	}
}
