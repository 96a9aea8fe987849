package sandbox

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
)

// connects reports whether a child reaches a server on this machine.
func connects(t *testing.T, x *Extractor, address string) bool {
	t.Helper()
	f := document(t, address)
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	doc, err := x.Extract(t.Context(), f, Hint{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text == "connected"
}

func TestAChildReachesNothingWhereThatIsClaimed(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	address := server.Addr().String()
	found := New(Config{}).Isolation(t.Context())
	t.Logf("in force: %+v", found)
	if found.Network == "none" && runtime.GOOS == "linux" {
		t.Error("on Linux at least the filter is in force")
	}
	if (found.Namespace || found.Filter) && connects(t, misbehaving("connect", Limits{}), address) {
		t.Error("a child reached a server")
	}
	if found.Namespace && connects(t, misbehaving("connect without a filter", Limits{}), address) {
		t.Error("a child reached a server from a network of its own")
	}
	open := misbehaving("connect without a filter", Limits{})
	open.network.off.Store(true)
	if !connects(t, open, address) {
		t.Error("the child cannot connect even when nothing keeps it from it: this test proves nothing")
	}
	open = misbehaving("connect", Limits{})
	open.network.off.Store(true)
	if found.Filter && connects(t, open, address) {
		t.Error("a child reached a server past the filter")
	}
}

// Where the kernel gives no namespaces, children run without.
func TestAKernelWithoutNamespacesCostsNoDocument(t *testing.T) {
	x := New(Config{})
	tries := 0
	x.command = func(ctx context.Context) (*exec.Cmd, error) {
		cmd, err := self(ctx)
		if tries++; tries == 1 {
			cmd.Path = "/dev/null" // not executable: EACCES, as a refused namespace gives
		}
		return cmd, err
	}
	for range 2 {
		if doc, err := x.Extract(t.Context(), document(t, "text"), Hint{Name: "a.txt"}); err != nil || doc.Text != "text" {
			t.Fatal(doc, err)
		}
	}
	if canIsolate && (tries != 3 || x.network.wanted()) {
		t.Errorf("%d tries", tries)
	}
}

func TestAPictureIsDrawnByAChild(t *testing.T) {
	f, err := os.Open("../extract/pdf/testdata/hyphens.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := New(Config{CacheDir: compiled, Limits: patient})
	text := "The sentence that began"
	picture, err := x.Draw(t.Context(), f, pdf.Picture{Page: 2, Text: text, Start: 4, End: 12})
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(picture)); err != nil || img.Bounds().Dx() < 500 {
		t.Error(err)
	}
	if _, err := x.Draw(t.Context(), f, pdf.Picture{Page: 6}); !errors.Is(err, pdf.ErrNoPage) {
		t.Errorf("page 6 of 5: %v", err)
	}
	var bad *extract.Error
	if _, err := x.Draw(t.Context(), document(t, "no PDF"), pdf.Picture{Page: 1}); !errors.As(err, &bad) || bad.Code != extract.CodeUnreadable {
		t.Errorf("no PDF: %v", err)
	}
	// A long request does not hang on a child that reads nothing.
	if _, err := misbehaving("exit", Limits{}).Draw(t.Context(), f, pdf.Picture{Page: 1, Text: strings.Repeat("x", 1<<20)}); !errors.As(err, &bad) {
		t.Errorf("a child that says nothing: %v", err)
	}
	// An answer of the wrong kind is no picture.
	if _, err := misbehaving("environment", Limits{}).Draw(t.Context(), f, pdf.Picture{Page: 1}); !errors.As(err, &bad) {
		t.Errorf("a document in place of a picture: %v", err)
	}
}
