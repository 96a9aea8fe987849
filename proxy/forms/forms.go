// Package forms reads uploads: multipart forms with files.
//
// It obeys one rule: a form is read to its end and checked before anything of it is used,
// so the order of its parts does not matter. Its files wait on disk, not in memory, and
// leave nothing behind. It knows no documents and must not import a store.
package forms

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
)

const (
	maxParts      = 1000    // of a form
	maxBoundary   = 70      // RFC 2046, 5.1.1
	maxFieldBytes = 1 << 20 // of one field that is not a file
	formOverhead  = 1 << 20 // boundaries, part headers and fields, on top of the files
)

// A Reader reads forms whose files are in the parts called file.
type Reader struct {
	MaxBytes int64  // of all files together
	Dir      string // where files wait; it must exist; "": the system's directory for temporary files
	// CreateTemp makes a file in Dir. nil: os.CreateTemp.
	CreateTemp func(dir, pattern string) (*os.File, error)
}

// A Form is the files of a form that was read to its end. Its owner closes it.
type Form struct {
	Files []*File
}

// A File is a file of a form in an open temporary file.
type File struct {
	Name string // as the client calls it
	file *os.File
	// named is set when the temporary file still has a name, on systems that
	// cannot remove open files.
	named bool
}

// Close closes and removes the temporary files.
func (f *Form) Close() error {
	var errs []error
	for _, s := range f.Files {
		errs = append(errs, s.file.Close())
		if s.named {
			errs = append(errs, os.Remove(s.file.Name()))
		}
	}
	return errors.Join(errs...)
}

// Read reads a form of at least one file. Its fields go to field, each once;
// apierr.Unsupported is its answer to a field that is not known. The caller closes the
// form. Errors are those of field, *apierr.Error, and ErrUnavailable when files cannot be
// stored.
func (r Reader) Read(c *gin.Context, field func(name string, value []byte) error) (f *Form, err error) {
	parts, body, err := r.open(c)
	if err != nil {
		return nil, err
	}
	f = &Form{}
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
			return f, broken(err)
		}
		if n == maxParts {
			return f, apierr.Invalid("", fmt.Sprintf("A form has at most %d parts.", maxParts))
		}
		name := part.FormName()
		switch {
		case name == "file":
			err = r.spool(part, f)
		case seen[name]:
			err = apierr.Duplicate(name)
		default:
			err = readField(name, part, field)
		}
		if err != nil {
			return f, err
		}
		seen[name] = true
	}
	if len(f.Files) == 0 {
		return f, apierr.Missing("file")
	}
	return f, nil
}

// open checks the headers of an upload and limits the size of its body.
func (r Reader) open(c *gin.Context) (*multipart.Reader, *tailReader, error) {
	media, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return nil, nil, apierr.UnsupportedMedia("Send files as multipart/form-data.")
	}
	if b := params["boundary"]; b == "" || len(b) > maxBoundary {
		return nil, nil, apierr.Invalid("", "The form has no boundary, or one longer than 70 characters.")
	}
	if e := c.GetHeader("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, nil, apierr.UnsupportedMedia("Send the request body without a Content-Encoding.")
	}
	limit := r.MaxBytes + formOverhead
	if c.Request.ContentLength > limit {
		c.Header("Connection", "close") // the unread rest must not be parsed as the next request
		return nil, nil, apierr.TooLarge(r.MaxBytes)
	}
	body := &tailReader{
		from: http.MaxBytesReader(connection(c.Writer), c.Request.Body, limit),
		end:  []byte("--" + params["boundary"] + "--"),
	}
	return multipart.NewReader(body, params["boundary"]), body, nil
}

// connection returns the innermost ResponseWriter. http.MaxBytesReader closes
// the connection of an oversized request only if it gets net/http's own writer.
func connection(w http.ResponseWriter) http.ResponseWriter {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
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

// broken explains an error from reading a form.
func broken(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return apierr.TooLarge(max(tooLarge.Limit-formOverhead, 0))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return apierr.New(http.StatusRequestTimeout, apierr.CodeRequestTimeout, "The upload came too slowly.")
	}
	return &apierr.Error{Status: http.StatusBadRequest, Code: apierr.CodeInvalidValue,
		Message: "The form is malformed or cut off.", Cause: err}
}

// readField reads a field that is not a file.
func readField(name string, part *multipart.Part, field func(name string, value []byte) error) error {
	raw, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
	if err != nil {
		return broken(err)
	}
	if len(raw) > maxFieldBytes {
		return apierr.Invalid(name, name+" is too long.")
	}
	return field(name, raw)
}
