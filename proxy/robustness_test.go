package proxy_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/proxy/chat"
	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

// dial opens a raw connection to the server.
func (f *fixture) dial() net.Conn {
	f.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAnnouncedBodiesHoldNoMemory(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{}`, upstreamtest.JSON(okAnswer))
	const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + adminKey + "\r\n"
	for i := range 32 { // four times what the budget would hold of announced bodies
		framing := fmt.Sprintf("Content-Length: %d\r\n\r\n{", 1<<20)
		if i%2 == 0 {
			framing = "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
		}
		if _, err := io.WriteString(f.dial(), head+framing); err != nil {
			t.Fatal(err)
		}
	}
	if resp, body := f.send(chatRequest(t, plainRequest)); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestMemoryOfRequestsInFlightIsBounded(t *testing.T) {
	hang := make(chan struct{})
	f, up := streaming(t, chat.Timings{}, `{}`, upstreamtest.Script{upstreamtest.Wait(hang)}.Then(upstreamtest.JSON(okAnswer)...))
	large := strings.Replace(plainRequest, "hi", strings.Repeat("x", 1<<20-len(plainRequest)), 1)
	done := make(chan int, 8)
	for range 8 {
		go func() {
			resp, _ := f.send(chatRequest(t, large))
			done <- resp.StatusCode
		}()
	}
	up.WaitRequests(8)
	if resp, body := f.send(chatRequest(t, large)); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(string(body), "overloaded") {
		t.Errorf("%d %.200s", resp.StatusCode, body)
	}
	close(hang)
	for range 8 {
		if status := <-done; status != 200 {
			t.Error(status)
		}
	}
	if resp, _ := f.send(chatRequest(t, large)); resp.StatusCode != 200 {
		t.Error("the memory was not given back")
	}
}

func TestAClientThatLeavesWhileSendingIsNoServerError(t *testing.T) {
	f, up := streaming(t, chat.Timings{}, `{}`, upstreamtest.JSON(okAnswer))
	conn := f.dial()
	if _, err := io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer "+adminKey+"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, conn) // until the server has closed it
	_, metrics := f.send(getRequest(t, "/metrics"))
	if !strings.Contains(string(metrics), `footnote_requests_total{method="POST",route="/v1/chat/completions",status="499"} 1`) || up.Count() != 0 {
		t.Errorf("not counted as 499:\n%s", metrics)
	}
}

func TestCommentsBridgeAnUpstreamThatHoldsItsHeadersBack(t *testing.T) {
	next := make(chan struct{})
	f, _ := streaming(t, chat.Timings{FirstFrame: time.Millisecond, KeepAlive: time.Millisecond}, `{}`,
		upstreamtest.Script{upstreamtest.Wait(next)}.Then(upstreamtest.Status(429, `{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}`)...))
	resp := f.open(chatRequest(t, streamRequest))
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	if line, err := r.ReadString('\n'); err != nil || line != ": keep-alive\n" || resp.StatusCode != 200 {
		t.Fatalf("%d %q %v", resp.StatusCode, line, err)
	}
	close(next)
	rest, err := io.ReadAll(r)
	text := strings.ReplaceAll(string(rest), ": keep-alive\n", "")
	if done, faults := terminals(text); !errors.Is(err, io.ErrUnexpectedEOF) || done != 0 || faults != 1 || !strings.Contains(text, "slow down") {
		t.Errorf("a refusal after the 200 is %q %v", text, err)
	}
}

func TestCommentsOfTheUpstreamCountAsLife(t *testing.T) {
	steps := upstreamtest.Stream().Then(upstreamtest.Event(textChunk))
	pace := make(chan struct{})
	for range 4 {
		steps = steps.Then(upstreamtest.Wait(pace), upstreamtest.Chunk(": PROCESSING\n"))
	}
	f, _ := streamingWithin(t, upstream.Timeouts{Idle: time.Second}, `{}`, steps.Then(upstreamtest.Event(stopChunk), upstreamtest.Event("[DONE]"), upstreamtest.EndStream()))
	go func() {
		ticker := time.NewTicker(300 * time.Millisecond)
		defer ticker.Stop()
		for range 4 {
			<-ticker.C
			pace <- struct{}{}
		}
	}()
	_, body := f.send(chatRequest(t, streamRequest))
	if done, faults := terminals(string(body)); done != 1 || faults != 0 {
		t.Errorf("%q", body)
	}
}

func TestRefusalsAreNotCountedAsAnswers(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{"enable_rag":true,"enable_citations":true}`, upstreamtest.Status(429, `{"error":{"message":"slow down"}}`))
	f.send(chatRequest(t, plainRequest))
	f.send(chatRequest(t, streamRequest))
	if _, metrics := f.send(getRequest(t, "/metrics")); strings.Contains(string(metrics), "footnote_answers_total{") {
		t.Error("a refusal counts as an answer")
	}
}

func TestModelsOfAnAssistantsBaseURL(t *testing.T) {
	f, _ := streaming(t, chat.Timings{}, `{}`, upstreamtest.JSON(okAnswer))
	for path, want := range map[string]string{
		"/assistants/support/v1/models": `"id":"support"`,
		"/assistants/nope/v1/models":    "model_not_found",
		"/assistants/nope/v1/models/x":  "model_not_found",
		"/v1/models/":                   "not_found",
	} {
		if _, body := f.send(getRequest(t, path)); !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

func TestOnlyListedOriginsMayCallFromABrowser(t *testing.T) {
	f := newFixture(t, fixture{upstreamURL: "http://127.0.0.1:9/v1", settings: mergeSettings(t, nil), origins: []string{"https://app.test"}})
	preflight := func(origin string) *http.Response {
		req, err := http.NewRequest("OPTIONS", "/v1/chat/completions", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", "POST")
		req.Header.Set("Access-Control-Request-Headers", "authorization")
		resp, body := f.send(req)
		if resp.StatusCode >= 400 && !strings.Contains(string(body), "origin_not_allowed") {
			t.Errorf("%s: %s", origin, body)
		}
		return resp
	}
	ok := preflight("https://app.test")
	if ok.Header.Get("Access-Control-Allow-Origin") != "https://app.test" || !strings.Contains(ok.Header.Get("Access-Control-Allow-Headers"), "Authorization") ||
		ok.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", ok.StatusCode, ok.Header)
	}
	if bad := preflight("https://evil.test"); bad.StatusCode != 403 || bad.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", bad.StatusCode, bad.Header)
	}
}
