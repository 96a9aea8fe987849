package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract/extracttest"
)

// drawnPDF makes a PDF of one page with a content of its own. The name Fm stands for a form
// within the page, which is moved 20 points to the right.
func drawnPDF(content, form string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&b, format, args...)
		b.WriteString("\nendobj\n")
	}
	const fonts = "<</Font<</F1 4 0 R>>/XObject<</Fm 6 0 R>>>>"
	b.WriteString("%PDF-1.7\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Count 1/Kids[3 0 R]>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources%s/Contents 5 0 R>>", fonts)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	object("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
	object("<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Matrix[1 0 0 1 20 0]/Resources<</Font<</F1 4 0 R>>>>/Length %d>>\nstream\n%s\nendstream", len(form), form)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// show draws a text, and clip limits what is drawn in within to a rectangle.
func show(x, y int, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

func clip(x, y, width, height int, within string) string {
	return fmt.Sprintf("q %d %d %d %d re W n\n%sQ\n", x, y, width, height, within)
}

// A page that is placed within another one brings its whole text, of which only what is within
// the clipping path is seen.
func TestTextThatIsClippedAwayIsLeftOut(t *testing.T) {
	thisYear := show(60, 600, "Cash and cash equivalents") + show(400, 600, "51,813")
	lastYear := show(60, 600, "Cash and cash equivalents") + show(403, 600, "43,104")
	for name, page := range map[string][]byte{
		"on the page":                    drawnPDF(thisYear+clip(40, 100, 500, 100, lastYear+show(60, 150, "See the notes")), ""),
		"within two paths":               drawnPDF(thisYear+clip(40, 100, 500, 100, show(60, 150, "See the notes")+clip(40, 590, 500, 30, lastYear)), ""),
		"in a form":                      drawnPDF(thisYear+"/Fm Do\n", clip(40, 100, 500, 100, lastYear+show(60, 150, "See the notes"))),
		"in a form that is clipped":      drawnPDF(thisYear+clip(40, 100, 500, 100, "/Fm Do\n"), lastYear+show(60, 150, "See the notes")),
		"after more rules than are read": drawnPDF(strings.Repeat("50 50 m 500 50 l S\n", maxRules+1)+thisYear+clip(40, 100, 500, 100, lastYear+show(60, 150, "See the notes")), ""),
	} {
		text := extracttest.MustExtract(t, "a.pdf", page).Text
		if strings.Contains(text, "43,104") || strings.Count(text, "Cash") != 1 {
			t.Errorf("%s: the hidden text is there: %q", name, text)
		}
		if !strings.Contains(text, "51,813") || !strings.Contains(text, "See the notes") {
			t.Errorf("%s: the visible text is missing: %q", name, text)
		}
	}
}

// What can be seen, if only in part, is kept.
func TestTextWithinAClippingPathIsKept(t *testing.T) {
	for name, page := range map[string][]byte{
		"inside":          drawnPDF(clip(40, 590, 500, 30, show(60, 600, "All 51")), ""),
		"cut in half":     drawnPDF(clip(40, 604, 500, 30, show(60, 600, "All 51")), ""),
		"in a moved form": drawnPDF(show(60, 600, "All")+clip(100, 590, 40, 30, "/Fm Do\n"), show(84, 600, "51")),
	} {
		if text := extracttest.MustExtract(t, "a.pdf", page).Text; text != "All 51" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// Programs that recognise the text of scans hide it below the picture: as text that is not
// drawn, or behind a clipping path that shows nothing.
func TestRecognisedTextOfAScanIsKept(t *testing.T) {
	recognised := show(60, 600, strings.Repeat("The tenant pays the rent. ", 10))
	for name, content := range map[string]string{
		"not drawn":    "3 Tr " + recognised,
		"clipped away": clip(0, 0, 0, 0, recognised),
	} {
		text := extracttest.MustExtract(t, "a.pdf", drawnPDF(content+"0 Tr "+show(60, 20, "Received"), "")).Text
		if !strings.Contains(text, "The tenant pays the rent.") || !strings.Contains(text, "Received") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
