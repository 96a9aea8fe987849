package pdf

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

func pageTexts(doc extract.Document) []string {
	var out []string
	for _, p := range doc.Pages {
		out = append(out, doc.Text[p.Start:p.End])
	}
	return out
}

// The program pdftotext (Debian: poppler-utils) reads the same files in its
// own way. A person who looks a citation up in a viewer sees its pages.
func TestPDFPagesAgreeWithPdftotext(t *testing.T) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("pdftotext (package poppler-utils) is missing")
		}
		t.Skip("pdftotext (package poppler-utils) is missing")
	}
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) == 0 {
		t.Fatal("no test documents:", err)
	}
	for _, file := range files {
		switch filepath.Base(file) {
		case "encrypted.pdf", "scanned.pdf":
			continue // no text
		}
		out, err := exec.CommandContext(t.Context(), program, "-enc", "UTF-8", file, "-").Output()
		if err != nil {
			t.Fatal(file, err)
		}
		theirs := strings.Split(strings.TrimSuffix(string(out), "\f"), "\f")
		doc := extracttest.MustExtract(t, file, extracttest.Testdata(t, filepath.Base(file)))
		ours := pageTexts(doc)
		if len(ours) != len(theirs) {
			t.Errorf("%s: %d pages, pdftotext has %d", file, len(ours), len(theirs))
			continue
		}
		for i := range ours {
			if len(strings.Fields(theirs[i])) < 20 {
				continue // hardly more than a running header, which we leave out
			}
			if f := overlap(ours[i], theirs[i]); f < 0.97 {
				t.Errorf("%s: page %d agrees to %.3f only:\n%s\n---\n%s", file, i+1, f, ours[i], theirs[i])
			}
		}
	}
}

// overlap is the F1 measure of two texts' words, each as often as it occurs.
// Hyphens do not count, for the two programs join divided words differently.
func overlap(a, b string) float64 {
	words := func(s string) []string {
		s = strings.NewReplacer("-\n", "", "-", "", "ﬁ", "fi", "ﬃ", "ffi").Replace(s)
		w := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		slices.Sort(w)
		return w
	}
	x, y := words(a), words(b)
	if len(x)+len(y) == 0 {
		return 1
	}
	common := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch strings.Compare(x[i], y[j]) {
		case 0:
			common++
			i++
			j++
		case -1:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

func TestPDFWordsDividedByLineEndsAreJoined(t *testing.T) {
	doc := extracttest.MustExtract(t, "hyphens.pdf", extracttest.Testdata(t, "hyphens.pdf"))
	want := []string{
		"The well-known rule says that information must be kept for seven years, and that a well-known exception exists " +
			"for the anonymised records of former employees. COVID-19 rules ended in 2023.\n\nA second paragraph begins here.",
		"The sentence that began",
		"on the page before ends here. Two columns of space.",
		"",
		"Page five follows an empty page.",
	}
	if got := pageTexts(doc); !slices.Equal(got, want) {
		t.Errorf("pages %q, want %q", got, want)
	}
	if doc.Title != "" {
		t.Errorf("title %q", doc.Title)
	}
}

func TestPDFBookmarksAreHeadings(t *testing.T) {
	doc := extracttest.MustExtract(t, "handbook.pdf", extracttest.Testdata(t, "handbook.pdf"))
	if doc.Title != "Travel Handbook" || doc.ContentType != extract.TypePDF || len(doc.Headings) != 24 {
		t.Fatalf("title %q, type %s, %d headings", doc.Title, doc.ContentType, len(doc.Headings))
	}
	for _, h := range doc.Headings {
		rest := doc.Text[h.Start:]
		at := strings.Index(rest, h.Title)
		if at < 0 || at > 0 && !strings.HasPrefix(rest, "Travel Handbook\nPage ") {
			t.Errorf("%q does not stand at %d: %.60q", h.Title, h.Start, rest)
		}
		if want := 1 + min(1, strings.Count(strings.Fields(h.Title)[0], ".")-strings.Count(h.Title, ". ")); h.Level != want {
			t.Errorf("%q has level %d, want %d", h.Title, h.Level, want)
		}
	}
}

func TestPDFSpecialCharactersAreWhole(t *testing.T) {
	doc := extracttest.MustExtract(t, "handbook.pdf", extracttest.Testdata(t, "handbook.pdf"))
	for _, want := range []string{"Ελληνικά και Русский текст, naïve café — “quoted” financial office, 100 €."} {
		if !strings.Contains(strings.ReplaceAll(doc.Text, "\n", " "), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestPDFRowsOfATableAreLines(t *testing.T) {
	doc := extracttest.MustExtract(t, "handbook.pdf", extracttest.Testdata(t, "handbook.pdf"))
	if !strings.Contains(doc.Text, "\nNorway | 75 EUR | 139 EUR\n") {
		t.Error("the row of Norway is no line")
	}
}

// A disk without room for compiled code costs time and no document.
func TestPDFIsReadWithoutACache(t *testing.T) {
	raw := extracttest.Testdata(t, "hyphens.pdf")
	noFolder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(noFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{noFolder, "/dev/full", ""} {
		doc, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: dir})
		if err != nil || len(doc.Pages) != 5 {
			t.Errorf("with the cache in %q: %d pages, %v", dir, len(doc.Pages), err)
		}
	}
}

func TestPDFProgressGoesPageByPage(t *testing.T) {
	raw := extracttest.Testdata(t, "hyphens.pdf")
	var done []int
	_, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: extracttest.CacheDir, Progress: func(n, total int) {
		if total != 5 {
			t.Errorf("%d of %d", n, total)
		}
		done = append(done, n)
	}})
	if err != nil || !slices.Equal(done, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("%v, %v", done, err)
	}
}

func TestPDFWithAPasswordIsEncrypted(t *testing.T) {
	_, err := extracttest.Extracted(t, "encrypted.pdf", extracttest.Testdata(t, "encrypted.pdf"))
	extracttest.WantCode(t, err, extract.CodeEncrypted)
	doc := extracttest.MustExtract(t, "owner-only.pdf", extracttest.Testdata(t, "owner-only.pdf"))
	if doc.Text != "Readable without a password." {
		t.Errorf("text %q", doc.Text)
	}
}

func TestPDFOfPicturesHasNoText(t *testing.T) {
	_, err := extracttest.Extracted(t, "scanned.pdf", extracttest.Testdata(t, "scanned.pdf"))
	extracttest.WantCode(t, err, extract.CodeNoText)
}

func TestPDFLimits(t *testing.T) {
	raw := extracttest.Testdata(t, "handbook.pdf")
	for _, opt := range []extract.Options{{MaxPages: 12}, {MaxText: 1000}} {
		opt.CacheDir = extracttest.CacheDir
		_, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), opt)
		extracttest.WantCode(t, err, extract.CodeTooComplex)
	}
}

// Whatever bytes are broken, the answer is text or a code; never a crash.
func TestPDFDamagedAnywhereIsReadOrRefused(t *testing.T) {
	raw := extracttest.Testdata(t, "hyphens.pdf")
	damaged := [][]byte{raw[:10], raw[:len(raw)/2], raw[:len(raw)-20], append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("<<"), 100_000)...)}
	for i := 64; i < len(raw); i += len(raw) / 24 {
		flipped := bytes.Clone(raw)
		flipped[i] ^= 0xff
		damaged = append(damaged, flipped)
	}
	refused := 0
	for i, raw := range damaged {
		_, err := extracttest.Extracted(t, "a.pdf", raw)
		if err == nil {
			continue
		}
		refused++
		if e, ok := err.(*extract.Error); !ok || !slices.Contains([]string{extract.CodeUnreadable, extract.CodeNoText, extract.CodeParserFailed, extract.CodeEncrypted}, e.Code) {
			t.Errorf("damage %d: %v", i, err)
		}
	}
	if refused < 2 {
		t.Errorf("only %d damaged files were refused", refused)
	}
}

func TestACancelledContextStopsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	raw := extracttest.Testdata(t, "handbook.pdf")
	_, err := extract.Extract(ctx, bytes.NewReader(raw), int64(len(raw)), extract.Options{Name: "handbook.pdf", CacheDir: extracttest.CacheDir})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAPDFWithoutPagesIsToldFromOneOfPictures(t *testing.T) {
	_, err := extracttest.Extracted(t, "a.pdf", []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\nxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \ntrailer<</Root 1 0 R/Size 3>>\nstartxref\n96\n%%EOF\n"))
	var e *extract.Error
	if !errors.As(err, &e) || e.Code != extract.CodeNoText || e.Message != "The PDF has no pages." {
		t.Error(err)
	}
}
