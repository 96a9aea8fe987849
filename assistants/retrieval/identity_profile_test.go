package retrieval

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// scans are documents whose names say nothing; their profiles do.
func scans() []assistants.DocumentName {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	of := func(id, title, kind string, years []int, subjects ...string) assistants.DocumentName {
		day = day.Add(time.Hour)
		return assistants.DocumentName{ID: assistants.DocumentID(id), Name: id + ".pdf", CreatedAt: day, Profile: assistants.Profile{Title: title, Kind: kind, Years: years, Subjects: subjects}}
	}
	return []assistants.DocumentName{
		of("alpha", "Annual Report 2020", "report", []int{2020}, "Corvane Holdings Inc."),
		of("beta", "Annual Report 2021", "report", []int{2021}, "Corvane Holdings Inc."),
		of("gamma", "Annual Report 2021", "report", []int{2021}, "Halvorsen Marine ASA"),
		of("delta", "Supply agreement", "contract", []int{2019}, "Corvane Holdings Inc."),
		of("epsilon", "Mietvertrag", "contract", nil, "Müller GmbH"),
		of("zeta", "Guide to the Stars", "manual", nil),
	}
}

func TestAQuestionChoosesByWhatDocumentsAre(t *testing.T) {
	x := newNameIndex(nil, scans(), 1, time.Time{})
	for question, want := range map[string]string{
		"What was Corvane's revenue in FY2020?":            "alpha",
		"What does Halvorsen's annual report say of risk?": "gamma",
		"What does Corvane's contract say of delays?":      "delta",
		"Was steht im Vertrag mit Müller zur Miete?":       "epsilon",
		"What is Corvane's latest annual report about?":    "beta",
		"Welche Umsätze nennt der aktuelle Bericht?":       "beta gamma", // the latest of each company
		"Which stars are bright?":                          "",           // a document that looks like no other
		"How do I start the pump?":                         "",
	} {
		var got []string
		for _, d := range x.choose(question, nil).best {
			got = append(got, string(d.ID))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nchose %v, want %s", question, got, want)
		}
	}
}

// A month of a year chooses, however it is written: by the name of a file, or by the period that a document states.
func TestAQuestionChoosesByMonths(t *testing.T) {
	documents := append(namesOf("minutes march 2024.pdf", "minutes april 2024.pdf", "minutes may 2024.pdf", "Protokoll März 2025.pdf").names(), scans()...)
	for i, period := range []string{"December 2022", "April 2023", "July 2022"} {
		documents = append(documents, assistants.DocumentName{ID: assistants.DocumentID(period), Name: fmt.Sprintf("quarter %d of the fiscal year %d.pdf", i%2+1, 2023-i/2),
			Profile: assistants.Profile{Title: "Quarterly report", Kind: "report", Years: []int{2023 - i/2}, Periods: []string{period}, Subjects: []string{"Acme Corp."}}})
	}
	x := newNameIndex(nil, documents, 1, time.Time{})
	for question, want := range map[string]string{
		"What did we decide in the minutes of March 2024?":                 "minutes march 2024.pdf",
		"What did we decide in the minutes of 2 April 2024?":               "minutes april 2024.pdf",
		"What did we decide in the minutes of March and April 2024?":       "minutes april 2024.pdf minutes march 2024.pdf",
		"Was wurde im Protokoll vom 3. März 2025 entschieden?":             "Protokoll März 2025.pdf",
		"What did Acme Corp. earn in the quarter ended December 31, 2022?": "quarter 1 of the fiscal year 2023.pdf",
		"What did Acme Corp. earn in the quarter to April 1st, 2023?":      "quarter 2 of the fiscal year 2023.pdf",
		"When is the office closed in December?":                           "",
	} {
		var got []string
		for _, d := range x.choose(question, nil).best {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nchose %v, want %s", question, got, want)
		}
	}
}

// If no document has the month of a question, a warning says so. The name of a document is no month.
func TestMonthsThatNoDocumentHas(t *testing.T) {
	for question, files := range map[string][]string{
		"What did we decide in March 2024?": {"minutes march 2023.pdf", "minutes april 2024.pdf", "canteen.pdf"},
		"What was Mars 2022 revenue?":       {"Mars 2021.pdf", "Mars 2023.pdf", "Nestle 2022.pdf", "Nestle 2023.pdf", "board minutes march 2022.pdf"},
	} {
		if c := namesOf(files...).choose(question, nil); len(c.lacks) == 0 {
			t.Errorf("%s: no warning, chose %v", question, c.best)
		}
	}
	var got []string
	for _, d := range namesOf("Mars 2022.pdf", "Mars 2023.pdf", "Nestle 2022.pdf", "Nestle 2023.pdf").choose("Compare Mars 2023 and Nestle 2023.", nil).best {
		got = append(got, d.Name)
	}
	if want := []string{"Mars 2023.pdf", "Nestle 2023.pdf"}; !slices.Equal(got, want) {
		t.Errorf("chose %v, want %v", got, want)
	}
}

// TestTheLatestIsPreferredAlsoOfDocumentsThatTheQuestionDoesNotName: the older ones of a
// family fit less, and all others as well as before.
func TestTheLatestIsPreferredAlsoOfDocumentsThatTheQuestionDoesNotName(t *testing.T) {
	x := namesOf("travel policy 2021.pdf", "travel policy 2023.pdf", "canteen.pdf")
	for question, want := range map[string]string{
		"What may I spend on hotels this year?":           "0 1 1",
		"Wie viel darf ich derzeit für Hotels ausgeben?":  "0 1 1",
		"Combien puis-je dépenser actuellement ?":         "0 1 1",
		"What may I spend on hotels?":                     "0 0 0",
		"What was the current rate for hotels in 2022?":   "0 0 0",
		"What does the current policy say of hotels?":     "0 1 0",
		"What did the policy of 2021 say? Is it current?": "1 0.3 0",
	} {
		c := x.choose(question, nil)
		got := ""
		for _, name := range []assistants.DocumentID{"travel policy 2021.pdf", "travel policy 2023.pdf", "canteen.pdf"} {
			got += fmt.Sprintf("%.1g ", c.fit(name))
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
	c := x.choose("What may I spend on hotels this year?", []assistants.DocumentID{"travel policy 2021.pdf", "canteen.pdf"})
	if c.fit("travel policy 2021.pdf") != 1 {
		t.Error("the latest of those that may be searched is not preferred")
	}
}

func TestTheNewestOfLookAlikesIsThatOfTheLatestRelease(t *testing.T) {
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range [][2]string{
		{"lease 2021.pdf", "lease 2022.pdf"}, {"manual v2.pdf", "manual v10.pdf"}, {"prices 2024-q1.pdf", "prices 2024-q3.pdf"},
		{"rules.pdf", "rules (amended).pdf"}, {"rules.pdf", "rules v2.pdf"}, {"rules 2023-01-31.pdf", "rules 2023-02-01.pdf"},
		{"Vertrag.docx", "Vertrag Neufassung.docx"}, {"handbook draft.pdf", "handbook 2.pdf"},
	} {
		older := assistants.DocumentName{ID: "a", Name: c[0], CreatedAt: day.Add(time.Hour)}
		newer := assistants.DocumentName{ID: "b", Name: c[1], CreatedAt: day}
		if ages := groupsOf(&nameIndex{}, &partNumbers{}, []assistants.DocumentName{older, newer}); compareAge(ages[0], ages[1]) >= 0 || compareAge(ages[1], ages[0]) <= 0 {
			t.Errorf("%s is not newer than %s", c[1], c[0])
		}
	}
	same := assistants.DocumentName{Name: "report.pdf", CreatedAt: day}
	after := assistants.DocumentName{Name: "report.pdf", CreatedAt: day.Add(time.Hour)}
	if ages := groupsOf(&nameIndex{}, &partNumbers{}, []assistants.DocumentName{same, after}); compareAge(ages[0], ages[1]) >= 0 {
		t.Error("of two with the same name the one that was added later is not newer")
	}
	same.Profile.Years = []int{2025}
	after.Profile.Years = []int{2024}
	if ages := groupsOf(&nameIndex{}, &partNumbers{}, []assistants.DocumentName{same, after}); compareAge(ages[0], ages[1]) <= 0 {
		t.Error("the year of the profile does not count before the time of the upload")
	}
}

func TestLookAlikesWithoutTellingNamesAreNamedByTheirTitles(t *testing.T) {
	x := newNameIndex(nil, scans(), 1, time.Time{})
	alike := x.choose("What was Corvane's revenue in its report?", nil).lookAlikes()
	var shown []string
	for _, d := range alike {
		shown = append(shown, d.shownName())
	}
	if want := []string{"alpha.pdf (Annual Report 2020)", "beta.pdf (Annual Report 2021)"}; !slices.Equal(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
}

// describedNames counts the changes of what documents are.
type describedNames struct {
	names
	changes uint64
}

func (n *describedNames) Descriptions() uint64 { return n.changes }

// TestAChangedProfileChoosesAtOnce although the index, and what it found before, is the same.
func TestAChangedProfileChoosesAtOnce(t *testing.T) {
	x, s := world(2)
	x.generation = 1
	list := []assistants.DocumentName{{ID: "doc00", Name: "a 1.md"}, {ID: "doc01", Name: "a 2.md"}}
	n := &describedNames{names: names{"t1": list}}
	r := New(x, s, Options{Names: n})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.now = func() time.Time { return clock }
	ask := query("What does Acme say of text?")
	if first := retrieve(t, r, ask); first.Hits[0].Document.ID != "doc00" {
		t.Fatal(first.Hits)
	}
	n.names["t1"] = []assistants.DocumentName{list[0], {ID: "doc01", Name: "a 2.md", Profile: assistants.Profile{Subjects: []string{"Acme"}}}}
	n.changes++
	clock = clock.Add(namesFresh)
	if res := retrieve(t, r, ask); res.Trace.Cached || res.Hits[0].Document.ID != "doc01" {
		t.Errorf("cached %v, found %v first", res.Trace.Cached, res.Hits[0].Document.ID)
	}
	if res := retrieve(t, r, ask); !res.Trace.Cached {
		t.Error("nothing changed, and the index was asked again")
	}
}

// TestChosenDocumentsAreSearchedWithoutTheWordsThatChoseThem: within a document, the words
// of its title stand everywhere.
func TestChosenDocumentsAreSearchedWithoutTheWordsThatChoseThem(t *testing.T) {
	x, s := protocols()
	s.text("chunkt1", "Revenue was 5 million in 2021.")
	list := []assistants.DocumentName{
		{ID: "arvik", Name: "scan 1.md", Profile: assistants.Profile{Title: "Annual report of Halvorsen", Kind: "report"}},
		{ID: "tornbach", Name: "scan 2.md", Profile: assistants.Profile{Title: "Annual report of Corvane", Kind: "report"}},
	}
	r := New(x, s, Options{Names: names{"t1": list}})
	retrieve(t, r, query("What was the revenue of Corvane in 2021?"))
	if len(x.asked) != 2 || !slices.Equal(x.asked[1].Documents, []assistants.DocumentID{"tornbach"}) {
		t.Fatalf("asked %+v", x.asked)
	}
	if all, alone := strings.Join(x.asked[0].Terms, " "), strings.Join(x.asked[1].Terms, " "); !strings.Contains(all, "corvan") || strings.Contains(alone, "corvan") || !strings.Contains(alone, "revenu") {
		t.Errorf("asked all for %q, and the chosen one for %q", all, alone)
	}
}

// TestWhatIsKeptOfNamesIsTrueOfTheDocumentsAsTheyAre: an index that is made of one before
// is as if it were the first.
func TestWhatIsKeptOfNamesIsTrueOfTheDocumentsAsTheyAre(t *testing.T) {
	list := append(scans(), policies()...)
	before := newNameIndex(nil, list, 1, time.Time{})
	for what, change := range map[string]func([]assistants.DocumentName) []assistants.DocumentName{
		"nothing":           func(l []assistants.DocumentName) []assistants.DocumentName { return l },
		"one more in front": func(l []assistants.DocumentName) []assistants.DocumentName { return append(scans()[2:3:3], l[3:]...) },
		"one fewer":         func(l []assistants.DocumentName) []assistants.DocumentName { return l[1:] },
		"another order": func(l []assistants.DocumentName) []assistants.DocumentName {
			slices.Reverse(l)
			return l
		},
		"a name": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[6].Name = "travel rules 2019.pdf"
			return l
		},
		"a title": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Profile.Title = "Semiannual report 2020"
			return l
		},
		"a kind": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Profile.Kind = "contract"
			return l
		},
		"years": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Profile.Years = []int{2017}
			return l
		},
		"periods": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Profile.Periods = []string{"Q3 2024"}
			return l
		},
		"subjects": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Profile.Subjects = []string{"Miller Ltd"}
			return l
		},
		"what it supersedes": func(l []assistants.DocumentName) []assistants.DocumentName {
			l[0].Supersedes = "beta"
			return l
		},
	} {
		changed := change(slices.Clone(list))
		x, first := newNameIndex(before, changed, 2, time.Time{}), newNameIndex(nil, changed, 2, time.Time{})
		if !reflect.DeepEqual(x.byPart(x.having), first.byPart(first.having)) || !reflect.DeepEqual(x.byPart(x.described), first.byPart(first.described)) || !reflect.DeepEqual(x.alike, first.alike) || !reflect.DeepEqual(x.superseded, first.superseded) {
			t.Errorf("%s changed: %v, want %v", what, x, first)
		}
		for i, d := range x.documents {
			if d.ID != first.documents[i].ID || !reflect.DeepEqual(d.release, first.documents[i].release) || !slices.Equal(d.numbers, first.documents[i].numbers) || d.titled != first.documents[i].titled {
				t.Errorf("%s changed: %v, want %v", what, d, first.documents[i])
			}
		}
	}
}

// byPart returns lists of documents by their parts.
func (x *nameIndex) byPart(lists [][]int32) map[string][]int32 {
	all := map[string][]int32{}
	for part, number := range x.parts.known {
		if list := lists[number]; len(list) > 0 {
			all[part] = list
		}
	}
	return all
}

// TestNamesThatAreReadAgainKeepWhatWasMadeOfThem: an upload does not make the parts of all
// other names again.
func TestNamesThatAreReadAgainKeepWhatWasMadeOfThem(t *testing.T) {
	var lists nameLists
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	read := func(generation uint64, list []assistants.DocumentName) *nameIndex {
		now = now.Add(time.Minute)
		x, err := lists.get(t.Context(), "t1", nil, generation, now, func(context.Context, []assistants.DocumentName) ([]assistants.DocumentName, error) { return list, nil })
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	list := scans()
	first := read(1, list[1:])
	list[1].Name = "renamed.pdf"
	again := read(2, list)
	for _, d := range first.documents {
		if kept := d.traits == again.documents[again.places[d.ID]].traits; kept != (d.ID != list[1].ID) {
			t.Errorf("%s: kept %v", d.Name, kept)
		}
	}
}
