package extract

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// extracted reads bytes as a file of a name, and checks the document's promises.
func extracted(t *testing.T, name string, raw []byte) (Document, error) {
	t.Helper()
	doc, err := Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), Options{Name: name})
	if err == nil {
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		for _, r := range doc.Text {
			if Dropped(r) || r == '\r' {
				t.Fatalf("the text holds %U", r)
			}
		}
	}
	return doc, err
}

func mustExtract(t *testing.T, name string, raw []byte) Document {
	t.Helper()
	doc, err := extracted(t, name, raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want the code %s", err, code)
	}
	if e.Message == "" || strings.HasPrefix(e.Message, " ") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%q is no sentence", e.Message)
	}
}

func TestFilesWithoutTextSaySo(t *testing.T) {
	for name, raw := range map[string]string{
		"blank.txt":  " \n\t\u00a0\n",
		"blank.md":   "\n\n",
		"blank.html": "<!doctype html><title>T</title><script>var a</script><body> &nbsp; </body>",
	} {
		_, err := extracted(t, name, []byte(raw))
		wantCode(t, err, CodeNoText)
	}
}

func TestMoreTextThanAllowedIsTooComplex(t *testing.T) {
	raw := []byte(strings.Repeat("word ", 100))
	for _, limit := range []int{50, 400} {
		_, err := Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), Options{Name: "a.txt", MaxText: limit})
		wantCode(t, err, CodeTooComplex)
	}
}

// A text that is refused costs no more when it has many tables.
func TestMoreTextThanAllowedIsRefusedAtOnce(t *testing.T) {
	defer delete(readers, TypePDF)
	refuse := func(tables int) float64 {
		doc := laidOut(slices.Repeat([]string{"In thousands", "2019 2018", "Cash | 12 | 11"}, tables)...)
		Register(TypePDF, func(context.Context, *io.SectionReader, Options) (Document, error) { return doc, nil })
		return testing.AllocsPerRun(3, func() {
			_, err := Extract(t.Context(), strings.NewReader("%PDF-1.7"), 8, Options{Name: "a.pdf", MaxText: 10})
			wantCode(t, err, CodeTooComplex)
		})
	}
	if one, many := refuse(1), refuse(100); many > one {
		t.Errorf("%v allocations for one table, %v for 100", one, many)
	}
}

func TestBinaryFilesAreUnreadable(t *testing.T) {
	_, err := extracted(t, "report.txt", []byte("MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff"))
	wantCode(t, err, CodeUnreadable)
}

func TestACancelledContextStopsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Extract(ctx, strings.NewReader("text"), 4, Options{Name: "a.txt"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestADamagedDocumentFailsItsCheck(t *testing.T) {
	for name, doc := range map[string]Document{
		"invalid text":          {Text: "\xff"},
		"page outside":          {Text: "a", Pages: []Page{{1, 0, 2}}},
		"page inside a rune":    {Text: "ä", Pages: []Page{{1, 0, 1}}},
		"pages overlap":         {Text: "abc", Pages: []Page{{1, 0, 2}, {2, 1, 3}}},
		"wrong page number":     {Text: "abc", Pages: []Page{{2, 0, 2}}},
		"negative page":         {Text: "abc", Pages: []Page{{1, -1, 2}}},
		"heading outside":       {Text: "a", Headings: []Heading{{2, 1, "a"}}},
		"heading of level 0":    {Text: "a", Headings: []Heading{{0, 0, "a"}}},
		"headings out of order": {Text: "abc", Headings: []Heading{{2, 1, "a"}, {1, 1, "b"}}},
		"block turned round":    {Text: "abc", Blocks: []Block{{Kind: BlockCode, Start: 2, End: 1}}},
		"header outside":        {Text: "abc", Blocks: []Block{{Kind: BlockTable, Start: 0, End: 2, HeaderEnd: 3}}},
		"header inside a rune":  {Text: "ä", Blocks: []Block{{Kind: BlockTable, Start: 0, End: 2, HeaderEnd: 1}}},
		"header before table":   {Text: "abc", Blocks: []Block{{Kind: BlockTable, Start: 1, End: 2, HeaderEnd: 1}}},
	} {
		if doc.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
