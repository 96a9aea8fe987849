package citations

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Sentences are checked as they end or all at the end: the object is the same.
func TestClaimsMayBeCheckedBeforeTheEnd(t *testing.T) {
	sources := []Source{
		{DocumentID: "a", DocumentName: "pump.pdf", Text: "The pump has to be vented before it is started. It holds 40 litres.", Score: 0.9},
		{DocumentID: "b", DocumentName: "leave.pdf", Text: "Employees have 30 days of vacation a year. Trainees have 25 days.", Score: 0.8},
		{DocumentID: "c", DocumentName: "travel.pdf", Text: "Travel expenses are paid within two weeks.", Score: 0.7},
	}
	answers := []string{
		"The pump holds 40 litres [1]. Employees have 31 days [2] and trainees 25 days [2], paid within two weeks [3].",
		"Expenses are paid within three weeks [3][1]! According to [2] trainees have 25 days.\n\n- Vent the pump first [1]\n- Nothing [9]",
		"",
	}
	for _, opt := range []Options{
		{Support: true}, {Support: true, Renumber: true}, {Support: true, Numbering: NumberDocuments}, {Support: true, Markers: MarkersStrip},
		{Support: true, Orphans: OrphansDisclaim}, {Support: true, Similarity: func(string, string) float64 { return 0.5 }},
	} {
		set := NewSet(sources, opt)
		late := set.Tracker()
		for i, answer := range answers {
			late.Write(i, answer)
		}
		want := late.Result()
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 1))
			early := set.Tracker()
			left := append([]string(nil), answers...)
			for strings.Join(left, "") != "" {
				i := rng.IntN(len(left))
				n := min(len(left[i]), 1+rng.IntN(30))
				early.Write(i, left[i][:n])
				left[i] = left[i][n:]
				early.CheckClaims()
			}
			if opt.Renumber { // the numbers are those of the order in which the choices cite
				early.Result()
				continue
			}
			if got := early.Result(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v, seed %d:\n%s\ninstead of\n%s", opt, seed, got.AppendJSON(nil), want.AppendJSON(nil))
			}
		}
	}
}

// A renumbered answer has the same verdicts as one that is checked at its end.
func TestRenumberedClaimsAreCheckedEarly(t *testing.T) {
	set := NewSet([]Source{
		{DocumentID: "a", DocumentName: "pump.pdf", Text: "The pump holds 40 litres.", Score: 0.9},
		{DocumentID: "b", DocumentName: "leave.pdf", Text: "Employees have 30 days of vacation a year.", Score: 0.8},
	}, Options{Support: true, Renumber: true})
	early, late := set.Tracker(), set.Tracker()
	for _, piece := range []string{"Employees have 30 days of vacation a year [2]. ", "The pump holds 40 litres [1]. ", "The pump holds 50 litres [1]."} {
		early.Write(0, piece)
		early.CheckClaims()
		late.Write(0, piece)
	}
	got, want := early.Result(), late.Result()
	if !reflect.DeepEqual(got, want) || want.Markers[0].Support != "supported" || want.Markers[0].Quote.Index != 1 || want.Markers[2].Support != "unsupported" {
		t.Errorf("%s\ninstead of\n%s", got.AppendJSON(nil), want.AppendJSON(nil))
	}
}

// What is prepared of a source changes neither prompt nor object.
func TestPreparedSourcesAreLikeOthers(t *testing.T) {
	page := 3
	sources := []Source{
		{DocumentID: "a", DocumentName: "Pump \"B\".pdf", ContentType: "application/pdf", Text: "The pump [1] holds 40 litres.\n\n", ChunkID: "c1", PageNumber: &page, PageEnd: &page, SectionHeader: "Start", CharStart: 7, CharEnd: 40, Score: 0.9},
		{DocumentID: "b", DocumentName: "table.md", Text: "```\n| 40 [2] |\n```", TableHeader: "| litres |", ChunkID: "c2", ChunkIndex: 4, Score: 0.8},
		{DocumentID: "c", Text: strings.Repeat("Größe und Maße. ", 40), ChunkID: "c3", Score: 0.7},
	}
	var grown int
	prepared := make([]Source, len(sources))
	for i, src := range sources {
		p, bytes := Prepare(src, func(n int) { grown += n })
		if bytes < len(src.Text) {
			t.Errorf("source %d takes %d bytes", i, bytes)
		}
		prepared[i] = p.Source(src.Score, src.RerankScore)
	}
	for _, opt := range []Options{{Support: true}, {Support: true, Numbering: NumberDocuments}, {Support: true, Renumber: true}} {
		for range 2 {
			a, b := NewSet(sources, opt), NewSet(prepared, opt)
			prompt := PromptOptions{Secret: []byte("secret"), Cite: true, Instruct: true}
			if x, y := a.Prompt(prompt), b.Prompt(prompt); x != y {
				t.Errorf("the prompt is\n%s\ninstead of\n%s", y, x)
			}
			const answer = "The pump holds 40 litres [1]. It is large [3]."
			x, y := a.Tracker(), b.Tracker()
			x.Write(0, answer)
			y.Write(0, answer)
			if x, y := string(x.Result().AppendJSON(nil)), string(y.Result().AppendJSON(nil)); x != y {
				t.Errorf("the object is\n%s\ninstead of\n%s", y, x)
			}
		}
	}
	if grown == 0 {
		t.Error("the analyses take no memory")
	}
}
