package completion

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/proxy/upstream"
	"footnote/proxy/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Words of the prompt and of answers, which no error may repeat.
const asked, secret = "the question of a user", "the answer of a model"

// A talk is one call and what came of it.
type talk struct {
	healths          *upstream.Healths
	targets          []Target
	call             Call
	pieces           []string
	observed         []int
	prompt, answered int64
	err              error
}

// newTalk returns a call to models at servers. Their names are a, b, and so on.
func newTalk(t *testing.T, stream bool, servers ...*upstreamtest.Server) *talk {
	t.Helper()
	now := time.Unix(1795435200, 0)
	w := &talk{healths: upstream.NewHealths(func() time.Time { return now }, nil)}
	for i, s := range servers {
		name := string(rune('a' + i))
		client, err := upstream.NewHTTP(upstream.HTTPConfig{BaseURL: s.URL(), Transport: upstream.NewTransport(0, 0), Health: w.healths.Of(name)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		w.targets = append(w.targets, Target{Client: client, Model: name})
	}
	temperature := 0.0
	w.call = Call{
		Request:  Request{Messages: []Message{{Role: "user", Content: asked}}, Stream: stream, MaxTokens: 50, Temperature: &temperature},
		Question: asked,
		Observe:  func(status int) { w.observed = append(w.observed, status) },
		Counted:  func(prompt, answer int64) { w.prompt, w.answered = prompt, answer },
	}
	return w
}

func (w *talk) ask(ctx context.Context) {
	w.err = AskInTurn(ctx, w.targets, w.call, func(piece string) { w.pieces = append(w.pieces, piece) })
}

// says is an answer, as a frame of a stream or whole.
func says(member, text, finish string) string {
	quoted, _ := json.Marshal(text) // a string can be encoded
	return `{"id":"c","choices":[{"index":0,"` + member + `":{"role":"assistant","content":` + string(quoted) + `},"finish_reason":` + finish + `}]}`
}

func delta(text string) string   { return says("delta", text, "null") }
func message(text string) string { return says("message", text, `"stop"`) }

const (
	stops   = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	second  = `{"id":"c","choices":[{"index":1,"delta":{"content":"another choice"}}]}`
	counts  = `{"id":"c","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
	reports = `{"error":{"message":"` + secret + `","type":"server_error"}}`
)

// code is the code of an upstream's error, "" for others.
func code(err error) string {
	if e, ok := errors.AsType[*upstream.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestAnswersArePassedOnAsTheyCome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   upstreamtest.Script
		pieces   []string
		observed int
		tokens   int64 // of the answer
		failed   bool
		code     string // of the error
		is       error
	}{
		"whole": {
			script: upstreamtest.JSON(message("Hello.")), pieces: []string{"Hello."}, observed: 200,
		},
		"whole, with tokens": {
			script:   upstreamtest.JSON(strings.Replace(message("Hello."), `"id":"c"`, `"usage":{"prompt_tokens":7,"completion_tokens":3}`, 1)),
			pieces:   []string{"Hello."},
			observed: 200, tokens: 3,
		},
		"a stream": {
			script: upstreamtest.SSE(delta("He"), "", delta(""), second, delta("llo."), stops, counts, "[DONE]"),
			pieces: []string{"He", "llo."}, observed: 200, tokens: 3,
		},
		"a stream without its last event": {
			script: upstreamtest.SSE(delta("Hello."), stops), pieces: []string{"Hello."}, observed: 200,
		},
		"a stream of the longest answer": {
			script: upstreamtest.SSE(delta(strings.Repeat("a", maxAnswer/2)), delta(strings.Repeat("b", maxAnswer/2)), "[DONE]"),
			pieces: []string{strings.Repeat("a", maxAnswer/2), strings.Repeat("b", maxAnswer/2)}, observed: 200,
		},
		"a stream that breaks off": {
			script: upstreamtest.SSE(delta(secret)), pieces: []string{secret}, observed: 200, failed: true, code: upstream.CodeInterrupted,
		},
		"a stream that reports an error": {
			script: upstreamtest.SSE(delta(secret), reports), pieces: []string{secret}, observed: 200, failed: true, code: upstream.CodeReported,
		},
		"a stream with an event of errors": {
			script:   upstreamtest.Stream().Then(upstreamtest.Chunk("event: error\ndata: "+secret+"\n\n"), upstreamtest.EndStream()),
			observed: 200, failed: true, code: upstream.CodeReported,
		},
		"a stream that is not JSON": {
			script: upstreamtest.SSE(secret), observed: 200, failed: true, code: upstream.CodeInvalidResponse,
		},
		"a stream that is too long": {
			script: upstreamtest.SSE(delta(strings.Repeat("a", maxAnswer/2)), delta(strings.Repeat("b", maxAnswer/2)), delta(secret)),
			pieces: []string{strings.Repeat("a", maxAnswer/2), strings.Repeat("b", maxAnswer/2)}, observed: 200, failed: true, code: upstream.CodeInvalidResponse,
		},
		"a stream without text": {
			script: upstreamtest.SSE(stops, "[DONE]"), observed: 200, failed: true, is: ErrEmpty,
		},
		"without text": {
			script: upstreamtest.JSON(message("")), observed: 200, failed: true, is: ErrEmpty,
		},
		"without a choice": {
			script: upstreamtest.JSON(`{"id":"c","choices":[]}`), observed: 200, failed: true,
		},
		"too long": {
			script: upstreamtest.JSON(message(strings.Repeat(secret, maxAnswer/len(secret)))), observed: 200, failed: true,
		},
		"an error under status 200": {
			script: upstreamtest.JSON(reports), observed: 200, failed: true, code: upstream.CodeReported,
		},
		"an error status": {
			script: upstreamtest.Status(500, reports), observed: 500, failed: true,
		},
		"no answer": {
			script: upstreamtest.Close(), observed: 0, failed: true, code: upstream.CodeInvalidResponse,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTalk(t, strings.HasPrefix(name, "a stream"), upstreamtest.New(t, c.script))
			w.ask(t.Context())
			if !slices.Equal(w.pieces, c.pieces) || !slices.Equal(w.observed, []int{c.observed}) || w.answered != c.tokens {
				t.Errorf("%.200q, statuses %v, %d tokens", w.pieces, w.observed, w.answered)
			}
			if (w.err != nil) != c.failed || code(w.err) != c.code || c.is != nil && !errors.Is(w.err, c.is) {
				t.Fatalf("error %v, of code %q", w.err, code(w.err))
			}
			if c.failed && (strings.Contains(w.err.Error(), asked) || strings.Contains(w.err.Error(), secret)) {
				t.Errorf("the error repeats what was said: %v", w.err)
			}
		})
	}
}

// TestARefusedRequestIsSentInTheFormOfTheNewestModels also shows that this is done once.
func TestARefusedRequestIsSentInTheFormOfTheNewestModels(t *testing.T) {
	t.Parallel()
	server := upstreamtest.New(t, upstreamtest.Status(400, reports), upstreamtest.JSON(message("Hello.")))
	w := newTalk(t, false, server)
	if w.ask(t.Context()); w.err != nil || !slices.Equal(w.pieces, []string{"Hello."}) || !slices.Equal(w.observed, []int{400, 200}) {
		t.Errorf("%q, statuses %v, error %v", w.pieces, w.observed, w.err)
	}
	const head = `{"model":"a","messages":[{"role":"user","content":"` + asked + `"}],`
	want := []string{head + `"max_tokens":50,"temperature":0}`, head + `"max_completion_tokens":50}`}
	for i, r := range server.Requests() {
		if string(r.Body) != want[i] {
			t.Errorf("request %d: %s, want %s", i, r.Body, want[i])
		}
	}

	stubborn := upstreamtest.New(t, upstreamtest.Status(400, reports))
	w = newTalk(t, false, stubborn)
	if w.ask(t.Context()); w.err == nil || stubborn.Count() != 2 {
		t.Errorf("%d requests, error %v", stubborn.Count(), w.err)
	}
}

func TestTargetsAreAskedInTurn(t *testing.T) {
	t.Parallel()
	fails := upstreamtest.Status(500, reports)
	for name, c := range map[string]struct {
		scripts []upstreamtest.Script
		pieces  []string
		asked   []int // requests to each server
		errs    []string
	}{
		"the first works": {
			[]upstreamtest.Script{upstreamtest.JSON(message("one")), upstreamtest.JSON(message("two"))}, []string{"one"}, []int{1, 0}, nil,
		},
		"the first fails": {
			[]upstreamtest.Script{fails, upstreamtest.JSON(message("two")), upstreamtest.JSON(message("three"))}, []string{"two"}, []int{1, 1, 0}, nil,
		},
		"the first refuses": {
			[]upstreamtest.Script{upstreamtest.Status(401, reports), upstreamtest.JSON(message("two"))}, []string{"two"}, []int{1, 1}, nil,
		},
		"the first says nothing": {
			[]upstreamtest.Script{upstreamtest.JSON(message("")), upstreamtest.JSON(message("two"))}, []string{"two"}, []int{1, 1}, nil,
		},
		"the first breaks off": {
			[]upstreamtest.Script{upstreamtest.SSE(delta("on")), upstreamtest.JSON(message("two"))}, []string{"on"}, []int{1, 0}, []string{"broke off"},
		},
		"all fail": {
			[]upstreamtest.Script{fails, upstreamtest.Status(503, reports)}, nil, []int{1, 1}, []string{"Internal Server Error", "Service Unavailable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var servers []*upstreamtest.Server
			for _, script := range c.scripts {
				servers = append(servers, upstreamtest.New(t, script))
			}
			w := newTalk(t, true, servers...)
			before := slices.Clone(w.targets)
			w.ask(t.Context())
			if !slices.Equal(w.pieces, c.pieces) || (w.err != nil) != (c.errs != nil) {
				t.Errorf("%q, error %v", w.pieces, w.err)
			}
			for _, words := range c.errs {
				if !strings.Contains(w.err.Error(), words) {
					t.Errorf("error %v, want it to say %q", w.err, words)
				}
			}
			for i, s := range servers {
				if s.Count() != c.asked[i] {
					t.Errorf("server %d was asked %d times, want %d", i, s.Count(), c.asked[i])
				}
				if model := `"model":"` + w.targets[i].Model + `"`; s.Count() > 0 && !strings.Contains(string(s.Last().Body), model) {
					t.Errorf("server %d was sent %s, want %s", i, s.Last().Body, model)
				}
			}
			if !slices.Equal(w.targets, before) {
				t.Error("the caller's targets were changed")
			}
		})
	}
}

// TestTheBreakerOfATargetChoosesTheNext shows that failures are counted here: after some in
// a row, the next target is asked first.
func TestTheBreakerOfATargetChoosesTheNext(t *testing.T) {
	t.Parallel()
	failing, working := upstreamtest.New(t, upstreamtest.Status(500, reports)), upstreamtest.New(t, upstreamtest.JSON(message("two")))
	w := newTalk(t, false, failing, working)
	for upstream.HealthOf(w.targets[0].Client).Working() {
		if w.ask(t.Context()); w.err != nil || failing.Count() > 100 {
			t.Fatalf("after %d failures, error %v", failing.Count(), w.err)
		}
	}
	counted := failing.Count()
	if w.ask(t.Context()); w.err != nil || failing.Count() != counted || working.Count() != counted+1 {
		t.Errorf("%d and %d requests after %d failures, error %v", failing.Count(), working.Count(), counted, w.err)
	}
}

// TestTheEndOfTheContextEndsTheCall shows that no other target is asked, that the cause is
// the error, and that it is not the upstream's failure.
func TestTheEndOfTheContextEndsTheCall(t *testing.T) {
	t.Parallel()
	left := errors.New("the client left")
	for name, script := range map[string]upstreamtest.Script{
		"before the answer": upstreamtest.Hang(),
		"in the answer":     upstreamtest.Stream().Then(upstreamtest.Event(delta("Hel")), upstreamtest.Hangs()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			silent, other := upstreamtest.New(t, script), upstreamtest.New(t, upstreamtest.JSON(message("two")))
			w := newTalk(t, true, silent, other)
			ctx, cancel := context.WithCancelCause(t.Context())
			begun := make(chan struct{})
			if name == "before the answer" {
				close(begun)
			}
			go func() {
				silent.WaitRequests(1)
				<-begun
				cancel(left)
			}()
			w.err = AskInTurn(ctx, w.targets, w.call, func(string) { close(begun) })
			if !errors.Is(w.err, left) || code(w.err) != "" || other.Count() != 0 {
				t.Errorf("error %v, the other was asked %d times", w.err, other.Count())
			}
			if report, _ := w.healths.Report("a"); report.Failures != 0 {
				t.Errorf("%d failures of the upstream", report.Failures)
			}
		})
	}
}
