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

// TestAnAbbreviationWithManyMeaningsSaysNothing, and one with two is searched with both.
func TestAnAbbreviationWithManyMeaningsSaysNothing(t *testing.T) {
	two, four := []string{"ABC, activity based costing", "ABC, always be closing"}, []string{"ABC, a big cat", "ABC, another blue car"}
	if got, _ := wordingsOf(t, defining(two...), query("Who does the ABC?")); len(got) != 2 {
		t.Errorf("of two meanings: %q", got)
	}
	if got, _ := wordingsOf(t, defining(append(two, four...)...), query("Who does the ABC?")); len(got) != 0 {
		t.Errorf("of four meanings: %q", got)
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
		if learned := x.abbreviations(c.permitted, &kept); learned != nil {
			got = strings.Join(learned.lines, "|")
		}
		if got != c.want {
			t.Errorf("of %v: %q, want %q", c.permitted, got, c.want)
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
