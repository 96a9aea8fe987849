// Command footnote is an OpenAI-compatible chat proxy that answers questions
// about documents with citations. This package is wiring only: it reads the
// configuration, chooses the backends and hands them to the rooms that work.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"footnote/assistants/ingestion/sandbox"
)

// version is set by the build: -ldflags "-X main.version=…".
var version = "dev"

// errSilent ends a command with exit status 1 after it has said all there is to say.
var errSilent = errors.New("")

func main() {
	if sandbox.IsChild() {
		sandbox.RunChild()
		return
	}
	root := newProgram(streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Environ()).command()
	if err := root.ExecuteContext(context.Background()); err != nil {
		if !errors.Is(err, errSilent) {
			fmt.Fprintln(os.Stderr, "footnote:", err)
		}
		os.Exit(1)
	}
}
