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

func row(w *writer, cells ...string) {
	w.breakLine(1)
	for i, c := range cells {
		if i > 0 {
			w.cell()
		}
		w.text(c)
	}
}

func TestPagesHeadingsAndHeaderRowsHaveTheirPlaces(t *testing.T) {
	var w writer
	w.startPage()
	w.startHeading(1)
	w.text("  Rates ")
	w.endHeading()
	w.startBlock(BlockTable)
	row(&w, "Country", "Rate")
	w.endHeader()
	row(&w, "Norway", "75")
	w.endBlock(BlockTable)
	w.startPage()
	w.startPage()
	w.text("runs")
	w.startPage()
	w.text("on")
	doc := w.finish()
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
	var w writer
	w.startBlock(BlockList)
	for _, m := range []string{"a)", "iv."} {
		w.breakLine(1)
		w.mark(1, m)
		w.text("words")
	}
	if doc := w.finish(); doc.Text != "  a) words\n  iv. words" {
		t.Errorf("%q", doc.Text)
	}
}

func TestAFullWriterTakesNoMore(t *testing.T) {
	w := writer{limit: 10}
	for range 100 {
		w.text("eight by ")
	}
	if !w.full() || w.b.Len() > 20 {
		t.Errorf("full %v after %d bytes", w.full(), w.b.Len())
	}
}

func TestWhateverIsWrittenKeepsThePromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w writer
		steps := []func(){
			func() { w.text(rapid.StringMatching(`[a ä\n|]{0,4}`).Draw(t, "text")) },
			w.space, w.cell, w.startPage, w.endHeading, w.endHeader,
			func() { w.breakLine(rapid.IntRange(1, 2).Draw(t, "breaks")) },
			func() { w.startHeading(rapid.IntRange(1, 6).Draw(t, "level")) },
			func() { w.nameSection(1, "named") },
			func() { w.item(rapid.IntRange(0, 3).Draw(t, "depth"), rapid.IntRange(0, 3).Draw(t, "number")) },
		}
		steps = append(steps, func() {
			w.appended(Document{Text: "H\n\nä|b", Headings: []Heading{{0, 1, "H"}}, Blocks: []Block{{BlockTable, 3, 7, 5}}})
		})
		for _, kind := range []BlockKind{BlockTable, BlockList, BlockCode} {
			steps = append(steps, func() { w.startBlock(kind) }, func() { w.endBlock(kind) }, func() { w.dropBlock(kind) })
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			rapid.SampledFrom(steps).Draw(t, "step")()
		}
		doc := w.finish()
		if err := doc.Check(); err != nil {
			t.Fatalf("%v in %q", err, doc.Text)
		}
	})
}
