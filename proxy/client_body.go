package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/proxy/apierr"
)

// paceBytes is what a client has to send of a body in each Timings.Pace.
const paceBytes = 10 << 10

// refusedTime is how long net/http may go on reading a body that no handler
// wanted, in order to keep the connection.
const refusedTime = time.Second

// A clientBody is the body of a request. It ends in os.ErrDeadlineExceeded
// when it comes too slowly. Its request is a copy, because net/http looks at
// the body of its own to see what was read of it.
type clientBody struct {
	request http.Request
	from    io.ReadCloser
	conn    *http.ResponseController
	pace    time.Duration // 0: whoever reads it sets the pace
	end     time.Time     // by which all of it must have come
	window  int           // bytes since the deadline was moved
	ended   bool
}

// boundBody bounds how long a client may take to send a body, whoever reads
// it, and if nobody does.
func (s *Server) boundBody(c *gin.Context) {
	if len(c.Request.TransferEncoding) > 0 {
		// net/http takes the chunks and silently drops a Content-Length beside
		// them. Whoever is in front may have counted otherwise, so nothing that
		// comes after is taken for a request (RFC 9112, 6.3).
		c.Header("Connection", "close")
	}
	if c.Request.ContentLength == 0 {
		return
	}
	t := s.cfg.Timings
	b := &clientBody{
		request: *c.Request, from: c.Request.Body, conn: http.NewResponseController(c.Writer),
		pace: t.Pace, end: time.Now().Add(t.Body),
	}
	if strings.HasPrefix(c.GetHeader("Content-Type"), "multipart/") {
		b.pace = 0 // uploads have bounds of their own
	}
	b.request.Body = b
	c.Request = &b.request
	b.move()
	defer b.done()
	c.Next()
}

// move puts the deadline of the reads off.
func (b *clientBody) move() {
	deadline := b.end
	if b.pace > 0 {
		if next := time.Now().Add(b.pace); next.Before(deadline) {
			deadline = next
		}
	}
	b.window = 0
	_ = b.conn.SetReadDeadline(deadline) // without deadlines there are no slow clients: a test's recorder
}

// Read reads, and puts the deadline off when enough has come.
func (b *clientBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.window += n
	switch {
	case errors.Is(err, io.EOF):
		// net/http goes on reading, to notice a client that leaves, and would
		// take the deadline for one.
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Time{})
	case b.pace > 0 && b.window >= paceBytes:
		b.move()
	}
	return n, err
}

// Close closes the body.
func (b *clientBody) Close() error { return b.from.Close() }

// done leaves net/http little time for what was not read.
func (b *clientBody) done() {
	if !b.ended {
		_ = b.conn.SetReadDeadline(time.Now().Add(refusedTime))
	}
}

// bodyError explains why a body could not be read.
func bodyError(err error) error {
	_, network := errors.AsType[*net.OpError](err)
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return apierr.New(http.StatusRequestTimeout, apierr.CodeRequestTimeout, "The request body came too slowly.")
	case errors.Is(err, io.ErrUnexpectedEOF), network:
		return context.Canceled // the client left in the middle of it
	case tooLarge:
		return err
	default: // chunks that are none
		return apierr.InvalidJSON("The request body could not be read to its end.")
	}
}
