package office

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

var update = flag.Bool("update", false, "rewrite the golden texts in testdata")

// annotated is a document for people: its text line by line, and before each
// line what the line is. Pages stand between the lines.
func annotated(d extract.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\ntitle: %s\n", d.ContentType, d.Title)
	page, heading, block := 0, 0, 0
	at := 0
	for line := range strings.Lines(d.Text) {
		for ; page < len(d.Pages) && d.Pages[page].Start <= at; page++ {
			empty := ""
			if d.Pages[page].Start == d.Pages[page].End {
				empty = " (empty)"
			}
			fmt.Fprintf(&b, "=== page %d%s\n", d.Pages[page].Number, empty)
		}
		mark := "      "
		for block < len(d.Blocks) && d.Blocks[block].End <= at {
			block++
		}
		if block < len(d.Blocks) && d.Blocks[block].Start <= at {
			mark = fmt.Sprintf("%-5s ", d.Blocks[block].Kind)
			if at < d.Blocks[block].HeaderEnd {
				mark = "head  "
			}
		}
		line = strings.TrimSuffix(line, "\n")
		for ; heading < len(d.Headings) && d.Headings[heading].Start < at+len(line); heading++ {
			h := d.Headings[heading]
			mark = fmt.Sprintf("h%-4d ", h.Level)
			if h.Start != at || h.Title != line {
				fmt.Fprintf(&b, "h%d at %d: %s\n", h.Level, h.Start-at, h.Title)
				mark = "      "
			}
		}
		b.WriteString(strings.TrimRight(mark+"|"+line, " ") + "\n")
		at += len(line) + 1
	}
	for ; page < len(d.Pages); page++ {
		fmt.Fprintf(&b, "=== page %d (empty)\n", d.Pages[page].Number)
	}
	return b.String()
}

// TestDocumentsReadAsTheyLook compares the documents of testdata with
// their golden texts. Read what -update has written before committing it.
func TestDocumentsReadAsTheyLook(t *testing.T) {
	names, err := filepath.Glob("testdata/*.[deopx]*")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub", ".ott", ".otp":
		default:
			continue
		}
		if name == "testdata/excelize-encrypted.xlsx" {
			continue
		}
		compared++
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := annotated(extracttest.MustExtract(t, "named.txt", raw))
			golden := name + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	if compared < 2 {
		t.Errorf("only %d documents", compared)
	}
}
