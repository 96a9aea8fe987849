package front

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A notedListener accepts connections that note the sizes of their writes.
type notedListener struct {
	net.Listener
	mu    sync.Mutex
	sizes []int
}

// Accept notes the writes of the connection.
func (l *notedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &notedConn{conn, l}, nil
}

type notedConn struct {
	net.Conn
	l *notedListener
}

// Write notes and writes.
func (c *notedConn) Write(p []byte) (int, error) {
	c.l.mu.Lock()
	c.l.sizes = append(c.l.sizes, len(p))
	c.l.mu.Unlock()
	return c.Conn.Write(p)
}

// answerOf returns the answer of a handler and how many writes it took.
func answerOf(t *testing.T, handler http.HandlerFunc) (body []byte, writes int) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	noted := &notedListener{Listener: ln}
	server := New(Config{}, slog.New(slog.DiscardHandler)).HTTPServer(handler)
	served := make(chan error, 1)
	go func() { served <- server.Serve(noted) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	_ = server.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	noted.mu.Lock()
	defer noted.mu.Unlock()
	return body, len(noted.sizes)
}

// An answer of any size has the same bytes, and one that net/http would write in pieces
// goes out in one write.
func TestALargeAnswerGoesOutInOneWrite(t *testing.T) {
	for _, size := range []int{1, leastHeld - 1, leastHeld, 4 << 10, 4<<10 + 1, 16 << 10, mostHeld, mostHeld + 1} {
		for _, chunked := range []bool{false, true} {
			want := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
			handler := func(w http.ResponseWriter, r *http.Request) {
				if !chunked {
					w.Header().Set("Content-Length", fmt.Sprint(size))
				}
				sender := SenderOf(r)
				held := sender.Hold(size)
				if held != (size >= leastHeld && size <= mostHeld) {
					t.Errorf("%d bytes: held back is %v", size, held)
				}
				_, _ = w.Write(want)
				_ = http.NewResponseController(w).Flush()
				if held && sender.Send() != nil {
					t.Errorf("%d bytes are not sent", size)
				}
			}
			most := 1
			if chunked {
				most++ // the mark of the end
			}
			got, writes := answerOf(t, handler)
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes arrive as %d others", size, len(got))
			}
			if writes > most && size <= mostHeld {
				t.Errorf("%d bytes go out in %d writes, want %d", size, writes, most)
			}
		}
	}
}

// errBroken is the error of a connection that takes nothing.
var errBroken = errors.New("broken")

type brokenConn struct{ silentConn }

func (*brokenConn) Write([]byte) (int, error) { return 0, errBroken }

// net/http does not see that what was held back could not be sent. So the connection is
// closed, and neither the next write nor the next answer that is held back goes out.
func TestNothingIsSentAfterAFailure(t *testing.T) {
	broken := &brokenConn{silentConn{closed: make(chan struct{})}}
	c := &clientConn{Conn: broken, front: New(Config{}, slog.New(slog.DiscardHandler))}
	c.answered.Store(true)
	sender := Sender{c}
	if !sender.Hold(leastHeld) {
		t.Fatal("nothing is held back")
	}
	if n, err := io.WriteString(c, strings.Repeat("x", leastHeld)); n != leastHeld || err != nil {
		t.Fatalf("%d bytes are held back: %v", n, err)
	}
	if err := sender.Send(); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	<-broken.closed
	c.Conn = &silentConn{closed: make(chan struct{})} // which would take it
	if _, err := io.WriteString(c, "0\r\n\r\n"); !errors.Is(err, errBroken) {
		t.Errorf("the next error is %v", err)
	}
	if sender.Hold(leastHeld); sender.Send() == nil {
		t.Error("the next answer is sent")
	}
}

// What a handler has written before a panic goes out, although it was held back.
func TestWhatWasHeldBackGoesOutAfterAPanic(t *testing.T) {
	body, _ := answerOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "6")
		defer func() { _ = recover() }() // as the server does
		if !SenderOf(r).Hold(leastHeld) {
			t.Error("nothing is held back")
		}
		_, _ = io.WriteString(w, "answer")
		_ = http.NewResponseController(w).Flush()
		panic("a bug")
	})
	if string(body) != "answer" {
		t.Errorf("got %q", body)
	}
}
