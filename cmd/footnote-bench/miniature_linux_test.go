package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A run in miniature: every process, every kind of proxy of ours, right
// answers, and a report that names what was left out.
func TestAMiniatureRunWritesItsReport(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report.md")
	var out bytes.Buffer
	err := runCommand(t.Context(), []string{
		"-rounds=2", "-requests=128", "-only=direct,reverseproxy,footnote,decoding,serve", "-footnote=" + filepath.Join(dir, "none"),
		"-phases=json-1k,json-22k,stream-1k,stream-alone", "-profile=" + dir, "-out=" + file,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("a trial wrote the file", err)
	}
	for _, want := range []string{
		"A trial, not a measurement",
		"| httputil.ReverseProxy ", "| Footnote, retrieval stubbed ", "(1.00×)", "footnote serve, real retrieval is not installed",
		"P1: JSON, 1 KB: CPU against ReverseProxy", "not measured", "| resolving 4 KB with 10 sources ", "≥ 200 MB/s",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for _, name := range []string{"json-1k-1.prof", "stream-1k-2.prof", "allocs.prof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Error("no profile", name, err)
		}
	}
}

func TestAFullRunWritesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	var out bytes.Buffer
	b, err := newBench(options{rounds: fullRounds, requests: fullRequests, file: file}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := publish(b.out, b.file, b.partial(), b.report(time.Now())); err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != out.String() || strings.Contains(out.String(), "A trial") {
		t.Errorf("%v: the file is not what was printed:\n%s", err, out.String())
	}
}

func TestASoakInMiniatureComesBackToItsBaseline(t *testing.T) {
	t.Setenv("GOGC", "100") // a roomy heap would be collected after two minutes only
	var out bytes.Buffer
	err := soakCommand(t.Context(), []string{"-footnote=" + realProgram(t), "-minutes=0.05", "-idle=20", "-active=20", "-late=1m"}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"baseline: ", "goroutines", "0 failures", "passed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing is said of %q:\n%s", want, out.String())
		}
	}
}
