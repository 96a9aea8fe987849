package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"footnote/cmd/footnote/console"
	"footnote/proxy/upstream/upstreamtest"
)

const (
	drainChunk  = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}`
	drainStop   = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	drainAnswer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`
)

// A drained server is the whole program in this process, so that a test can
// choose how long it waits, and an upstream whose answers the test ends.
type drained struct {
	t     *testing.T
	url   string
	ended chan error // of the command
	up    *upstreamtest.Server
	next  chan struct{} // closed: the upstream's answers go on
}

// drainScripts are the upstream's answers to a stream and to a JSON request, in
// that order, that wait for next, and to whatever comes after.
func drainScripts(next <-chan struct{}) []upstreamtest.Script {
	return []upstreamtest.Script{
		upstreamtest.Stream().Then(upstreamtest.Event(drainChunk), upstreamtest.Wait(next), upstreamtest.Event(drainStop), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()),
		upstreamtest.Script{upstreamtest.Wait(next)}.Then(upstreamtest.JSON(drainAnswer)...),
		upstreamtest.JSON(drainAnswer),
	}
}

func serveAndDrain(t *testing.T, d drain) *drained {
	t.Helper()
	s := &drained{t: t, ended: make(chan error, 1), next: make(chan struct{})}
	s.up = modelServer(t, drainScripts(s.next)...)
	logs := &lockedBuffer{}
	p := newProgram(console.Streams{In: strings.NewReader(""), Out: io.Discard, Err: logs},
		bareEnv("FOOTNOTE_ADMIN_KEY="+testAdminKey, "FOOTNOTE_UPSTREAM_URL="+s.up.URL(), "FOOTNOTE_PASSTHROUGH=true", "FOOTNOTE_LOG_FORMAT=json"))
	p.drain = d
	cmd := p.command()
	cmd.SetArgs([]string{"serve", "--data-dir", t.TempDir()})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		s.ended <- cmd.ExecuteContext(ctx)
		close(s.ended)
	}()
	t.Cleanup(func() {
		cancel()
		for range s.ended {
			continue // exit has judged it
		}
		http.DefaultClient.CloseIdleConnections()
	})
	eventually(t, "it listens", func() bool {
		for line := range strings.Lines(logs.String()) {
			var l struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "listening" {
				s.url = "http://" + l.Addr
			}
		}
		return s.url != ""
	})
	eventually(t, "it is ready", func() bool { return s.status("/readyz") == 200 })
	return s
}

// signal sends SIGTERM, as an orchestrator does.
func (s *drained) signal() {
	s.t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// exit waits for the command's end.
func (s *drained) exit() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Error("the command failed:", err)
		}
	case <-time.After(60 * time.Second):
		s.t.Fatal("the server does not stop")
	}
}

// status is the status of a GET, 0 without an answer.
func (s *drained) status(path string) int {
	resp, err := http.Get(s.url + path)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// chat asks for an answer and returns it unread.
func chat(t *testing.T, url string, stream bool) *http.Response {
	t.Helper()
	resp, err := startChat(url, stream)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func startChat(url string, stream bool) (*http.Response, error) {
	body := `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	if stream {
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	}
	req, err := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+testAdminKey)
	return http.DefaultClient.Do(req)
}

// rest reads an answer to its end.
func rest(t *testing.T, resp *http.Response, r io.Reader) string {
	t.Helper()
	body, err := readAnswer(r)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Error(err)
	}
	return string(body)
}

// running begins a stream and a JSON request, which wait for their upstream.
func running(t *testing.T, url string, up *upstreamtest.Server) (stream *http.Response, r *bufio.Reader, answer <-chan string) {
	t.Helper()
	stream = chat(t, url, true)
	r = bufio.NewReader(stream.Body)
	if line, err := r.ReadString('\n'); err != nil || line != "data: "+drainChunk+"\n" {
		t.Fatal(line, err)
	}
	answered := make(chan string, 1)
	go func() {
		resp, err := startChat(url, false)
		if err != nil {
			answered <- err.Error()
			return
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			answered <- err.Error()
			return
		}
		answered <- resp.Status + " " + string(body)
	}()
	up.WaitRequests(2)
	return stream, r, answered
}

func TestDuringTheNoticeEverythingIsServedAndASecondSignalEndsItNow(t *testing.T) {
	s := serveAndDrain(t, drain{notice: time.Hour, limit: time.Hour, last: time.Minute})
	stream, r, answer := running(t, s.url, s.up)
	s.signal()
	eventually(t, "/readyz says 503", func() bool { return s.status("/readyz") == 503 })
	resp := chat(t, s.url, false)
	if body := rest(t, resp, resp.Body); resp.StatusCode != 200 || body != drainAnswer || !resp.Close {
		t.Errorf("a new chat during the notice: %d %q, connection closed: %v", resp.StatusCode, body, resp.Close)
	}
	s.signal()
	if got := rest(t, stream, r); strings.Count(got, "server_shutting_down") != 1 || strings.Contains(got, "[DONE]") {
		t.Errorf("the stream ends with %q", got)
	}
	if got := <-answer; !strings.HasPrefix(got, "503") || !strings.Contains(got, "server_shutting_down") {
		t.Errorf("the JSON request ends with %q", got)
	}
	s.exit()
	s.up.WaitConns(0)
}

func TestRequestsInFlightFinishWithinTheDrain(t *testing.T) {
	s := serveAndDrain(t, drain{notice: time.Millisecond, limit: time.Hour, last: time.Minute})
	stream, r, answer := running(t, s.url, s.up)
	s.signal()
	eventually(t, "it accepts no more", func() bool { return s.status("/healthz") == 0 })
	close(s.next)
	if got := rest(t, stream, r); got != "\ndata: "+drainStop+"\n\ndata: [DONE]\n\n" {
		t.Errorf("the stream goes on with %q", got)
	}
	if got := <-answer; got != "200 OK "+drainAnswer {
		t.Errorf("the JSON request ends with %q", got)
	}
	s.exit()
}

func TestRequestsThatOutliveTheDrainGetAnError(t *testing.T) {
	s := serveAndDrain(t, drain{notice: time.Millisecond, limit: time.Millisecond, last: time.Minute})
	stream, r, answer := running(t, s.url, s.up)
	s.signal()
	if got := rest(t, stream, r); strings.Count(got, `data: {"error":`) != 1 || !strings.Contains(got, "server_shutting_down") || strings.Contains(got, "[DONE]") {
		t.Errorf("the stream ends with %q", got)
	}
	if got := <-answer; !strings.HasPrefix(got, "503") || !strings.Contains(got, "server_shutting_down") {
		t.Errorf("the JSON request ends with %q", got)
	}
	s.exit()
	s.up.WaitConns(0)
}

// The real program, with the intervals it really has.
func TestSIGTERMLetsStreamsFinishAndExitsWithZero(t *testing.T) {
	next := make(chan struct{})
	up := modelServer(t, drainScripts(next)...)
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+up.URL(), "FOOTNOTE_PASSTHROUGH=true")
	stream, r, answer := running(t, p.url, up)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "/readyz says 503", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 503 })
	resp := chat(t, p.url, false)
	if body := rest(t, resp, resp.Body); resp.StatusCode != 200 || body != drainAnswer || !resp.Close {
		t.Errorf("a new chat during the notice: %d %q, connection closed: %v", resp.StatusCode, body, resp.Close)
	}
	eventually(t, "it accepts no more", func() bool {
		resp, err := http.Get(p.url + "/healthz")
		if err != nil {
			return true
		}
		_ = resp.Body.Close()
		return false
	})
	close(next)
	if got := rest(t, stream, r); got != "\ndata: "+drainStop+"\n\ndata: [DONE]\n\n" {
		t.Errorf("the stream goes on with %q", got)
	}
	if got := <-answer; got != "200 OK "+drainAnswer {
		t.Errorf("the JSON request ends with %q", got)
	}
	<-p.exited
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d\n%s", code, p.stderr)
	}
}
