package ingestion

import (
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/ingestion/chunker"
	"footnote/assistants/ingestion/extract"
)

// What stands around a passage is stored, indexed and embedded with it, in this
// process and not in the reader's: however a document is made, all of it is not
// many times the document.
func TestWhatStandsAroundPassagesIsNotManyTimesTheDocument(t *testing.T) {
	words := strings.Repeat("words that nobody closes ", 8_000)
	nested := strings.Repeat("<section><title>"+strings.Repeat("title ", 30)+"</title><p>Words.</p>", 200)
	for name, content := range map[string]string{
		"a.html": "<!doctype html><h1>" + words,
		"b.html": "<!doctype html><h1>" + words + "<h2>" + words + "<h3>" + words + "</h3>end",
		"c.md":   words + "\n===\n\n" + words,
		"d.xml":  "<book>" + nested + words + strings.Repeat("</section>", 200) + "</book>",
		"e.html": "<!doctype html><table><tr><th>" + words + "<tr><td>" + words + "</table>",
		"f.csv":  strings.Repeat("column,", 2_000) + "\n" + strings.Repeat("1234567,", 2_000) + "\n",
		"g.json": `{"` + words + `":{"` + words + `":"` + words + `"}}`,
	} {
		w := newWorld(t)
		d := w.add(name, content)
		w.drain(w.worker)
		if d = w.document(d.ID); d.Status != assistants.StatusReady {
			t.Errorf("%s: %s, %v", name, d.Status, d.Cause)
			continue
		}
		chunks, size := w.chunks(d.ID), 0
		for _, p := range points(chunks) {
			size += len(p.Text)
		}
		if len(chunks) < 10 || size > 3*len(content) {
			t.Errorf("%s: %d passages, %d bytes are indexed of %d", name, len(chunks), size, len(content))
		}
		w.close()
	}
}

// The lines at the top of a page are searched with each passage below them, not embedded.
func TestTheOpeningOfAPageIsSearchedWithItsPassages(t *testing.T) {
	long := strings.Repeat("The group sold pumps and valves to ships. ", 60)
	first := "Corvane Holdings\n\nStatement of Cash Flows\n\n" + long
	second := "Notes\n\n" + long
	doc := extract.Document{
		Text:     first + "\n\n" + second,
		Pages:    []extract.Page{{Number: 1, End: len(first)}, {Number: 2, Start: len(first) + 2, End: len(first) + 2 + len(second)}},
		Headings: []extract.Heading{{Start: 0, Level: 1, Title: "Corvane Holdings"}},
	}
	_, chunks := passages(assistants.Job{DocumentID: "doc_1", Version: 1}, doc, chunker.Options{})
	searched := points(chunks)
	below := 0
	for i, c := range chunks {
		want := map[int]string{1: "Statement of Cash Flows", 2: "Notes"}[c.Page]
		if strings.Contains(c.Text, want) {
			want = "" // the passage has it itself
		} else {
			below++
		}
		if c.PageOpening != want {
			t.Errorf("passage %d on page %d is below %q, want %q", i, c.Page, c.PageOpening, want)
		}
		if strings.Contains(passageText(c), "Cash Flows") != strings.Contains(c.Text, "Cash Flows") {
			t.Errorf("passage %d is embedded as %.100q", i, passageText(c))
		}
		if !strings.Contains(searched[i].Text, want) || strings.HasPrefix(searched[i].Text, "\n") {
			t.Errorf("passage %d is searched as %.100q", i, searched[i].Text)
		}
	}
	if below < 2 {
		t.Errorf("%d of %d passages are below the opening of their page", below, len(chunks))
	}
}
