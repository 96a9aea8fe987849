// Package console has what the commands of the program share: the standard
// streams, the error of a command that has already explained itself, and how
// counts and addresses are printed. It imports nothing of this module.
package console

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// Streams are a command's standard input and outputs.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ErrReported ends a command with exit status 1 when the command has already
// printed what is wrong.
var ErrReported = errors.New("")

// A StatusError ends the program with an exit status of its own.
type StatusError struct {
	Status int
	Err    error // what is printed
}

// Error implements error.
func (e *StatusError) Error() string { return e.Err.Error() }

// Unwrap returns the error that is printed.
func (e *StatusError) Unwrap() error { return e.Err }

// StatusOf is the exit status of a command that ended with an error: 1, unless the error
// says otherwise.
func StatusOf(err error) int {
	if own, ok := errors.AsType[*StatusError](err); ok {
		return own.Status
	}
	return 1
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Group is a command that only has subcommands. Without arguments it prints
// its help; an unknown subcommand is an error, which cobra alone would not report.
func Group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown command %q for %q; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
		}
		return cmd.Help()
	}}
}

// Plural is a count with its noun: "1 page", "2 pages".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
