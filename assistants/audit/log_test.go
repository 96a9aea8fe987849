package audit

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"footnote/assistants"
)

// A memory is a store in memory.
type memory struct {
	mu     sync.Mutex
	events map[assistants.AuditID]assistants.AuditEvent
	saves  []int // number of events in each call
	fails  error
}

func (m *memory) SaveAudit(ctx context.Context, events []assistants.AuditEvent) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(ctx.Err(), m.fails); err != nil {
		return err
	}
	m.saves = append(m.saves, len(events))
	for _, e := range events {
		m.events[e.ID] = e
	}
	return nil
}

func (m *memory) RemoveAudit(_ context.Context, before time.Time, limit int) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, e := range m.events {
		if n < limit && e.CreatedAt.Before(before) {
			delete(m.events, id)
			n++
		}
	}
	return n, m.fails
}

func (m *memory) RemoveUsage(context.Context, time.Time) error { return nil }

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
}

func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.events)
}

// inBubble runs a test with a log over an empty store, in time that passes at once.
func inBubble(t *testing.T, retention time.Duration, test func(t *testing.T, l *Log, m *memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{events: map[assistants.AuditID]assistants.AuditEvent{}}
		l := New(m, Config{Retention: retention, Log: slog.New(slog.DiscardHandler)})
		test(t, l, m)
		m.fail(nil)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func event() assistants.AuditEvent {
	return assistants.AuditEvent{ID: assistants.NewAuditID(), TenantID: "t", CreatedAt: time.Now(), Action: assistants.AuditChat, Status: 200}
}

func TestEventsAreWrittenTogetherSoonAfterTheyHappened(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		for range 700 {
			l.Record(event())
		}
		if m.count() != 0 {
			t.Error("the caller waited for the database")
		}
		pass(100 * time.Millisecond)
		if !slices.Equal(m.saves, []int{500, 200}) {
			t.Errorf("written in transactions of %v", m.saves)
		}
	})
}

func TestWhatTheDatabaseDoesNotTakeIsKeptUntilItDoes(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		m.fail(assistants.ErrUnavailable)
		for range 10 {
			l.Record(event())
		}
		pass(10 * time.Minute)
		if err := l.Flush(t.Context()); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("flushed: %v", err)
		}
		m.fail(nil)
		pass(20 * time.Second)
		if m.count() != 10 {
			t.Errorf("%d of 10 events are stored", m.count())
		}
	})
}

func TestLostEventsAreCountedInTheLogItself(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		m.fail(assistants.ErrUnavailable)
		for range maxWaiting + 7 {
			l.Record(event())
		}
		m.fail(nil)
		if err := l.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		gaps := 0
		for _, e := range m.events {
			if e.Action == assistants.AuditGap {
				gaps += e.Results
			}
		}
		if gaps != 7 || m.count() != maxWaiting+1 {
			t.Errorf("%d events are stored, and %d told to be lost", m.count(), gaps)
		}
	})
}

func TestAnEventThatCannotBeStoredDoesNotKeepOthersWaiting(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		m.fail(errors.New("too long for its column"))
		l.Record(event())
		if err := l.Flush(t.Context()); err == nil {
			t.Error("the gap is not told")
		}
		m.fail(nil)
		l.Record(event())
		if err := l.Flush(t.Context()); err != nil || m.count() != 2 {
			t.Errorf("%d events are stored, %v; want the second and the gap", m.count(), err)
		}
	})
}

func TestCloseWritesWhatWaits(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		for range 3 {
			l.Record(event())
		}
		if err := l.Close(); err != nil || m.count() != 3 {
			t.Errorf("%d events are stored, %v", m.count(), err)
		}
	})
}

func TestAChangeThatCannotBeNotedIsNotBegun(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, l *Log, m *memory) {
		e := event()
		e.Status = 0
		if err := l.Begin(t.Context(), e); err != nil || m.count() != 1 {
			t.Errorf("%d events are stored, %v", m.count(), err)
		}
		e.Status = 204
		l.Record(e)
		if err := l.Flush(t.Context()); err != nil || m.events[e.ID].Status != 204 || m.count() != 1 {
			t.Errorf("%v, %v", m.events, err)
		}
		m.fail(assistants.ErrUnavailable)
		if err := l.Begin(t.Context(), event()); !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("begun: %v", err)
		}
	})
}

func TestOldEventsAreRemoved(t *testing.T) {
	inBubble(t, 24*time.Hour, func(t *testing.T, l *Log, m *memory) {
		for range 2500 {
			l.Record(event())
		}
		pass(23 * time.Hour)
		l.Record(event())
		pass(30 * time.Minute)
		if m.count() != 2501 {
			t.Errorf("%d events after a day", m.count())
		}
		pass(2 * time.Hour)
		if m.count() != 1 {
			t.Errorf("%d events are left", m.count())
		}
	})
}

func TestEventsAreCutToTheirBounds(t *testing.T) {
	e := event()
	e.Query = "a\x00b\xff" + string(make([]byte, 9000)) + "é"
	e.User = "é" + string(slices.Repeat([]byte("é"), 300))
	e.Documents = make([]assistants.DocumentID, 5000)
	got := e.Bounded()
	if len(got.Query) > 4<<10 || got.Query[:7] != "a\uFFFDb\uFFFD"[:7] || len(got.User) > 255 || len(got.User)%2 != 0 || len(got.Documents) != 1000 {
		t.Errorf("query of %d bytes, user of %d, %d documents", len(got.Query), len(got.User), len(got.Documents))
	}
}

// pass lets time pass in a bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
