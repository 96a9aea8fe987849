package extract

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestSniffJudgesByContent(t *testing.T) {
	utf16 := "\xff\xfeH\x00e\x00l\x00l\x00o\x00"
	odtHead := "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/vnd.oasis.opendocument.text"
	for _, c := range []struct {
		about, head, name, want string
		supported               bool
	}{
		{"PDF", "%PDF-1.7\n", "a.pdf", TypePDF, true},
		{"ODT", odtHead, "a.odt", TypeODT, true},
		{"a template", strings.Replace(odtHead, "text", "text-template", 1), "a.ott", TypeODT, true},
		{"a book", "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/epub+zip", "a.zip", TypeEPUB, true},
		{"an archive", string(archiveOf(t, "readme.txt", "words")), "a.docx", "application/zip", false},
		{"an archive that may be one", string(archiveOf(t, "docProps/app.xml", "<p/>")), "", TypeZIP, true},
		{"an old document", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", TypeOLE, true},
		{"a text about archives", "PK is how an archive begins.", "a.txt", TypeText, true},
		{"PDF named text", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a.txt", TypePDF, true},
		{"PDF behind rubbish", "\x00\x01\x02rubbish%PDF-1.7\n", "a.bin", TypePDF, true},
		{"PDF behind a blank line", "\n%PDF-1.7\n", "", TypePDF, true},
		{"a text about PDF", "The header is %PDF-1.7 in most files.", "a.txt", TypeText, true},
		{"text", "Plain words.", "a.txt", TypeText, true},
		{"text without a name", "Plain words.", "", TypeText, true},
		{"text with a foreign extension", "Plain words.", "a.exe", TypeText, true},
		{"Markdown", "# Title\n\nWords", "a.md", TypeMarkdown, true},
		{"Markdown, capital extension", "# Title", "A.MARKDOWN", TypeMarkdown, true},
		{"Markdown that begins with HTML", "<p align=center>Logo</p>\n\n# Title", "README.md", TypeMarkdown, true},
		{"page", "<!DOCTYPE html><html><body>x", "a.html", TypeHTML, true},
		{"page named CSV", "<!DOCTYPE html><html><body>x", "a.csv", TypeHTML, true},
		{"page named Markdown", "  <html lang=en>", "a.md", TypeHTML, true},
		{"page behind comments", "\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x --><html>", "a", TypeHTML, true},
		{"page in UTF-16", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "a.html", TypeHTML, true},
		{"part of a page", "<p>Words</p>", "a.htm", TypeHTML, true},
		{"no tag in a page", "Only words\nin lines", "a.html", TypeText, true},
		{"CSV", "a;b\n1;2\n", "a.csv", "text/csv", true},
		{"JSON", `{"a":1}`, "a.json", "application/json", true},
		{"UTF-16", utf16, "a.txt", TypeText, true},
		{"Windows-1252", "Stra\xdfe", "a.txt", TypeText, true},
		{"EXE", "MZ\x90\x00\x03\x00\x00\x00", "a.pdf", "application/vnd.microsoft.portable-executable", false},
		{"ELF", "\x7fELF\x02\x01\x01\x00\x00\x00", "a.txt", "application/x-elf", false},
		{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a.md", "image/png", false},
		{"JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "a.txt", "image/jpeg", false},
		{"ZIP", "PK\x03\x04\x14\x00\x00\x00", "a.docx", "application/zip", false},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "a.txt", "application/gzip", false},
		{"RTF", `{\rtf1\ansi Words}`, "a.txt", TypeRTF, true},
		{"RTF with bytes in it", "{\\rtf1\\bin2 \x00\x01}", "a.doc", TypeRTF, true},
		{"mail", "Received: by x\r\nFrom: a@example.org\r\nTo: b@example.org\r\n\r\nx", "a", TypeMail, true},
		{"mail named text", "Received: by x\r\nFrom: a@example.org\r\nTo: b@example.org\r\n\r\nx", "a.txt", TypeText, true},
		{"mail of few headers", "From: a@example.org\nSubject: x\n\nx", "a.eml", TypeMail, true},
		{"notes that begin like a mail", "From: Anna\nTo: Ben\n\nx", "notes", TypeText, true},
		{"no mail", "Dear Anna,\n\nFrom: now on\n", "a.eml", TypeText, true},
		{"JSON without a name", `{"a": [1, 2]}`, "", TypeJSON, true},
		{"lines of JSON", "{\"a\": 1}\n{\"a\": 2}\n", "a.jsonl", TypeJSONL, true},
		{"XML without a name", "<?xml version=\"1.0\"?>\n<a><b>c</b></a>", "", TypeXML, true},
		{"XML in UTF-16", "\xff\xfe<\x00a\x00>\x00b\x00", "a.xml", TypeXML, true},
		{"no XML", "Words", "a.xml", TypeText, true},
		{"CSV without a name", "Country,Meals,Hotel\nNorway,75,139\nJapan,52,190\n", "export", TypeCSV, true},
		{"code", "a, b = 1, 2\nc, d = 3, 4\n", "a.py", TypeText, true},
		{"YAML", "a: 1\nb:\n  - c\n", "a.yaml", "application/yaml", true},
		{"PostScript", "%!PS-Adobe-3.0\n", "a.ps", "application/postscript", false},
		{"SVG", `<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>`, "a.svg", "image/svg+xml", false},
		{"bytes", "\x00\x01\x02\x03\x04\x05\x06\x07", "a.txt", "application/octet-stream", false},
		{"sound", "RIFF\x24\x00\x00\x00WAVEfmt ", "a.txt", "audio/wav", false},
		{"a sentence that begins like a bitmap", "BM is short for benchmark.", "a.txt", TypeText, true},
	} {
		got, supported := Sniff([]byte(c.head), c.name)
		if got != c.want || supported != c.supported {
			t.Errorf("%s: %s, %v; want %s, %v", c.about, got, supported, c.want, c.supported)
		}
	}
}

func TestSniffSeesOnlyTheHead(t *testing.T) {
	head := []byte(strings.Repeat("ä", SniffLen)) // a cut rune at the end
	if got, ok := Sniff(head[:SniffLen+1], "a.txt"); !ok || got != TypeText {
		t.Errorf("%s, %v", got, ok)
	}
	if got, ok := Sniff(nil, "a.txt"); !ok || got != TypeText {
		t.Errorf("an empty head: %s, %v", got, ok)
	}
}

func FuzzSniffNeverPanics(f *testing.F) {
	f.Add([]byte("%PDF-"), "a.pdf")
	f.Add([]byte("<!-- <html"), "a.md")
	f.Add([]byte("\xff\xfe<\x00"), "")
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		if contentType, _ := Sniff(head, name); contentType == "" {
			t.Fatal("no content type")
		}
	})
}

// archiveOf is a zip archive with one file.
func archiveOf(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOneControlCharacterDoesNotMakeATextUnreadable(t *testing.T) {
	for name, c := range map[string]string{"NUL": "\x00", "BEL": "\a", "VT": "\v", "DEL": "\x7f"} {
		text := "Der Preis" + c + " beträgt 5 Euro."
		if got, ok := Sniff([]byte(text), "a.txt"); !ok || got != TypeText {
			t.Errorf("with %s it is %s, %v", name, got, ok)
		}
		if doc := mustExtract(t, "a.txt", []byte(text)); strings.ContainsAny(doc.Text, "\x00\a\v\x7f") || !strings.Contains(doc.Text, "beträgt 5 Euro.") {
			t.Errorf("with %s the text is %q", name, doc.Text)
		}
	}
	if got, ok := Sniff([]byte("\xff\x00\xfe\x01 words"), "a.txt"); ok {
		t.Errorf("bytes are %s", got)
	}
}
