package office

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// A zipped is an entry of an archive that a test makes.
type zipped struct {
	name, text string
}

func archiveOf(t testing.TB, entries ...zipped) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.Create(e.name)
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

const (
	packageRels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	wordSpace   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
)

// wordFile is a Word document with a body and further entries.
func wordFile(t testing.TB, body string, more ...zipped) []byte {
	t.Helper()
	return archiveOf(t, append([]zipped{
		{"[Content_Types].xml", "<Types/>"},
		{"_rels/.rels", packageRels},
		{"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordSpace + `><w:body>` + body + `</w:body></w:document>`},
	}, more...)...)
}

func para(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

func TestNamesInArchivesLeadNowhere(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	write := func(h *zip.FileHeader, text string) {
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", `..\..\x`, `C:\x`, "word/../../x", "", "word//x", "word/./x", "dir/"} {
		text := "x"
		if strings.HasSuffix(name, "/") {
			text = ""
		}
		write(&zip.FileHeader{Name: name}, text)
	}
	link := &zip.FileHeader{Name: "word/styles.xml"}
	link.SetMode(fs.ModeSymlink | 0o777)
	write(link, "/etc/passwd")
	write(&zip.FileHeader{Name: "word/document.xml"}, "<document/>")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := openArchive(io.NewSectionReader(bytes.NewReader(b.Bytes()), 0, int64(b.Len())))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.files) != 1 || !a.has("word/document.xml") || !a.has("/Word/DOCUMENT.xml") || a.has("word/styles.xml") || a.has("etc/passwd") {
		t.Errorf("entries %v", a.files)
	}
}

func TestAnEntryThatIsThereTwiceIsNotRead(t *testing.T) {
	same := wordFile(t, para("one"), zipped{"word/media.bin", "x"}, zipped{"word/media.bin", "x"})
	if doc := extracttest.MustExtract(t, "a.docx", same); doc.Text != "one" {
		t.Errorf("%q", doc.Text)
	}
	_, err := extracttest.Extracted(t, "a.docx", wordFile(t, para("one"), zipped{"word/document.xml", "<document/>"}))
	extracttest.WantCode(t, err, extract.CodeUnreadable)
}

// bomb is an entry that inflates to size bytes of XML that begins and ends as given.
func bomb(start, end string, size int) string {
	return start + strings.Repeat(" ", size-len(start)-len(end)) + end
}

func TestArchivesThatUnpackToTooMuchAreTooComplex(t *testing.T) {
	body := "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
	many := make([]zipped, maxEntries+1)
	for i := range many {
		many[i].name = fmt.Sprintf("word/%d.xml", i)
	}
	for name, raw := range map[string][]byte{
		"one part":          wordFile(t, bomb(body, "", 8<<20)),
		"a part not read":   wordFile(t, body, zipped{"word/media/a.bmp", strings.Repeat("\x00", 8<<20)}),
		"many small parts":  wordFile(t, body, repeated(zipped{"word/%d.xml", strings.Repeat("a", 64<<10)}, 200)...),
		"entries":           wordFile(t, body, many...),
		"a huge directory":  wordFile(t, body, repeated(zipped{strings.Repeat("n", 60_000) + "%d", ""}, 200)...),
		"a nested archive":  wordFile(t, body, zipped{"word/embeddings/a.zip", strings.Repeat("PK\x03\x04", 3<<20)}),
		"a part of a table": wordFile(t, body, zipped{"word/_rels/document.xml.rels", bomb("<Relationships>", "</Relationships>", 5<<20)}),
	} {
		_, err := extracttest.Extracted(t, "a.docx", raw)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Run(name, func(t *testing.T) { extracttest.WantCode(t, err, extract.CodeTooComplex) })
	}
}

// What an archive says of its size is believed where it says too much: its limit
// holds, however little its parts are packed.
func TestAnArchiveMayNotUnpackToMoreThanItsLimit(t *testing.T) {
	packed := make([]byte, 3<<20)                   // hardly packed, for all of it
	_, _ = rand.NewChaCha8([32]byte{}).Read(packed) // never fails
	for size, code := range map[uint64]string{maxInflated + 1<<20: extract.CodeTooComplex, maxInflated / 2: extract.CodeUnreadable} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, e := range []zipped{{"_rels/.rels", packageRels}, {"word/document.xml", "<document"}} {
			w, err := z.Create(e.name)
			if err == nil {
				_, err = io.WriteString(w, e.text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		w, err := z.CreateRaw(&zip.FileHeader{Name: "word/media/a.bmp", Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: size})
		if err == nil {
			_, err = w.Write(packed)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = extracttest.Extracted(t, "a.docx", b.Bytes())
		extracttest.WantCode(t, err, code)
	}
}

func repeated(e zipped, n int) []zipped {
	out := make([]zipped, n)
	for i := range out {
		out[i] = zipped{fmt.Sprintf(e.name, i), e.text}
	}
	return out
}

// An entry whose directory says that it is small is believed only so far.
func TestAnArchiveThatLiesAboutItsSizesIsNotRead(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range []zipped{{"_rels/.rels", packageRels}, {"word/document.xml", "<document>" + strings.Repeat("<p/>", 1<<20) + "</document>"}} {
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: e.name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(e.text)),
			CompressedSize64: uint64(len(e.text)), UncompressedSize64: uint64(min(len(e.text), 1000)),
		})
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
	_, err := extracttest.Extracted(t, "a.docx", b.Bytes())
	extracttest.WantCode(t, err, extract.CodeUnreadable)
}

func TestDamagedArchivesAreUnreadable(t *testing.T) {
	whole := wordFile(t, para("some words that are long enough to be cut"))
	for _, n := range []int{len(whole) - 1, len(whole) / 2, 40, 4} {
		if _, err := extracttest.Extracted(t, "a.docx", whole[:n]); err == nil {
			t.Errorf("%d of %d bytes: no error", n, len(whole))
		} else {
			extracttest.WantCode(t, err, extract.CodeUnreadable)
		}
	}
	for name, raw := range map[string][]byte{
		"no main part":     archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", packageRels}),
		"no relationships": archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", "<Relationships/>"}),
		"cut XML":          wordFile(t, "<w:p>"),
		"crossed elements": wordFile(t, "<w:p></w:r>"),
		"not XML":          wordFile(t, para("x & y")),
		"a jar":            archiveOf(t, zipped{"META-INF/MANIFEST.MF", "x"}),
		"plain files":      archiveOf(t, zipped{"a.txt", "words"}),
		"binary workbook": archiveOf(t, zipped{"[Content_Types].xml", ""},
			zipped{"_rels/.rels", strings.Replace(packageRels, "word/document.xml", "xl/workbook.bin", 1)}, zipped{"xl/workbook.bin", "x"}),
		"something else": archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", packageRels}, zipped{"word/document.xml", "<visio/>"}),
	} {
		_, err := extracttest.Extracted(t, "a.docx", raw)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Run(name, func(t *testing.T) { extracttest.WantCode(t, err, extract.CodeUnreadable) })
	}
}

func TestHostileXMLIsRefused(t *testing.T) {
	document := func(text string) []byte {
		return archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", packageRels}, zipped{"word/document.xml", text})
	}
	noise := func(n int) string { // does not compress, so that the archive's limits say nothing
		raw := make([]byte, n/2+1)
		_, _ = rand.NewChaCha8([32]byte{}).Read(raw) // never fails
		return hex.EncodeToString(raw)[:n]
	}
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` a%d="%s"`, i, noise(8))
		}
		return b.String()
	}
	for _, c := range []struct{ about, text, code string }{
		{"a DTD", `<!DOCTYPE d [<!ENTITY a "b">]><document>&a;</document>`, extract.CodeUnreadable},
		{"a DTD behind a comment", `<?xml version="1.0"?><!-- > --><!DOCTYPE d><document/>`, extract.CodeUnreadable},
		{"a DTD in UTF-16", littleEndian(`<!DOCTYPE d><document/>`), extract.CodeUnreadable},
		{"an entity", `<document><p>&a;</p></document>`, extract.CodeUnreadable},
		{"nesting", "<document>" + strings.Repeat("<p>", maxElements+1), extract.CodeTooComplex},
		{"nested tables", "<document><body>" + strings.Repeat("<tbl><tr><tc>", 100), extract.CodeTooComplex},
		{"a million attributes", "<document><p" + attributes(100_000) + "/></document>", extract.CodeTooComplex},
		{"a long attribute", `<document a="` + noise(maxTag+1) + `"/>`, extract.CodeTooComplex},
		{"a long name", `<` + noise(maxTag+1) + `/>`, extract.CodeTooComplex},
		{"a long text", `<document><p><t>` + noise(maxNode+1) + `</t></p></document>`, extract.CodeTooComplex},
		{"a long comment", `<document><!--` + noise(maxNode+1) + `--></document>`, extract.CodeTooComplex},
		{"a long comment that seems short", `<document><!--->` + noise(maxNode+1) + `--></document>`, extract.CodeTooComplex},
		{"a long CDATA", `<document><![CDATA[` + noise(maxNode+1) + `]]></document>`, extract.CodeTooComplex},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, err := extracttest.Extracted(t, "a.docx", document(c.text))
			extracttest.WantCode(t, err, c.code)
		})
	}
}

func littleEndian(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range s {
		b.WriteString(string([]byte{byte(r), byte(r >> 8)}))
	}
	return b.String()
}

func TestPartsInOtherEncodingsAreRead(t *testing.T) {
	body := `<w:document ` + wordSpace + `><w:body>` + para("Grüße") + `</w:body></w:document>`
	for name, text := range map[string]string{
		"UTF-8 with a mark": "\xef\xbb\xbf" + `<?xml version="1.0" encoding="utf-8"?>` + body,
		"UTF-16":            littleEndian(`<?xml version="1.0" encoding="UTF-16"?>` + body),
		"Latin-1":           `<?xml version='1.0' encoding='ISO-8859-1'?>` + strings.NewReplacer("ü", "\xfc", "ß", "\xdf").Replace(body),
		"unknown":           `<?xml version="1.0" encoding="x-unheard-of"?>` + body,
	} {
		raw := archiveOf(t, zipped{"[Content_Types].xml", ""}, zipped{"_rels/.rels", packageRels}, zipped{"word/document.xml", text})
		if doc := extracttest.MustExtract(t, "a.docx", raw); doc.Text != "Grüße" {
			t.Errorf("%s: %q", name, doc.Text)
		}
	}
}

func TestADocumentThatLacksPartsIsDamagedAndAnArchiveIsNot(t *testing.T) {
	raw := archiveOf(t, zipped{"docProps/app.xml", "<x/>"}, zipped{"word/document.xml", "<x/>"})
	for name, want := range map[string]string{"report.docx": "The file is damaged.", "Report.XLSX": "The file is damaged.", "all.zip": "This kind of archive is not read.", "": "This kind of archive is not read."} {
		_, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{Name: name})
		if e, ok := errors.AsType[*extract.Error](err); !ok || !strings.HasPrefix(e.Message, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
