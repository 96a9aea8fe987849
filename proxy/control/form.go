package control

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/apierr"
)

const (
	maxParts      = 1000    // of a form
	maxBoundary   = 70      // RFC 2046, 5.1.1
	maxFieldBytes = 1 << 20 // of one field that is not a file
	formOverhead  = 1 << 20 // boundaries, part headers and fields, on top of the files
)

// A form is an upload that is read to its end and checked before anything is
// stored. So the order of its parts does not matter: clients send labels before
// or after files. The files wait on disk, not in memory.
type form struct {
	files      []spooled
	labels     []string // nil: not sent
	tags       map[string]string
	sourcePath string

	// Set before the files are stored: whether an earlier attempt at the upload
	// may have stored some of them, and when the first attempt began.
	resumed bool
	since   time.Time
}

// spooled is a file of a form in an open temporary file, which the form owns.
type spooled struct {
	name string
	file *os.File
	id   assistants.DocumentID // of its document
	// named is set when the temporary file still has a name, on systems that
	// cannot remove open files.
	named bool
}

// Close closes and removes the temporary files.
func (f *form) Close() error {
	var errs []error
	for _, s := range f.files {
		errs = append(errs, s.file.Close())
		if s.named {
			errs = append(errs, os.Remove(s.file.Name()))
		}
	}
	return errors.Join(errs...)
}

// content is everything the form says, in a canonical encoding: multipart
// boundaries differ each time the same form is sent.
func (f *form) content() ([]byte, error) {
	type file struct{ Name, SHA256 string }
	files := make([]file, len(f.files))
	for i, s := range f.files {
		hash := sha256.New()
		if _, err := io.Copy(hash, s); err != nil {
			return nil, err
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, spoolFailed(err)
		}
		files[i] = file{s.name, hex.EncodeToString(hash.Sum(nil))}
	}
	return json.Marshal(struct {
		Files      []file
		Labels     []string
		Tags       map[string]string
		SourcePath string
	}{files, f.labels, f.tags, f.sourcePath})
}

// readForm reads a multipart form of files and, unless filesOnly, the fields
// labels, tags and source_path. The caller closes it.
func (a *api) readForm(c *gin.Context, filesOnly bool) (f *form, err error) {
	parts, body, err := a.openForm(c)
	if err != nil {
		return nil, err
	}
	f = &form{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
			f = nil
		}
	}()
	seen := map[string]bool{}
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if err == io.EOF && body.terminated() { //nolint:errorlint // wrapped, it means a truncated form
			break
		}
		if err != nil {
			return f, brokenForm(err)
		}
		if n == maxParts {
			return f, apierr.Invalid("", fmt.Sprintf("A form has at most %d parts.", maxParts))
		}
		name := part.FormName()
		switch {
		case name == "file":
			err = a.spool(part, f)
		case filesOnly || name != "labels" && name != "tags" && name != "source_path":
			err = apierr.Unsupported(name)
		case seen[name]:
			err = apierr.Duplicate(name)
		default:
			err = f.field(name, part)
		}
		if err != nil {
			return f, err
		}
		seen[name] = true
	}
	if len(f.files) == 0 {
		return f, apierr.Missing("file")
	}
	if f.sourcePath != "" && len(f.files) > 1 {
		return f, apierr.Invalid("source_path", "source_path names the origin of one file; send one file with it.")
	}
	return f, nil
}

// openForm checks the headers of an upload and limits the size of its body.
func (a *api) openForm(c *gin.Context) (*multipart.Reader, *tailReader, error) {
	media, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return nil, nil, apierr.UnsupportedMedia("Send files as multipart/form-data.")
	}
	if b := params["boundary"]; b == "" || len(b) > maxBoundary {
		return nil, nil, apierr.Invalid("", "The form has no boundary, or one longer than 70 characters.")
	}
	if err := refuseEncoding(c); err != nil {
		return nil, nil, err
	}
	limit := a.MaxUploadBytes + formOverhead
	if c.Request.ContentLength > limit {
		c.Header("Connection", "close") // the unread rest must not be parsed as the next request
		return nil, nil, apierr.TooLarge(a.MaxUploadBytes)
	}
	body := &tailReader{
		from: http.MaxBytesReader(connection(c.Writer), c.Request.Body, limit),
		end:  []byte("--" + params["boundary"] + "--"),
	}
	return multipart.NewReader(body, params["boundary"]), body, nil
}

// tailBytes is the size of mime/multipart's buffer: when it has read a form to
// its end, the end is within the last tailBytes of the body.
const tailBytes = 4096

// tailReader reads a body and keeps the last bytes that were read.
type tailReader struct {
	from io.Reader
	end  []byte // what terminates the form
	tail []byte
}

func (r *tailReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.tail = append(r.tail, b[:n]...)
	if over := len(r.tail) - tailBytes; over > 0 {
		r.tail = r.tail[:copy(r.tail, r.tail[over:])]
	}
	return n, err
}

// terminated reports whether the form is complete. mime/multipart accepts a form
// that is truncated after a boundary.
func (r *tailReader) terminated() bool { return bytes.Contains(r.tail, r.end) }

// brokenForm explains an error from reading a form.
func brokenForm(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return apierr.TooLarge(max(tooLarge.Limit-formOverhead, 0))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return apierr.New(http.StatusRequestTimeout, apierr.CodeRequestTimeout, "The upload came too slowly.")
	}
	return &apierr.Error{Status: http.StatusBadRequest, Code: apierr.CodeInvalidValue,
		Message: "The form is malformed or cut off.", Cause: err}
}

// field reads a field that is not a file.
func (f *form) field(name string, part *multipart.Part) error {
	raw, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
	if err != nil {
		return brokenForm(err)
	}
	if len(raw) > maxFieldBytes {
		return apierr.Invalid(name, name+" is too long.")
	}
	switch name {
	case "labels":
		var labels []string
		if err := json.Unmarshal(raw, &labels); err != nil {
			return apierr.InvalidType(name, "labels must be a JSON array of strings.")
		}
		f.labels, err = checkLabels(labels)
		return err
	case "tags":
		if err := json.Unmarshal(raw, &f.tags); err != nil {
			return apierr.InvalidType(name, "tags must be a JSON object whose values are strings.")
		}
		return checkTags(f.tags)
	default:
		f.sourcePath = string(raw)
		return checkSourcePath(f.sourcePath)
	}
}

// formEscapes are the only escapes that browsers and curl use in quoted file
// names (HTML, "multipart/form-data encoding algorithm"). Other percent signs
// belong to the name.
var formEscapes = strings.NewReplacer("%22", `"`, "%0A", "\n", "%0D", "\r")

// spool copies a file into the spool directory.
func (a *api) spool(part *multipart.Part, f *form) error {
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
	file, err := a.createTemp(a.SpoolDir, "upload-*")
	if err != nil {
		return spoolFailed(err)
	}
	// Remove the name now, so that nothing is left if the process is killed.
	named := os.Remove(file.Name()) != nil
	f.files = append(f.files, spooled{name: ingestion.CleanName(name), file: file, named: named})
	if _, err := io.Copy(diskWriter{file}, part); err != nil {
		if disk, ok := errors.AsType[*diskError](err); ok {
			return spoolFailed(disk)
		}
		return brokenForm(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return spoolFailed(err)
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
func (s spooled) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF unwrapped
		err = spoolFailed(err)
	}
	return n, err
}

func spoolFailed(err error) error {
	return fmt.Errorf("spool upload: %w: %w", assistants.ErrUnavailable, err)
}
