package control

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// downloadTypes are the content types that a download may have; any other is
// sent as plain bytes. None of them is run by a browser, and no page is ever
// shown in place: the rest of the headers see to that (S-51).
var downloadTypes = map[string]bool{
	"application/pdf": true,
	"text/plain":      true,
	"text/markdown":   true,
	"text/csv":        true,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.oasis.opendocument.text":                                   true,
	"application/vnd.oasis.opendocument.spreadsheet":                            true,
	"application/vnd.oasis.opendocument.presentation":                           true,
	"application/epub+zip": true,
}

// download sends a document to who has a key. It is not there for readers when
// every assistant that they see and that cites it has its links off (S-100).
func (a *api) download(c *gin.Context) error {
	d, by, err := a.cited(c)
	if err != nil {
		return err
	}
	if principalOf(c).Require(assistants.ScopeAdmin) == nil || slices.ContainsFunc(by, givesLinks) {
		return a.sendFile(c, d)
	}
	// The assistant it belongs to may give none, and one that reads from it may.
	if by, err = a.readers(c); err != nil {
		return err
	}
	if !slices.ContainsFunc(by, func(r assistants.Assistant) bool { return givesLinks(r) && reads(r, d) }) {
		return assistants.ErrNotFound
	}
	return a.sendFile(c, d)
}

func givesLinks(a assistants.Assistant) bool {
	return a.Settings.CitationLinkMode != assistants.LinkNone
}

// sendFile sends the bytes of the version that answers, or of the first one
// while none does, as an attachment that no browser runs (S-51).
func (a *api) sendFile(c *gin.Context, d assistants.Document) (err error) {
	file, size, err := a.Blobs.Open(c.Request.Context(), d.Version.BlobKey)
	if err == nil && size != d.Version.Bytes {
		err = errors.Join(fmt.Errorf("%w: %d bytes instead of %d", assistants.ErrNotFound, size, d.Version.Bytes), file.Close())
	}
	if errors.Is(err, assistants.ErrNotFound) {
		// The row is there and the bytes are not: the client can do nothing, an operator must know.
		a.Log.ErrorContext(c.Request.Context(), "document bytes are missing or damaged",
			"request_id", c.Writer.Header().Get(apierr.RequestIDHeader), "document", d.ID, "error", err)
		return assistants.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	h := c.Writer.Header()
	h.Set("Content-Type", downloadType(d.Version.ContentType))
	h.Set("Content-Disposition", disposition(d.Name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-cache") // a copy may be kept, but key or link are asked for each time
	h.Set("Etag", `"`+d.Version.SHA256+`"`)
	w := &download{ResponseWriter: c.Writer, conn: http.NewResponseController(c.Writer)}
	http.ServeContent(w, c.Request, "", d.Version.CreatedAt, file)
	if w.badRange {
		h.Del("Content-Disposition") // what follows is an error and no file
		return apierr.New(http.StatusRequestedRangeNotSatisfiable, apierr.CodeInvalidValue, "The document does not have this range of bytes.")
	}
	return nil
}

// downloadType is the content type to send for a stored one.
func downloadType(stored string) string {
	media, _, err := mime.ParseMediaType(stored)
	if err != nil || !downloadTypes[media] {
		return "application/octet-stream"
	}
	return media // without a charset: the bytes are as they came, in whichever they had
}

// disposition offers the file under the document's name (RFC 6266, RFC 8187).
func disposition(name string) string {
	if v := mime.FormatMediaType("attachment", map[string]string{"filename": name}); v != "" {
		return v
	}
	return "attachment"
}

const (
	writePause = 30 * time.Second // how long a reader may take nothing
	writePiece = 64 << 10         // bytes to which one such pause applies
)

// download is the ResponseWriter of a download. It cuts readers that stop
// reading, which net/http by itself waits for without end, and it keeps the
// text of http.ServeContent's error out of the answer.
//
// It leaves io.ReaderFrom out on purpose: one call of it would be the whole
// file under one deadline.
type download struct {
	http.ResponseWriter
	conn     *http.ResponseController
	badRange bool
}

// WriteHeader sends the status, unless the range was bad: the caller says so
// in the words of this API.
func (d *download) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		d.badRange = true
		return
	}
	d.ResponseWriter.WriteHeader(status)
}

// Write sends b in pieces, each with time of its own.
func (d *download) Write(b []byte) (n int, err error) {
	if d.badRange {
		return len(b), nil
	}
	for n < len(b) {
		if err := d.conn.SetWriteDeadline(time.Now().Add(writePause)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return n, err
		}
		m, err := d.ResponseWriter.Write(b[n:min(n+writePiece, len(b))])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
