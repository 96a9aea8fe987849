package office

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// bookFile is a workbook of sheets given as rows, and further entries.
func bookFile(t testing.TB, states []string, sheets []string, more ...zipped) []byte {
	t.Helper()
	entries := []zipped{{"[Content_Types].xml", ""}, {"_rels/.rels", strings.Replace(packageRels, "word/document.xml", "xl/workbook.xml", 1)}}
	var list, rels strings.Builder
	for i, rows := range sheets {
		fmt.Fprintf(&list, `<sheet name="S%d" state="%s" r:id="s%d"/>`, i+1, states[i], i+1)
		fmt.Fprintf(&rels, `<Relationship Id="s%d" Type="x/worksheet" Target="sheet%d.xml"/>`, i+1, i+1)
		entries = append(entries, zipped{fmt.Sprintf("xl/sheet%d.xml", i+1), "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"})
	}
	entries = append(entries,
		zipped{"xl/workbook.xml", `<workbook xmlns:r="r"><sheets>` + list.String() + `</sheets><externalReferences><externalReference r:id="x"/></externalReferences></workbook>`},
		zipped{"xl/_rels/workbook.xml.rels", `<Relationships>` + rels.String() + `<Relationship Id="x" Type="x/externalLink" Target="externalLinks/externalLink1.xml"/></Relationships>`})
	return stored(t, append(entries, more...)...)
}

// What a document would have a program do when it is opened is not done: macros
// and field codes are not text, what is linked is not fetched, what is embedded is
// not opened.
func TestActiveContentIsNeitherReadNorFetched(t *testing.T) {
	var fetched atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		fmt.Fprint(w, "<html><body>fetched words</body></html>")
	}))
	defer server.Close()
	external := func(kinds ...string) string {
		var b strings.Builder
		b.WriteString("<Relationships>")
		for i, kind := range kinds {
			fmt.Fprintf(&b, `<Relationship Id="e%d" Type="x/%s" Target="%s/%s" TargetMode="External"/>`, i, kind, server.URL, kind)
		}
		return b.String() + "</Relationships>"
	}
	run := func(s string) string { return "<w:r>" + s + "</w:r>" }
	text := func(s string) string { return run("<w:t>" + s + "</w:t>") }
	field := func(code, shown string) string {
		return run(`<w:fldChar w:fldCharType="begin"/>`) + run("<w:instrText>"+code+"</w:instrText>") + run(`<w:fldChar w:fldCharType="separate"/>`) + text(shown) + run(`<w:fldChar w:fldCharType="end"/>`)
	}
	word := wordFile(t, "<w:p>"+text("Words ")+field(`DDEAUTO c:\\windows\\cmd.exe "/k forbidden"`, "shown")+field(`INCLUDETEXT "`+server.URL+`/forbidden"`, " twice")+"</w:p>"+
		`<w:p><w:fldSimple w:instr="DDE forbidden">`+text("Simple")+`</w:fldSimple></w:p><w:altChunk r:id="e1"/><w:subDoc r:id="e2"/>`+
		`<w:p><w:r><w:object><o:OLEObject ProgID="Package" r:id="o1"/></w:object></w:r></w:p>`,
		zipped{"word/_rels/document.xml.rels", strings.Replace(external("image", "aFChunk", "subDocument", "footnotes", "header"), "</Relationships>",
			`<Relationship Id="o1" Type="x/oleObject" Target="embeddings/oleObject1.bin"/><Relationship Id="v" Type="x/vbaProject" Target="vbaProject.bin"/></Relationships>`, 1)},
		zipped{"word/_rels/settings.xml.rels", external("attachedTemplate")}, zipped{"word/settings.xml", `<settings><attachedTemplate r:id="e0"/></settings>`},
		zipped{"word/vbaProject.bin", "Sub AutoOpen() forbidden End Sub"}, zipped{"word/embeddings/oleObject1.bin", "\xd0\xcf\x11\xe0 forbidden"},
		zipped{"word/embeddings/inner.docx", string(wordFile(t, para("forbidden")))})
	cell := `<row r="1"><c r="A1" t="str"><f>%s</f><v>%s</v></c></row>`
	book := bookFile(t, []string{"visible", "hidden", "veryHidden"},
		[]string{fmt.Sprintf(cell, `cmd|'/c forbidden'!A0`, "known") + strings.ReplaceAll(fmt.Sprintf(cell, `HYPERLINK("`+server.URL+`/forbidden","x")`, "x"), "1", "2"), fmt.Sprintf(cell, "", "forbidden"), fmt.Sprintf(cell, "", "forbidden")},
		zipped{"xl/externalLinks/externalLink1.xml", `<externalLink><ddeLink ddeService="cmd" ddeTopic="/c forbidden"><ddeItems><ddeItem name="forbidden"/></ddeItems></ddeLink></externalLink>`},
		zipped{"xl/externalLinks/_rels/externalLink1.xml.rels", external("externalLinkPath")}, zipped{"xl/vbaProject.bin", "forbidden"},
		zipped{"xl/connections.xml", `<connections><connection name="forbidden"><webPr url="` + server.URL + `/forbidden"/></connection></connections>`})
	writer := stored(t, zipped{"mimetype", extract.TypeODT}, zipped{"content.xml", `<document-content xmlns:xlink="l"><scripts><script>forbidden</script></scripts><body><text>` +
		`<dde-connection-decls><dde-connection-decl name="forbidden" dde-application="cmd"/></dde-connection-decls>` +
		`<p>Words <dde-connection connection-name="forbidden">shown</dde-connection></p>` +
		`<section name="s"><section-source xlink:href="` + server.URL + `/forbidden"/><p>kept</p></section>` +
		`<p><frame><image xlink:href="` + server.URL + `/x.png"/></frame><frame><object-ole xlink:href="./Object 1"/></frame></p></text></body></document-content>`},
		zipped{"Object 1", "\xd0\xcf\x11\xe0 forbidden"}, zipped{"Basic/Standard/Module1.xml", "<module>Sub Main forbidden</module>"})
	page := `<!doctype html><title>T</title><link rel=stylesheet href="` + server.URL + `/a.css"><meta http-equiv=refresh content="0;url=` + server.URL + `"><base href="` + server.URL + `">` +
		`<body onload="forbidden()">Words<script src="` + server.URL + `/a.js">forbidden</script><img src="` + server.URL + `/a.png" onerror="forbidden"><iframe src="` + server.URL + `">forbidden</iframe>` +
		`<object data="` + server.URL + `">forbidden</object><a href="javascript:forbidden()">shown</a>`
	for name, c := range map[string]struct{ raw, want string }{
		"a.docm": {string(word), "Words shown twice\n\nSimple"},
		"a.xlsm": {string(book), "S1\n\nknown\nx"},
		"a.odt":  {string(writer), "Words shown\n\nkept"},
		"a.html": {page, "Wordsshown"},
		"a.md":   {"![x](" + server.URL + "/a.png) Words", "![x](" + server.URL + "/a.png) Words"},
	} {
		if doc := extracttest.MustExtract(t, name, []byte(c.raw)); doc.Text != c.want || strings.Contains(doc.Title, "forbidden") {
			t.Errorf("%s: %q", name, doc.Text)
		}
	}
	if n := fetched.Load(); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}
