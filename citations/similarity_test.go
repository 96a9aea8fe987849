package citations

import (
	"math"
	"strings"
	"testing"
)

func answered(answers func(string) (float64, bool), text ...string) Confidence {
	set := NewSet([]Source{{DocumentName: "a", Text: "x", Score: 0.5}, {DocumentName: "b", Text: "y", Score: 0.5}}, Options{Answers: answers})
	tracker := set.Tracker()
	for _, piece := range text {
		tracker.Write(0, piece)
	}
	return tracker.Result().Confidence
}

func TestConfidenceTakesTheSimilarityOfQuestionAndAnswer(t *testing.T) {
	var seen []string
	is := func(x float64, ok bool) func(string) (float64, bool) {
		return func(answer string) (float64, bool) { seen = append(seen, answer); return x, ok }
	}
	c := answered(is(0.9, true), "It is ", "so [1", "].")
	if want := 0.4*0.5 + 0.3*0.3 + 0.3*0.9; math.Abs(c.Confidence-want) > 1e-9 || c.ConfidenceFactors.Method != "embedding" || c.ConfidenceFactors.Similarity != 0.9 {
		t.Errorf("%+v", c)
	}
	if len(seen) != 1 || seen[0] != "It is so." {
		t.Errorf("asked with %q", seen)
	}
	for name, f := range map[string]func(string) (float64, bool){"unknown": is(0.9, false), "no number": is(math.NaN(), true), "nobody to ask": nil} {
		if c := answered(f, "So [1]."); c.ConfidenceFactors.Method != "relevance_proxy" || c.ConfidenceFactors.Similarity != 0.5 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	for x, want := range map[float64]float64{7: 1, -1: 0} {
		if c := answered(is(x, true), "So [1]."); c.ConfidenceFactors.Similarity != want {
			t.Errorf("%v: %+v", x, c)
		}
	}
	seen = nil
	if c := answered(is(0.9, true), "Nothing is cited."); c.Confidence != 0 || len(seen) != 0 {
		t.Errorf("%+v, asked %q", c, seen)
	}
	answered(is(0.9, true), strings.Repeat("größe ", 1000)+"[1]")
	if last := seen[len(seen)-1]; len(last) > maxBegins || len(last) < maxBegins-8 || !strings.HasPrefix(strings.Repeat("größe ", 1000), last) {
		t.Errorf("%d bytes of a long answer", len(last))
	}
}

func TestQuotesStandWhereTheyDoBehindNeighbours(t *testing.T) {
	page := 2
	set := NewSet([]Source{{
		DocumentName: "a", CharStart: 100, CharEnd: 126, PageNumber: &page, PageEnd: &page, Excerpt: "The fee was 4 Euro before.", Lead: 21,
		Text:  "Prices of the baths.\nThe fee was 4 Euro before.\nThe fee was raised to 5 Euro in May.",
		Pages: []PageStart{{1, 79}, {2, 100}, {3, 127}},
	}}, Options{Support: true})
	tracker := set.Tracker()
	tracker.Write(0, "The fee was 4 Euro before [1]. It was raised to 5 Euro in May [1].")
	r := tracker.Result()
	for i, want := range []struct {
		start, page int
		text        string
	}{{100, 2, "The fee was 4 Euro before."}, {127, 3, "The fee was raised to 5 Euro in May."}} {
		q := r.Markers[i].Quote
		if q == nil || q.Text != want.text || q.CharStart != want.start || q.PageNumber == nil || *q.PageNumber != want.page {
			t.Errorf("quote %d: %+v", i, q)
		}
	}
	if r.Sources[0].Excerpt != "The fee was 4 Euro before." || r.Sources[0].CharStart != 100 {
		t.Errorf("%+v", r.Sources[0])
	}
}
