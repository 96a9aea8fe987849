// Command footnote-bench measures what Footnote costs compared with plain proxies,
// and how well it finds and cites. Its benchmarks and its soak are tests of this
// package. It is a module of its own, so that the programs it compares with stay out
// of Footnote's go.mod.
//
// Its rules: everything that is compared is measured in one run, in turns. Every
// answer is checked byte for byte, so that figures are of correct work only. A bad
// figure never makes it fail. Every contender is a process of its own, because the
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
)

const usage = `Usage:
  footnote-bench run [flags]     measure, and print a report
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
	case len(args) > 0 && args[0] == "eval":
		return evalCommand(ctx, args[1:], os.Stdout)
	case len(args) == 3 && args[0] == "child":
		return childCommand(args[1], args[2])
	default:
		fmt.Fprint(os.Stderr, usage)
		return flag.ErrHelp
	}
}

// childCommand takes the role of a contender in a run of another process.
func childCommand(role, upstream string) error {
	signal.Ignore(os.Interrupt) // the run ends its children in order
	switch role {
	case nameReverse:
		return runReverseProxy(upstream)
	case nameRelay:
		return runJSONRelay(upstream)
	default:
		return fmt.Errorf("no such role: %s", role)
	}
}
