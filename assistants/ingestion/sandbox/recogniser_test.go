package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
)

// recogniser is the installed one, which CI must have.
func recogniser(t *testing.T) *Recogniser {
	t.Helper()
	r := FindRecogniser(t.Context())
	if r == nil || !slices.Contains(r.Languages, "deu") {
		if os.Getenv("CI") != "" {
			t.Fatal("tesseract (packages tesseract-ocr, tesseract-ocr-deu) is missing")
		}
		t.Skip("tesseract (packages tesseract-ocr, tesseract-ocr-deu) is missing")
	}
	return r
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("../extract/pdf/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestPagesThatAreScansAreRead(t *testing.T) {
	x := New(Config{CacheDir: compiled, Limits: patient, Recogniser: recogniser(t)})
	doc, err := x.Extract(t.Context(), open(t, "scan-mixed.pdf"), Hint{Name: "a.pdf"})
	if err != nil {
		t.Fatal(err)
	}
	if !doc.OCR || len(doc.Pages) != 4 {
		t.Fatalf("recognised: %v, %d pages", doc.OCR, len(doc.Pages))
	}
	for i, want := range []string{
		"This page holds text of its own.",
		"The quick brown fox jumps over the lazy dog near the river bank.",
		"", // an empty page
		"Die Kündigungsfrist beträgt",
	} {
		text := strings.Join(strings.Fields(doc.Text[doc.Pages[i].Start:doc.Pages[i].End]), " ")
		if !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("page %d: %q, want %q", i+1, text, want)
		}
	}
}

func TestScansWithoutARecogniserSayWhatToInstall(t *testing.T) {
	x := New(Config{CacheDir: compiled, Limits: patient})
	_, err := x.Extract(t.Context(), open(t, "scanned.pdf"), Hint{Name: "a.pdf"})
	var e *extract.Error
	if !errors.As(err, &e) || e.Code != extract.CodeNoText || !strings.Contains(e.Message, "tesseract-ocr") {
		t.Errorf("error %v", err)
	}
	doc, err := x.Extract(t.Context(), open(t, "scan-mixed.pdf"), Hint{Name: "a.pdf"})
	if err != nil || doc.OCR || !strings.Contains(doc.Text, "text of its own") || strings.Contains(doc.Text, "fox") {
		t.Errorf("a mixed one: %v %v %q", err, doc.OCR, doc.Text)
	}
}

// A program that fails, hangs for its time or talks without end costs its page.
func TestARecogniserThatFailsCostsItsPage(t *testing.T) {
	for _, script := range []string{"exit 3", "kill -9 $$", "cat >/dev/null; yes | head -c 5000000"} {
		program := filepath.Join(t.TempDir(), "recogniser")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		x := New(Config{CacheDir: compiled, Limits: patient, Recogniser: &Recogniser{Program: program, Languages: []string{"eng"}}})
		doc, err := x.Extract(t.Context(), open(t, "scan-mixed.pdf"), Hint{Name: "a.pdf"})
		if err != nil || !strings.HasPrefix(doc.Text, "This page holds text of its own.") || len(doc.Text) > 4<<20 {
			t.Errorf("%s: %v, %d bytes", script, err, len(doc.Text))
		}
	}
}
