package citations

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"footnote/citations/support"
)

// twoSources returns a source with two pages, and the source notes.
func twoSources() []Source {
	one := 1
	two := 2
	return []Source{
		{DocumentID: "doc_r", DocumentName: "Report.pdf", Score: .9, PageNumber: &one, PageEnd: &two, CharStart: 100, Pages: []PageStart{{2, 158}},
			Text: "Übersicht. Revenue grew 15% year-over-year to $4.2B. «É»\n\nMargins were stable at 31% in all regions."},
		{DocumentID: "doc_n", DocumentName: "Notes.md", Score: .5, CharStart: 7, Text: "The office moved to Lyon in March 2021."},
	}
}

func verified(t *testing.T, opt Options, text string) *Citations {
	t.Helper()
	opt.Support = true
	tr := NewSet(twoSources(), opt).Tracker()
	tr.Write(0, text)
	r := tr.Result()
	if err := tr.Fault(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEachMarkerIsCheckedAgainstItsSources(t *testing.T) {
	r := verified(t, Options{}, "Revenue grew 15% year-over-year to $4.2B [1]. Margins were stable at 31% in all regions [2]. The office moved to Lyon in March 2021 [2], nothing else [7].")
	var levels []string
	for _, m := range r.Markers {
		levels = append(levels, m.Support)
		if (m.Support == "") != (m.SupportScore == nil) {
			t.Errorf("%+v", m)
		}
	}
	if levels[0] != support.Supported || levels[1] != support.Unsupported || levels[3] != "" {
		t.Errorf("%q", levels)
	}
}

func TestQuotesAreVerbatimInTheDocumentWithTheirPage(t *testing.T) {
	r := verified(t, Options{}, "Revenue grew 15% year-over-year to $4.2B [1]. Margins were stable at 31% in all regions [1].")
	for i, want := range []struct {
		text string
		page int
	}{{"Revenue grew 15% year-over-year to $4.2B", 1}, {"Margins were stable at 31% in all regions", 2}} {
		q := r.Markers[i].Quote
		if q == nil {
			t.Fatalf("marker %d has no quote: %+v", i, r.Markers[i])
		}
		document := []rune(twoSources()[0].Text)
		if got := string(document[q.CharStart-100 : q.CharEnd-100]); got != q.Text || q.Index != 1 || q.PageNumber == nil || *q.PageNumber != want.page {
			t.Errorf("quote %d: %+v, in the document %q", i, q, got)
		}
		if q.Text != want.text && q.Text != want.text+"." {
			t.Errorf("quote %d is %q", i, q.Text)
		}
	}
}

func TestAPageThatIsNotKnownIsNotTold(t *testing.T) {
	one, two := 1, 2
	s := Source{PageNumber: &one, PageEnd: &two, CharStart: 10}
	if p := s.pageAt(10); p == nil || *p != 1 {
		t.Error("the passage begins on page 1")
	}
	if p := s.pageAt(30); p != nil {
		t.Errorf("page %d of a passage over a break that was not noted", *p)
	}
	if p := (&Source{}).pageAt(3); p != nil {
		t.Error(*p)
	}
}

func TestSupportFollowsRenumberedSources(t *testing.T) {
	text, r := "", verified(t, Options{Renumber: true}, "The office moved to Lyon in March 2021 [2]. Revenue grew 15% year-over-year to $4.2B [1].")
	for i, m := range r.Markers {
		if m.Indices[0] != i+1 || m.Support != support.Supported || m.Quote == nil || m.Quote.Index != i+1 {
			t.Errorf("%d: %+v %+v", i, m, m.Quote)
		}
		text += r.Sources[i].DocumentName
	}
	if text != "Notes.mdReport.pdf" {
		t.Error(text)
	}
}

// quoted returns the text of a marker's quote, or an empty string.
func quoted(m Marker) string {
	if m.Quote == nil {
		return ""
	}
	return m.Quote.Text
}

func TestSupportIsTheSameInEveryMode(t *testing.T) {
	const text = "Revenue grew 15% year-over-year to $4.2B [1], and margins were stable [1]. The office moved to Lyon in March 2021. [2][1]"
	plain := verified(t, Options{}, text)
	for _, mode := range modes {
		got := verified(t, mode, text)
		for i, m := range got.Markers {
			if was := plain.Markers[i]; m.Support != was.Support || *m.SupportScore != *was.SupportScore || quoted(m) != quoted(was) {
				t.Errorf("%+v: marker %d is %+v, was %+v", mode, i, m, was)
			}
		}
	}
}

func TestAPassageOfADocumentIsFoundAmongThoseThatShareItsNumber(t *testing.T) {
	sources := append(twoSources(), Source{DocumentID: "doc_r", DocumentName: "Report.pdf", CharStart: 900, Text: "Costs fell by 3% in Norway."})
	tr := NewSet(sources, Options{Numbering: NumberDocuments, Support: true}).Tracker()
	tr.Write(0, "Costs fell by 3% in Norway [1].")
	if q := tr.Result().Markers[0].Quote; q == nil || q.CharStart < 900 || q.Index != 1 {
		t.Errorf("%+v", q)
	}
}

func TestAFailingSimilarityCostsTheCitationsAndNotTheAnswer(t *testing.T) {
	tr := NewSet(twoSources(), Options{Support: true, Similarity: func(string, string) float64 { panic("no model") }}).Tracker()
	tr.Write(0, "Revenue grew 15%, which beat hopes at headquarters [1].")
	if r := tr.Result(); r.Status != StatusError || tr.Fault() == nil || !slices.Equal(r.Warnings, []string{Disclaimer}) {
		t.Errorf("%+v", r)
	}
}

func TestALongSentenceIsCheckedByItsEnd(t *testing.T) {
	long := make([]byte, 0, 20000)
	for len(long) < 10000 {
		long = append(long, "é and so on, "...)
	}
	r := verified(t, Options{Unit: UnitByte}, string(long)+"the office moved to Lyon in March 2021 [2].")
	m := r.Markers[0]
	if m.ClaimStart != 0 || m.ClaimEnd != m.End+1 || m.Support == "" || !utf8.ValidString(string(long)) {
		t.Errorf("%+v", m)
	}
}

func TestAMarkerThatBeginsASentenceIsCheckedByWhatFollows(t *testing.T) {
	for _, text := range []string{
		"[1] says margins were stable at 31% in all regions, while [2] says the office moved to Lyon in March 2021.",
		"According to [1], margins were stable at 31% in all regions, while [2] says the office moved to Lyon in March 2021.",
	} {
		for i, m := range verified(t, Options{}, text).Markers {
			if m.Support != "supported" {
				t.Errorf("%q: marker %d is %s", text, i+1, m.Support)
			}
		}
	}
	if m := verified(t, Options{}, "According to [1], margins were stable at 13% in all regions, while [2] says the office moved to Lyon in March 2021.").Markers[0]; m.Support != "unsupported" {
		t.Errorf("a wrong number is %s", m.Support)
	}
}

// The check reads the names of the columns; the quote comes from the passage only.
func TestTheHeaderOfATableIsReadButNotQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"Meals in Japan are paid with 52 EUR per day [1].":      "Japan | 52 EUR",
		"Meals in Norway are paid with 75 EUR per day [1].":     "Norway | 75 EUR",
		"The table lists country, meals per day and hotel [1].": "",
	} {
		tr := NewSet([]Source{tableSource()}, Options{Support: true}).Tracker()
		tr.Write(0, text)
		m := tr.Result().Markers[0]
		if want == "" {
			if m.Quote != nil && !strings.Contains(tableSource().Text, m.Quote.Text) {
				t.Errorf("%q quotes %q", text, m.Quote.Text)
			}
			continue
		}
		if m.Quote == nil || !strings.HasPrefix(m.Quote.Text, want) || m.Support == support.Unsupported {
			t.Fatalf("%q is %s, quote %+v", text, m.Support, m.Quote)
		}
		q, document := m.Quote, []rune(tableSource().Text)
		if got := string(document[q.CharStart-5000 : q.CharEnd-5000]); got != q.Text {
			t.Errorf("%q quotes %q, which is %q in the document", text, q.Text, got)
		}
	}
}
