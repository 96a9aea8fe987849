package citations

import (
	"errors"
	"slices"
	"testing"
)

func resolved(opt Options, text string, documents ...string) *Citations {
	var sources []Source
	for _, d := range documents {
		sources = append(sources, Source{DocumentID: d, DocumentName: d, Score: .5, Text: "text"})
	}
	tr := NewSet(sources, opt).Tracker()
	tr.Write(0, text)
	return tr.Result()
}

func TestOrphansByPolicy(t *testing.T) {
	const text = "OAuth [1] and biometric [3]."
	if c := resolved(Options{}, text, "a", "b"); c.Status != StatusCited || c.Err() != nil || !slices.Equal(c.InvalidIndices, []int{3}) {
		t.Errorf("drop: %+v", c)
	}
	c := resolved(Options{Orphans: OrphansDisclaim}, text, "a", "b")
	if c.Status != StatusError || len(c.ReferencedIndices)+len(c.Markers) != 0 || !slices.Equal(c.InvalidIndices, []int{3}) ||
		c.Confidence.Confidence != .5 || c.ConfidencePercent != 50 || !slices.Equal(c.Warnings, []string{Disclaimer}) || c.Err() != nil || len(c.Sources) != 2 {
		t.Errorf("disclaim: %+v", c)
	}
	orphans, ok := errors.AsType[*OrphanError](resolved(Options{Orphans: OrphansFail}, text, "a", "b").Err())
	if !ok || !slices.Equal(orphans.Markers, []int{3}) || orphans.Sources != 2 {
		t.Errorf("error: %v", orphans)
	}
	for _, policy := range []OrphanPolicy{OrphansDisclaim, OrphansFail} {
		if c := resolved(Options{Orphans: policy}, "OAuth [1].", "a"); c.Status != StatusCited || c.Err() != nil {
			t.Errorf("%s without an orphan: %+v", policy, c)
		}
	}
}

func TestAnswersWithoutMarkersByPolicy(t *testing.T) {
	if c := resolved(Options{}, "Nothing.", "a"); c.Status != StatusNone || len(c.ReferencedIndices) != 0 || c.AutoPopulated || c.Err() != nil {
		t.Errorf("empty: %+v", c)
	}
	c := resolved(Options{NoMarkers: NoMarkerAllSources}, "Nothing\n", "a", "b", "a")
	if c.Status != StatusNone || !slices.Equal(c.ReferencedIndices, []int{1, 2}) || !c.AutoPopulated || c.Confidence.Confidence != 0 {
		t.Errorf("all_sources: %+v", c)
	}
	c.Sources[0].DownloadURL = "http://x.test/a"
	if got := string(c.Annotations(0)); got != `[{"type":"url_citation","url_citation":{"start_index":8,"end_index":8,"title":"a","url":"http://x.test/a#chunk=0"}}]` {
		t.Errorf("all_sources: %s", got)
	}
	for text, want := range map[string]error{"Nothing.": ErrNoCitations, "Only [7].": ErrNoCitations, "It is [1].": nil} {
		if err := resolved(Options{NoMarkers: NoMarkerFail}, text, "a").Err(); !errors.Is(err, want) {
			t.Errorf("fail, %q: %v", text, err)
		}
	}
	for _, policy := range []NoMarkerPolicy{NoMarkerAllSources, NoMarkerFail} {
		if c := resolved(Options{NoMarkers: policy}, "Nothing."); c.Status != StatusNoSources || c.Err() != nil || c.AutoPopulated {
			t.Errorf("%s without sources: %+v", policy, c)
		}
	}
	both := Options{Orphans: OrphansFail, NoMarkers: NoMarkerFail}
	if _, ok := errors.AsType[*OrphanError](resolved(both, "Only [7].", "a").Err()); !ok {
		t.Error("the orphan does not come first")
	}
}

// The text was sent with the new numbers before the orphan arrived.
func TestADisclaimedAnswerListsItsSourcesByTheNumbersInItsText(t *testing.T) {
	tr := NewSet(sourcesOf(.9, .8, .7), Options{Renumber: true, Orphans: OrphansDisclaim}).Tracker()
	text := tr.Write(0, "It grew [3]. And so on [9].") + tr.Close(0)
	c := tr.Result()
	var scores []float64
	for _, src := range c.Sources {
		scores = append(scores, src.Score)
	}
	if text != "It grew [1]. And so on [9]." || c.Status != StatusError || !slices.Equal(scores, []float64{.7, .9, .8}) || c.Sources[0].Index != 1 {
		t.Errorf("%q with the sources of scores %v: %+v", text, scores, c)
	}
}

func TestAFailureOfTheScannerLosesNoText(t *testing.T) {
	const text = "It grew [1]. And so on [1]."
	for opt, want := range map[*Options]string{{}: text, {Renumber: true}: text, {Markers: MarkersStrip}: "It grew. And so on [1]."} {
		tr := NewSet(sourcesOf(.9), *opt).Tracker()
		out := tr.Write(0, "It grew [")
		tr.choices[0].scan.found = nil // the next marker meets a defect
		out += tr.Write(0, "1]. And ") + tr.Write(0, "so on [1].") + tr.Close(0)
		if out != want {
			t.Errorf("%+v: %q", opt, out)
		}
		if c := tr.Result(); c.Status != StatusError || tr.Fault() == nil || c.Confidence.Confidence != .5 || !slices.Equal(c.Warnings, []string{Disclaimer}) {
			t.Errorf("%+v: %+v, %v", opt, c, tr.Fault())
		}
	}
}

func TestAFailureInOneChoiceLosesNoTextOfTheOthers(t *testing.T) {
	tr := NewSet(sourcesOf(.9), Options{Markers: MarkersStrip}).Tracker()
	zero, one, two := tr.Write(0, "It grew ["), tr.Write(1, "Or did it ["), tr.Write(2, "No [1")
	tr.choices[0].scan.found = nil // the next marker meets a defect
	zero += tr.Write(0, "1]. And")
	one += tr.Write(1, "1]?") + tr.Write(1, " Yes") + tr.Close(1)
	two += tr.Close(2) + tr.Close(2)
	zero += tr.Close(0)
	if tr.Fault() == nil || zero != "It grew. And" && zero != "It grew [1]. And" || one != "Or did it [1]? Yes" || two != "No [1" {
		t.Errorf("%v: %q, %q, %q", tr.Fault(), zero, one, two)
	}
}

func TestAFailureWhereAChoiceEndsLosesItsListAndNotItsText(t *testing.T) {
	tr := linked(NewSet(sourcesOf(.9), Options{Renumber: true})).Tracker()
	out := tr.Write(0, "It grew [1]") // a link may follow
	tr.choices[0].scan.found = nil    // the end of the text meets a defect
	if list, notes := tr.List(0), tr.Annotations(0); list != "" || notes != nil || tr.Fault() == nil {
		t.Errorf("%q, %s, %v", list, notes, tr.Fault())
	}
	if out += tr.Close(0); out != "It grew [1]" {
		t.Errorf("%q", out)
	}
}
