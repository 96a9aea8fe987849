package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary take the roles of child processes.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "child" || len(os.Args) == 3 && os.Args[1] == roleOpen {
		if err := takeRole(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	cleanup := goleak.Cleanup(func(code int) {
		if builtDir != "" {
			_ = os.RemoveAll(builtDir) // a temporary directory
		}
		os.Exit(code)
	})
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), cleanup) // importing bleve starts some goroutines
}

func takeRole(args []string) error {
	if args[0] == roleOpen {
		return runOpen(args[1])
	}
	return command(context.Background(), args)
}

var builtDir string

// buildProgram returns the program that FOOTNOTE_TEST_PROGRAM names, or builds
// it, once for all tests.
var buildProgram = sync.OnceValues(func() (program string, err error) {
	if program = os.Getenv("FOOTNOTE_TEST_PROGRAM"); program != "" {
		return program, nil
	}
	if builtDir, err = os.MkdirTemp("", "footnote-bench-test-"); err != nil {
		return "", err
	}
	program = filepath.Join(builtDir, "footnote")
	build := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/footnote")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

func realProgram(tb testing.TB) string {
	tb.Helper()
	program, err := buildProgram()
	if err != nil {
		tb.Fatal(err)
	}
	return program
}
