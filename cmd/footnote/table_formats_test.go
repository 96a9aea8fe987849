package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"footnote/citations"
	"footnote/citations/support"
)

// The table of these tests, with its title.
const tableTitle = "Revenue of the group, in million euros"

var tableRows = [][]string{
	{"Segment", "2022", "2023", "Change"},
	{"Products", "310.4", "322.8", "4.0 %"},
	{"Services", "112.3", "121.9", "8.5 %"},
	{"Licences", "55.6", "47.2", "-15.1 %"},
	{"Training", "12.1", "19.9", "64.5 %"},
}

func joined(cellSeparator string) string {
	var b strings.Builder
	for _, row := range tableRows {
		b.WriteString(strings.Join(row, cellSeparator) + "\n")
	}
	return b.String()
}

// packed makes the ZIP of an office file.
func packed(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageR = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	typesTag = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`
)

func tableDOCX(t *testing.T) []byte {
	var b strings.Builder
	for i, row := range tableRows {
		b.WriteString("<w:tr>")
		if i == 0 {
			b.WriteString("<w:trPr><w:tblHeader/></w:trPr>")
		}
		for _, cell := range row {
			b.WriteString("<w:tc><w:p><w:r><w:t>" + cell + "</w:t></w:r></w:p></w:tc>")
		}
		b.WriteString("</w:tr>")
	}
	return packed(t,
		"[Content_Types].xml", xmlHead+typesTag+`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", xmlHead+packageR+`<Relationship Id="rId1" Type="`+relation+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", xmlHead+`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>`+tableTitle+`</w:t></w:r></w:p><w:tbl>`+b.String()+`</w:tbl></w:body></w:document>`)
}

func tableXLSX(t *testing.T) []byte {
	var b strings.Builder
	row := func(n int, cells []string) {
		fmt.Fprintf(&b, `<row r="%d">`, n)
		for i, cell := range cells {
			fmt.Fprintf(&b, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, n, cell)
		}
		b.WriteString("</row>")
	}
	row(1, []string{tableTitle})
	for i, cells := range tableRows {
		row(i+2, cells)
	}
	return packed(t,
		"[Content_Types].xml", xmlHead+typesTag+`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
		"_rels/.rels", xmlHead+packageR+`<Relationship Id="rId1" Type="`+relation+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels", xmlHead+packageR+`<Relationship Id="rId1" Type="`+relation+`/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/workbook.xml", xmlHead+`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="`+relation+`"><sheets><sheet name="Revenue" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/worksheets/sheet1.xml", xmlHead+`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`+b.String()+`</sheetData></worksheet>`)
}

// tablePDF places every cell by itself and rules between the rows, as programs do.
func tablePDF() []byte {
	var page strings.Builder
	text := func(x, y int, s string) { fmt.Fprintf(&page, "BT /F1 11 Tf %d %d Td (%s) Tj ET\n", x, y, s) }
	text(72, 740, tableTitle)
	for i, row := range tableRows {
		y := 710 - 20*i
		for j, cell := range row {
			text(80+110*j, y, cell)
		}
	}
	for i := range len(tableRows) + 1 {
		fmt.Fprintf(&page, "72 %d m 520 %d l S\n", 724-20*i, 724-20*i)
	}
	for j := range 5 {
		x := min(72+110*j, 520)
		fmt.Fprintf(&page, "%d 724 m %d %d l S\n", x, x, 724-20*len(tableRows))
	}
	var b bytes.Buffer
	var offsets []int
	object := func(s string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), s)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>")
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", page.Len(), page.String()))
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// tableClaims are sixty claims about the table: for each segment true ones, and false ones
// that look like them.
func tableClaims() map[string]string {
	claims := map[string]string{}
	for i, row := range tableRows[1:] {
		other := tableRows[1+(i+1)%4]
		verb, wrong := "rose", "fell"
		if row[3][0] == '-' {
			verb, wrong = wrong, verb
		}
		for claim, level := range map[string]string{
			"%[1]s revenue was €%[3]s million in 2023.":                     support.Supported,
			"In 2022, %[1]s revenue was %[2]s million euros.":               support.Supported,
			"%[1]s revenue was €%[2]s million in 2023.":                     support.Unsupported,
			"%[1]s revenue was €%[5]s million in 2023.":                     support.Unsupported,
			"%[1]s revenue " + verb + " to €%[3]s million in 2023.":         support.Supported,
			"%[1]s revenue " + wrong + " to €%[3]s million in 2023.":        support.Unsupported,
			"%[1]s revenue was more than €%[3]s million in 2023.":           support.Weak,
			"%[1]s revenue amounted to €%[3]s million in 2023.":             support.Supported,
			"%[1]s revenue amounted to €%[3]s million in 2022.":             support.Unsupported,
			"The %[1]s segment had revenue of €%[3]s million in 2023.":      support.Supported,
			"In 2023 %[1]s revenue stood at €%[3]s million.":                support.Supported,
			"In 2023 %[1]s revenue came to €%[2]s million.":                 support.Unsupported,
			"The %[1]s segment employs %[3]s million people.":               support.Unsupported,
			"Revenue of the %[1]s segment was %[3]s million euros in 2023.": support.Supported,
		} {
			if level != "" {
				claims[fmt.Sprintf(claim, row[0], row[1], row[2], row[3], other[2])] = level
			}
		}
		claims[row[0]+" revenue will be €"+row[2]+" million."] = support.Weak
	}
	return claims
}

// A table says the same in each format, uploaded and cited in a chat: its title is the heading of
// its passages, and the verdicts and the quoted rows are equal.
func TestATableIsCheckedAlikeInEveryFormat(t *testing.T) {
	var html strings.Builder
	for i, row := range tableRows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		html.WriteString("<tr><" + tag + ">" + strings.Join(row, "</"+tag+"><"+tag+">") + "</" + tag + "></tr>")
	}
	lines := strings.SplitN(joined(" | "), "\n", 2)
	files := map[string][]byte{
		"a.csv":  []byte(`"` + tableTitle + "\",,,\n" + joined(",")),
		"a.html": []byte("<html><body><table><caption>" + tableTitle + "</caption>" + html.String() + "</table></body></html>"),
		"a.md":   []byte(tableTitle + "\n\n| " + lines[0] + " |\n|---|---|---|---|\n| " + strings.ReplaceAll(strings.TrimSpace(lines[1]), "\n", " |\n| ") + " |\n"),
		"a.docx": tableDOCX(t),
		"a.xlsx": tableXLSX(t),
		"a.pdf":  tablePDF(),
	}
	claims := tableClaims()
	if len(claims) != 60 {
		t.Fatalf("%d claims", len(claims))
	}
	l := startListener(t)
	l.question = "How did the revenue of each segment change from 2022 to 2023?"
	for name, raw := range files {
		t.Run(name, func(t *testing.T) {
			assistant := "table-" + strings.TrimPrefix(name, "a.")
			settings := map[string]any{"enable_rag": true, "enable_citations": true, "retrieval_score_threshold": 0.01}
			if status := l.json("POST", "/v1.0/assistants", map[string]any{"name": assistant, "settings": settings}, nil); status != http.StatusCreated {
				t.Fatal(status)
			}
			if _, status := l.note(assistant, name, string(raw)); status != http.StatusAccepted {
				t.Fatal(status)
			}
			for _, d := range l.documents(assistant) {
				var passages struct {
					Data []struct {
						Text          string
						SectionHeader string `json:"section_header"`
					}
				}
				status := l.request("GET", "/v1.0/documents/"+d.ID+"/chunks", "", nil, &passages)
				if status != http.StatusOK || len(passages.Data) == 0 {
					t.Fatal(status)
				}
				for _, c := range passages.Data {
					if c.SectionHeader != tableTitle {
						t.Errorf("%q stands under %q", c.Text, c.SectionHeader)
					}
				}
			}
			l.tableClaimsIn(t, assistant, claims)
		})
	}
}

// tableClaimsIn has a chat answered with all claims, each cited, and compares what the program
// says of each, as JSON and streamed.
func (l *listener) tableClaimsIn(t *testing.T, assistant string, claims map[string]string) {
	t.Helper()
	order := slices.Sorted(maps.Keys(claims))
	says := ""
	for _, claim := range order {
		says += strings.TrimSuffix(claim, ".") + " [1].\n\n"
	}
	whole := l.asked(t, assistant, speech{Says: says, How: "json"})
	if streamed := l.asked(t, assistant, speech{Says: says, How: "thirds"}); !bytes.Equal(streamed, whole) {
		t.Errorf("streamed:\n%s\nas JSON:\n%s", streamed, whole)
	}
	var got citations.Citations
	if err := json.Unmarshal(whole, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Markers) != len(order) {
		t.Fatalf("%d markers of %d claims in %s", len(got.Markers), len(order), whole)
	}
	for i, claim := range order {
		m, row := got.Markers[i], ""
		for _, r := range tableRows[1:] {
			if strings.Contains(claim, r[0]) {
				row = strings.Join(r, " | ")
			}
		}
		if m.Support != claims[claim] || m.Quote == nil || m.Quote.Text != row || m.Quote.Header != strings.Join(tableRows[0], " | ") {
			t.Errorf("%q is %s, want %s; quote %+v", claim, m.Support, claims[claim], m.Quote)
		}
	}
}

// A passage of a request may be a table as CSV or HTML: the claims get the same verdicts as in a
// document, and the quoted row is verbatim.
func TestATableInAPassageIsCheckedAlikeInEveryForm(t *testing.T) {
	var html strings.Builder
	for _, row := range tableRows {
		html.WriteString("<tr><td>" + strings.Join(row, "</td> <td>") + "</td></tr>\n")
	}
	claims := tableClaims()
	order := slices.Sorted(maps.Keys(claims))
	text := ""
	for _, claim := range order {
		text += strings.TrimSuffix(claim, ".") + " [1].\n\n"
	}
	l := startListener(t)
	for between, passage := range map[string]string{
		",":          `"` + tableTitle + "\",,,\n" + joined(","),
		";":          tableTitle + "\n" + joined(";"),
		"\t":         tableTitle + "\n" + joined("\t"),
		" | ":        tableTitle + "\n" + joined(" | "),
		"</td> <td>": "<table><caption>" + tableTitle + "</caption>\n" + html.String() + "</table>",
	} {
		var got struct{ Citations citations.Citations }
		body := map[string]any{"text": text, "passages": []map[string]any{{"id": "1", "text": passage}}}
		if status := l.json("POST", "/v1/check", body, &got); status != http.StatusOK || len(got.Citations.Markers) != len(order) {
			t.Fatalf("%d, %d markers", status, len(got.Citations.Markers))
		}
		for i, claim := range order {
			m, row := got.Citations.Markers[i], ""
			for _, r := range tableRows[1:] {
				if strings.Contains(claim, r[0]) {
					row = strings.Join(r, between)
				}
			}
			if m.Support != claims[claim] || m.Quote == nil || m.Quote.Text != row || m.Quote.Header != strings.Join(tableRows[0], between) {
				t.Errorf("%q: %q is %s, want %s; quote %+v", between, claim, m.Support, claims[claim], m.Quote)
			}
		}
	}
}
