// Command footnote-bench measures what Footnote costs compared with plain proxies,
// and holds a server under load for a long time. It is a module of its own, so
// that the programs it compares with stay out of Footnote's go.mod.
//
// Its rules: everything that is compared is measured in one run, in turns. Every
// answer is checked byte for byte, so that figures are of correct work only. A bad
// figure never makes it fail. Every part is a process of its own, because the
// processor time of each is measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"footnote/assistants"
)

const (
	roleUpstream = "upstream"
	roleLoad     = "load"
)

const usage = `Usage:
  footnote-bench run [flags]     measure, and print a report
  footnote-bench soak [flags]    hold streams for minutes, and check that the server frees everything
  footnote-bench retrieval [flags]
                                 compare the index with others
  footnote-bench documents [flags]
                                 measure reading, indexing and embedding, and starting over all that
  footnote-bench eval [flags]    judge what is found and cited by the gold sets
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "footnote-bench:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0 && args[0] == "run":
		return runCommand(ctx, args[1:], os.Stdout)
	case len(args) > 0 && args[0] == "soak":
		return soakCommand(ctx, args[1:], os.Stdout)
	case len(args) > 0 && args[0] == "retrieval":
		return retrievalCommand(ctx, args[1:], os.Stdout)
	case len(args) > 0 && args[0] == "documents":
		return documentsCommand(ctx, args[1:], os.Stdout)
	case len(args) > 0 && args[0] == "eval":
		return evalCommand(ctx, args[1:], os.Stdout)
	case len(args) > 1 && args[0] == "child":
		return childCommand(args[1], args[2:])
	default:
		fmt.Fprint(os.Stderr, usage)
		return flag.ErrHelp
	}
}

// childCommand takes a role in a run of another process.
func childCommand(role string, args []string) error {
	signal.Ignore(os.Interrupt) // the run ends its children in order
	switch {
	case role == roleUpstream:
		return runUpstream()
	case role == roleLoad:
		return runLoad()
	case role == roleEngine:
		return runEngine()
	case role == roleOpen && len(args) == 1:
		return runOpen(args[0])
	case role == nameReverse && len(args) == 1:
		return runReverseProxy(args[0], false)
	case role == nameRoomy && len(args) == 1:
		return runReverseProxy(args[0], true)
	case role == nameFootnote && len(args) == 1:
		return runFootnote(args[0], assistants.SupportLexical)
	case role == nameUnchecked && len(args) == 1:
		return runFootnote(args[0], assistants.SupportOff)
	case role == nameDecoding && len(args) == 1:
		return runDecoding(args[0])
	default:
		return fmt.Errorf("no such role: %s %v", role, args)
	}
}
