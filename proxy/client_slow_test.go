package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"footnote/proxy/front"
	"footnote/proxy/upstream/upstreamtest"
)

// left waits until the log has so many requests of clients that left.
func (c *clients) left(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d times 499 in the log", n), func() bool {
		all := c.logged()
		return len(all) == n && !slices.ContainsFunc(all, func(status string) bool { return status != "499" })
	})
}

// C-022: wherever a client leaves, its upstream is let go and the log says 499.
func TestAClientMayLeaveAtAnyMoment(t *testing.T) {
	tell := func(ch chan<- struct{}) upstreamtest.Step {
		return func(*upstreamtest.Conn) error {
			ch <- struct{}{}
			return nil
		}
	}
	for _, row := range []struct {
		name     string
		send     string // the client leaves once the upstream has come to its tell, or at once
		script   func(here chan<- struct{}) upstreamtest.Script
		reads    string // what it has read by then
		upstream int
		logged   int
	}{
		{"C-022 in its headers", "POST " + chatPath + " HTTP/1.1\r\nHos", nil, "", 0, 0},
		{"C-022 in its body", post(chatPath, plainRequest)[:len(post(chatPath, plainRequest))-5], nil, "", 0, 1},
		{"C-022 in its chunks", postRaw("5\r\n{\"mod\r\n7", "Transfer-Encoding: chunked"), nil, "", 0, 1},
		{"C-022 before the upstream answers", post(chatPath, plainRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Script{tell(here), upstreamtest.Hangs()}
		}, "", 1, 1},
		{"C-022 in a JSON answer", post(chatPath, plainRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Raw(upstreamtest.Head(200, "Content-Length: 1000")+"{").Then(tell(here), upstreamtest.Hangs())
		}, "", 1, 1},
		{"C-022 before a stream begins", post(chatPath, streamRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Script{tell(here), upstreamtest.Hangs()}
		}, "", 1, 1},
		{"C-022 before the first token", post(chatPath, streamRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Stream().Then(tell(here), upstreamtest.Hangs())
		}, "", 1, 1},
		{"C-022 in a stream", post(chatPath, streamRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Stream().Then(upstreamtest.Event(textChunk), tell(here), upstreamtest.Hangs())
		}, "data: " + textChunk + "\n\n", 1, 1},
		{"C-022 just before [DONE]", post(chatPath, streamRequest), func(here chan<- struct{}) upstreamtest.Script {
			return upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Event(stopChunk), tell(here), upstreamtest.Hangs())
		}, "data: " + textChunk + "\n\ndata: " + stopChunk + "\n\n", 1, 1},
	} {
		for _, how := range []struct {
			name  string
			leave func(*net.TCPConn) error
		}{
			{"closes", (*net.TCPConn).Close},
			{"resets", func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() }},
			// A client that closes its sending half counts as gone, even if it still reads:
			// net/http cannot tell the two apart.
			{"closes its half", (*net.TCPConn).CloseWrite},
		} {
			t.Run(row.name+"/"+how.name, func(t *testing.T) {
				here := make(chan struct{}, 1)
				script := upstreamtest.Hang()
				if row.script != nil {
					script = row.script(here)
				} else {
					here <- struct{}{}
				}
				c := newClients(t, fixture{}, script)
				conn := c.dialAs(t).(*net.TCPConn)
				defer conn.Close()
				if _, err := io.WriteString(conn, row.send); err != nil {
					t.Fatal(err)
				}
				<-here
				if row.reads != "" {
					c.readEvents(t, conn, row.reads)
				}
				if err := how.leave(conn); err != nil {
					t.Fatal(err)
				}
				c.up.WaitConns(0)
				c.left(t, row.logged)
				if how.name == "closes its half" {
					if rest, err := io.ReadAll(conn); strings.Contains(string(rest), "[DONE]") || strings.Contains(string(rest), `"error":`) && row.upstream > 0 || err != nil && !isReset(err) {
						t.Errorf("C-023: %q %v", rest, err)
					}
				}
				_ = conn.Close()
				if c.up.Count() != row.upstream {
					t.Errorf("%d requests upstream", c.up.Count())
				}
				c.settle(t)
			})
		}
	}
}

// readEvents reads a stream's headers and then just these events.
func (c *clients) readEvents(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
		t.Fatalf("%q %v", got, err)
	}
}

// narrow opens a connection that takes no more than a few bytes unless it is read.
func (c *clients) narrow(t *testing.T, bytes int) *net.TCPConn {
	t.Helper()
	conn := c.dialAs(t).(*net.TCPConn)
	if err := conn.SetReadBuffer(bytes); err != nil {
		t.Fatal(err)
	}
	return conn
}

// patience is what the server has with clients that take or send nothing.
const patience = 500 * time.Millisecond

// flood writes events for as long as they are taken, and counts their bytes.
func flood(taken *atomic.Int64) upstreamtest.Step {
	return func(c *upstreamtest.Conn) error {
		if err := c.Conn.(*net.TCPConn).SetWriteBuffer(32 << 10); err != nil {
			return err
		}
		event := fmt.Sprintf(`{"id":"c","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, strings.Repeat("x", 4000))
		for {
			if err := upstreamtest.Event(event)(c); err != nil {
				return err
			}
			taken.Add(int64(len(event)))
		}
	}
}

// C-024: a client that takes nothing is cut after a while, and until then
// holds little memory, in the kernel as well.
func TestAClientThatReadsNothingIsCutAndHoldsLittle(t *testing.T) {
	for name, reads := range map[string]bool{"C-024 0 B/s": false, "C-024 1 B/s": true} {
		t.Run(name, func(t *testing.T) {
			var taken atomic.Int64
			c := newClients(t, fixture{clients: front.Timings{Write: patience}}, upstreamtest.Stream().Then(flood(&taken)))
			conn := c.narrow(t, 4<<10)
			defer conn.Close()
			if _, err := io.WriteString(conn, post(chatPath, streamRequest)); err != nil {
				t.Fatal(err)
			}
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				ticker := time.NewTicker(patience / 10)
				defer ticker.Stop()
				for reads {
					select {
					case <-ticker.C:
						_, _ = conn.Read(make([]byte, 1)) // until it is cut
					case <-stop:
						return
					}
				}
			}()
			c.up.WaitRequests(1)
			c.up.WaitConns(0)
			close(stop)
			<-stopped
			c.left(t, 1)
			// In the buffers: the server's to the client (128 KiB, which Linux
			// doubles), the client's and what came from the upstream.
			const most = 1 << 20
			if n := taken.Load(); n > most {
				t.Errorf("%d KiB were taken for a client that reads nothing", n>>10)
			}
			_ = conn.Close()
			c.settle(t)
		})
	}
}

// C-024 for an answer that is no stream: it was written without any bound.
func TestALargeAnswerThatNobodyReadsIsCut(t *testing.T) {
	large := strings.Replace(okAnswer, "ok", strings.Repeat("x", 8<<20), 1)
	c := newClients(t, fixture{clients: front.Timings{Write: patience}}, upstreamtest.JSON(large))
	conn := c.narrow(t, 4<<10)
	defer conn.Close()
	if _, err := io.WriteString(conn, post(chatPath, plainRequest)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the chat ends", func() bool { return len(c.logged()) == 1 })
	_ = conn.Close()
	c.settle(t)
	if got := c.metric("footnote_in_flight_bytes"); got != "0" {
		t.Errorf("%s bytes are still in flight", got)
	}
}

// A client that reads slowly but steadily gets everything, however long it takes.
func TestASlowReaderThatGoesOnGetsEverything(t *testing.T) {
	large := strings.Replace(okAnswer, "ok", strings.Repeat("x", 4<<20), 1)
	c := newClients(t, fixture{clients: front.Timings{Write: patience}}, upstreamtest.JSON(large))
	conn := c.narrow(t, 64<<10)
	defer conn.Close()
	if _, err := io.WriteString(conn, post(chatPath, plainRequest)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
	if err != nil {
		t.Fatal(err)
	}
	ticker := time.NewTicker(patience / 4)
	defer ticker.Stop()
	got := 0
	for range 12 { // three times as long as a write may stand still
		<-ticker.C
		n, err := io.ReadFull(resp.Body, make([]byte, 256<<10))
		if got += n; err != nil {
			t.Fatal(got, err)
		}
	}
	rest, err := io.ReadAll(resp.Body)
	if got += len(rest); err != nil || got != len(large) {
		t.Errorf("%d of %d bytes, %v", got, len(large), err)
	}
	_ = conn.Close()
	c.settle(t)
}

// C-025: headers and bodies that come too slowly do not hold their connection,
// not even those of refused requests, and other clients are served meanwhile.
func TestSlowSendersAreCutAndOthersAreNotAffected(t *testing.T) {
	c := newClients(t, fixture{clients: front.Timings{Pace: patience, Body: time.Minute}, anonymous: 1000, headerTime: patience})
	head := post(chatPath, "", "Content-Length: 100")
	t.Run("at once", func(t *testing.T) {
		for _, row := range []struct{ name, send, answer string }{
			{"C-025 nothing", "", ""},
			{"C-025 half a header", "POST " + chatPath + " HTTP/1.1\r\nHost: x\r\nX-A: ", ""},
			{"C-025 half a body", head + "{", "HTTP/1.1 408 "},
			{"C-025 no body", head, "HTTP/1.1 408 "},
			{"C-025 no chunk", postRaw("", "Transfer-Encoding: chunked"), "HTTP/1.1 408 "},
			{"C-025 no body behind a refused key", post(chatPath, "", "Content-Length: 100", "Authorization: Bearer fn-x"), "HTTP/1.1 401 "},
			{"C-025 no body that anybody wants", request("GET", "/v1/models", "", "Content-Length: 100"), "HTTP/1.1 200 "},
			{"C-025 no body for nobody", post("/nowhere", "", "Content-Length: 100"), "HTTP/1.1 404 "},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				var conns []net.Conn
				for range 20 {
					conn := c.dialAs(t)
					defer conn.Close()
					if _, err := io.WriteString(conn, row.send); err != nil {
						t.Fatal(err)
					}
					conns = append(conns, conn)
				}
				if a := c.exchange(t, post(chatPath, plainRequest)); a.StatusCode != 200 {
					t.Errorf("another client gets %d", a.StatusCode)
				}
				for _, conn := range conns {
					got, err := io.ReadAll(conn)
					if !strings.HasPrefix(string(got), row.answer) || row.answer == "" && len(got) > 0 || err != nil && !isReset(err) {
						t.Errorf("%q %v", got, err)
					}
					_ = conn.Close()
				}
			})
		}
	})
	c.settle(t)
	if got := c.metric("footnote_in_flight_bytes"); got != "0" {
		t.Errorf("%s bytes are still in flight", got)
	}
}

// C-025: a body may take its time as long as it moves, but not for ever.
func TestASlowBodyThatMovesIsTaken(t *testing.T) {
	for name, row := range map[string]struct {
		body   time.Duration
		status int
	}{"in time": {time.Minute, 200}, "beyond all time": {patience * 3 / 2, 408}} {
		t.Run("C-025 "+name, func(t *testing.T) {
			c := newClients(t, fixture{clients: front.Timings{Pace: patience, Body: row.body}})
			body := strings.Repeat(" ", 120<<10) + plainRequest
			conn := c.dialAs(t)
			defer conn.Close()
			ticker := time.NewTicker(patience / 4)
			defer ticker.Stop()
			raw := post(chatPath, body)
			for len(raw) > 0 {
				n := min(len(raw), 15<<10)
				if _, err := io.WriteString(conn, raw[:n]); err != nil {
					break // cut
				}
				raw = raw[n:]
				<-ticker.C
			}
			if a := readReply(t, bufio.NewReader(conn), "POST"); a.Response != nil && a.StatusCode != row.status || a.Response == nil && row.status == 200 {
				t.Errorf("%+v", a)
			}
			_ = conn.Close()
			c.settle(t)
		})
	}
}

// Many idle connections do not keep other clients out.
func TestIdleConnectionsAreInNobodysWay(t *testing.T) {
	c := newClients(t, fixture{})
	var conns []net.Conn
	for range 300 {
		conn := c.dialAs(t)
		defer conn.Close()
		conns = append(conns, conn)
	}
	for range 20 {
		if a := c.exchange(t, post(chatPath, plainRequest)); a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	c.settle(t)
}
