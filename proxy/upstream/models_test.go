package upstream

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
)

func TestModelsOfEachDialect(t *testing.T) {
	want := []Model{{ID: "a", Created: 1700000000, OwnedBy: "me"}, {ID: "b"}}
	for name, body := range map[string]string{
		"OpenAI":     `{"object":"list","data":[{"id":"a","created":1700000000,"owned_by":"me"},{"id":"b"}]}`,
		"bare array": ` [{"id":"a","created":1.7e9,"owned_by":"me"},{"id":"b","owned_by":null}]`,
		"odd items":  `{"data":[{"id":"a","created":1700000000.5,"owned_by":"me"},7,{"id":""},{"x":1},{"id":"b","owned_by":{}}]}`,
	} {
		s := upstreamtest.New(t, upstreamtest.JSON(body))
		got, err := client(t, s.URL(), nil).Models(t.Context())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v %v", name, got, err)
		}
		r := s.Last()
		if r.Method != "GET" || r.Path != "/v1/models" || r.Header.Get("Authorization") == "" || r.Header.Get("Content-Type") != "" {
			t.Errorf("%s: asked %s %s %v", name, r.Method, r.Path, r.Header)
		}
	}
}

func TestListsOfModelsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		script upstreamtest.Script
		code   string
	}{
		"404":       {upstreamtest.Status(404, `{}`), CodeReported},
		"401":       {upstreamtest.Status(401, `{}`), CodeAuthFailed},
		"HTML":      {upstreamtest.Status(200, `<html>`), CodeInvalidResponse},
		"too long":  {upstreamtest.JSON(strings.Repeat(" ", maxModels+1)), CodeInvalidResponse},
		"cut":       {upstreamtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").Then(upstreamtest.Closes()), CodeInterrupted},
		"brotli":    {upstreamtest.Status(200, `x`, "Content-Encoding: br"), CodeInvalidResponse},
		"no answer": {upstreamtest.Close(), CodeInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			s := upstreamtest.New(t, c.script)
			_, err := client(t, s.URL(), nil).Models(t.Context())
			wantError(t, err, c.code, http.StatusBadGateway)
		})
	}
}

func TestModelsAreRememberedForAMinuteAndFailuresForSeconds(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.Status(500, ""), upstreamtest.JSON(`{"data":[{"id":"a"}]}`))
	h := client(t, s.URL(), nil)
	now := time.Unix(1, 0)
	h.models.now = func() time.Time { return now }
	for _, step := range []struct {
		later time.Duration
		asked int
		ok    bool
	}{
		{0, 1, false},
		{modelsFailed - time.Second, 1, false}, // the failure is remembered
		{time.Second, 2, true},
		{modelsFresh - time.Second, 2, true}, // the list is
		{time.Second, 3, true},
	} {
		now = now.Add(step.later)
		_, err := h.Models(t.Context())
		if (err == nil) != step.ok || s.Count() != step.asked {
			t.Fatalf("after %v: asked %d times, %v; want %d", step.later, s.Count(), err, step.asked)
		}
	}
}

func TestManyCallersAskOnce(t *testing.T) {
	answer := make(chan struct{})
	s := upstreamtest.New(t, upstreamtest.Script{upstreamtest.Wait(answer)}.Then(upstreamtest.JSON(`{"data":[{"id":"a"}]}`)...))
	h := client(t, s.URL(), nil)
	// The first caller leaves; the callers that wait with it still get the list.
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := h.Models(ctx)
		left <- err
	}()
	s.WaitRequests(1)
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error("the one that left got", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if list, err := h.Models(t.Context()); err != nil || len(list) != 1 {
				t.Error(list, err)
			}
		})
	}
	close(answer)
	all.Wait()
	if s.Count() != 1 {
		t.Errorf("asked %d times", s.Count())
	}
}

func TestCloseEndsAListThatIsUnderWay(t *testing.T) {
	s := upstreamtest.New(t, upstreamtest.Hang())
	h := client(t, s.URL(), nil)
	done := make(chan error)
	go func() {
		_, err := h.Models(t.Context())
		done <- err
	}()
	s.WaitRequests(1)
	h.Close()
	if <-done == nil {
		t.Error("there was a list")
	}
	s.WaitConns(0)
}
