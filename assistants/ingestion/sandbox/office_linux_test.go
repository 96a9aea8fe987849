package sandbox

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants/ingestion/extract"
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

// maxRSS is the most memory that a child may take for a document that is only
// made to take memory.
const maxRSS = 300 << 20

func TestBombsEndWithinTheirLimits(t *testing.T) {
	ods := func(rows string) string {
		return archived(t, "mimetype", extract.TypeODS, "content.xml",
			`<document-content><body><spreadsheet><table name="T">`+rows+`</table></spreadsheet></body></document-content>`)
	}
	for name, content := range map[string]string{
		"a part of blanks":   wordArchive(t, "<document>"+strings.Repeat(" ", 64<<20)+"</document>"),
		"nested elements":    wordArchive(t, strings.Repeat("<document>", 100_000)),
		"nested tables":      wordArchive(t, "<document><body>"+strings.Repeat("<tbl><tr><tc>", 100_000)),
		"attributes":         wordArchive(t, "<document><p"+strings.Repeat(` a=""`, 1_000_000)+"/></document>"),
		"cells that repeat":  ods(`<table-row number-rows-repeated="1048576"><table-cell number-columns-repeated="16384" value-type="float" value="1"/></table-row>`),
		"a row that repeats": ods(`<table-row number-rows-repeated="1048576"><table-cell><p>` + strings.Repeat("many words ", 5) + `</p></table-cell></table-row>`),
	} {
		t.Run(name, func(t *testing.T) {
			var child *exec.Cmd
			x := New(Config{Limits: patient})
			command := x.command
			x.command = func(ctx context.Context) (cmd *exec.Cmd, err error) {
				child, err = command(ctx)
				return child, err
			}
			_, err := x.Extract(t.Context(), document(t, content), Hint{Name: "a.txt"})
			var bad *extract.Error
			if !errors.As(err, &bad) || bad.Code != extract.CodeTooComplex {
				t.Fatalf("error %v", err)
			}
			usage, ok := child.ProcessState.SysUsage().(*syscall.Rusage)
			if rss := usage.Maxrss << 10; ok && !raceDetector && rss > maxRSS {
				t.Errorf("the child took %d MiB", rss>>20)
			}
		})
	}
}

// As many rows as a sheet can have are read with a child's memory.
func TestAMillionRowsOfASheetAreRead(t *testing.T) {
	rows := 1 << 20
	if raceDetector {
		rows = 1 << 15
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
