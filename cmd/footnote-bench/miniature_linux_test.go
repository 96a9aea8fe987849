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
		"-rounds=2", "-requests=128", "-only=direct,reverseproxy,footnote,footnote-unchecked,nginx,serve", "-footnote=" + filepath.Join(dir, "none"),
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
		"P1: JSON, 1 KB: CPU against ReverseProxy", "not measured", "≤ 1.3 ×",
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
	if err := b.publish(time.Now()); err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != out.String() || strings.Contains(out.String(), "A trial") {
		t.Errorf("%v: the file is not what was printed:\n%s", err, out.String())
	}
}
