package forms

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"strings"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// formEscapes are the only escapes that browsers and curl use in quoted file
// names (HTML, "multipart/form-data encoding algorithm"). Other percent signs
// belong to the name.
var formEscapes = strings.NewReplacer("%22", `"`, "%0A", "\n", "%0D", "\r")

// spool copies a file into the directory.
func (r Reader) spool(part *multipart.Part, f *Form) error {
	disposition := part.Header.Get("Content-Disposition")
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil || params["filename"] == "" {
		// A text field named file, or an empty file input.
		return apierr.Invalid("file", "file must be a file with a name.")
	}
	name := params["filename"]
	if !strings.Contains(strings.ToLower(disposition), "filename*") { // whose escapes were decoded already
		name = formEscapes.Replace(name)
	}
	create := r.CreateTemp
	if create == nil {
		create = os.CreateTemp
	}
	file, err := create(r.Dir, "upload-*")
	if err != nil {
		return failed(err)
	}
	// Remove the name now, so that nothing is left if the process is killed.
	named := os.Remove(file.Name()) != nil
	f.Files = append(f.Files, &File{Name: name, file: file, named: named})
	if _, err := io.Copy(diskWriter{file}, part); err != nil {
		if disk, ok := errors.AsType[*diskError](err); ok {
			return failed(disk)
		}
		return broken(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return failed(err)
	}
	return nil
}

// diskWriter marks write errors, to distinguish a full disk from a broken
// request.
type diskWriter struct{ file *os.File }

type diskError struct{ err error }

func (e *diskError) Error() string { return e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

func (w diskWriter) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

// Read marks read errors, which are the server's fault and not the upload's.
func (s *File) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF unwrapped
		err = failed(err)
	}
	return n, err
}

// Rewind lets the file be read again from its beginning. ErrUnavailable.
func (s *File) Rewind() error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return failed(err)
	}
	return nil
}

// SHA256 reads the file, and leaves it at its beginning. ErrUnavailable.
func (s *File) SHA256() (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, s); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), s.Rewind()
}

func failed(err error) error {
	return fmt.Errorf("spool upload: %w: %w", assistants.ErrUnavailable, err)
}
