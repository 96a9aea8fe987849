package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"footnote/assistants/ingestion/extract"
	"footnote/assistants/ingestion/extract/pdf"
)

// A request is the only thing the child reads besides the file.
type request struct {
	Name       string        `json:"name"`
	CacheDir   string        `json:"cache_dir"`
	Memory     int64         `json:"memory"`
	CPU        time.Duration `json:"cpu"`
	CPUPerPage time.Duration `json:"cpu_per_page"`
	// Recogniser, if set, reads the pages of a PDF that hold no text.
	Recogniser *Recogniser `json:"recogniser,omitempty"`
	// Picture asks for a picture of a page in place of the document's text.
	Picture *pdf.Picture `json:"picture,omitempty"`
	// Probe asks only for the child's Isolation.
	Probe bool `json:"probe,omitempty"`
}

// A frame is a message of the child: progress any number of times, then one
// document, picture, isolation or failure.
type frame struct {
	Progress  *progress         `json:"progress,omitempty"`
	Document  *extract.Document `json:"document,omitempty"`
	Picture   []byte            `json:"picture,omitempty"` // PNG
	Isolation *Isolation        `json:"isolation,omitempty"`
	Failure   *failure          `json:"failure,omitempty"`
}

// last reports whether this is the child's last frame.
func (f frame) last() bool {
	return f.Document != nil || f.Picture != nil || f.Isolation != nil || f.Failure != nil
}

type progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
	// Recognising is the page whose text is recognised now, which takes longer.
	Recognising int `json:"recognising,omitempty"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail,omitempty"` // for the log
}

var errFrameTooLong = errors.New("frame longer than the limit")

// writeFrame writes the length of v's JSON and then the JSON, in one write.
func writeFrame(w io.Writer, v any) error {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	out := b.Bytes()
	binary.BigEndian.PutUint32(out, uint32(len(out)-4))
	_, err := w.Write(out)
	return err
}

// readFrame reads one frame of at most limit bytes into v; io.EOF means that
// there is none.
func readFrame(r io.Reader, limit int64, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n > limit {
		return errFrameTooLong
	}
	// The announced length may be false, so memory grows with the bytes received.
	body, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return fmt.Errorf("read a frame: %w", err)
	}
	if int64(len(body)) < n {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("decode a frame: %w", err)
	}
	return nil
}
