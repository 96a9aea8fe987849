// Package extracttest reads files for the tests of the packages of formats, and
// checks rules that every document must follow. It imports package extract only.
package extracttest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants/ingestion/extract"
)

// CacheDir keeps the compiled PDF reader while Main runs.
var CacheDir string

// Main runs the tests of a package with a CacheDir, and looks for leaked goroutines.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "extract-*")
	if err != nil {
		panic(err)
	}
	CacheDir = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// Extracted reads bytes as a file with a name, and fails the test if the document
// breaks a rule of package extract.
func Extracted(t *testing.T, name string, raw []byte) (extract.Document, error) {
	t.Helper()
	doc, err := extract.Extract(t.Context(), bytes.NewReader(raw), int64(len(raw)), extract.Options{Name: name, CacheDir: CacheDir})
	if err == nil {
		if err := doc.Check(); err != nil {
			t.Fatal(err)
		}
		for _, r := range doc.Text {
			if extract.Dropped(r) || r == '\r' {
				t.Fatalf("the text holds %U", r)
			}
		}
	}
	return doc, err
}

// MustExtract is Extracted for a file that can be read.
func MustExtract(t *testing.T, name string, raw []byte) extract.Document {
	t.Helper()
	doc, err := Extracted(t, name, raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Testdata returns a file of the package's folder testdata.
func Testdata(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// WantCode fails unless the error has a code, and a sentence for the person who
// uploaded the file.
func WantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *extract.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("error %v, want the code %s", err, code)
	}
	if e.Message == "" || strings.HasPrefix(e.Message, " ") || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%q is not a sentence", e.Message)
	}
}
