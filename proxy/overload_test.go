package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"footnote/proxy/chat"
	"footnote/proxy/upstream/upstreamtest"
)

// eventually polls until ok, for what another goroutine does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	giveUp := time.After(60 * time.Second)
	for !ok() {
		select {
		case <-ticker.C:
		case <-giveUp:
			t.Fatalf("never: %s", what)
		}
	}
}

// metric returns the line of a metric, without its name.
func (f *fixture) metric(name string) string {
	f.t.Helper()
	_, body := f.send(getRequest(f.t, "/metrics"))
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// wantOverloaded checks an answer that asks the client to come back.
func wantOverloaded(t *testing.T, resp *http.Response, body []byte) {
	t.Helper()
	if resp.StatusCode != 503 || !strings.Contains(string(body), `"code":"overloaded"`) ||
		resp.Header.Get("Retry-After") != "1" || resp.Header.Get("Retry-After-Ms") != "1000" {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
}

// openStream begins a stream on a connection of its own and reads its first event.
func (f *fixture) openStream() (*http.Response, *bufio.Reader) {
	f.t.Helper()
	resp := f.open(chatRequest(f.t, streamRequest))
	r := bufio.NewReader(resp.Body)
	if line, err := r.ReadString('\n'); err != nil || line != "data: "+textChunk+"\n" {
		f.t.Fatalf("%d %q %v", resp.StatusCode, line, err)
	}
	return resp, r
}

func TestChatsBeyondTheDescriptorsAreRefusedAndTheOthersGoOn(t *testing.T) {
	next := make(chan struct{})
	up := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Event(textChunk), upstreamtest.Wait(next), upstreamtest.Event(stopChunk), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, nil), descriptors: 100})
	const room = 29 // two descriptors each, of 90 % of 100 less the reserve of 32
	type stream struct {
		resp *http.Response
		r    *bufio.Reader
	}
	var streams []stream
	for range room {
		resp, r := f.openStream()
		streams = append(streams, stream{resp, r})
	}
	for range 3 {
		resp, body := f.send(chatRequest(t, streamRequest))
		wantOverloaded(t, resp, body)
		if !resp.Close {
			t.Error("the refused client keeps its connection")
		}
	}
	if up.Count() != room {
		t.Errorf("%d requests reached the upstream", up.Count())
	}
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/v1/models": 200} {
		if resp, _ := f.send(getRequest(t, path)); resp.StatusCode != status {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	for name, want := range map[string]string{
		"footnote_chats_in_flight": fmt.Sprint(room), "footnote_streams_in_flight": fmt.Sprint(room),
		`footnote_refused_total{reason="descriptors"}`: "3",
	} {
		if got := f.metric(name); got != want {
			t.Errorf("%s %s, not %s", name, got, want)
		}
	}
	if held := f.metric("footnote_in_flight_bytes"); held != "0" {
		t.Errorf("streams that have begun hold %s bytes of their requests", held)
	}
	close(next)
	for _, s := range streams {
		rest, err := io.ReadAll(s.r)
		if err = errors.Join(err, s.resp.Body.Close()); err != nil || string(rest) != "\ndata: "+stopChunk+"\n\ndata: [DONE]\n\n" {
			t.Errorf("%q %v", rest, err)
		}
	}
	eventually(t, "everything is given back", func() bool {
		return f.metric("footnote_chats_in_flight") == "0" && f.metric("footnote_streams_in_flight") == "0" && f.metric("footnote_in_flight_bytes") == "0"
	})
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "chats are taken again", func() bool {
		resp, _ := f.send(chatRequest(t, streamRequest))
		return resp.StatusCode == 200
	})
}

func TestConnectionsBeyondTheDescriptorsAreToldSo(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil), descriptors: 100})
	conns := make([]net.Conn, 90)
	for i := range conns {
		conns[i] = f.dial()
	}
	raw, err := io.ReadAll(f.dial())
	if err != nil || !strings.HasPrefix(string(raw), "HTTP/1.1 503 Service Unavailable\r\n") || !strings.Contains(string(raw), `"code":"overloaded"`) ||
		!strings.Contains(string(raw), "\r\nRetry-After: 1\r\n") || !strings.Contains(string(raw), "\r\nX-Request-Id: req_") {
		t.Errorf("%q %v", raw, err)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	eventually(t, "connections are taken again", func() bool { return f.answers("/healthz") })
}

// answers reports whether a new connection gets a 200.
func (f *fixture) answers(path string) bool {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(f.url + path)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == 200
}

func TestIdleConnectionsMakeRoomForNewOnes(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil), descriptors: 100})
	for range 90 {
		conn := f.dial()
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
	}
	eventually(t, "a new connection is served", func() bool { return f.answers("/healthz") })
}

func TestIdleConnectionsMakeRoomForChats(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{}`, upstreamtest.JSON(okAnswer))
	f = newFixture(t, fixture{upstreamURL: f.upstreamURL, settings: mergeSettings(t, nil), descriptors: 100})
	for range 3 {
		for range 60 {
			conn := f.dial()
			if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
		}
		http.DefaultClient.CloseIdleConnections() // the chat's connection is not one of those that are closed
		if resp, body := f.send(chatRequest(t, plainRequest)); resp.StatusCode != 200 {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}

func TestChatsBeyondTheMemoryLimitAreRefused(t *testing.T) {
	before := debug.SetMemoryLimit(1 << 20) // less than any process has
	f, up := streaming(t, chat.Timings{}, `{}`, upstreamtest.JSON(okAnswer))
	debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	resp, body := f.send(chatRequest(t, plainRequest))
	wantOverloaded(t, resp, body)
	if up.Count() != 0 || f.metric(`footnote_refused_total{reason="memory"}`) != "1" {
		t.Error("the chat is not counted as refused for want of memory")
	}
}

func TestWithoutDescriptorsForTheUpstreamTheServerIsBusy(t *testing.T) {
	var dials atomic.Int32
	exhausted := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}}
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil), transport: exhausted})
	for _, body := range []string{plainRequest, streamRequest} {
		resp, answer := f.send(chatRequest(t, body))
		wantOverloaded(t, resp, answer)
	}
	if n := dials.Load(); n != 2 {
		t.Errorf("%d dials for two requests: trying again at once helps nobody", n)
	}
}

// Large answers share a bound on memory: what does not fit is refused, and what
// was taken comes back.
func TestLargeAnswersShareABoundOnMemory(t *testing.T) {
	large := strings.Replace(okAnswer, "ok", strings.Repeat("x", 2<<20), 1)
	half, goOn := len(large)/10*9, make(chan struct{})
	head := upstreamtest.Head(200, fmt.Sprintf("Content-Length: %d", len(large)))
	slow := upstreamtest.Script{upstreamtest.Bytes(head + large[:half]), upstreamtest.Wait(goOn), upstreamtest.Bytes(large[half:])}
	f := newClients(t, fixture{answerMemory: 7 << 20}, slow, upstreamtest.JSON(large), upstreamtest.JSON(okAnswer), upstreamtest.JSON(large))
	first := make(chan int)
	go func() { first <- f.exchange(t, post(chatPath, plainRequest)).StatusCode }()
	eventually(t, "most of the first answer is in memory", func() bool { return len(f.metric("footnote_answer_bytes")) >= len("1000000") })
	if a := f.exchange(t, post(chatPath, plainRequest)); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("the second large answer: %d", a.StatusCode)
	}
	if a := f.exchange(t, post(chatPath, plainRequest)); a.StatusCode != 200 {
		t.Errorf("a small answer: %d", a.StatusCode)
	}
	close(goOn)
	if status := <-first; status != 200 {
		t.Errorf("the first large answer: %d", status)
	}
	if a := f.exchange(t, post(chatPath, plainRequest)); a.StatusCode != 200 {
		t.Errorf("a large answer when there is room again: %d", a.StatusCode)
	}
	if got := f.metric("footnote_answer_bytes"); got != "0" {
		t.Errorf("%s bytes are still taken", got)
	}
}
