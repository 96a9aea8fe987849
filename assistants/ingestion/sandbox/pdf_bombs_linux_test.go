//go:build !race

package sandbox

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
)

// deflated is what inflates to so many megabytes of zeros.
func deflated(t *testing.T, megabytes int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	var ends [2]int
	for i := range ends {
		_, err := w.Write(zeros)
		if err = errors.Join(err, w.Flush()); err != nil {
			t.Fatal(err)
		}
		ends[i] = b.Len()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// All megabytes but the first are the same bytes.
	out := "\x78\xda" + string(b.Bytes()[:ends[0]]) + strings.Repeat(string(b.Bytes()[ends[0]:ends[1]]), megabytes-1) + string(b.Bytes()[ends[1]:])
	return string(binary.BigEndian.AppendUint32([]byte(out), uint32(megabytes<<20%65521)<<16|1)) // Adler-32 of zeros
}

// inBrief is what inflates to a text.
func inBrief(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return "\x78\xda" + b.String()
}

func lzwOf(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	w := lzw.NewWriter(&b, lzw.MSB, 8)
	_, err := w.Write(make([]byte, size))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pageOf is a PDF of one page, whose contents are one stream and which may show
// a picture that is another. It has no table, which the reader makes itself.
func pageOf(contents, contentsData, picture, pictureData string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	for i, body := range []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</P 5 0 R>>>>/Contents 4 0 R>>",
		fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", contents, len(contentsData), contentsData),
		fmt.Sprintf("<</Type/XObject/Subtype/Image%s/Length %d>>\nstream\n%s\nendstream", picture, len(pictureData), pictureData),
	} {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	b.WriteString("trailer\n<</Size 6/Root 1 0 R>>\n%%EOF\n")
	return b.String()
}

// bits is a picture of JBIG2 that says how large it is and no more.
func bits(width, height uint32) string {
	page := binary.BigEndian.AppendUint32(nil, width)
	page = binary.BigEndian.AppendUint32(page, height)
	page = append(page, make([]byte, 11)...)
	return "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13" + string(page)
}

// wavelets is a picture of JPEG 2000 that says how large it is and no more.
func wavelets(size uint32) string {
	siz := binary.BigEndian.AppendUint16(nil, 47)
	siz = binary.BigEndian.AppendUint16(siz, 0)
	for _, n := range []uint32{size, size, 0, 0, size, size, 0, 0} {
		siz = binary.BigEndian.AppendUint32(siz, n)
	}
	siz = binary.BigEndian.AppendUint16(siz, 3)
	for range 3 {
		siz = append(siz, 7, 1, 1)
	}
	cod := "\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x05\x04\x04\x00\x01"
	qcd := "\xff\x5c\x00\x13\x40" + strings.Repeat("\x48", 16)
	return "\xff\x4f\xff\x51" + string(siz) + cod + qcd + "\xff\x90\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x01\xff\x93\xff\xd9"
}

// A PDF that stands for far more than it is costs a child what it may have and
// no more, be it read or drawn.
func TestBombsOfPDFEndWithinTheirLimits(t *testing.T) {
	draw := "q 500 0 0 500 0 0 cm /P Do Q"
	grey := "/BitsPerComponent 8/ColorSpace/DeviceGray"
	large, size, endless := 900, uint32(20_000), uint32(1<<31-1)
	everyday := []string{"inflated twice", "a predictor", "a picture without bytes", "JBIG2 beyond reason"}
	for name, raw := range map[string]string{
		"inflated":                pageOf("/Filter/FlateDecode", deflated(t, large), "", ""),
		"inflated twice":          pageOf("/Filter[/FlateDecode/FlateDecode]", inBrief(t, deflated(t, large)), "", ""),
		"inflated far too often":  pageOf("/Filter["+strings.Repeat("/FlateDecode", 1000)+"]", deflated(t, 1), "", ""),
		"LZW":                     pageOf("/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", lzwOf(t, large<<20/14), "", ""),
		"a predictor":             pageOf("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 2147483647/Colors 32/BitsPerComponent 16>>", deflated(t, large/9), "", ""),
		"an inflated picture":     pageOf("", draw, "/Width 30000/Height 30000/Filter/FlateDecode"+grey, deflated(t, large)),
		"a picture without bytes": pageOf("", draw, "/Width 2147483647/Height 2147483647"+grey, "x"),
		"JBIG2":                   pageOf("", draw, "/Width 46000/Height 46000/Filter/JBIG2Decode/BitsPerComponent 1/ColorSpace/DeviceGray", bits(46_000, 46_000)),
		"JBIG2 beyond reason":     pageOf("", draw, "/Width 1/Height 1/Filter/JBIG2Decode/BitsPerComponent 1/ColorSpace/DeviceGray", bits(1<<32-1, 1<<32-1)),
		"JPEG 2000":               pageOf("", draw, "/Width 20000/Height 20000/Filter/JPXDecode", wavelets(size)),
		"JPEG 2000 beyond reason": pageOf("", draw, "/Width 1/Height 1/Filter/JPXDecode", wavelets(endless)),
	} {
		if !nightly && !slices.Contains(everyday, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var child *exec.Cmd
			x := New(Config{CacheDir: compiled, Limits: patient})
			command := x.command
			x.command = func(ctx context.Context) (cmd *exec.Cmd, err error) {
				child, err = command(ctx)
				return child, err
			}
			ended := func(what string, err error) {
				t.Helper()
				var bad *extract.Error
				if err != nil && (!errors.As(err, &bad) || !slices.Contains([]string{extract.CodeTooComplex, extract.CodeNoText, extract.CodeUnreadable, extract.CodeParserFailed}, bad.Code)) {
					t.Errorf("%s: %v", what, err)
				}
				used := child.ProcessState.SysUsage().(*syscall.Rusage)
				t.Logf("%s: %d MiB, %v of the processor", what, used.Maxrss>>10, child.ProcessState.UserTime())
				if rss := used.Maxrss << 10; rss > 600<<20 {
					t.Errorf("%s: the child took %d MiB", what, rss>>20)
				}
			}
			f := document(t, raw)
			if strings.Contains(raw, draw) { // its picture is the bomb
				_, err := x.Draw(t.Context(), f, pdf.Picture{Page: 1})
				ended("drawn", err)
				return
			}
			doc, err := x.Extract(t.Context(), f, Hint{Name: "a.pdf"})
			ended("read", err)
			var bad *extract.Error
			if strings.HasPrefix(name, "inflated") && !strings.HasSuffix(name, "often") && (!errors.As(err, &bad) || bad.Code != extract.CodeTooComplex) {
				t.Errorf("more than a child may have: %v", err)
			}
			if err == nil && doc.Text != "" {
				t.Errorf("%q was read", doc.Text)
			}
		})
	}
}
