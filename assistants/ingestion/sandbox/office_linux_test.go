package sandbox

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// archived is an archive of names and texts, one after the other.
func archived(t *testing.T, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wordArchive(t *testing.T, document string) string {
	return archived(t, "[Content_Types].xml", "<Types/>",
		"_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", document)
}

// A child's memory suffices for a million rows, which is a sheet's maximum. The
// everyday run reads fewer.
func TestAsManyRowsAsASheetCanHaveAreRead(t *testing.T) {
	rows := 1 << 15
	if nightly {
		rows = 1 << 20
	}
	book := archived(t, "[Content_Types].xml", "<Types/>",
		"_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="s"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="s" Type="x/worksheet" Target="sheet.xml"/></Relationships>`,
		"xl/sheet.xml", "<worksheet><sheetData>"+numbered(rows)+"</sheetData></worksheet>")
	doc, err := New(Config{Limits: patient}).Extract(t.Context(), document(t, book), Hint{Name: "a.xlsx"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(doc.Text, "\n"); n != rows+1 || !strings.HasSuffix(doc.Text, fmt.Sprintf("\n%d", rows-1)) {
		t.Errorf("%d lines, the last of them %q", n, doc.Text[max(0, len(doc.Text)-20):])
	}
}

// numbered are rows that differ, so that they do not pack like a bomb.
func numbered(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "<row><c><v>%d</v></c></row>", i)
	}
	return b.String()
}

func TestOfficeDocumentsAreReadByAChild(t *testing.T) {
	x := New(Config{})
	for name, pages := range map[string]int{"travel.docx": 4, "review.pptx": 5, "rates.xlsx": 3, "letter.odt": 4, "guide.epub": 0} {
		f, err := os.Open("../extract/office/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // only read from
		doc, err := x.Extract(t.Context(), f, Hint{Name: "upload"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(doc.Pages) != pages || doc.Text == "" {
			t.Errorf("%s: %d pages and %d bytes", name, len(doc.Pages), len(doc.Text))
		}
	}
}
