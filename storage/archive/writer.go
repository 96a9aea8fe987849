package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// copyBuffer is how much of a file is in memory while it is copied.
const copyBuffer = 128 << 10

// A ReadError says that a source could not be read to its end. The archive it
// was meant for is still whole: zeros replace the missing bytes.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the source's own error.
func (e *ReadError) Unwrap() error { return e.Err }

// errShort is the error of a source that ends before its size.
var errShort = errors.New("the file ends too early")

// A Writer writes an archive, entry by entry.
type Writer struct {
	gz      *gzip.Writer
	tar     *tar.Writer
	at      time.Time
	entries []Entry
	names   map[string]int // place in entries
}

// NewWriter begins an archive that goes to w; at is the time of all its entries.
func NewWriter(w io.Writer, at time.Time) *Writer {
	// Documents are mostly compressed already: trying hard costs time and gains nothing.
	gz, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return &Writer{gz: gz, tar: tar.NewWriter(gz), at: at.UTC().Truncate(time.Second), names: map[string]int{}}
}

// Add writes an entry of size bytes, read from r, and returns its SHA-256 as it
// is in the archive. A [*ReadError] means that r could not be read to its end:
// zeros fill up the entry, and more entries may follow. After any other error the
// archive is unusable.
func (w *Writer) Add(name string, size int64, r io.Reader) (sum string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	if _, ok := w.names[name]; ok || name == manifestName {
		return "", fmt.Errorf("archive: %s is there already", name)
	}
	if len(w.entries) >= maxEntries {
		return "", fmt.Errorf("archive: more than %d entries", maxEntries)
	}
	src := &source{r: r, left: size}
	hash := sha256.New()
	if err := w.put(name, size, io.TeeReader(src, hash)); err != nil {
		return "", err
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	w.names[name] = len(w.entries)
	w.entries = append(w.entries, Entry{Name: name, Bytes: size, SHA256: sum})
	if src.err != nil {
		return sum, &ReadError{src.err}
	}
	return sum, nil
}

func (w *Writer) put(name string, size int64, r io.Reader) error {
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at})
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{w.tar}, struct{ io.Reader }{r}, make([]byte, copyBuffer)); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// MarkUnused marks an entry that must not be unpacked when the archive is restored.
func (w *Writer) MarkUnused(name string) {
	if i, ok := w.names[name]; ok {
		w.entries[i].Unused = true
	}
}

// Finish ends the archive with its manifest, whose format, time and entries it
// fills in. It does not close what the archive is written to.
func (w *Writer) Finish(m Manifest) error {
	m.Format, m.CreatedAt, m.Entries = Format, w.at, w.entries
	if m.Damaged == nil {
		m.Damaged = []Damage{}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if err := w.put(manifestName, int64(len(raw)), bytes.NewReader(raw)); err != nil {
		return err
	}
	if err := errors.Join(w.tar.Close(), w.gz.Close()); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// A source yields exactly left bytes. Zeros replace those that its reader lacks.
type source struct {
	r    io.Reader
	left int64
	err  error
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > s.left {
		p = p[:s.left]
	}
	if s.err == nil {
		n, err = s.r.Read(p)
		if err == io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
			err = nil
			if int64(n) < s.left {
				err = errShort
			}
		}
		s.err = err
	}
	if s.err != nil && n == 0 {
		clear(p)
		n = len(p)
	}
	s.left -= int64(n)
	return n, nil
}
