package audit

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
)

// A chat that came at a time, and was answered with sources after 20 ms.
func chatAt(tenant assistants.TenantID, at time.Time, status int) assistants.AuditEvent {
	return assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: tenant, CreatedAt: at, Action: assistants.AuditChat, Status: status,
		Chat: &assistants.ChatOutcome{FirstByte: 20 * time.Millisecond, Citations: "cited"},
	}
}

func TestChatsOfTheLastHourAreCountedByMinuteAndTenant(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 30, 0, time.UTC)
	m := &memory{events: map[assistants.AuditID]assistants.AuditEvent{}}
	var passed atomic.Int64 // the log's own goroutine asks for the time as well
	l := New(m, Config{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now.Add(time.Duration(passed.Load())) }})
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	l.Record(chatAt("t", now, 200))
	l.Record(chatAt("t", now.Add(-20*time.Second), 503))
	l.Record(chatAt("t", now.Add(-31*time.Second), 404))
	l.Record(chatAt("other", now, 200))
	l.Record(chatAt("t", now.Add(-59*time.Minute), 200))
	l.Record(chatAt("t", now.Add(-60*time.Minute), 200)) // its minute's place is the present one's
	change := chatAt("t", now, 200)
	change.Chat = nil
	l.Record(change)

	minutes := l.Recent("t")
	if len(minutes) != RecentMinutes || minutes[0].Start != now.Add(-59*time.Minute-30*time.Second) || minutes[59].Start != now.Add(-30*time.Second) {
		t.Fatalf("%d minutes from %v to %v", len(minutes), minutes[0].Start, minutes[len(minutes)-1].Start)
	}
	got := minutes[59].UsageCounts
	if got.Requests != 2 || got.Failed != 1 || got.FirstBytes != 2 || got.FirstByteMax != 20*time.Millisecond || got.Cited != 2 {
		t.Errorf("the present minute: %+v", got)
	}
	if minutes[58].Requests != 1 || minutes[58].Refused != 1 || minutes[0].Requests != 1 {
		t.Errorf("the minute before: %+v, the first: %+v", minutes[58], minutes[0])
	}
	if other := l.Recent("other"); other[59].Requests != 1 || other[0].Requests != 0 {
		t.Errorf("of another tenant: %+v, %+v", other[59], other[0])
	}

	passed.Store(int64(time.Minute))
	if minutes = l.Recent("t"); minutes[58].Requests != 2 || minutes[59].Requests != 0 || minutes[0].Requests != 0 {
		t.Errorf("a minute later: %+v, %+v", minutes[58], minutes[0])
	}
	later := now.Add(24 * time.Hour)
	passed.Store(int64(24 * time.Hour))
	for _, m := range l.Recent("t") {
		if m.Requests != 0 {
			t.Errorf("a day later: %+v", m)
		}
	}
	l.Record(chatAt("t", later, 200))
	if kept := len(l.recent.minutes[minuteOf(later)%RecentMinutes].counts); kept != 1 {
		t.Errorf("%d tenants are kept of one minute", kept)
	}
}
