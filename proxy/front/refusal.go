package front

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"footnote/proxy/apierr"
)

// lingerTime and lingerBytes bound how long and how much a client that was
// refused may continue to send. Closing at once would reset the connection, and
// the client could lose the refusal.
const (
	lingerTime  = 250 * time.Millisecond
	lingerBytes = 256 << 10
)

// plainHeaders are the headers with which net/http refuses a malformed request
// before any handler runs.
const plainHeaders = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// refusal turns net/http's refusal into a JSON error with the request id that
// the log has. It is nil for every other write; what a handler writes may look
// like a refusal.
func (c *clientConn) refusal(p []byte) []byte {
	const longest = 512
	if c.answered.Load() || len(p) > longest || !bytes.HasPrefix(p, []byte("HTTP/1.1 ")) {
		return nil
	}
	line, rest, _ := strings.Cut(string(p), "\r")
	if !strings.HasPrefix("\r"+rest, plainHeaders) {
		return nil
	}
	status, err := strconv.Atoi(strings.Fields(line)[1])
	if err != nil {
		return nil
	}
	return c.front.refuse(malformed(status), "malformed")
}

// malformed is the error for a request that net/http could not read.
func malformed(status int) *apierr.Error {
	e := apierr.New(http.StatusBadRequest, apierr.CodeInvalidValue, "The request is not valid HTTP/1.1.")
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		e = apierr.New(status, apierr.CodeHeadersTooLarge, fmt.Sprintf("The request's line and headers exceed the limit of %d bytes.", headerBytes))
	case http.StatusHTTPVersionNotSupported:
		e = apierr.New(status, apierr.CodeInvalidValue, "This version of HTTP is not spoken here; use HTTP/1.1.")
		e.Type = apierr.TypeInvalidRequest
	case http.StatusNotImplemented: // as a 400: clients repeat a 501 by habit
		e.Message = "The request's transfer encoding is not supported."
	}
	return e
}

// refuse renders the answer to a request that no handler sees, counts and logs it.
func (f *Front) refuse(e *apierr.Error, reason string) []byte {
	id := "req_" + strings.ToLower(ulid.Make().String())
	f.load.refused.WithLabelValues(reason).Inc()
	f.log.Info("connection refused", slog.String("request_id", id), slog.Int("status", e.Status), slog.String("reason", reason))
	body := apierr.JSON(e)
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\nCache-Control: no-store\r\n",
		e.Status, http.StatusText(e.Status), len(body), apierr.RequestIDHeader, id)
	if e.Status == http.StatusServiceUnavailable {
		b.WriteString("Retry-After: 1\r\nRetry-After-Ms: 1000\r\n")
	}
	b.WriteString("Connection: close\r\n\r\n")
	b.Write(body)
	return b.Bytes()
}

// turnAway refuses a client for whose connection there is no room.
func (c *clientConn) turnAway() {
	defer func() { _ = c.Conn.Close() }() // it was never counted
	const most = 16                       // in a flood the refusals would need the descriptors that are short
	if c.front.load.refusing.Add(1) <= most && c.SetWriteDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = c.Conn.Write(c.front.refuse(apierr.Overloaded(), "connections")) // best effort
		c.linger()
	}
	c.front.load.refusing.Add(-1)
}

// linger reads and drops for a moment what a refused client still sends.
func (c *clientConn) linger() {
	if c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes) // its end is all that matters
	}
}
