//go:build !race

package sandbox

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants/ingestion/extract"
)

// maxRSS is the most memory that a child may take for a document that is only
// made to take memory.
const maxRSS = 300 << 20

func TestBombsEndWithinTheirLimits(t *testing.T) {
	ods := func(rows string) string {
		return archived(t, "mimetype", extract.TypeODS, "content.xml",
			`<document-content><body><spreadsheet><table name="T">`+rows+`</table></spreadsheet></body></document-content>`)
	}
	everyday := []string{"a part of blanks", "nested elements", "cells that repeat"}
	for name, content := range map[string]string{
		"a part of blanks":   wordArchive(t, "<document>"+strings.Repeat(" ", 64<<20)+"</document>"),
		"nested elements":    wordArchive(t, strings.Repeat("<document>", 100_000)),
		"nested tables":      wordArchive(t, "<document><body>"+strings.Repeat("<tbl><tr><tc>", 100_000)),
		"attributes":         wordArchive(t, "<document><p"+strings.Repeat(` a=""`, 1_000_000)+"/></document>"),
		"cells that repeat":  ods(`<table-row number-rows-repeated="1048576"><table-cell number-columns-repeated="16384" value-type="float" value="1"/></table-row>`),
		"a row that repeats": ods(`<table-row number-rows-repeated="1048576"><table-cell><p>` + strings.Repeat("many words ", 5) + `</p></table-cell></table-row>`),
	} {
		if !nightly && !slices.Contains(everyday, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var child *exec.Cmd
			x := New(Config{Limits: patient})
			command := x.command
			x.command = func(ctx context.Context) (cmd *exec.Cmd, err error) {
				child, err = command(ctx)
				return child, err
			}
			_, err := x.Extract(t.Context(), document(t, content), Hint{Name: "a.txt"})
			var bad *extract.Error
			if !errors.As(err, &bad) || bad.Code != extract.CodeTooComplex {
				t.Fatalf("error %v", err)
			}
			usage, ok := child.ProcessState.SysUsage().(*syscall.Rusage)
			if rss := usage.Maxrss << 10; ok && rss > maxRSS {
				t.Errorf("the child took %d MiB", rss>>20)
			}
		})
	}
}
