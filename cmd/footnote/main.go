// Command footnote is an OpenAI-compatible chat proxy that answers questions about
// documents with citations. This package is wiring only: it reads the configuration,
// chooses the backends and passes them to the packages that do the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"footnote/assistants/ingestion/sandbox"
	"footnote/cmd/footnote/console"
)

// version is set by the build: -ldflags "-X main.version=…".
var version = "dev"

func main() {
	if sandbox.IsChild() {
		sandbox.RunChild()
		return
	}
	root := newProgram(console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Environ()).command()
	if err := root.ExecuteContext(context.Background()); err != nil {
		if !errors.Is(err, console.ErrReported) {
			fmt.Fprintln(os.Stderr, "footnote:", err)
		}
		os.Exit(console.StatusOf(err))
	}
}
