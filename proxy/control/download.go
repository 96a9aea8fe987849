package control

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/links"
)

// download sends a document to the holder of a key. A reader gets 404 when every
// assistant that it sees and that cites the document has its links off.
func (a *api) download(c *gin.Context) error {
	d, by, err := a.cited(c)
	if err != nil {
		return err
	}
	if principalOf(c).Require(assistants.ScopeAdmin) == nil || slices.ContainsFunc(by, givesLinks) {
		return a.sendFile(c, d)
	}
	// The owner may have its links off while another reader has them on.
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

// sendFile sends the bytes of the live version, or of the first while none is
// live, as an attachment that browsers do not open.
func (a *api) sendFile(c *gin.Context, d assistants.Document) (err error) {
	file, size, err := a.Blobs.Open(c.Request.Context(), d.Version.BlobKey)
	if err == nil && size != d.Version.Bytes {
		err = errors.Join(fmt.Errorf("%w: %d bytes instead of %d", assistants.ErrNotFound, size, d.Version.Bytes), file.Close())
	}
	if errors.Is(err, assistants.ErrNotFound) {
		// The row exists without its bytes. Only an operator can repair that.
		a.Log.ErrorContext(c.Request.Context(), "document bytes are missing or damaged",
			"request_id", c.Writer.Header().Get(apierr.RequestIDHeader), "document", d.ID, "error", err)
		return assistants.ErrNotFound
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	h := c.Writer.Header()
	h.Set("Content-Type", links.ContentType(d.Version.ContentType))
	h.Set("Content-Disposition", links.Disposition(d.Name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-cache") // a copy may be cached, but key or link are checked each time
	h.Set("Etag", `"`+d.Version.SHA256+`"`)
	w := &download{ResponseWriter: c.Writer}
	http.ServeContent(w, withBytesRange(c.Request), "", d.Version.CreatedAt, file)
	if w.badRange {
		h.Del("Content-Disposition") // the answer is an error, not a file
		return apierr.New(http.StatusRequestedRangeNotSatisfiable, apierr.CodeInvalidValue, "The document does not have this range of bytes.")
	}
	return nil
}

// withBytesRange returns the request without a range in a unit other than bytes,
// which RFC 9110 wants ignored. The last 0 bytes are no range: net/http would
// answer them with an impossible Content-Range.
func withBytesRange(r *http.Request) *http.Request {
	unit, ranges, _ := strings.Cut(r.Header.Get("Range"), "=")
	if unit == "" {
		return r
	}
	isBytes := strings.EqualFold(strings.TrimSpace(unit), "bytes")
	last, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(ranges), "-"), 10, 64)
	empty := strings.HasPrefix(strings.TrimSpace(ranges), "-") && err == nil && last == 0
	if isBytes && !empty {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Range")
	if isBytes {
		r.Header.Set("Range", "bytes="+strconv.FormatInt(math.MaxInt64, 10)+"-") // not satisfiable
	}
	return r
}

// download is the ResponseWriter of a download. It keeps the text of
// http.ServeContent's error out of the answer.
type download struct {
	http.ResponseWriter
	badRange bool
}

// WriteHeader sends the status. It drops that of a bad range, for which the
// caller writes this API's own error.
func (d *download) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		d.badRange = true
		return
	}
	d.ResponseWriter.WriteHeader(status)
}

// Write sends b, unless it is the text of an error.
func (d *download) Write(b []byte) (int, error) {
	if d.badRange {
		return len(b), nil
	}
	return d.ResponseWriter.Write(b)
}
