package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

// madePDF makes a PDF whose pages hold lines of text.
func madePDF(pages int, lines func(page int) []string) []byte {
	var b bytes.Buffer
	offsets := []int{0}
	object := func(body string) int {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets)-1, body)
		return len(offsets) - 1
	}
	b.WriteString("%PDF-1.7\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	kids := make([]string, pages)
	for i := range kids {
		kids[i] = fmt.Sprintf("%d 0 R", 4+2*i)
	}
	object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, strings.Join(kids, " ")))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for i := range pages {
		var text strings.Builder
		text.WriteString("BT /F1 10 Tf 12 TL 50 780 Td\n")
		for _, l := range lines(i) {
			fmt.Fprintf(&text, "(%s) Tj T*\n", l)
		}
		text.WriteString("ET")
		object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*i))
		object(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", text.Len(), text.String()))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, at := range offsets[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets), start)
	return b.Bytes()
}

func fullPage(page int) []string {
	out := []string{fmt.Sprintf("Manual of everything, page %d", page+1)}
	for i := range 50 {
		out = append(out, fmt.Sprintf("Line %d of page %d says what nobody else says about number %d, and goes on.", i, page, page*50+i))
	}
	return out
}

// Cancelling works between any two pages, however many there are.
func TestReadingAPDFEndsWhenItIsCancelled(t *testing.T) {
	raw := madePDF(10_000, func(int) []string { return []string{"a page"} })
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	_, err := extract.Extract(ctx, bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: extracttest.CacheDir, Progress: func(done, total int) {
		if total != 10_000 {
			t.Errorf("%d pages", total)
		}
		if read = done; done == 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || read != 20 {
		t.Errorf("%v after %d pages", err, read)
	}
}

func TestHostilePDFsAreReadOrRefused(t *testing.T) {
	catalog := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
	trailer := "trailer\n<</Size %s/Root 1 0 R%s>>\n%%%%EOF\n"
	codes := []string{extract.CodeUnreadable, extract.CodeNoText, extract.CodeParserFailed, extract.CodeTooComplex, extract.CodeEncrypted}
	for name, raw := range map[string]string{
		"nested arrays":       catalog + "2 0 obj\n" + strings.Repeat("[", 4_000_000) + "\nendobj\n" + fmt.Sprintf(trailer, "3", ""),
		"nested dictionaries": catalog + "2 0 obj\n" + strings.Repeat("<</A", 1_000_000) + "\nendobj\n" + fmt.Sprintf(trailer, "3", ""),
		"xref loop":           catalog + "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 3/Root 1 0 R/Prev 57>>\nstartxref\n57\n%%EOF\n",
		"huge size":           catalog + "2 0 obj\n<</Type/Pages/Count 1/Kids[]>>\nendobj\n" + fmt.Sprintf(trailer, "2147483648", ""),
		"a million pages":     catalog + "2 0 obj\n<</Type/Pages/Count 1000000/Kids[]>>\nendobj\n" + fmt.Sprintf(trailer, "3", ""),
		"negative pages":      catalog + "2 0 obj\n<</Type/Pages/Count -5/Kids[]>>\nendobj\n" + fmt.Sprintf(trailer, "3", ""),
		"kids in a circle":    catalog + "2 0 obj\n<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>\nendobj\n" + fmt.Sprintf(trailer, "3", ""),
		"endless hex string":  catalog + "2 0 obj\n<" + strings.Repeat("41", 2_000_000),
		"endless string":      catalog + "2 0 obj\n(" + strings.Repeat("(", 2_000_000),
		"outline in a circle": catalog[:len(catalog)-10] + "\nendobj\n4 0 obj\n<</First 5 0 R>>\nendobj\n5 0 obj\n<</Title(a)/First 5 0 R/Next 5 0 R>>\nendobj\n" + fmt.Sprintf(trailer, "6", "/Outlines 4 0 R"),
		"nothing":             "%PDF-1.7\n",
	} {
		doc, err := extracttest.Extracted(t, "a.pdf", []byte(raw))
		var e *extract.Error
		if err != nil && (!errors.As(err, &e) || !slices.Contains(codes, e.Code)) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && doc.Text != "" {
			t.Errorf("%s: text %q", name, doc.Text)
		}
	}
}

// A page whose text is longer than a document's may be is refused.
func TestAPageOfEndlessTextIsTooComplex(t *testing.T) {
	raw := madePDF(1, func(int) []string { return slices.Repeat([]string{strings.Repeat("words ", 500)}, 400) })
	_, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: extracttest.CacheDir, MaxText: 1 << 20})
	extracttest.WantCode(t, err, extract.CodeTooComplex)
}

// benchmarked is the PDF of FOOTNOTE_BENCH_PDF, or one of this package's.
func benchmarked(b *testing.B) []byte {
	b.Helper()
	name := os.Getenv("FOOTNOTE_BENCH_PDF")
	if name == "" {
		return madePDF(100, fullPage)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

// BenchmarkPDFLayout reads pages with columns, tables and headings from the
// places of their characters.
func BenchmarkPDFLayout(b *testing.B) {
	benchmarkPages(b, func(page *pdfPage) error {
		_, err := page.layout()
		return err
	})
}

// BenchmarkPDFText reads the characters of pages as they come.
func BenchmarkPDFText(b *testing.B) {
	benchmarkPages(b, func(page *pdfPage) error {
		for i := range page.chars {
			if _, err := page.call("FPDFText_GetUnicode", page.text, uint64(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func benchmarkPages(b *testing.B, read func(*pdfPage) error) {
	raw := benchmarked(b)
	p, err := startPDFium(b.Context(), extracttest.CacheDir)
	if err != nil {
		b.Fatal(err)
	}
	defer p.close()
	doc, err := p.open(io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw))))
	if err != nil {
		b.Fatal(err)
	}
	count, err := p.integer("FPDF_GetPageCount", doc)
	if err != nil {
		b.Fatal(err)
	}
	pages := 0
	for b.Loop() {
		page, err := p.page(doc, pages%count)
		if err != nil {
			b.Fatal(err)
		}
		if err := read(page); err != nil {
			b.Fatal(err)
		}
		page.close()
		pages++
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkPDFSmall reads a document of one page, start of the reader included.
func BenchmarkPDFSmall(b *testing.B) {
	raw := madePDF(1, fullPage)
	for b.Loop() {
		if _, err := extract.Extract(b.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{CacheDir: extracttest.CacheDir}); err != nil {
			b.Fatal(err)
		}
	}
}
