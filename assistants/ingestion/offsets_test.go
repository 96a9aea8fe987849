//go:build !race

package ingestion

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"footnote/assistants"
	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/sandbox"
)

// withoutText are the test documents that fail, and how.
var withoutText = map[string]string{
	"encrypted.pdf": assistants.CodeEncrypted,
	"scanned.pdf":   assistants.CodeNoText,

	"excelize-encrypted.xlsx": assistants.CodeEncrypted,
	"readxl-clippy.xls":       assistants.CodeUnreadable,
}

// Every chunk of every test document, through the whole way from the upload
// to the database: its code points are its text, its pages are the pages those
// code points lie on, and nothing but white space lies between two chunks.
func TestOffsetsAndPagesOfEveryChunkAreExact(t *testing.T) {
	w := newWorld(t)
	w.worker.extractor = sandbox.New(sandbox.Config{
		CacheDir: compiled,
		// The race detector makes compiling the PDF reader some twenty times slower.
		Limits: sandbox.Limits{Wall: 5 * time.Minute, CPU: 5 * time.Minute},
	})
	names := map[assistants.DocumentID]string{}
	for _, file := range testDocuments(t) {
		raw, err := os.ReadFile(file)
		w.must(err)
		names[w.add(filepath.Base(file), string(raw)).ID] = file
	}
	w.drain(w.worker)
	w.consistent()
	for mail, file := range maps.Clone(names) {
		attached, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail)
		w.must(err)
		for _, d := range attached {
			names[d.ID] = filepath.Join(file, d.Name)
		}
	}
	for id, file := range names {
		t.Run(filepath.Base(file), func(t *testing.T) {
			d := w.document(id)
			if code := withoutText[filepath.Base(file)]; code != "" {
				if d.Status != assistants.StatusFailed || d.Cause == nil || d.Cause.Code != code {
					t.Fatalf("%s, %v; want %s", d.Status, d.Cause, code)
				}
				return
			}
			if d.Status != assistants.StatusReady {
				t.Fatalf("%s: %v", d.Status, d.Cause)
			}
			text, err := w.store.LiveText(t.Context(), assistants.DefaultTenant, id)
			w.must(err)
			checkChunks(t, text, w.chunks(id))
			place := filepath.Base(file)
			if d.Parent != "" {
				place = filepath.Base(filepath.Dir(file)) + "/" + place
			}
			placesIn(t, place, w.chunks(id))
			if d.Version.ContentType == extract.TypePDF {
				comparePages(t, file, w.chunks(id))
			}
		})
	}
}

func checkChunks(t *testing.T, text assistants.Text, chunks []assistants.Chunk) {
	t.Helper()
	runes := []rune(text.Text)
	if text.Runes != len(runes) {
		t.Errorf("%d code points, says %d", len(runes), text.Runes)
	}
	for i, p := range text.Pages {
		if p.Number != i+1 || p.Start > p.End || p.End > len(runes) || i > 0 && p.Start < text.Pages[i-1].End {
			t.Errorf("page %d is %+v", i+1, p)
		}
	}
	last := 0
	for i, c := range chunks {
		if c.Index != i || c.CharStart < last || string(runes[c.CharStart:c.CharEnd]) != c.Text {
			t.Errorf("chunk %d [%d,%d) is not its text %.40q", i, c.CharStart, c.CharEnd, c.Text)
			continue
		}
		if strings.TrimSpace(string(runes[last:c.CharStart])) != "" {
			t.Errorf("before chunk %d text is lost: %.60q", i, string(runes[last:c.CharStart]))
		}
		if first, end := pageOf(text.Pages, c.CharStart), pageOf(text.Pages, c.CharEnd-1); c.Page != first || c.PageEnd != end {
			t.Errorf("chunk %d is on pages %d to %d, says %d to %d", i, first, end, c.Page, c.PageEnd)
		}
		var starts []assistants.PageStart
		for at := c.CharStart + 1; at < c.CharEnd; at++ {
			for _, p := range text.Pages {
				if p.Start == at {
					starts = append(starts, assistants.PageStart{Page: p.Number, CharStart: at})
				}
			}
		}
		if !slices.Equal(c.PageStarts, starts) {
			t.Errorf("within chunk %d pages begin at %v, says %v", i, starts, c.PageStarts)
		}
		last = c.CharEnd
	}
	if strings.TrimSpace(string(runes[last:])) != "" {
		t.Errorf("after the last chunk text is lost: %.60q", string(runes[last:]))
	}
}

// pageOf finds a page by looking at each.
func pageOf(pages []assistants.Page, at int) int {
	for _, p := range pages {
		if p.Start <= at && at < p.End {
			return p.Number
		}
	}
	return 0
}

// comparePages checks that each chunk's words stand on the pages it names, as
// another program reads them.
func comparePages(t *testing.T, file string, chunks []assistants.Chunk) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("pdftotext (package poppler-utils) is missing")
		}
		t.Skip("pdftotext (package poppler-utils) is missing")
	}
	out, err := exec.CommandContext(t.Context(), program, "-enc", "UTF-8", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := strings.Split(string(out), "\f")
	for _, c := range chunks {
		if c.Page < 1 || c.PageEnd > len(pages) {
			t.Fatalf("chunk %d says pages %d to %d of %d", c.Index, c.Page, c.PageEnd, len(pages))
		}
		there := map[string]int{}
		for _, word := range wordsOf(strings.Join(pages[c.Page-1:c.PageEnd], " ")) {
			there[word]++
		}
		for _, word := range wordsOf(c.Text) {
			if there[word]--; there[word] < 0 {
				t.Errorf("chunk %d: %q does not stand on pages %d to %d", c.Index, word, c.Page, c.PageEnd)
			}
		}
	}
}

// wordsOf splits at everything but letters and digits, whether or not a
// program joined the halves of a divided word.
func wordsOf(s string) []string {
	s = strings.NewReplacer("-\n", "", "-", "", "ﬁ", "fi", "ﬃ", "ffi").Replace(s)
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
