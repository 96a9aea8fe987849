package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

// sharedMemory is what servers share in these tests.
type sharedMemory struct {
	mu      sync.Mutex
	streams map[string]assistants.StoredStream
	saves   int
	down    error         // nil: it answers
	slow    time.Duration // that a save takes
}

func newSharedMemory() *sharedMemory {
	return &sharedMemory{streams: map[string]assistants.StoredStream{}}
}

func (m *sharedMemory) SaveStreams(_ context.Context, parts []assistants.StoredStream) error {
	<-time.After(m.slow)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saves++; m.down != nil {
		return m.down
	}
	for _, part := range parts {
		part.Events = append(m.streams[part.ID].Events, part.Events...)
		m.streams[part.ID] = part
	}
	return nil
}

func (m *sharedMemory) StreamSince(_ context.Context, tenant assistants.TenantID, key assistants.KeyID, id string, from int, now time.Time) (assistants.StoredStream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	st, ok := m.streams[id]
	switch {
	case m.down != nil:
		return st, m.down
	case !ok || st.TenantID != tenant || st.Key != key || !st.ExpiresAt.After(now):
		return st, assistants.ErrNotFound
	}
	var rest []assistants.StreamEvent
	for _, e := range st.Events {
		if e.Number >= from {
			rest = append(rest, e)
		}
	}
	st.Events = rest
	return st, nil
}

func (m *sharedMemory) RemoveExpiredStreams(_ context.Context, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, st := range m.streams {
		if !st.ExpiresAt.After(now) {
			delete(m.streams, id)
		}
	}
	return m.down
}

func (m *sharedMemory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.streams)
}

// saved is how often something was saved since it was last asked.
func (m *sharedMemory) saved() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.saves
	m.saves = 0
	return n
}

func (m *sharedMemory) set(down error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// A peer is one of the servers that share streams.
type peer struct {
	*Handler
	stop context.CancelFunc
	log  *bytes.Buffer
}

func newPeer(m *sharedMemory) peer {
	ctx, stop := context.WithCancel(context.Background())
	log := &bytes.Buffer{}
	return peer{New(Config{}, Deps{Shared: m, Log: slog.New(slog.NewTextHandler(log, nil)), Stop: ctx, Drained: ctx}), stop, log}
}

func (p peer) close() { p.stop(); p.Close() }

var flow = request{query: "Which flow?", stream: true}

// makes begins a stream of this server.
func (p peer) makes() *stream {
	s, _ := begin(p.streams, oneKey, flow)
	p.sharer.share(s)
	return s
}

// reads waits for the end of a stream, and returns its events from a number on.
func reads(s *stream, from int) (events string, err error) {
	for {
		got, ended, changed, err := s.from(from)
		for _, ev := range got {
			events += string(ev)
		}
		if from += len(got); err != nil || ended {
			return events, err
		}
		<-changed
	}
}

func after(s *stream, n int) position { return position{s.id, n + 1} }

func TestAnotherServerGoesOnWithAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSharedMemory()
		one, two := newPeer(m), newPeer(m)
		s := one.makes()
		s.token("OAuth")
		copied, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow) // before it is saved
		if err != nil {
			t.Fatal(err)
		}
		again, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow)
		if err != nil || again != copied || copied.readers != 2 {
			t.Errorf("a second reader has a copy of its own: %v", err)
		}
		<-time.After(time.Minute / 2) // without an event
		s.token(" 2.0")
		s.leave()
		s.end()
		if got, err := reads(copied, 1); err != nil || got != string(s.events[1]) {
			t.Errorf("%q, %v", got, err)
		}
		for name, ask := range map[string]struct {
			at   position
			who  owner
			in   request
			want error
		}{
			"an ended one":   {after(s, 0), oneKey, flow, nil},
			"its last event": {after(s, 1), oneKey, flow, nil},
			"never sent":     {after(s, 2), oneKey, flow, assistants.ErrNotFound},
			"another key":    {after(s, 0), otherKey, flow, assistants.ErrNotFound},
			"another tenant": {after(s, 0), owner{"t_2", oneKey.key}, flow, assistants.ErrNotFound},
			"another query":  {after(s, 0), oneKey, request{query: "What?", stream: true}, assistants.ErrNotFound},
			"no stream":      {position{"x", 1}, oneKey, flow, assistants.ErrNotFound},
		} {
			three := newPeer(m)
			if _, err := three.elsewhere(t.Context(), ask.at, ask.who, ask.in); !errors.Is(err, ask.want) {
				t.Errorf("%s: %v", name, err)
			}
			three.close()
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if m.count() != 0 || len(two.streams.list) != 0 {
			t.Errorf("after two minutes %d streams are shared, %d copied", m.count(), len(two.streams.list))
		}
		one.close()
		two.close()
	})
}

// A client may come to another server before a busy database has saved the stream.
func TestAStreamThatIsSavedSlowlyIsFoundElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSharedMemory()
		m.slow = 700 * time.Millisecond
		one, two := newPeer(m), newPeer(m)
		defer one.close()
		defer two.close()
		s := one.makes()
		s.token("OAuth")
		copied, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow)
		if err != nil {
			t.Fatal(err)
		}
		s.leave()
		s.end()
		if _, err := reads(copied, 1); err != nil {
			t.Error(err)
		}
	})
}

// A server without streams does not ask the database more often than to remove what has
// expired; a stream costs a save at each event at most, and a sign of life now and then.
func TestSharingCostsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSharedMemory()
		p := newPeer(m)
		<-time.After(time.Hour)
		if n := m.saved(); n != 0 {
			t.Errorf("%d saves of nothing", n)
		}
		s := p.makes()
		for n := range 1000 {
			s.token(fmt.Sprint(n))
			<-time.After(time.Millisecond)
		}
		if n := m.saved(); n > 8 {
			t.Errorf("%d saves in a second", n)
		}
		<-time.After(20 * time.Second)
		if n := m.saved(); n > 12 {
			t.Errorf("%d saves in 20 seconds without an event", n)
		}
		s.leave()
		s.end()
		p.close()
		if st := m.streams[s.id]; !st.Ended || len(st.Events) != 1000 {
			t.Errorf("saved at the end: %v, %d events", st.Ended, len(st.Events))
		}
	})
}

// What cannot be saved is saved later, and logged once. The stream does not wait.
func TestAnOutageOfWhatIsSharedIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSharedMemory()
		m.set(assistants.ErrUnavailable)
		one, two := newPeer(m), newPeer(m)
		s := one.makes()
		s.token("OAuth")
		<-time.After(5 * time.Second)
		if _, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("during the outage: %v", err)
		}
		m.set(nil)
		<-time.After(time.Second)
		copied, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow)
		if err != nil {
			t.Fatal(err)
		}
		m.set(assistants.ErrUnavailable)
		<-time.After(5 * time.Second)
		m.set(nil)
		s.token(" 2.0")
		s.leave()
		s.end()
		if got, err := reads(copied, 1); err != nil || got != string(s.events[1]) {
			t.Errorf("%q, %v", got, err)
		}
		one.close()
		two.close()
		if n := strings.Count(one.log.String(), "cannot be shared"); n != 2 {
			t.Errorf("%d outages are in the log: %s", n, one.log)
		}
	})
}

// A stream whose server is gone ends with an error, also for a reader that had events
// which were not shared.
func TestACopyWhoseServerIsGoneEndsWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSharedMemory()
		one, two := newPeer(m), newPeer(m)
		s := one.makes()
		s.token("OAuth")
		<-time.After(time.Second)
		one.sharer.close() // as if the server were killed
		s.token(" 2.0")
		copied, err := two.elsewhere(t.Context(), after(s, 0), oneKey, flow)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := two.elsewhere(t.Context(), after(s, 1), oneKey, flow); err != nil {
			t.Errorf("after an event that was not shared: %v", err)
		}
		if got, err := reads(copied, 1); err != nil || !strings.HasPrefix(got, "event: error\n") || !strings.Contains(got, messageLost) {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := reads(copied, 3); !errors.Is(err, errLost) {
			t.Errorf("with events that were not shared: %v", err)
		}
		two.close()
		s.end()
		one.stop()
	})
}

// A long stream is dropped from the front in the copy as well, and its reader is told so.
func TestACopyShowsItsGaps(t *testing.T) {
	all := newStreams(Timings{}.withDefaults())
	event := func(n int) assistants.StreamEvent { return assistants.StreamEvent{Number: n, Text: fmt.Sprint(n)} }
	s, _ := all.copyOf(assistants.StoredStream{ID: "s", First: 2, Events: []assistants.StreamEvent{event(2), event(3)}}, oneKey, flow, nil)
	s.take(assistants.StoredStream{Events: []assistants.StreamEvent{event(3), event(4), event(7)}})
	if _, _, _, err := s.from(5); !errors.Is(err, errBehind) {
		t.Error(err)
	}
	if events, _, _, err := s.from(7); err != nil || len(events) != 1 || string(events[0]) != "7" {
		t.Errorf("%q, %v", events, err)
	}
	if s, _ := all.resume(position{"s", 5}, oneKey, flow); s != nil {
		t.Error("resumed before the gap")
	}
}
