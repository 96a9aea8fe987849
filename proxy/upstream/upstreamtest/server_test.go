package upstreamtest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dial opens a connection that ends with the test.
func dial(t *testing.T, s *Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c net.Conn, body string) {
	t.Helper()
	r, err := http.NewRequest("POST", "http://x.test/v1/chat/completions?a=b", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Test", "yes")
	if err := r.Write(c); err != nil {
		t.Fatal(err)
	}
}

// exchange sends a request and reads the answer to it.
func exchange(t *testing.T, c net.Conn, in *bufio.Reader, body string) (*http.Response, string) {
	t.Helper()
	send(t, c, body)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

func TestScriptsArePlayedInOrderAndTheLastOneStays(t *testing.T) {
	s := New(t, JSON(`{"a":1}`), Status(503, `{"b":2}`, "Retry-After: 3"), SSE("x", "[DONE]"))
	c := dial(t, s)
	in := bufio.NewReader(c)
	if resp, body := exchange(t, c, in, "1"); resp.StatusCode != 200 || body != `{"a":1}` || resp.Header.Get("Content-Type") != "application/json" {
		t.Error(resp, body)
	}
	if resp, body := exchange(t, c, in, "2"); resp.StatusCode != 503 || body != `{"b":2}` || resp.Header.Get("Retry-After") != "3" {
		t.Error(resp, body)
	}
	for range 2 {
		if resp, body := exchange(t, c, in, "3"); body != "data: x\n\ndata: [DONE]\n\n" || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Error(resp, body)
		}
	}
	s.Play(JSON("again"))
	if _, body := exchange(t, c, in, "4"); body != "again" {
		t.Error(body)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	s := New(t, JSON("{}"))
	if s.Count() != 0 || s.Last().Method != "" {
		t.Error("there was a request before the first")
	}
	for range 2 {
		c := dial(t, s)
		exchange(t, c, bufio.NewReader(c), "the body")
	}
	s.WaitRequests(2)
	if s.Count() != 2 || s.Accepted() != 2 {
		t.Error(s.Count(), s.Accepted())
	}
	r := s.Last()
	if r.Method != "POST" || r.Path != "/v1/chat/completions?a=b" || r.Host != "x.test" || string(r.Body) != "the body" ||
		r.Header.Get("X-Test") != "yes" || r.Conn != 2 {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") || !strings.HasSuffix(s.URL(), "/v1") {
		t.Error(s.URL())
	}
}

func TestBytesGoOutAsTheyAre(t *testing.T) {
	for name, script := range map[string]Script{
		"raw": Raw("a\x00", "b\r\n", "\xff"), "split": Split("a\x00b\r\n\xff", 3, 1, 99, -1), "dribbled": Dribble("a\x00b\r\n\xff"),
	} {
		s := New(t, script.Then(Closes()))
		c := dial(t, s)
		send(t, c, "")
		if got, err := io.ReadAll(c); err != nil || string(got) != "a\x00b\r\n\xff" {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestEndsOfConnections(t *testing.T) {
	t.Run("close", func(t *testing.T) {
		c := dial(t, New(t, Close()))
		send(t, c, "")
		if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Error(n, err)
		}
	})
	t.Run("reset", func(t *testing.T) {
		c := dial(t, New(t, Reset()))
		send(t, c, "")
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
	})
	t.Run("half", func(t *testing.T) {
		s := New(t, Raw("x").Then(CloseWrite(), Hangs()))
		c := dial(t, s)
		send(t, c, "")
		if got, err := io.ReadAll(c); string(got) != "x" || err != nil {
			t.Errorf("%q %v", got, err)
		}
		send(t, c, "") // the other half is open
		s.WaitRequests(2)
	})
	t.Run("no script", func(t *testing.T) {
		c := dial(t, New(t))
		send(t, c, "")
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
	})
	t.Run("greeting", func(t *testing.T) {
		s := New(t, JSON("{}"))
		s.Greet(Raw("hello").Then(Closes()))
		if got, err := io.ReadAll(dial(t, s)); string(got) != "hello" || err != nil {
			t.Errorf("%q %v", got, err)
		}
	})
	t.Run("no listener", func(t *testing.T) {
		s := New(t, JSON("{}"))
		s.CloseListener()
		if c, err := net.Dial("tcp", s.Addr()); err == nil {
			_ = c.Close()
			t.Error("a connection was accepted")
		}
	})
}

func TestStepsWaitForTheTest(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	s := New(t, Script{Tell(reached), Wait(goOn), Bytes("x"), Closes()})
	c := dial(t, s)
	send(t, c, "")
	<-reached
	close(goOn)
	if got, err := io.ReadAll(c); string(got) != "x" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}

func TestAPeerThatLeavesIsNoticed(t *testing.T) {
	s := New(t, Hang())
	c := dial(t, s)
	send(t, c, "")
	s.WaitRequests(1)
	s.WaitConns(1)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	s.WaitConns(0)
}

func TestCloseFreesWhoeverWaits(t *testing.T) {
	s, err := Start(Hang())
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, s)
	send(t, c, "")
	s.WaitRequests(1)
	waiting := make(chan struct{})
	go func() {
		s.WaitRequests(99)
		close(waiting)
	}()
	s.Close()
	s.Close() // twice does no harm
	<-waiting
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is still open")
	}
}

func TestChunksAndHeads(t *testing.T) {
	s := New(t, Stream("X-A: b").Then(Chunk("ab"), Chunk(""), Event("c"), EndStream()))
	c := dial(t, s)
	resp, body := exchange(t, c, bufio.NewReader(c), "")
	if body != "abdata: c\n\n" || resp.Header.Get("X-A") != "b" {
		t.Error(resp, body)
	}
	head := Head(418, "content-type: text/html")
	if !strings.HasPrefix(head, "HTTP/1.1 418 I'm a teapot\r\n") || strings.Count(strings.ToLower(head), "content-type") != 1 {
		t.Errorf("%q", head)
	}
	if !bytes.HasSuffix([]byte(head), []byte("\r\n\r\n")) {
		t.Errorf("%q", head)
	}
}
