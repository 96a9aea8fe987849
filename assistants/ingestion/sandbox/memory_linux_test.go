package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
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
