package office

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

func TestOldAndEncryptedDocumentsSayWhatToDo(t *testing.T) {
	_, err := extracttest.Extracted(t, "a.xlsx", extracttest.Testdata(t, "excelize-encrypted.xlsx"))
	extracttest.WantCode(t, err, extract.CodeEncrypted)
	_, err = extracttest.Extracted(t, "a.xls", extracttest.Testdata(t, "readxl-clippy.xls"))
	extracttest.WantCode(t, err, extract.CodeUnreadable)
	if !strings.Contains(err.Error(), "Save it as XLSX") {
		t.Error(err)
	}
	for stream, want := range map[string]string{
		"WordDocument": "Save it as DOCX", "PowerPoint Document": "Save it as PPTX", "Book": "Save it as XLSX", "Other": "no text that can be read",
	} {
		_, err := extracttest.Extracted(t, "a.doc", compound(stream))
		extracttest.WantCode(t, err, extract.CodeUnreadable)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", stream, err)
		}
	}
}

// compound is a compound file with one stream in its directory.
func compound(stream string) []byte {
	raw := make([]byte, 2048)
	copy(raw, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	e := raw[1024:]
	for i := range stream {
		e[2*i] = stream[i]
	}
	e[64], e[66] = byte(2*len(stream)+2), 2
	return raw
}

func TestEncryptedArchivesSaySo(t *testing.T) {
	manifest := `<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>`
	drm := `<encryption><EncryptedData><EncryptionMethod Algorithm="x"/><CipherData><CipherReference URI="%s"/></CipherData></EncryptedData></encryption>`
	container := zipped{"META-INF/container.xml", `<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>`}
	pack := zipped{"p.opf", `<package><manifest><item id="a" href="a.html"/></manifest><spine><itemref idref="a"/></spine></package>`}
	page := zipped{"a.html", "<p>words</p>"}
	for name, raw := range map[string][]byte{
		"OpenDocument": archiveOf(t, zipped{"mimetype", extract.TypeODT}, zipped{"META-INF/manifest.xml", manifest}, zipped{"content.xml", "\x00\x01"}),
		"a book":       archiveOf(t, zipped{"mimetype", extract.TypeEPUB}, container, pack, page, zipped{"META-INF/encryption.xml", fmt.Sprintf(drm, "a.html")}),
	} {
		_, err := extracttest.Extracted(t, "a", raw)
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		extracttest.WantCode(t, err, extract.CodeEncrypted)
	}
	fonts := archiveOf(t, zipped{"mimetype", extract.TypeEPUB}, container, pack, page, zipped{"META-INF/encryption.xml", fmt.Sprintf(drm, "font.otf")})
	if doc := extracttest.MustExtract(t, "a.epub", fonts); doc.Text != "words" {
		t.Errorf("%q", doc.Text)
	}
}

func TestWhatIsInAnArchiveDecidesWhatItIs(t *testing.T) {
	for _, name := range []string{"travel.docx", "review.pptx", "rates.xlsx", "letter.odt", "budget.ods", "talk.odp", "guide.epub"} {
		raw := extracttest.Testdata(t, ""+name)
		want, supported := extract.Sniff(raw, "report.pdf")
		if !supported {
			t.Errorf("%s is not supported", name)
		}
		if doc := extracttest.MustExtract(t, "report.pdf", raw); doc.ContentType != want || want == extract.TypeZIP {
			t.Errorf("%s is %s, and %s by its head", name, doc.ContentType, want)
		}
	}
	// The same with what the head does not show.
	late := archiveOf(t, zipped{"docProps/thumbnail.jpeg", strings.Repeat("\xff\xd8", extract.SniffLen)},
		zipped{"_rels/.rels", packageRels}, zipped{"word/document.xml", `<document><body>` + para("late") + `</body></document>`})
	if doc := extracttest.MustExtract(t, "a.bin", late); doc.ContentType != extract.TypeDOCX || doc.Text != "late" {
		t.Errorf("%s: %q", doc.ContentType, doc.Text)
	}
}

func TestHeadersAreReadWhenThereIsNothingElse(t *testing.T) {
	rels := zipped{"word/_rels/document.xml.rels", `<Relationships><Relationship Id="h" Type="x/header" Target="header1.xml"/></Relationships>`}
	header := zipped{"word/header1.xml", `<hdr>` + para("Letterhead") + `</hdr>`}
	if doc := extracttest.MustExtract(t, "a.docx", wordFile(t, para(""), rels, header)); doc.Text != "Letterhead" {
		t.Errorf("%q", doc.Text)
	}
	if doc := extracttest.MustExtract(t, "a.docx", wordFile(t, para("Body"), rels, header)); doc.Text != "Body" {
		t.Errorf("%q", doc.Text)
	}
}

func TestPagesOfWordEndWhereItPrintedThem(t *testing.T) {
	const rendered, broken = `<w:lastRenderedPageBreak/>`, `<w:br w:type="page"/>`
	r := func(s string) string { return "<w:r>" + s + "</w:r>" }
	words := func(s string) string { return r("<w:t>" + s + "</w:t>") }
	p := func(s ...string) string { return "<w:p>" + strings.Join(s, "") + "</w:p>" }
	for _, c := range []struct {
		about, body string
		want        []string
	}{
		{"no breaks", p(words("a")), nil},
		{"only the author's", p(words("a"), r(broken), words("b")), nil},
		{"printed", p(words("one ")) + p(r(rendered), words("two")), []string{"one", "two"}},
		{"the author's, as printed", p(words("a"), r(broken)) + p(r(rendered), words("b")), []string{"a", "b"}},
		{"an empty page", p(r(broken)) + p(r(rendered), r(broken)) + p(r(rendered), words("c")), []string{"", "", "c"}},
		{"a page with a picture", p(words("a"), r(broken)) + p(r(rendered), r("<w:drawing/>")) + p(r(rendered), words("c")), []string{"a", "", "c"}},
		{"in a word", p(words("hy"), r(rendered), words("phen"), words("ated. More")), []string{"hyphenated.", "More"}},
		{"in a heading's contents", `<w:p><w:pPr><w:pStyle w:val="TOC1"/></w:pPr>` + words("a") + r(rendered) + words("9") + "</w:p>" + p(words("b")), []string{"", "b"}},
		{"before a row", "<w:tbl><w:tr><w:tc>" + p(words("a")) + "</w:tc></w:tr><w:tr><w:tc>" + p(r(rendered), words("b")) + "</w:tc><w:tc>" + p(words("c")) + "</w:tc></w:tr></w:tbl>", []string{"a", "b | c"}},
		{"in a row", "<w:tbl><w:tr><w:tc>" + p(words("a"), r(rendered), words("b")) + "</w:tc><w:tc>" + p(words("c")) + "</w:tc></w:tr></w:tbl>" + p(words("d")), []string{"ab | c", "d"}},
	} {
		doc := extracttest.MustExtract(t, "a.docx", wordFile(t, c.body))
		var got []string
		for _, p := range doc.Pages {
			got = append(got, doc.Text[p.Start:p.End])
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

func TestAFootnoteStandsOnItsPage(t *testing.T) {
	rels := zipped{"word/_rels/document.xml.rels", `<Relationships><Relationship Id="f" Type="x/footnotes" Target="footnotes.xml"/></Relationships>`}
	notes := zipped{"word/footnotes.xml", `<footnotes><footnote id="2">` + para("Below.") + `</footnote></footnotes>`}
	body := `<w:p><w:r><w:t>First</w:t><w:footnoteReference w:id="2"/></w:r><w:r><w:lastRenderedPageBreak/><w:t> second</w:t><w:footnoteReference w:id="2"/></w:r></w:p>`
	doc := extracttest.MustExtract(t, "a.docx", wordFile(t, body, rels, notes))
	if got := fmt.Sprintf("%q %q", doc.Text[doc.Pages[0].Start:doc.Pages[0].End], doc.Text[doc.Pages[1].Start:doc.Pages[1].End]); got != `"First¹\n\n¹ Below." "second"` {
		t.Error(got)
	}
}

func TestFramesOfAPageAreRead(t *testing.T) {
	frame := func(s string) string { return "<frame><text-box><p>" + s + "</p></text-box></frame>" }
	raw := archiveOf(t, zipped{"mimetype", extract.TypeODT}, zipped{"content.xml",
		"<document-content><body><text>" + frame("one") + "<p>words</p>" + frame("two") + frame("three<frame><text-box>"+frame("inner")+"</text-box></frame>") + "</text></body></document-content>"})
	if doc := extracttest.MustExtract(t, "a.odt", raw); doc.Text != "one\n\nwords\n\ntwo\n\nthree\n\ninner" {
		t.Errorf("%q", doc.Text)
	}
}

// TestRowsAndCellsThatRepeatWithoutEndAreBounded: a few bytes of a spreadsheet
// may stand for millions of cells.
func TestRowsAndCellsThatRepeatWithoutEndAreBounded(t *testing.T) {
	sheet := func(rows string) []byte {
		return archiveOf(t, zipped{"mimetype", extract.TypeODS},
			zipped{"content.xml", `<document-content><body><spreadsheet><table name="T">` + rows + `</table></spreadsheet></body></document-content>`})
	}
	row := `<table-row number-rows-repeated="%d"><table-cell number-columns-repeated="%d" value-type="string">%s</table-cell></table-row>`
	_, err := extracttest.Extracted(t, "a.ods", sheet(fmt.Sprintf(row, 1<<30, 1<<30, "<p>word</p>")))
	extracttest.WantCode(t, err, extract.CodeTooComplex)
	doc := extracttest.MustExtract(t, "a.ods", sheet(strings.Repeat(fmt.Sprintf(row, 1<<30, 1<<30, ""), 100)+fmt.Sprintf(row, 2, 3, "<p>x</p>")))
	if doc.Text != "T\n\nx | x | x\nx | x | x" {
		t.Errorf("%q", doc.Text)
	}
}

func TestCellsFarApartAreBounded(t *testing.T) {
	rels := strings.Replace(packageRels, "word/document.xml", "xl/workbook.xml", 1)
	raw := archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", rels},
		zipped{"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>`},
		zipped{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="x/worksheet" Target="s.xml"/></Relationships>`},
		zipped{"xl/s.xml", `<worksheet><sheetData><row r="1048576"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="s"><v>99</v></c><c r="XFD1" t="str"><v>z</v></c><c r="ZZZZ1"><v>1</v></c></row></sheetData></worksheet>`})
	doc := extracttest.MustExtract(t, "a.xlsx", raw)
	if n := strings.Count(doc.Text, "|"); n > 2*maxGap || !strings.HasPrefix(doc.Text, "S\n\na |") {
		t.Errorf("%d bars in %q", n, doc.Text)
	}
}

// fuzzOffice changes one part of a document.
func fuzzOffice(f *testing.F, part string, documents ...string) {
	for _, name := range documents {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		a, err := openArchive(io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw))))
		if err != nil {
			f.Fatal(err)
		}
		text, err := a.readAll(part, maxNode)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	raw, err := os.ReadFile(filepath.Join("testdata", documents[0]))
	if err != nil {
		f.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		f.Fatal(err)
	}
	var rest []zipped
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			f.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			f.Fatal(err)
		}
		if name := file.Name; name != part && (strings.HasSuffix(name, "ml") || strings.HasSuffix(name, ".rels") || strings.HasSuffix(name, ".opf") || name == "mimetype") {
			rest = append(rest, zipped{name, string(text)})
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 64 << 10
		raw := stored(t, append(rest[:len(rest):len(rest)], zipped{part, text})...)
		doc, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{MaxText: limit, MaxPages: 1000})
		if err != nil {
			var known *extract.Error
			if !errors.As(err, &known) {
				t.Fatalf("%v is no error of a document", err)
			}
			return
		}
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		if len(doc.Text) > limit {
			t.Fatalf("%d bytes of text", len(doc.Text))
		}
	})
}

// stored is an archive without compression, which is most of the time otherwise.
func stored(t testing.TB, entries ...zipped) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzDOCX(f *testing.F)        { fuzzOffice(f, "word/document.xml", "travel.docx", "layout.docx") }
func FuzzDOCXNumbers(f *testing.F) { fuzzOffice(f, "word/numbering.xml", "travel.docx") }
func FuzzPPTX(f *testing.F)        { fuzzOffice(f, "ppt/slides/slide2.xml", "review.pptx") }
func FuzzXLSX(f *testing.F) {
	fuzzOffice(f, "xl/worksheets/sheet1.xml", "rates.xlsx", "uncalculated.xlsx")
}
func FuzzODT(f *testing.F)         { fuzzOffice(f, "content.xml", "letter.odt") }
func FuzzODS(f *testing.F)         { fuzzOffice(f, "content.xml", "budget.ods") }
func FuzzODP(f *testing.F)         { fuzzOffice(f, "content.xml", "talk.odp") }
func FuzzEPUB(f *testing.F)        { fuzzOffice(f, "OEBPS/nav.xhtml", "guide.epub") }
func FuzzEPUBPackage(f *testing.F) { fuzzOffice(f, "OEBPS/content.opf", "guide.epub") }

func FuzzNumberFormat(f *testing.F) {
	for _, code := range []string{"#,##0.00;[Red]-#,##0.00", "[h]:mm:ss.000", "d. mmmm yyyy h AM/PM", "000-0000", "0.0,, \"m\"", "# ?/?", "_-* \"-\"??_-", "\\\\"} {
		f.Add(code, 1234.5)
	}
	f.Fuzz(func(t *testing.T, code string, v float64) {
		if text := parseFormat(code).show(v, false); len(text) > 2048 {
			t.Fatalf("%d bytes", len(text))
		}
	})
}
