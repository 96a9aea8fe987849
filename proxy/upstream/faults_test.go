package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
)

func TestAnswersThatAreNone(t *testing.T) {
	raw := func(b string) upstreamtest.Script { return upstreamtest.Raw(b).Then(upstreamtest.Closes()) }
	for name, c := range map[string]struct {
		script upstreamtest.Script
		code   string
	}{
		"401":             {upstreamtest.Status(401, `{"error":{"message":"Incorrect API key provided: sk-ab…xyz"}}`), CodeAuthFailed},
		"403":             {upstreamtest.Status(403, `canary`), CodeAuthFailed},
		"407":             {upstreamtest.Status(407, `canary`), CodeAuthFailed},
		"204":             {upstreamtest.Raw("HTTP/1.1 204 No Content\r\n\r\n"), CodeInvalidResponse},
		"205":             {upstreamtest.Status(205, ""), CodeInvalidResponse},
		"status 999":      {upstreamtest.Status(999, "canary"), CodeInvalidResponse},
		"no status line":  {raw("canary canary\r\n\r\n"), CodeInvalidResponse},
		"HTTP/0.9":        {raw("<html>canary</html>"), CodeInvalidResponse},
		"header of 1 MiB": {raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("canary", 1<<18) + "\r\n\r\n"), CodeInvalidResponse},
		"two lengths":     {raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), CodeInvalidResponse},
		"brotli":          {upstreamtest.Status(200, "canary", "Content-Encoding: br"), CodeInvalidResponse},
		"thrice encoded":  {upstreamtest.Status(200, "canary", "Content-Encoding: gzip, gzip", "Content-Encoding: gzip"), CodeInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, c.script)
			_, _, err := ask(t, client(t, s.URL(), nil), Call{})
			wantError(t, err, c.code, http.StatusBadGateway)
			if e, _ := errors.AsType[*Error](err); strings.Contains(e.Message, "canary") || strings.Contains(e.Message, "sk-") {
				t.Error("the message repeats the upstream's text:", e.Message)
			}
			if s.Count() != 1 {
				t.Errorf("asked %d times", s.Count())
			}
		})
	}
}

func TestInformationalAnswersAreSkipped(t *testing.T) {
	early := "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
	s := upstreamtest.New(t, append(upstreamtest.Raw(early), upstreamtest.JSON(hello)...))
	if _, body, err := ask(t, client(t, s.URL(), nil), Call{}); err != nil || body != hello {
		t.Fatal(body, err)
	}
}

func TestBodiesThatBreakOff(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"length too long": upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{").Then(upstreamtest.Closes()),
		"chunks not ended": upstreamtest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").Then(
			upstreamtest.Chunk("{"), upstreamtest.Closes()),
		"reset":     upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{").Then(upstreamtest.Resets()),
		"bad chunk": upstreamtest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "zz\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, script)
			_, _, err := ask(t, client(t, s.URL(), nil), Call{})
			if err == nil {
				t.Fatal("the body ended well")
			}
			wantError(t, Interrupted(err), CodeInterrupted, http.StatusBadGateway)
			s.WaitConns(0)
		})
	}
}

func TestTimeLimits(t *testing.T) {
	const short = 500 * time.Millisecond
	quick := func(c *HTTPConfig) { c.Timeouts = Timeouts{Total: short, Models: short} }
	for name, c := range map[string]struct {
		script upstreamtest.Script
	}{
		"no headers":    {upstreamtest.Hang()},
		"no end":        {upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{").Then(upstreamtest.Hangs())},
		"half a header": {upstreamtest.Raw("HTTP/1.1 200 OK\r\nX-").Then(upstreamtest.Hangs())},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, c.script)
			_, _, err := ask(t, client(t, s.URL(), quick), Call{})
			wantError(t, Interrupted(err), CodeTimeout, http.StatusGatewayTimeout)
			s.WaitConns(0)
			if s.Count() != 1 {
				t.Errorf("asked %d times", s.Count())
			}
		})
	}
	t.Run("models", func(t *testing.T) {
		s := upstreamtest.New(t, upstreamtest.Hang())
		_, err := client(t, s.URL(), quick).Models(t.Context())
		wantError(t, err, CodeTimeout, http.StatusGatewayTimeout)
	})
}

func TestAStreamMayLastLongerThanAnAnswer(t *testing.T) {
	step := make(chan struct{})
	s := upstreamtest.New(t, upstreamtest.Stream().Then(upstreamtest.Wait(step), upstreamtest.Event("late"), upstreamtest.EndStream()))
	h := client(t, s.URL(), func(c *HTTPConfig) { c.Timeouts.Total = time.Nanosecond })
	resp, err := h.Chat(t.Context(), Call{Body: []byte(prompt), Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	close(step)
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "data: late\n\n" {
		t.Errorf("%q %v", body, err)
	}
}

func TestTheCausesOfContextsAreKept(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.Hang())
	drained := errors.New("the server is shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(drained)
	if _, err := client(t, s.URL(), nil).Chat(ctx, Call{Body: []byte(prompt)}); !errors.Is(err, drained) {
		t.Error(err)
	}
	if s.Count() != 0 {
		t.Error("a cancelled call went out")
	}
}

func TestOurKeyIsMaskedInErrorAnswers(t *testing.T) {
	const key = "sk-canary-0123456789"
	body := `{"error":{"message":"the key ` + key + ` may not use this model","x":1}}`
	s := upstreamtest.New(t, upstreamtest.Status(400, body), upstreamtest.JSON(body))
	h := client(t, s.URL(), nil)
	_, got, err := ask(t, h, Call{})
	want := strings.ReplaceAll(body, key, strings.Repeat("*", len(key)))
	if err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	if _, got, err = ask(t, h, Call{}); err != nil || got != body {
		t.Errorf("an answer was changed: %s, %v", got, err)
	}
}

func TestEndlessErrorAnswersAreGivenUp(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.Status(500, strings.Repeat("x", maxMasked+1)))
	_, _, err := ask(t, client(t, s.URL(), nil), Call{})
	wantError(t, err, CodeInvalidResponse, http.StatusBadGateway)
}

// Its client cannot ask for a stream, and no setting gives it more time.
func TestALateEmbeddingServerHasNoTimeoutToRaise(t *testing.T) {
	stop := make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	t.Cleanup(func() { close(stop); far.Close() })
	h := client(t, far.URL, func(cfg *HTTPConfig) { cfg.Timeouts.Total = 20 * time.Millisecond })
	_, err := h.Embeddings(t.Context(), Call{Body: []byte("{}")})
	wantError(t, err, CodeTimeout, http.StatusGatewayTimeout)
	if strings.Contains(err.Error(), "total_timeout") {
		t.Error(err)
	}
	_, err = h.Chat(t.Context(), Call{Body: []byte("{}")})
	wantError(t, err, CodeTimeout, http.StatusGatewayTimeout)
	if !strings.Contains(err.Error(), "total_timeout") {
		t.Error(err)
	}
}
