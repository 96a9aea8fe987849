package ingestion

import (
	"slices"
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

// A passage of a statement's part says which year and which unit an amount is of.
func TestPassagesOfAStatementSayWhatItsAmountsAre(t *testing.T) {
	text := "In thousands of euros\n\n2019 2018\n\nAssets\n\nCash | 12 | 11\n\nLiabilities\n\nLoans | 30 | 31"
	span := func(s string) extract.Span {
		at := strings.Index(text, s)
		return extract.Span{Start: at, End: at + len(s)}
	}
	rows := span("Loans | 30 | 31")
	doc := extract.Document{
		Text: text, Pages: []extract.Page{{Number: 1, End: len(text)}},
		Headings: []extract.Heading{{Level: 1, Title: "Statement of Financial Position"}, {Start: span("Liabilities").Start, Level: 2, Title: "Liabilities"}},
		Blocks:   []extract.Block{{Kind: extract.BlockTable, Start: rows.Start, End: rows.End, Units: span("In thousands of euros"), Names: span("2019 2018")}},
	}
	_, chunks := passages(assistants.Job{DocumentID: "doc_1", Version: 1}, doc, chunker.Options{})
	last := chunks[len(chunks)-1]
	if last.Text != "Liabilities\n\nLoans | 30 | 31" || last.TableHeader != "In thousands of euros\n2019 2018" || !slices.Equal(last.HeadingPath, []string{"Statement of Financial Position", "Liabilities"}) {
		t.Errorf("%q is below %q with the header %q", last.Text, last.HeadingPath, last.TableHeader)
	}
	if searched := points(chunks)[len(chunks)-1].Text; searched != "Statement of Financial Position\nLiabilities\n\nIn thousands of euros\n2019 2018\n"+last.Text {
		t.Errorf("it is searched as %q", searched)
	}
}

// A format without pages does not show where a statement ends, so its columns are those of its first part only.
func TestWithoutPagesColumnsGoOnlyWithTheirTable(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	d := w.add("a.html", `<!doctype html><h1>Report</h1><p>Statement of Financial Position</p><p>In thousands of euros</p><p>2019 2018</p>
<p>Assets</p><table><tr><td>Cash<td>12<td>11<tr><td>Land<td>40<td>38</table><p>Rooms by place</p><table><tr><td>Fir<td>30<td>31<tr><td>Oak<td>9<td>8</table>`)
	w.drain(w.worker)
	for _, c := range w.chunks(d.ID) {
		if strings.Contains(c.Text, "Oak") && (c.TableHeader != "" || strings.Contains(c.Text, "2019")) {
			t.Errorf("%q has the header %q", c.Text, c.TableHeader)
		}
	}
}

// The lines at the top of a page are searched with the passages below them that have no heading
// on the page. They are not embedded.
func TestTheOpeningOfAPageIsSearchedWithItsPassages(t *testing.T) {
	long := strings.Repeat("The group sold pumps and valves to ships. ", 60)
	first := "Corvane Holdings\n\nStatement of Cash Flows\n\n" + long
	second := "Notes\n\n" + long
	doc := extract.Document{
		Text:  first + "\n\n" + second,
		Pages: []extract.Page{{Number: 1, End: len(first)}, {Number: 2, Start: len(first) + 2, End: len(first) + 2 + len(second)}},
	}
	heading := []extract.Heading{{Start: len("Corvane Holdings\n\n"), Level: 1, Title: "Statement of Cash Flows"}}
	for _, c := range []struct {
		headings []extract.Heading
		openings map[int]string // by page
	}{
		{nil, map[int]string{1: "Corvane Holdings\nStatement of Cash Flows", 2: "Notes"}},
		{heading, map[int]string{2: "Notes"}},
	} {
		doc.Headings = c.headings
		_, chunks := passages(assistants.Job{DocumentID: "doc_1", Version: 1}, doc, chunker.Options{})
		searched, below := points(chunks), map[int]int{}
		for i, got := range chunks {
			want := c.openings[got.Page]
			if firstLine, _, _ := strings.Cut(want, "\n"); strings.HasPrefix(got.Text, firstLine) {
				want = "" // the passage has it itself
			} else {
				below[got.Page]++
			}
			if got.PageOpening != want {
				t.Errorf("passage %d on page %d is below %q, want %q", i, got.Page, got.PageOpening, want)
			}
			if want != "" && strings.Contains(passageText(got), want) {
				t.Errorf("passage %d is embedded as %.100q", i, passageText(got))
			}
			if !strings.Contains(searched[i].Text, want) || strings.HasPrefix(searched[i].Text, "\n") {
				t.Errorf("passage %d is searched as %.100q", i, searched[i].Text)
			}
		}
		if len(below) < len(c.openings) {
			t.Errorf("below openings are passages of %v", below)
		}
	}
}
