package search

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

var (
	oneKey   = owner{assistants.DefaultTenant, "key_one"}
	otherKey = owner{assistants.DefaultTenant, "key_other"}
)

// resume is resume for the id of an event.
func resume(all *streams, last string, who owner, in request) (s *stream, next int, ok bool) {
	at, ok := positionOf(last)
	if !ok {
		return nil, 0, false
	}
	s, _ = all.resume(at, who, in)
	return s, at.next, s != nil
}

// begin starts a stream of a key, and returns what its cancelling was told.
func begin(all *streams, key owner, in request) (*stream, context.Context) {
	ctx, cancel := context.WithCancelCause(context.Background())
	return all.begin(key, in, cancel), ctx
}

func lastID(s *stream, number string) string { return s.id + "-" + number }

// An ended stream can be resumed for 60 seconds (CONTRACT 5), and is forgotten then.
func TestAStreamCanBeResumedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newStreams(Timings{}.withDefaults())
		in := request{query: "Which flow?"}
		s, _ := begin(all, oneKey, in)
		s.token("OAuth")
		s.token("2.0")
		s.leave()
		s.end()
		<-time.After(59 * time.Second)
		got, next, ok := resume(all, lastID(s, "0"), oneKey, in)
		if !ok || got != s || next != 1 {
			t.Errorf("after 59 s: %v, event %d", ok, next)
		}
		<-time.After(2 * time.Second)
		if _, _, ok := resume(all, lastID(s, "0"), oneKey, in); ok || len(all.list) != 0 {
			t.Errorf("after 61 s: %v, %d streams are kept", ok, len(all.list))
		}
	})
}

// A stream is read only with the key that asked for it, and with the same request.
func TestAStreamIsResumedOnlyByItsOwnKeyAndRequest(t *testing.T) {
	all := newStreams(Timings{}.withDefaults())
	in := request{query: "Which flow?"}
	s, _ := begin(all, oneKey, in)
	s.token("OAuth")
	for name, test := range map[string]struct {
		last string
		who  owner
		in   request
		want bool
	}{
		"its own":            {lastID(s, "0"), oneKey, in, true},
		"another key":        {lastID(s, "0"), otherKey, in, false},
		"another request":    {lastID(s, "0"), oneKey, request{query: "What?"}, false},
		"never sent":         {lastID(s, "1"), oneKey, in, false},
		"a negative number":  {lastID(s, "-1"), oneKey, in, false},
		"no number":          {s.id, oneKey, in, false},
		"a number too large": {lastID(s, "99999999999999999999"), oneKey, in, false},
		"nothing":            {"", oneKey, in, false},
	} {
		if _, _, ok := resume(all, test.last, test.who, test.in); ok != test.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// A key keeps at most 32 streams: the oldest cannot be resumed, those of others can.
func TestTheStreamsOfAKeyAreBounded(t *testing.T) {
	all := newStreams(Timings{}.withDefaults())
	in := request{query: "Which flow?"}
	other, _ := begin(all, otherKey, in)
	other.token("OAuth")
	oldest, ctx := begin(all, oneKey, in)
	oldest.token("OAuth")
	for range maxStreamsPerKey {
		begin(all, oneKey, in)
	}
	if _, _, ok := resume(all, lastID(oldest, "0"), oneKey, in); ok || ctx.Err() != nil {
		t.Errorf("the oldest is resumed: %v; it was ended: %v", ok, ctx.Err())
	}
	if _, _, ok := resume(all, lastID(other, "0"), otherKey, in); !ok {
		t.Error("the stream of another key is gone")
	}
}

// An answer that no client reads is ended after a while, unless one comes back.
func TestAnAnswerWithoutAReaderEndsUnlessAClientComesBack(t *testing.T) {
	for name, back := range map[string]bool{"no client": false, "a client that comes back": true} {
		synctest.Test(t, func(t *testing.T) {
			all := newStreams(Timings{}.withDefaults())
			in := request{query: "Which flow?"}
			s, ctx := begin(all, oneKey, in)
			s.token("OAuth")
			s.leave()
			<-time.After(59 * time.Second)
			if back {
				resume(all, lastID(s, "0"), oneKey, in)
			}
			<-time.After(2 * time.Second)
			synctest.Wait()
			if ended := ctx.Err() != nil; ended == back {
				t.Errorf("%s: ended %v", name, ended)
			}
			s.end()
		})
	}
}

// In a drain an answer ends as soon as no client reads it, not when the server stops:
// the last client may leave before the drain begins or after it.
func TestInADrainAnAnswerEndsWithItsLastReader(t *testing.T) {
	for name, leavesFirst := range map[string]bool{"the client leaves before the drain": true, "the client leaves in the drain": false} {
		s, ctx := begin(newStreams(Timings{}.withDefaults()), oneKey, request{query: "Which flow?"})
		if leavesFirst {
			s.leave()
		}
		s.drain()
		if ended := ctx.Err() != nil; ended != leavesFirst {
			t.Errorf("%s: when it begins: ended %v", name, ended)
		}
		if !leavesFirst {
			s.leave()
		}
		if err := context.Cause(ctx); !errors.Is(err, errAbandoned) {
			t.Errorf("%s: %v", name, err)
		}
		s.end()
	}
}

// A reader that is slower than the answer is told that events are gone. It gets none
// twice, and does not go on behind the gap as if nothing were missing.
func TestAReaderThatFallsBehindIsToldSo(t *testing.T) {
	all := newStreams(Timings{}.withDefaults())
	s, _ := begin(all, oneKey, request{query: "Which flow?"})
	s.token("first")
	events, _, _, err := s.from(0)
	if len(events) != 1 || err != nil {
		t.Fatalf("%q, %v", events, err)
	}
	for range 40 { // of which the buffer holds a part
		s.token(strings.Repeat("a", maxStreamBytes/20))
	}
	if events, _, _, err := s.from(1); len(events) != 0 || !errors.Is(err, errBehind) {
		t.Errorf("%d events, %v", len(events), err)
	}
	if s.size > maxStreamBytes {
		t.Errorf("%d bytes are kept", s.size)
	}
	events, _, _, err = s.from(s.first)
	if err != nil || len(events) != len(s.events) || !bytes.Contains(events[0], []byte("id: "+lastID(s, strconv.Itoa(s.first))+"\n")) {
		t.Errorf("of what is there: %d of %d events, %v", len(events), len(s.events), err)
	}
}
