package ingestion

import (
	"strings"
	"testing"

	"footnote/assistants"
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
