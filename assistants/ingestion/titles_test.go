package ingestion

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/assistants/ingestion/chunker"
	"footnote/assistants/ingestion/extract"
)

// A titledRow is a row of a table of the family, as its typesetter wrote it.
type titledRow struct {
	Document, Title, Row string
	Cells                []string
	Pages                []int
}

// At least 95 of 100 passages with rows of the family's tables have the table's title as a
// heading or in their table's header. `make eval-family` says where the documents are.
func TestPassagesOfTablesHaveTheirTitles(t *testing.T) {
	dir := os.Getenv("FOOTNOTE_TEST_FAMILY")
	if dir == "" {
		t.Skip("FOOTNOTE_TEST_FAMILY names no folder: make family")
	}
	list, err := os.Open(filepath.Join(dir, "tables.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close() //nolint:errcheck // only read
	rows := map[string][]titledRow{}
	for lines := bufio.NewScanner(list); lines.Scan(); {
		var r titledRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows[r.Document] = append(rows[r.Document], r)
	}
	var all, titled, lost int
	for name, of := range rows {
		chunks := chunksOf(t, filepath.Join(dir, name))
		for _, r := range of {
			title, _, _ := strings.Cut(r.Title, " (continued)")
			i := slices.IndexFunc(chunks, r.in)
			if i < 0 {
				lost++
				t.Logf("%s: no row %q %q on pages %d", name, r.Row, r.Cells, r.Pages)
				continue
			}
			c := chunks[i]
			all++
			if slices.Contains(c.HeadingPath, title) || strings.Contains(c.TableHeader, title) {
				titled++
			} else {
				t.Logf("%s: row %q of %q is under %q with header %q", name, r.Row, title, c.HeadingPath, c.TableHeader)
			}
		}
	}
	t.Logf("%d of %d rows have their table's title; %d rows were not found", titled, all, lost)
	if 100*titled < 95*all || 100*lost > all {
		t.Errorf("%d of %d rows have their table's title; %d rows were not found", titled, all, lost)
	}
}

// in reports whether a passage has the row.
func (r titledRow) in(c assistants.Chunk) bool {
	return slices.ContainsFunc(r.Pages, func(p int) bool { return c.Page <= p && p <= c.PageEnd }) && strings.Contains(c.Text, r.Row) &&
		!slices.ContainsFunc(r.Cells, func(cell string) bool { return !strings.Contains(c.Text, cell) })
}

// chunksOf reads a file as the worker does.
func chunksOf(t *testing.T, file string) []assistants.Chunk {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := extract.Extract(t.Context(), f, info.Size(), extract.Options{Name: filepath.Base(file), CacheDir: compiled})
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	_, chunks := passages(assistants.Job{DocumentID: "doc", Version: 1}, doc, chunker.Options{})
	return chunks
}
