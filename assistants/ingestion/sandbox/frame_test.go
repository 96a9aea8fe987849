package sandbox

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"footnote/assistants/ingestion/extract"
)

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	var b bytes.Buffer
	in := frame{Document: &extract.Document{Text: "<ä & \u2028>", Pages: []extract.Page{{Number: 1, End: 2}}}}
	if err := writeFrame(&b, in); err != nil {
		t.Fatal(err)
	}
	var out frame
	if err := readFrame(&b, 1<<10, &out); err != nil || out.Document.Text != in.Document.Text || len(out.Document.Pages) != 1 {
		t.Errorf("%+v, %v", out.Document, err)
	}
	if err := readFrame(&b, 1<<10, &out); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestBrokenFramesAreErrors(t *testing.T) {
	for raw, want := range map[string]error{
		"\x00\x00":           io.ErrUnexpectedEOF,
		"\x00\x00\x00\x05{}": io.ErrUnexpectedEOF,
		"\x7f\x00\x00\x00{}": errFrameTooLong,
		"\x00\x00\x00\x02{]": nil,
	} {
		var f frame
		err := readFrame(bytes.NewReader([]byte(raw)), 1<<10, &f)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got frame
		if err := readFrame(bytes.NewReader(raw), 1<<16, &got); err == nil && len(raw) < 4 {
			t.Fatal("a frame out of nothing")
		}
	})
}
