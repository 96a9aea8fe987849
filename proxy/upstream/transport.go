package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Default time limits.
const (
	defaultDial       = 5 * time.Second
	defaultTLS        = 10 * time.Second
	defaultFirstToken = 120 * time.Second
	defaultIdle       = 120 * time.Second
	defaultTotal      = 600 * time.Second
	defaultModels     = 5 * time.Second
	defaultQueue      = time.Second
	defaultTail       = 250 * time.Millisecond
)

// maxHeaderBytes bounds the headers of an answer.
const maxHeaderBytes = 256 << 10

// NewTransport returns a transport for calls to model servers, shared by all
// upstreams of a process. It has large idle pools (net/http keeps two idle
// connections per host), HTTP/2 where the server offers it, and no automatic
// decompression. It honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY like every Go
// program, because many networks allow no other way out; loopback addresses never
// use a proxy. Zero durations mean 5 s to dial (including the name look-up) and 10 s
// for TLS.
func NewTransport(dial, handshake time.Duration) *http.Transport {
	return newTransport(net.Dialer{Timeout: dial, KeepAlive: keepAlive}, handshake)
}

// keepAlive is how often the system probes a silent connection.
const keepAlive = 30 * time.Second

func newTransport(d net.Dialer, handshake time.Duration) *http.Transport {
	if d.Timeout <= 0 {
		d.Timeout = defaultDial
	}
	if handshake <= 0 {
		handshake = defaultTLS
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &countingConn{Conn: conn}, nil
		},
		TLSHandshakeTimeout:    handshake,
		DisableCompression:     true,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    1024,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		WriteBufferSize:        4 << 10, // the rest is sent in one write, see ReadFrom
		ReadBufferSize:         8 << 10, // some thirty events of a stream at once
		Protocols:              protocols,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:           30 * time.Second, // a silent connection is probed …
			PingTimeout:               15 * time.Second, // … and given up
			MaxReceiveBufferPerStream: 512 << 10,        // the default of 4 MiB is memory per slow reader
		},
	}
}

// withQueueLimit bounds how long a call waits for a free or new connection, where
// the transport limits their number.
func (h *HTTP) withQueueLimit(call context.Context, cancel context.CancelCauseFunc) context.Context {
	if h.transport.MaxConnsPerHost <= 0 {
		return call
	}
	wait := time.AfterFunc(h.timeouts.Queue, func() { cancel(errBusy) })
	return httptrace.WithClientTrace(call, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { wait.Stop() },
		DNSStart:     func(httptrace.DNSStartInfo) { wait.Stop() },
		ConnectStart: func(string, string) { wait.Stop() },
	})
}

// A countingConn counts the bytes written, to know for certain whether a byte of the
// request was sent. It sends the head of a request together with the body.
type countingConn struct {
	net.Conn
	written atomic.Int64

	bodyFollows atomic.Bool // the next write is a head, and [countingConn.ReadFrom] follows
	head        *copyBuffer // a head that waits for its body; nil: none
	headSize    int
}

// Write writes p, or keeps it if it is a head that waits for its body.
func (c *countingConn) Write(p []byte) (int, error) {
	if c.bodyFollows.Swap(false) && len(p) <= maxHead {
		c.head = copyBuffers.Get().(*copyBuffer)
		c.headSize = copy(c.head[:], p)
		return len(p), nil
	}
	if c.head != nil {
		if _, err := c.ReadFrom(http.NoBody); err != nil {
			return 0, err
		}
	}
	return c.send(p)
}

// send counts before it writes: bytes on their way must not look unsent.
func (c *countingConn) send(p []byte) (int, error) {
	c.written.Add(int64(len(p)))
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n - len(p)))
	return n, err
}

// A copyBuffer is memory in which a request is put together.
type copyBuffer [32 << 10]byte

// maxHead bounds a head that waits for its body.
const maxHead = 8 << 10

var copyBuffers = sync.Pool{New: func() any { return new(copyBuffer) }}

// ReadFrom writes the content of r in pieces as large as possible. net/http sends
// the part of a request through it that its own buffer cannot hold, and would
// otherwise allocate a buffer for each.
func (c *countingConn) ReadFrom(r io.Reader) (written int64, err error) {
	buffer, head := c.head, c.headSize
	if c.head, c.headSize = nil, 0; buffer == nil {
		buffer = copyBuffers.Get().(*copyBuffer)
	}
	defer copyBuffers.Put(buffer)
	for {
		n, readErr := r.Read(buffer[head:])
		if n += head; n > 0 {
			m, err := c.send(buffer[:n])
			written += int64(max(m-head, 0))
			if head = 0; err != nil {
				return written, err
			}
		}
		if readErr != nil {
			if errors.Is(readErr, io.EOF) {
				readErr = nil
			}
			return written, readErr
		}
	}
}

// An attempt observes one attempt of a request.
type attempt struct {
	got       atomic.Pointer[countingConn] // nil: no connection yet
	unknown   atomic.Bool                  // a connection that does not count bytes
	before    atomic.Int64
	tlsFailed atomic.Bool
	body      bool // the request has one
}

// watch returns a context that makes the transport report to a.
func (a *attempt) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			conn := info.Conn
			if t, ok := conn.(*tls.Conn); ok {
				conn = t.NetConn()
			}
			c, ok := conn.(*countingConn)
			if !ok {
				a.unknown.Store(true)
				return
			}
			c.bodyFollows.Store(a.body && conn == info.Conn) // over TLS net/http does not use ReadFrom
			a.before.Store(c.written.Load())
			a.got.Store(c)
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			a.tlsFailed.Store(err != nil)
		},
	})
}

// connected reports whether the request was given a connection.
func (a *attempt) connected() bool { return a.got.Load() != nil || a.unknown.Load() }

// nothingWritten reports whether certainly no byte of the request was written. On a
// shared HTTP/2 connection the bytes of other requests count as well, so it is false
// if in doubt.
func (a *attempt) nothingWritten() bool {
	if a.unknown.Load() {
		return false
	}
	c := a.got.Load()
	return c == nil || c.written.Load() == a.before.Load()
}

// mayRetry reports whether a failed attempt may be repeated: nothing was sent, and
// the failure was quick and may be temporary. An expired time limit has used up the
// caller's patience. Certificates, missing descriptors and forbidden addresses do
// not change between two attempts.
func (a *attempt) mayRetry(err error) bool {
	return a.nothingWritten() && !isTimeout(err) && !isCertificate(err) && !isExhausted(err) && !errors.Is(err, errNotPublic)
}

// classify turns an error of the transport into one that clients may see.
func (a *attempt) classify(err error) *Error {
	e := &Error{Status: http.StatusBadGateway, err: unquotedError{err}}
	switch {
	case errors.Is(err, errNotPublic):
		e.Code, e.Permanent, e.Message = CodeConnectFailed, true, "The model server's address is not public, and this server may connect to public ones only; its operator has to check the upstream's base URL."
	case !a.connected() && isExhausted(err):
		e.Code, e.Status, e.Message = CodeOverloaded, http.StatusServiceUnavailable, "The server is busy; try again."
	case !a.connected() && (a.tlsFailed.Load() || isCertificate(err)):
		e.Code, e.Message = CodeTLSFailed, "No secure connection to the model server could be made."
	case isTimeout(err):
		e.Code, e.Status, e.Message = CodeTimeout, http.StatusGatewayTimeout, "The model server did not answer in time."
	case !a.connected():
		e.Code, e.Message = CodeConnectFailed, "The model server could not be reached."
	default:
		e.Code, e.Message = CodeInvalidResponse, "The model server closed the connection or sent no valid answer."
	}
	return e
}

// isExhausted reports whether this process, not the model server, has no room for a
// connection.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}
