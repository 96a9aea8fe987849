package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// A kept-alive connection that dies after the request was written: net/http
// sends such a POST again by itself if it has an Idempotency-Key (FAULTS A2).
func TestNoReplayOnceTheRequestWasWritten(t *testing.T) {
	for name, end := range map[string]upstreamtest.Script{
		"reset": upstreamtest.Reset(), "close": upstreamtest.Close(),
		"half an answer": upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Ty").Then(upstreamtest.Closes()),
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, upstreamtest.JSON(hello), end)
			h := client(t, s.URL(), nil)
			header := http.Header{"Idempotency-Key": {"k"}, "X-Idempotency-Key": {"k"}}
			if _, _, err := ask(t, h, Call{Header: header}); err != nil {
				t.Fatal(err)
			}
			_, _, err := ask(t, h, Call{Header: header})
			wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
			if s.Count() != 2 || s.Accepted() != 1 {
				t.Errorf("%d requests on %d connections; want 2 on 1", s.Count(), s.Accepted())
			}
			for _, r := range s.Requests() {
				if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
					t.Error("the client's Idempotency-Key went out")
				}
			}
		})
	}
}

func TestNoReplayOnAFreshConnection(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.Close())
	_, _, err := ask(t, client(t, s.URL(), nil), Call{})
	wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
	if s.Count() != 1 {
		t.Errorf("asked %d times", s.Count())
	}
}

// brokenConn fails its writes on demand, without sending a byte.
type brokenConn struct {
	net.Conn
	broken *atomic.Bool
}

func (c brokenConn) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}
	}
	return c.Conn.Write(p)
}

func TestAStaleConnectionIsReplacedOnceIfNothingWasWritten(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.JSON(hello))
	var broken atomic.Bool
	var dials atomic.Int32
	h := client(t, s.URL(), func(c *HTTPConfig) {
		dial := c.Transport.DialContext
		c.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if counting, ok := conn.(*countingConn); ok && dials.Add(1) == 1 {
				counting.Conn = brokenConn{counting.Conn, &broken}
			}
			return conn, err
		}
	})
	if _, _, err := ask(t, h, Call{}); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	if _, body, err := ask(t, h, Call{}); err != nil || body != hello {
		t.Fatal(body, err)
	}
	if s.Count() != 2 || dials.Load() != 2 {
		t.Errorf("%d requests, %d connections; want 2 and 2", s.Count(), dials.Load())
	}
}

// A notedConn notes what each write sends.
type notedConn struct {
	net.Conn
	mu     *sync.Mutex
	writes *[]string
}

func (c notedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	*c.writes = append(*c.writes, string(p))
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// Head and body of a request go out in one write, on a new connection and on one that
// is used again; a request without a body does not wait for one.
func TestARequestGoesOutInOneWrite(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.JSON(hello))
	var mu sync.Mutex
	var writes []string
	h := client(t, s.URL(), func(c *HTTPConfig) {
		dial := c.Transport.DialContext
		c.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if counting, ok := conn.(*countingConn); ok {
				counting.Conn = notedConn{counting.Conn, &mu, &writes}
			}
			return conn, err
		}
	})
	for _, size := range []int{1, 5 << 10, 20 << 10} {
		body := `{"text":"` + strings.Repeat("x", size) + `"}`
		mu.Lock()
		writes = nil
		mu.Unlock()
		if _, answer, err := ask(t, h, Call{Body: []byte(body)}); err != nil || answer != hello {
			t.Fatal(answer, err)
		}
		mu.Lock()
		if len(writes) != 1 || !strings.HasPrefix(writes[0], "POST ") || !strings.HasSuffix(writes[0], "\r\n\r\n"+body) {
			t.Errorf("%d bytes go out in %d writes", size, len(writes))
		}
		mu.Unlock()
	}
	_, _ = h.Models(t.Context()) // whatever it says of the answer
	mu.Lock()
	defer mu.Unlock()
	if last := writes[len(writes)-1]; !strings.HasPrefix(last, "GET ") {
		t.Errorf("the last write is %q", last)
	}
}

// A head that waits for its body goes out before anything else.
func TestAHeadWithoutItsBodyIsNotKept(t *testing.T) {
	var mu sync.Mutex
	var writes []string
	server, peer := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, peer) }()
	c := &countingConn{Conn: notedConn{server, &mu, &writes}}
	c.bodyFollows.Store(true)
	for _, p := range []string{"head", "other", "more"} {
		if n, err := io.WriteString(c, p); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	_ = server.Close()
	if want := []string{"head", "other", "more"}; !slices.Equal(writes, want) || c.written.Load() != int64(len("headothermore")) {
		t.Errorf("writes %q, %d bytes", writes, c.written.Load())
	}
}

func TestAWriteThatFailedHalfWayIsNotRepeated(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.JSON(hello))
	var dials atomic.Int32
	h := client(t, s.URL(), func(c *HTTPConfig) {
		dial := c.Transport.DialContext
		c.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			conn, err := dial(ctx, network, addr)
			if counting, ok := conn.(*countingConn); ok {
				counting.Conn = halfConn{counting.Conn}
			}
			return conn, err
		}
	})
	_, _, err := ask(t, h, Call{})
	wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
	if dials.Load() != 1 {
		t.Errorf("dialled %d times", dials.Load())
	}
}

type halfConn struct{ net.Conn }

func (c halfConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:len(p)/2])
	if err == nil {
		err = &net.OpError{Op: "write", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return n, err
}

func TestFailuresToConnectAreTriedTwiceAndNoMore(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 443}, Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		fails  int // dials that fail
		err    error
		dials  int32
		code   string // of the error; "" when the call succeeds
		status int
	}{
		"the second works":  {1, refused, 2, "", 0},
		"both are refused":  {9, refused, 2, CodeConnectFailed, http.StatusBadGateway},
		"no such host":      {9, &net.DNSError{Err: "no such host", Name: "canary.internal", IsNotFound: true}, 2, CodeConnectFailed, http.StatusBadGateway},
		"look-up times out": {9, &net.DNSError{Err: "i/o timeout", Name: "canary.internal", IsTimeout: true}, 1, CodeTimeout, http.StatusGatewayTimeout},
		"dial times out":    {9, &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}, 1, CodeTimeout, http.StatusGatewayTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, upstreamtest.JSON(hello))
			var dials atomic.Int32
			h := client(t, s.URL(), func(cfg *HTTPConfig) {
				dial := cfg.Transport.DialContext
				cfg.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
					if int(dials.Add(1)) <= c.fails {
						return nil, c.err
					}
					return dial(ctx, network, addr)
				}
			})
			_, body, err := ask(t, h, Call{})
			if c.code == "" {
				if err != nil || body != hello {
					t.Fatal(body, err)
				}
			} else {
				wantError(t, err, c.code, c.status)
				if e, _ := errors.AsType[*Error](err); strings.Contains(e.Message, "canary") || strings.Contains(e.Message, "10.1") {
					t.Error("the message names a host:", e.Message)
				}
			}
			if dials.Load() != c.dials {
				t.Errorf("dialled %d times, want %d", dials.Load(), c.dials)
			}
		})
	}
}

func TestAPortThatNobodyListensOn(t *testing.T) {
	s := upstreamtest.New(t)
	s.CloseListener()
	_, _, err := ask(t, client(t, s.URL(), nil), Call{})
	wantError(t, err, CodeConnectFailed, http.StatusBadGateway)
}

// http.Client follows 307 and 308 with the body, and takes Azure's Api-Key
// along to the other host (FAULTS A2).
func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308} {
		other := upstreamtest.New(t, upstreamtest.JSON(hello))
		s := upstreamtest.New(t, upstreamtest.Status(status, "", "Location: "+other.URL()+"/chat/completions"))
		if status == http.StatusNotModified {
			s.Play(upstreamtest.Raw(upstreamtest.Head(status, "Location: "+other.URL())))
		}
		h := client(t, s.URL(), func(c *HTTPConfig) { c.Headers = map[string]string{"Api-Key": "canary"} })
		_, _, err := ask(t, h, Call{})
		wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
		if other.Accepted() != 0 || s.Count() != 1 {
			t.Errorf("status %d: %d requests, %d connections to the other host", status, s.Count(), other.Accepted())
		}
		if _, err = h.Models(t.Context()); err == nil || other.Accepted() != 0 {
			t.Errorf("status %d: the list of models follows: %v", status, err)
		}
	}
}
