package retrieval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// defining are documents that define abbreviations.
func defining(lines ...string) []assistants.DocumentName {
	list := make([]assistants.DocumentName, len(lines))
	for i, line := range lines {
		id := fmt.Sprintf("doc%02d", i)
		list[i] = assistants.DocumentName{ID: assistants.DocumentID(id), Name: id + ".md", Profile: assistants.Profile{Abbreviations: []string{line}}}
	}
	return list
}

// wordingsOf returns the wordings that a question gets from documents, as texts of terms.
func wordingsOf(t *testing.T, documents []assistants.DocumentName, q Query) ([]string, Result) {
	t.Helper()
	x, s := world(len(documents))
	res := retrieve(t, New(x, s, Options{Names: names{"t1": documents}}), q)
	var wordings []string
	for _, terms := range x.asked[0].Wordings {
		wordings = append(wordings, strings.Join(terms, " "))
	}
	return wordings, res
}

func TestAbbreviationsThatDocumentsDefineAreSynonyms(t *testing.T) {
	documents := defining("FCF, free cash flow", "FCF, Free Cash Flows", `PP&E, "property, plant and equipment"`)
	for question, want := range map[string]string{
		"How large was the FCF?":            "free cash flow",
		"How large was the free cash flow?": "fcf",
		"What PP&E was sold?":               "properti plant equip sold",
		"How large was the profit?":         "",
	} {
		if got, _ := wordingsOf(t, documents, query(question)); strings.Join(got, "|") != want {
			t.Errorf("%s\nis searched for with %q, want %q", question, got, want)
		}
	}
	_, res := wordingsOf(t, documents, query("How large was the FCF?"))
	if want := "[{FCF [Free Cash Flows]}]"; fmt.Sprint(res.Trace.Synonyms) != want {
		t.Errorf("the trace says %v, want %s", res.Trace.Synonyms, want)
	}
}

// TestOfManyMeaningsThoseThatMostDocumentsDefineCount, and other spellings are no others.
func TestOfManyMeaningsThoseThatMostDocumentsDefineCount(t *testing.T) {
	lines := []string{
		"ABC, a big cat", "ABC, another blue car", "ABC, any bad cold", "ABC, all but cats",
		"ABC, activity based costing", "ABC, Activity Based Costing", "ABC, all but cats", "ABC, any bad cold",
	}
	_, res := wordingsOf(t, defining(lines...), query("Who does the ABC?"))
	if want := "[{ABC [Activity Based Costing all but cats any bad cold]}]"; fmt.Sprint(res.Trace.Synonyms) != want {
		t.Errorf("%v, want %s", res.Trace.Synonyms, want)
	}
}

// TestAnAbbreviationIsFoundAsItIsWritten: a car is no capital adequacy ratio.
func TestAnAbbreviationIsFoundAsItIsWritten(t *testing.T) {
	documents := defining("CAR, capital adequacy ratio")
	for question, want := range map[string]int{
		"How high is the CAR?": 1, "How high are the CARs?": 1, "How fast is the company car?": 0, "How fast is the Car?": 0,
		"How high is the Capital Adequacy Ratio?": 1,
	} {
		if got, _ := wordingsOf(t, documents, query(question)); len(got) != want {
			t.Errorf("%s\nis searched for with %q", question, got)
		}
	}
}

// TestSynonymsThatPeopleSetComeBeforeLearnedOnes, also where learned ones would leave no room
// or are longer.
func TestSynonymsThatPeopleSetComeBeforeLearnedOnes(t *testing.T) {
	documents := defining("AAA, one alpha", "AAA, two beta", "AAA, three gamma", "BBB, one delta", "BBB, two epsilon", "BBB, three zeta", "NOM, net operating margin")
	q := query("Are AAA and BBB above the markup?")
	q.Synonyms = []string{"markup, profit on top", "margin, profit share"}
	got, _ := wordingsOf(t, documents, q)
	if len(got) != maxWordings || !strings.Contains(got[0], "profit") {
		t.Errorf("searched for with %q", got)
	}
	q.Text = "What is the net operating margin?"
	if got, _ := wordingsOf(t, documents, q); len(got) != 1 || !strings.Contains(got[0], "profit") {
		t.Errorf("searched for with %q", got)
	}
}

// TestAbbreviationsAreBounded: of too many, those that most documents define stay.
func TestAbbreviationsAreBounded(t *testing.T) {
	lines := make([]string, assistants.MaxSynonyms+1)
	for i := range lines {
		lines[i] = fmt.Sprintf("A%04d, alpha number %04d", i, i)
	}
	documents := append(defining(lines...), defining(lines[assistants.MaxSynonyms])...)
	x := newNameIndex(nil, documents, 1, time.Time{})
	if got := x.learned.lines; len(got) != assistants.MaxSynonyms || got[0] != lines[assistants.MaxSynonyms] {
		t.Errorf("%d lines, first %q", len(got), got[0])
	}
}

// TestADeletedDefinitionIsNotShown: names that were read before the index changed may have it
// still.
func TestADeletedDefinitionIsNotShown(t *testing.T) {
	x, s := world(2)
	x.generation = 1
	n := &describedNames{names: names{"t1": defining("FCF, free cash flow", "ROI, return on investment")}}
	r := New(x, s, Options{Names: n})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.now = func() time.Time { return clock }
	if res := retrieve(t, r, query("How high was the FCF?")); len(res.Trace.Synonyms) != 1 {
		t.Fatalf("%v", res.Trace.Synonyms)
	}
	n.names["t1"] = defining("ROI, return on investment")
	x.generation++
	if res := retrieve(t, r, query("How high was the FCF?")); len(res.Trace.Synonyms) != 0 {
		t.Errorf("at once: %v", res.Trace.Synonyms)
	}
	clock = clock.Add(namesFresh)
	if res := retrieve(t, r, query("How high was the FCF or ROI?")); len(res.Trace.Synonyms) != 1 {
		t.Errorf("then: %v", res.Trace.Synonyms)
	}
}

// TestWhatOtherDocumentsDefineIsNotShown: a question that may search some documents learns
// nothing of the others.
func TestWhatOtherDocumentsDefineIsNotShown(t *testing.T) {
	x := newNameIndex(nil, defining("FCF, free cash flow", "ROI, return on investment"), 1, time.Time{})
	var kept thesauri
	for _, c := range []struct {
		permitted []assistants.DocumentID
		want      string
	}{
		{nil, "FCF, free cash flow|ROI, return on investment"},
		{[]assistants.DocumentID{"doc01", "doc99"}, "ROI, return on investment"},
		{[]assistants.DocumentID{}, ""},
	} {
		got := ""
		learned := x.abbreviations(c.permitted, &kept)
		if learned != nil {
			got = strings.Join(learned.lines, "|")
		}
		if got != c.want {
			t.Errorf("of %v: %q, want %q", c.permitted, got, c.want)
		}
		if x.abbreviations(c.permitted, &kept) != learned {
			t.Errorf("of %v they are made twice", c.permitted)
		}
	}
}

// TestAbbreviationsAreLearnedOnce: an index that is made of one before keeps them, until one
// of its documents defines others.
func TestAbbreviationsAreLearnedOnce(t *testing.T) {
	documents := defining("FCF, free cash flow")
	first := newNameIndex(nil, documents, 1, time.Time{})
	second := newNameIndex(first, append(slices.Clone(documents), assistants.DocumentName{ID: "other", Name: "other.md"}), 2, time.Time{})
	if first.learned == nil || second.learned != first.learned {
		t.Error("the same abbreviations were learned again")
	}
	third := newNameIndex(second, defining("ROI, return on investment"), 3, time.Time{})
	if !slices.Equal(third.learned.lines, []string{"ROI, return on investment"}) {
		t.Errorf("learned %q", third.learned.lines)
	}
	if fourth := newNameIndex(third, nil, 4, time.Time{}); fourth.learned != nil {
		t.Errorf("learned %q of nothing", fourth.learned.lines)
	}
}
