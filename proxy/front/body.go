package front

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
)

// What a client has to send of a body in each Timings.Pace, and of an upload in
// each Timings.Upload.
const (
	paceBytes   = 10 << 10
	uploadBytes = 60 << 10
)

// refusedTime is how long net/http may read a body that no handler wanted, in
// order to keep the connection.
const refusedTime = time.Second

// A pacedBody is the body of a request. Its reads fail with
// os.ErrDeadlineExceeded when the client sends too slowly. Its request is a
// copy: net/http looks at the body of the original to see how much was read.
type pacedBody struct {
	request http.Request
	from    io.ReadCloser
	conn    *http.ResponseController
	pace    time.Duration
	least   int       // bytes that must come in each pace
	end     time.Time // by which all of it must have come; zero: it may take any time
	window  int       // bytes since the deadline was moved
	read    time.Time // when the last Read returned
	ended   bool
}

// BoundBody bounds how long a client may take to send a body, whether or not a
// handler reads it.
func (f *Front) BoundBody(c *gin.Context) {
	if len(c.Request.TransferEncoding) > 0 {
		// net/http reads the chunks and silently drops a Content-Length. A proxy
		// in front may have trusted the length, so nothing that follows is taken
		// for a request (RFC 9112, 6.3).
		c.Header("Connection", "close")
	}
	if c.Request.ContentLength == 0 {
		return
	}
	b := &pacedBody{
		request: *c.Request, from: c.Request.Body, conn: http.NewResponseController(c.Writer),
		pace: f.cfg.Pace, least: paceBytes, end: time.Now().Add(f.cfg.Body),
	}
	if strings.HasPrefix(c.GetHeader("Content-Type"), "multipart/") {
		b.pace, b.least, b.end = f.cfg.Upload, uploadBytes, time.Time{}
	}
	b.request.Body = b
	c.Request = &b.request
	b.extend()
	defer b.done()
	c.Next()
}

// extend moves the deadline of the reads.
func (b *pacedBody) extend() {
	deadline := time.Now().Add(b.pace)
	if !b.end.IsZero() && b.end.Before(deadline) {
		deadline = b.end
	}
	b.window = 0
	_ = b.conn.SetReadDeadline(deadline) // only a test's recorder has no deadlines
}

// Read reads, and moves the deadline when enough has come.
func (b *pacedBody) Read(p []byte) (int, error) {
	if !b.read.IsZero() && time.Since(b.read) > b.pace/8 {
		b.extend() // the handler was busy, with a slow disk perhaps: the client cannot help it
	}
	n, err := b.from.Read(p)
	b.window += n
	b.read = time.Now()
	switch {
	case errors.Is(err, io.EOF):
		// net/http continues to read, to notice a client that leaves, and would
		// mistake the deadline for that.
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Time{})
	case b.window >= b.least:
		b.extend()
	}
	return n, err
}

// Close closes the body.
func (b *pacedBody) Close() error { return b.from.Close() }

// done gives net/http little time to read the rest.
func (b *pacedBody) done() {
	if !b.ended {
		_ = b.conn.SetReadDeadline(time.Now().Add(refusedTime))
	}
}

// A Body is a request's body in memory. The memory counts against the budget of
// all requests until it is released.
type Body struct {
	Bytes []byte

	front *Front
	held  int64
}

// Release gives the memory back to the budget. The bytes must not be used any more.
func (b *Body) Release() {
	if b.held > 0 {
		b.front.memory.Release(b.held)
		b.front.load.bytes.Add(-b.held)
		b.held, b.Bytes = 0, nil
	}
}

// ReadJSON reads the whole body, which must be JSON, before anything else
// happens: a handler that streams it upstream would break streamed answers
// (golang/go#40747), and net/http notices that a client left only once the body
// is read.
func (f *Front) ReadJSON(c *gin.Context) (Body, error) {
	if mt, params, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || mt != "application/json" ||
		params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return Body{}, apierr.UnsupportedMedia("Send the request as application/json in UTF-8.")
	}
	if enc := c.GetHeader("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return Body{}, apierr.UnsupportedMedia("Send the request body without a Content-Encoding.")
	}
	if c.Request.ContentLength > f.cfg.MaxBodyBytes {
		c.Header("Connection", "close")
		return Body{}, &http.MaxBytesError{Limit: f.cfg.MaxBodyBytes}
	}
	body := Body{front: f}
	if err := body.read(c); err != nil {
		body.Release()
		c.Header("Connection", "close") // the unread rest must not be taken for the next request
		return Body{}, err
	}
	return body, nil
}

// read reads the body. It takes memory from the budget only as data comes, so
// that a client which merely announces a large body holds none.
func (b *Body) read(c *gin.Context) error {
	r := http.MaxBytesReader(c.Writer, c.Request.Body, b.front.cfg.MaxBodyBytes)
	for {
		if len(b.Bytes) == cap(b.Bytes) {
			const least = 16 << 10
			grow := max(least, cap(b.Bytes))
			if left := c.Request.ContentLength - int64(len(b.Bytes)); left >= 0 {
				grow = min(grow, int(left)+1) // one more, to see the end
			}
			if !b.acquire(int64(grow)) {
				return apierr.Overloaded()
			}
			b.Bytes = append(make([]byte, 0, cap(b.Bytes)+grow), b.Bytes...)
		}
		n, err := r.Read(b.Bytes[len(b.Bytes):cap(b.Bytes)])
		b.Bytes = b.Bytes[:len(b.Bytes)+n]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return readError(err)
		}
	}
}

// acquire takes n bytes of the budget.
func (b *Body) acquire(n int64) bool {
	if !b.front.memory.TryAcquire(n) {
		b.front.load.refused.WithLabelValues("bytes").Inc()
		return false
	}
	b.held += n
	b.front.load.bytes.Add(n)
	return true
}

// readError explains why a body could not be read.
func readError(err error) error {
	_, network := errors.AsType[*net.OpError](err)
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return apierr.New(http.StatusRequestTimeout, apierr.CodeRequestTimeout, "The request body came too slowly.")
	case errors.Is(err, io.ErrUnexpectedEOF), network:
		return context.Canceled // the client left in the middle of it
	case tooLarge:
		return err
	default: // malformed chunks
		return apierr.InvalidJSON("The request body could not be read to its end.")
	}
}
