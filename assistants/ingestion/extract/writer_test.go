package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// described shows where pages, headings and blocks stand.
func described(d Document) []string {
	var out []string
	for _, p := range d.Pages {
		out = append(out, fmt.Sprintf("page %d %q", p.Number, d.Text[p.Start:p.End]))
	}
	for _, h := range d.Headings {
		line, _, _ := strings.Cut(d.Text[h.Start:], "\n")
		out = append(out, fmt.Sprintf("h%d %q at %q", h.Level, h.Title, line))
	}
	for _, b := range d.Blocks {
		header := ""
		if b.HeaderEnd > 0 {
			header = fmt.Sprintf(" below %q", d.Text[b.Start:b.HeaderEnd])
		}
		out = append(out, fmt.Sprintf("%s %q%s", b.Kind, d.Text[b.Start:b.End], header))
	}
	return out
}

func row(w *Writer, cells ...string) {
	w.BreakLine(1)
	for i, c := range cells {
		if i > 0 {
			w.Cell()
		}
		w.Text(c)
	}
}

func TestPagesHeadingsAndHeaderRowsHaveTheirPlaces(t *testing.T) {
	var w Writer
	w.StartPage()
	w.StartHeading(1)
	w.Text("  Rates ")
	w.EndHeading()
	w.StartBlock(BlockTable)
	row(&w, "Country", "Rate")
	w.EndHeader()
	row(&w, "Norway", "75")
	w.EndBlock(BlockTable)
	w.StartPage()
	w.StartPage()
	w.Text("runs")
	w.StartPage()
	w.Text("on")
	doc := w.Finish()
	if err := doc.Check(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`page 1 "Rates\n\nCountry | Rate\nNorway | 75"`, `page 2 ""`, `page 3 "runs"`, `page 4 "on"`,
		`h1 "Rates" at "Rates"`, `table "Country | Rate\nNorway | 75" below "Country | Rate"`,
	}
	if got := described(doc); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if doc.Text != "Rates\n\nCountry | Rate\nNorway | 75\n\nruns\non" {
		t.Errorf("%q", doc.Text)
	}
}

func TestMarksOfTheDocumentStandBeforeItems(t *testing.T) {
	var w Writer
	w.StartBlock(BlockList)
	for _, m := range []string{"a)", "iv."} {
		w.BreakLine(1)
		w.Mark(1, m)
		w.Text("words")
	}
	if doc := w.Finish(); doc.Text != "  a) words\n  iv. words" {
		t.Errorf("%q", doc.Text)
	}
}

func TestAFullWriterTakesNoMore(t *testing.T) {
	w := Writer{Limit: 10}
	for range 100 {
		w.Text("eight by ")
	}
	if !w.Full() || w.Out.Len() > 20 {
		t.Errorf("full %v after %d bytes", w.Full(), w.Out.Len())
	}
}

func TestWhateverIsWrittenKeepsThePromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Writer
		steps := []func(){
			func() { w.Text(rapid.StringMatching(`[a ä\n|]{0,4}`).Draw(t, "text")) },
			w.Space, w.Cell, w.StartPage, w.EndHeading, w.EndHeader,
			func() { w.BreakLine(rapid.IntRange(1, 2).Draw(t, "breaks")) },
			func() { w.StartHeading(rapid.IntRange(1, 6).Draw(t, "level")) },
			func() { w.NameSection(1, "named") },
			func() { w.item(rapid.IntRange(0, 3).Draw(t, "depth"), rapid.IntRange(0, 3).Draw(t, "number")) },
		}
		steps = append(steps, func() {
			w.Append(Document{Text: "H\n\nä|b", Headings: []Heading{{0, 1, "H"}}, Blocks: []Block{{Kind: BlockTable, Start: 3, End: 7, HeaderEnd: 5}}})
		})
		for _, kind := range []BlockKind{BlockTable, BlockList, BlockCode} {
			steps = append(steps, func() { w.StartBlock(kind) }, func() { w.EndBlock(kind) }, func() { w.DropBlock(kind) })
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			rapid.SampledFrom(steps).Draw(t, "step")()
		}
		doc := w.Finish()
		if err := doc.Check(); err != nil {
			t.Fatalf("%v in %q", err, doc.Text)
		}
	})
}
