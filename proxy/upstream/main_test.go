package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const hello = `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`

const prompt = `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`

// client returns a client of a scripted server; change may alter the configuration.
func client(t *testing.T, base string, change func(*HTTPConfig)) *HTTP {
	t.Helper()
	cfg := HTTPConfig{BaseURL: base, APIKey: "sk-canary-0123456789", Transport: NewTransport(0, 0)}
	if change != nil {
		change(&cfg)
	}
	h, err := NewHTTP(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// ask sends the prompt and reads the whole answer.
func ask(t *testing.T, h *HTTP, c Call) (*Response, string, error) {
	t.Helper()
	if c.Body == nil {
		c.Body = []byte(prompt)
	}
	resp, err := h.Chat(t.Context(), c)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); closeErr != nil {
		t.Error("close:", closeErr)
	}
	return resp, string(body), err
}

// wantError checks an error's code and status.
func wantError(t *testing.T, err error, code string, status int) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got error %v, want an upstream.Error with code %s", err, code)
	}
	if e.Code != code || e.Status != status {
		t.Fatalf("got %s with status %d (%v), want %s with %d", e.Code, e.Status, err, code, status)
	}
	if Redact(e.Message) != e.Message {
		t.Errorf("the message %q holds what must not be shown", e.Message)
	}
}

func TestChatReturnsTheAnswerByteForByte(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.JSON(hello))
	resp, body, err := ask(t, client(t, s.URL(), nil), Call{})
	if err != nil || body != hello || resp.Status != http.StatusOK {
		t.Fatal(resp, body, err)
	}
	if r := s.Last(); r.Method != "POST" || r.Path != "/v1/chat/completions" || string(r.Body) != prompt {
		t.Errorf("the upstream got %s %s %s", r.Method, r.Path, r.Body)
	}
}

func TestErrorStatusesAreAnswersWithTheirBody(t *testing.T) {
	const body = `{"error":{"message":"no such model","code":"model_not_found"}}`
	for _, status := range []int{400, 404, 408, 422, 429, 500, 502, 503, 504, 520, 529} {
		s := upstreamtest.New(t, upstreamtest.Status(status, body, "Retry-After: 2"))
		resp, got, err := ask(t, client(t, s.URL(), nil), Call{})
		if err != nil || got != body || resp.Status != status || resp.Header.Get("Retry-After") != "2" {
			t.Error(status, resp, got, err)
		}
		if s.Count() != 1 {
			t.Errorf("status %d: asked %d times", status, s.Count())
		}
	}
}

func TestStreamArrivesWhileItIsSent(t *testing.T) {
	step := make(chan struct{})
	s := upstreamtest.New(t, upstreamtest.Stream().Then(
		upstreamtest.Event("one"), upstreamtest.Wait(step), upstreamtest.Event("two"), upstreamtest.EndStream()))
	resp, err := client(t, s.URL(), nil).Chat(t.Context(), Call{Body: []byte(prompt), Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	first := make([]byte, len("data: one\n\n"))
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != "data: one\n\n" {
		t.Fatalf("%q %v", first, err)
	}
	close(step) // only now does the upstream go on
	rest, err := io.ReadAll(resp.Body)
	if err != nil || string(rest) != "data: two\n\n" {
		t.Fatalf("%q %v", rest, err)
	}
}

func TestCancelFreesTheUpstream(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"before the answer": upstreamtest.Hang(),
		"in mid-stream":     upstreamtest.Stream().Then(upstreamtest.Event("one"), upstreamtest.Hangs()),
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, script)
			ctx, cancel := context.WithCancelCause(t.Context())
			left := errors.New("the client left")
			go func() {
				s.WaitRequests(1)
				cancel(left)
			}()
			resp, err := client(t, s.URL(), nil).Chat(ctx, Call{Body: []byte(prompt), Stream: true})
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				if err == nil {
					t.Error("the stream ended well")
				}
				_ = resp.Body.Close()
			} else if !errors.Is(err, left) {
				t.Errorf("got %v, want the cause of the context", err)
			}
			s.WaitConns(0)
			if s.Count() != 1 {
				t.Errorf("asked %d times", s.Count())
			}
		})
	}
}

func TestConnectionsAreKept(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.JSON(hello))
	h := client(t, s.URL(), nil)
	for range 3 {
		if _, _, err := ask(t, h, Call{}); err != nil {
			t.Fatal(err)
		}
	}
	if s.Accepted() != 1 {
		t.Errorf("%d connections for 3 requests", s.Accepted())
	}
}

func TestNamedFindsDefaultAndOthers(t *testing.T) {
	def, other := client(t, "http://one.test/v1", nil), client(t, "http://two.test/v1", nil)
	d := NewDirectory(Entry{Client: def, DefaultModel: "m"}, map[string]Entry{BuiltinExtractive: {Client: other}})
	if c, m, err := d.Named(t.Context(), "t", ""); err != nil || c != Client(def) || m != "m" {
		t.Error("default:", c, m, err)
	}
	if c, m, err := d.Named(t.Context(), "t", BuiltinExtractive); err != nil || c != Client(other) || m != "" {
		t.Error("builtin:", c, m, err)
	}
	if _, _, err := d.Named(t.Context(), "t", "nobody"); !errors.Is(err, assistants.ErrNotFound) {
		t.Error("an upstream that nobody named is found:", err)
	}
}
