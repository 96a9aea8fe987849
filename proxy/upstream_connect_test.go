package proxy_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	connectFailed = "upstream_connect_failed"
	timedOut      = "upstream_timeout"
)

func TestUpstreamFaultsConnecting(t *testing.T) {
	var dials atomic.Int32
	counted := func(c *upstream.HTTPConfig) {
		c.Transport = upstream.NewTransport(0, 0)
		dial := c.Transport.DialContext
		c.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return dial(ctx, network, addr)
		}
	}
	refusing := func(t *testing.T) modelServer {
		s := upstreamtest.New(t)
		s.CloseListener()
		dials.Store(0)
		t.Cleanup(func() {
			if n := dials.Load(); n != 2 {
				t.Errorf("dialled %d times, want 2", n)
			}
		})
		return s
	}
	want := refuses(502, connectFailed)
	want.calls, want.header = noCalls, map[string]string{"X-Should-Retry": "false"}
	playFaults(t, []fault{{id: "U-001 connection refused", serve: refusing, tune: counted, want: want}})
}

// aName is a model server known by a name that the test's resolver answers for.
type aName struct{ host string }

func (n aName) URL() string  { return "http://" + n.host + ":8000/v1" }
func (n aName) Addr() string { return n.host }
func (n aName) Count() int   { return 0 }
func (n aName) Conns() int   { return 0 }

// nameServer is how the resolver reaches a name server: the test's, or the
// machine's. It is set for good, since look-ups outlive those who asked.
var nameServer atomic.Pointer[func(context.Context) (net.Conn, error)]

func init() {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dial := nameServer.Load(); dial != nil {
			return (*dial)(ctx)
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
}

// silence is a name server that never answers.
func silence(ctx context.Context) (net.Conn, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// answersWith starts a name server that answers every question with a code.
func answersWith(t *testing.T, code dnsmessage.RCode) func(context.Context) (net.Conn, error) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 1500); ; {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return // closed
			}
			var q dnsmessage.Message
			if q.Unpack(buf[:n]) != nil {
				continue
			}
			q.Response, q.RCode, q.Additionals = true, code, nil
			if answer, err := q.Pack(); err == nil {
				_, _ = server.WriteTo(answer, from) // a lost answer shows as a timeout
			}
		}
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}
}

func TestUpstreamFaultsNames(t *testing.T) {
	asking := func(t *testing.T, dial func(context.Context) (net.Conn, error)) modelServer {
		nameServer.Store(&dial)
		t.Cleanup(func() { nameServer.Store(nil) })
		return aName{"canary-host.footnote.internal."}
	}
	named := func(code dnsmessage.RCode) func(t *testing.T) modelServer {
		return func(t *testing.T) modelServer { return asking(t, answersWith(t, code)) }
	}
	unknown, slow := refuses(502, connectFailed), refuses(504, timedOut)
	unknown.calls, slow.calls = noCalls, noCalls
	playFaults(t, []fault{
		{id: "U-002 no such name", serve: named(dnsmessage.RCodeNameError), want: unknown},
		{id: "U-002 the name server fails", serve: named(dnsmessage.RCodeServerFailure), want: unknown},
		{id: "U-002 the name server refuses", serve: named(dnsmessage.RCodeRefused), want: unknown},
		{id: "U-002 the name server is silent", serve: func(t *testing.T) modelServer { return asking(t, silence) }, want: slow, tune: func(c *upstream.HTTPConfig) {
			c.Transport = upstream.NewTransport(200*time.Millisecond, 0)
		}},
	})
}

func TestUpstreamFaultsConnectionsThatEnd(t *testing.T) {
	playFaults(t, []fault{
		{id: "U-005 closed before the answer", script: upstreamtest.Close(), want: refuses(502, invalid)},
		{id: "U-005 reset before the answer", script: upstreamtest.Reset(), want: refuses(502, invalid)},
		{id: "U-005 half closed before the answer", script: upstreamtest.Script{upstreamtest.CloseWrite(), upstreamtest.Hangs()}, want: refuses(502, invalid)},
		{id: "U-005 closed inside the status line", script: upstreamtest.Raw("HTTP/1.1 2").Then(upstreamtest.Closes()), want: refuses(502, invalid)},
		{id: "U-005 closed inside the headers", script: upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Ty").Then(upstreamtest.Closes()), want: refuses(502, invalid)},
	})
	greeted := func(greeting upstreamtest.Script) func(t *testing.T) modelServer {
		return func(t *testing.T) modelServer {
			s := upstreamtest.New(t)
			s.Greet(greeting)
			return s
		}
	}
	// Accepted and ended at once: how far the dial came, and whether a byte of
	// the request was written before, is chance; there is never an answer.
	unread := refuses(502, invalid+"|"+connectFailed)
	unread.calls = noCalls
	playFaults(t, []fault{
		{id: "U-005 closed before the question", serve: greeted(upstreamtest.Close()), want: unread},
		{id: "U-005 reset before the question", serve: greeted(upstreamtest.Reset()), want: unread},
	})
}

// A kept-alive connection dies under the second request: it is not sent again,
// whatever Idempotency-Key the client sent.
func TestUpstreamFaultsNoReplayOnAKeptConnection(t *testing.T) {
	for name, end := range map[string]upstreamtest.Script{"closed": upstreamtest.Close(), "reset": upstreamtest.Reset(),
		"half an answer": upstreamtest.Raw("HTTP/1.1 200 OK\r\n").Then(upstreamtest.Closes())} {
		for _, ask := range []answerKind{asJSON, asStream} {
			t.Run("U-005 "+name, func(t *testing.T) {
				far := upstreamtest.New(t, upstreamtest.JSON(whole), end)
				r := newRig(t, fault{serve: func(*testing.T) modelServer { return far }}, false)
				if first := r.send(asJSON); first.status != 200 {
					t.Fatal(first)
				}
				want := refuses(502, invalid)
				want.calls = 2
				r.check(r.send(ask), want)
				if far.Accepted() != 1 {
					t.Errorf("%d connections, want 1", far.Accepted())
				}
			})
		}
	}
}

// closing tells when its connection was closed on our side.
type closing struct {
	net.Conn
	closed chan struct{}
}

// Close closes the connection and tells.
func (c closing) Close() error {
	defer func() { c.closed <- struct{}{} }()
	return c.Conn.Close()
}

func TestUpstreamFaultsAStaleConnectionIsReplaced(t *testing.T) {
	for _, ask := range []answerKind{asJSON, asStream} {
		closed := make(chan struct{}, 8)
		far := upstreamtest.New(t, upstreamtest.JSON(whole).Then(upstreamtest.Closes()), upstreamtest.JSON(whole))
		if ask == asStream {
			far.Play(upstreamtest.JSON(whole).Then(upstreamtest.Closes()), ends(says("x"), stops(), "[DONE]"))
		}
		r := newRig(t, fault{serve: func(*testing.T) modelServer { return far }, tune: func(c *upstream.HTTPConfig) {
			c.Transport = upstream.NewTransport(0, 0)
			dial := c.Transport.DialContext
			c.Transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dial(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				return closing{conn, closed}, nil
			}
		}}, false)
		if first := r.send(asJSON); first.status != 200 {
			t.Fatal(first)
		}
		<-closed // the first connection is known to be gone
		want := answers(whole)
		if ask == asStream {
			want = streams(says("x"), stops())
		}
		want.calls = 2
		r.check(r.send(ask), want)
	}
}

// Upstreams that fail every other time get each request once; nothing piles up.
func TestUpstreamFaultsFlapping(t *testing.T) {
	const rounds = 20
	var scripts []upstreamtest.Script
	for range rounds {
		scripts = append(scripts, upstreamtest.Reset(), upstreamtest.JSON(whole), upstreamtest.Status(500, refused, "Retry-After: 1"), ends(says("x"), stops(), "[DONE]"))
	}
	far := upstreamtest.New(t, scripts...)
	r := newRig(t, fault{id: "U-046 flapping", serve: func(*testing.T) modelServer { return far }}, true)
	for i := range rounds {
		for j, step := range []struct {
			ask  answerKind
			want int
		}{{asStream, 502}, {asJSON, 200}, {asStream, 500}, {asStream, 200}} {
			if got := r.send(step.ask); got.status != step.want || got.broken != nil {
				t.Fatalf("round %d, step %d: %d %v %s", i, j, got.status, got.broken, got.body)
			}
		}
	}
	if far.Count() != 4*rounds || strings.Count(r.logged.String(), "msg=request ") != 4*rounds {
		t.Errorf("the upstream was asked %d times, want %d", far.Count(), 4*rounds)
	}
}
