package pdf

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/extracttest"
)

func picture(t *testing.T, file string, want Picture) image.Image {
	t.Helper()
	raw := extracttest.Testdata(t, file)
	drawn, err := Draw(t.Context(), bytes.NewReader(raw), int64(len(raw)), want, extracttest.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("FOOTNOTE_TEST_PICTURES"); dir != "" { // for looking at them
		if err := os.WriteFile(dir+"/"+strings.ReplaceAll(t.Name(), "/", "_")+".png", drawn, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// marks is the smallest rectangle that holds all marks, and how many
// pixels are marked. Marks are yellow, which nothing on the page is.
func marks(img image.Image) (image.Rectangle, int) {
	var all image.Rectangle
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			if r > 0xF000 && g > 0xE000 && b < 0x8000 {
				all = all.Union(image.Rect(x, y, x+1, y+1))
				n++
			}
		}
	}
	return all, n
}

// words of the handbook's page are marked where pdftotext -bbox sees them.
func TestAPassageIsMarkedOnThePicture(t *testing.T) {
	doc := extracttest.MustExtract(t, "handbook.pdf", extracttest.Testdata(t, "handbook.pdf"))
	for n, page := range doc.Pages {
		text := doc.Text[page.Start:page.End]
		at := strings.Index(text, "Norway | 75 EUR")
		if at < 0 {
			continue
		}
		want := Picture{Page: n + 1, Text: text, DPI: 72}
		if _, count := marks(picture(t, "handbook.pdf", want)); count != 0 {
			t.Errorf("%d pixels are yellow without a mark", count)
		}
		want.Start, want.End = at, at+len("Norway | 75 EUR")
		where, count := marks(picture(t, "handbook.pdf", want))
		if count < 100 || where.Dy() > 16 {
			t.Errorf("%d pixels in %v are marked for words of one line", count, where)
		}
		want.DPI = 144
		twice, _ := marks(picture(t, "handbook.pdf", want))
		if d := twice.Min.Sub(where.Min.Mul(2)); d.X < -6 || d.X > 6 || d.Y < -6 || d.Y > 6 {
			t.Errorf("at twice the size the marks are at %v, not twice %v", twice, where)
		}
		return
	}
	t.Fatal("no page holds the row of Norway")
}

// The characters that are found are those of the text, whatever stands between:
// hyphens that were joined, headers that were dropped, rows and columns.
func TestEveryWordIsFoundOnItsPage(t *testing.T) {
	for _, file := range []string{"handbook.pdf", "hyphens.pdf"} {
		raw := extracttest.Testdata(t, file)
		doc := extracttest.MustExtract(t, file, raw)
		p, err := startPDFium(t.Context(), extracttest.CacheDir)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		handle, err := p.open(sectionOf(raw))
		if err != nil {
			t.Fatal(err)
		}
		for i, place := range doc.Pages {
			page, err := p.page(handle, i)
			if err != nil {
				t.Fatal(err)
			}
			layout, err := page.layout()
			if err != nil {
				t.Fatal(err)
			}
			text := doc.Text[place.Start:place.End]
			for _, word := range strings.Fields(text) {
				start := strings.Index(text, word)
				if squeeze(word) == "" {
					continue
				}
				var found strings.Builder
				for _, index := range layout.locate(text, start, start+len(word)) {
					v, err := p.call("FPDFText_GetUnicode", page.text, uint64(index))
					if err != nil {
						t.Fatal(err)
					}
					r := rune(uint32(v))
					if s := ligature(r); s != "" {
						found.WriteString(s)
					} else {
						found.WriteRune(r)
					}
				}
				if squeeze(found.String()) != squeeze(word) {
					t.Errorf("%s, page %d: %q is found as %q", file, i+1, word, found.String())
				}
			}
			page.close()
		}
	}
}

func TestPicturesAreBounded(t *testing.T) {
	for _, c := range []struct {
		want Picture
		max  int
	}{{Picture{Page: 1, DPI: 100_000}, 2400}, {Picture{Page: 1, Width: 1 << 30}, MaxWidth}, {Picture{Page: 1, Width: 1}, MinWidth}} {
		if got := picture(t, "handbook.pdf", c.want).Bounds().Dx(); got > c.max {
			t.Errorf("%+v: %d wide", c.want, got)
		}
	}
}

func TestNoPictureOfAPageThatIsNotThere(t *testing.T) {
	raw := extracttest.Testdata(t, "hyphens.pdf")
	for _, page := range []int{-1, 0, 6, 1 << 30} {
		if _, err := Draw(t.Context(), bytes.NewReader(raw), int64(len(raw)), Picture{Page: page}, extracttest.CacheDir); !errors.Is(err, ErrNoPage) {
			t.Errorf("page %d: %v", page, err)
		}
	}
	_, err := Draw(t.Context(), strings.NewReader("no PDF"), 6, Picture{Page: 1}, extracttest.CacheDir)
	extracttest.WantCode(t, err, extract.CodeUnreadable)
}

// Errors of PDFium itself have a code, too.
func TestAFileThatPDFiumDoesNotTakeHasACode(t *testing.T) {
	p, err := startPDFium(t.Context(), extracttest.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	p.close()
	_, err = p.open(sectionOf(extracttest.Testdata(t, "hyphens.pdf")))
	extracttest.WantCode(t, err, extract.CodeParserFailed)
}

func TestLinesLeftOutDoNotMisleadTheSearch(t *testing.T) {
	layout := pageLayout{blocks: []textBlock{{lines: []textLine{
		{chars: glyphs(0, "The end")}, {chars: glyphs(100, "The end")}, {chars: glyphs(200, "of it, well-")}, {chars: glyphs(300, "known")}, {chars: glyphs(400, "7")},
	}}}}
	text := "The end of it, wellknown" // a header of the same words and a page's number are dropped
	got := layout.locate(text, strings.Index(text, "it"), len(text))
	if len(got) == 0 || got[0] != 203 || got[len(got)-1] != 304 {
		t.Errorf("found %v", got)
	}
	if got := layout.locate("another text with: known", 19, 24); len(got) != 5 || got[0] != 300 {
		t.Errorf("in a text made otherwise: %v", got)
	}
	if got := layout.locate("nothing of this", 0, 7); got != nil {
		t.Errorf("found what is not there: %v", got)
	}
}

// A page may be thousands of short lines that are alike. Their places take memory like that of the text, and a page
// that takes too long is searched.
func TestLinesThatAreAlikeAreFound(t *testing.T) {
	locate := func(n int) uint64 {
		var b textBlock
		for i := range n {
			b.lines = append(b.lines, textLine{chars: glyphs(int32(4*i), "same")})
		}
		layout := pageLayout{blocks: []textBlock{b}}
		text := strings.Repeat("same\n", n)
		return allocated(func() {
			if got := layout.locate(text, 500, 504); !slices.Equal(got, []int32{400, 401, 402, 403}) {
				t.Errorf("%d lines: found %v", n, got)
			}
		})
	}
	if one, four := locate(300), locate(1200); four > 6*one {
		t.Errorf("%d bytes for 300 lines, %d for 1,200", one, four)
	}
	var tooMany []pageLine
	for range 12_000 {
		tooMany = append(tooMany, pageLine{letters: lettersOf("a")})
	}
	if _, ok := reachable(tooMany, lettersOf(strings.Repeat("a", 12_000))); ok {
		t.Error("12,000 lines were not too many")
	}
}

// The lines that make a text are found among those that are left out.
func TestTheLinesOfATextAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b textBlock
		text := ""
		for range rapid.IntRange(1, 12).Draw(t, "lines") {
			line := rapid.StringMatching("[ab ]{0,3}").Draw(t, "line")
			b.lines = append(b.lines, textLine{chars: glyphs(0, line)})
			if rapid.Bool().Draw(t, "shown") {
				text += line + "\n"
			}
		}
		layout := pageLayout{blocks: []textBlock{b}}
		want := lettersOf(text)
		if _, letters := layout.matchLines(want); letterString(letters) != letterString(want) {
			t.Fatalf("found %q, want %q", letterString(letters), letterString(want))
		}
	})
}

func glyphs(from int32, text string) []glyph {
	var out []glyph
	for _, r := range text {
		out = append(out, glyph{r, from})
		from++
	}
	return out
}

func sectionOf(raw []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(raw), 0, int64(len(raw)))
}
