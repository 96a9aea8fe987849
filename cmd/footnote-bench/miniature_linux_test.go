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
		"-rounds=2", "-requests=128", "-only=direct,reverseproxy,nginx,footnote,footnote-postgres", "-footnote=" + filepath.Join(dir, "none"),
		"-phases=json-1k,json-cold,stream-1k,stream-alone", "-out=" + file,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("a trial wrote the file", err)
	}
	for _, want := range []string{
		"A trial, not a measurement",
		"| httputil.ReverseProxy ", "(1.00×)", "footnote serve is not installed", "footnote serve on PostgreSQL is not installed",
		"P1: JSON, question seen before: CPU against ReverseProxy", "not measured", "≤ 3 ×",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// The row of Footnote itself: documents are ingested, each question finds as many
// sources as the answer cites, and profiles are written.
func TestFootnoteIsMeasuredAsItIsShipped(t *testing.T) {
	program := realProgram(t)
	dir := t.TempDir()
	var out bytes.Buffer
	err := runCommand(t.Context(), []string{
		"-rounds=1", "-requests=128", "-documents=120", "-only=reverseproxy,footnote,footnote-plain", "-footnote=" + program, "-postgres=",
		"-phases=json-1k,json-cold,stream-1k", "-profile=" + dir,
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| footnote serve ", "| footnote serve without retrieval ", "with 120 documents"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	for _, name := range []string{"json-1k-1.prof", "stream-1k-1.prof", "allocs.prof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Error("no profile", name, err)
		}
	}
}

func TestAFullRunWritesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	var out bytes.Buffer
	b, err := newBench(options{rounds: fullRounds, requests: fullRequests, documents: fullDocuments, file: file}, &out)
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
