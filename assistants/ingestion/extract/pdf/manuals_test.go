package pdf

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// manuals is where the documents of the gold set are.
const manuals = "FOOTNOTE_TEST_GOLD"

// The manuals that the gold set asks about have, page by page, the words that
// pdftotext finds, and in the order in which it reads them or sees them lie.
// Running headers are missing, and nothing else; tables are read by rows.
func TestManualsAreReadAsPdftotextReadsThem(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv(manuals), "*.pdf"))
	if os.Getenv(manuals) == "" || len(files) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal(manuals + " names no folder with documents")
		}
		t.Skip(manuals + " names no folder with documents")
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc := extracttest.MustExtract(t, file, raw)
		var theirs [2][]string
		for i, args := range [][]string{{"-enc", "UTF-8", file, "-"}, {"-layout", "-enc", "UTF-8", file, "-"}} {
			out, err := exec.CommandContext(t.Context(), "pdftotext", args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			theirs[i] = strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
		}
		if len(doc.Pages) != len(theirs[0]) {
			t.Fatalf("%s: %d pages, pdftotext has %d", file, len(doc.Pages), len(theirs[0]))
		}
		words, order, pages, left := 0.0, 0.0, 0, leftOut(t, raw)
		for i, ours := range pageTexts(doc) {
			a, b, c := spoken(ours), spoken(theirs[0][i]), spoken(theirs[1][i])
			if len(b) < 40 {
				continue // hardly more than a running header
			}
			b, c = without(b, left[i]), without(c, left[i])
			f := overlap(strings.Join(a, " "), strings.Join(b, " "))
			words += f
			common := max(inOrder(a, b), inOrder(a, c))
			order += min(2*float64(common)/float64(len(a)+len(b))/max(f, 0.01), 1)
			pages++
		}
		words, order = words/float64(pages), order/float64(pages)
		t.Logf("%-34s %3d pages, words %.3f, order %.3f", filepath.Base(file), len(doc.Pages), words, order)
		if words < 0.98 || order < 0.95 {
			t.Errorf("%s: words %.3f, order %.3f", filepath.Base(file), words, order)
		}
	}
}

// leftOut are the words of each page's running lines.
func leftOut(t *testing.T, raw []byte) [][]string {
	t.Helper()
	reader, err := startPDFium(t.Context(), extracttest.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.close()
	handle, err := reader.open(io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw))))
	if err != nil {
		t.Fatal(err)
	}
	file := pdfFile{pdfium: reader, doc: handle}
	pages, err := file.pages(t.Context(), extract.Options{MaxText: extract.DefaultMaxText, MaxPages: extract.DefaultMaxPages})
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{file.title()}
	for _, m := range file.outline() {
		titles = append(titles, m.title)
	}
	markRunning(pages, titles)
	out := make([][]string, len(pages))
	for i := range pages {
		pages[i].lines(func(_ *textBlock, l *textLine) {
			if l.running {
				out[i] = append(out[i], spoken(l.text())...)
			}
		})
	}
	return out
}

// without takes each word of some off once.
func without(words, some []string) []string {
	out := slices.Clone(words)
	for _, w := range some {
		if i := slices.Index(out, w); i >= 0 {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// spoken are the words of a text, letters and digits alone; of Chinese and
// Japanese each character.
func spoken(s string) []string {
	s = norm.NFC.String(strings.NewReplacer("-\n", "", "-", "", "ﬁ", "fi", "ﬀ", "ff", "ﬂ", "fl", "ﬃ", "ffi", "\u00AD\n", "", "\u00AD", "").Replace(s))
	var out []string
	for _, field := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) }) {
		last := 0
		for i, r := range field {
			if isWide(r) {
				if last < i {
					out = append(out, field[last:i])
				}
				last = i + len(string(r))
				out = append(out, string(r))
			}
		}
		if last < len(field) {
			out = append(out, field[last:])
		}
	}
	return out
}

// inOrder is the length of the longest common subsequence.
func inOrder(a, b []string) int {
	last := make([]int, len(b)+1)
	for i := range a {
		next := make([]int, len(b)+1)
		for j := range b {
			if a[i] == b[j] {
				next[j+1] = last[j] + 1
			} else {
				next[j+1] = max(next[j], last[j+1])
			}
		}
		last = next
	}
	return last[len(b)]
}
