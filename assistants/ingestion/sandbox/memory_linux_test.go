package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants/ingestion/extract"
)

// fullPages is a PDF of so many identical, full pages.
func fullPages(n int) string {
	text := "BT /F1 10 Tf 12 TL 50 780 Td\n" + strings.Repeat("(A line of a page says what nobody else says about anything, and then goes on.) Tj T*\n", 55) + "ET"
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	for i, body := range []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", n, strings.Repeat("4 0 R ", n)),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text),
	} {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	b.WriteString("trailer\n<</Size 6/Root 1 0 R>>\n%%EOF\n") // without a table, which the reader makes itself
	return b.String()
}

// The nightly run reads a thousand pages within the same memory.
func TestManyPagesStayWithinMemory(t *testing.T) {
	pages := 100
	if nightly {
		pages = 1000
	}
	x := New(Config{CacheDir: compiled, Limits: patient})
	var child *exec.Cmd
	command := x.command
	x.command = func(ctx context.Context) (cmd *exec.Cmd, err error) {
		child, err = command(ctx)
		return child, err
	}
	steps := 0
	doc, err := x.Extract(t.Context(), document(t, fullPages(pages)), Hint{Name: "a.pdf", Progress: func(int, int) { steps++ }})
	if err != nil || len(doc.Pages) != pages || steps != pages+1 {
		t.Fatalf("%v, %d pages, %d steps", err, len(doc.Pages), steps)
	}
	limit := int64(300 << 10) // KiB, as the kernel counts
	if raceDetector {
		limit *= 6
	}
	used := child.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d MiB, %v of the processor", used.Maxrss>>10, child.ProcessState.UserTime())
	if used.Maxrss > limit {
		t.Errorf("the child used %d MiB", used.Maxrss>>10)
	}
}

// layeredPage is a PDF of one page without text: a picture below so many layers, each of which
// PDFium draws into a picture of the whole page.
func layeredPage(layers int) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	object := func(n int, dictionary, stream string) {
		fmt.Fprintf(&b, "%d 0 obj\n<<%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", n, dictionary, len(stream), stream)
	}
	b.WriteString("1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n")
	b.WriteString("3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</L 10 0 R>>/ExtGState<</Half 6 0 R>>>>>>\nendobj\n")
	object(4, "", "/Half gs /L Do")
	object(5, "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "x")
	b.WriteString("6 0 obj\n<</Type/ExtGState/ca 0.5/CA 0.5>>\nendobj\n")
	for i := range layers {
		next, draws := fmt.Sprintf("%d 0 R", 11+i), "/Half gs 0 0 595 842 re f /L Do"
		if i == layers-1 {
			next, draws = "5 0 R", "595 0 0 842 0 0 cm /L Do"
		}
		object(10+i, "/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency/I true>>/Resources<</XObject<</L "+next+">>/ExtGState<</Half 6 0 R>>>>", draws)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\n%%%%EOF\n", 10+layers)
	return b.String()
}

// Annual reports have such pages: a photograph below half-transparent shapes.
func TestAPageOfManyLayersIsDrawnWithinMemory(t *testing.T) {
	x := New(Config{CacheDir: compiled, Limits: patient, Recogniser: recogniser(t)})
	_, err := x.Extract(t.Context(), document(t, layeredPage(4)), Hint{Name: "a.pdf"})
	var refused *extract.Error
	if !errors.As(err, &refused) || refused.Code != extract.CodeNoText {
		t.Fatalf("%v, want that there is no text", err)
	}
}
