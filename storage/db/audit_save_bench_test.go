package db

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"footnote/assistants"
)

// savedAtOnce is how many events the audit log writes at once.
const savedAtOnce = 500

// BenchmarkSaveAudit measures what it costs to keep the events of chats, each.
func BenchmarkSaveAudit(b *testing.B) { onEach(b, benchSaveAudit) }

func benchSaveAudit(b *testing.B, url string) {
	s, _, _ := benchStore(b, url, 1)
	at := s.stamp()
	var before, after runtime.MemStats
	n, allocated := 0, uint64(0)
	for b.Loop() {
		b.StopTimer()
		events := make([]assistants.AuditEvent, savedAtOnce)
		for i := range events {
			n++
			events[i] = savedChat(n, at)
		}
		runtime.ReadMemStats(&before)
		b.StartTimer()
		if err := s.SaveAudit(b.Context(), events); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		runtime.ReadMemStats(&after)
		allocated += after.Mallocs - before.Mallocs
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(n), "µs/event")
	b.ReportMetric(float64(allocated)/float64(n), "allocs/event")
}

// savedChat is the n-th of many chats: two in a millisecond, of five assistants and
// twenty keys.
func savedChat(n int, at time.Time) assistants.AuditEvent {
	return assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: assistants.DefaultTenant, CreatedAt: at.Add(time.Duration(n) * time.Millisecond / 2), Action: assistants.AuditChat, Status: 200,
		Key: assistants.KeyID(fmt.Sprintf("key_01m84r427pkcww8er26pb0y%03d", n%20)), KeyName: "the key of a team", Address: "203.0.113.7", RequestID: "req_01m84r427pkcww8er26pb0yaqm",
		Assistant: assistants.AssistantID(fmt.Sprintf("asst_01m84r427pkcww8er26pb0y%03d", n%5)), Model: "gpt-4o-mini",
		Query:       "How many days of vacation does somebody have who works part-time?",
		Collections: []assistants.CollectionID{"coll_01m84r427pkcww8er26pb0yaqm"},
		Documents:   []assistants.DocumentID{"doc_01m84r427pkcww8er26pb0yaqm", "doc_01m84r427pkcww8er26pb0yaqn", "doc_01m84r427pkcww8er26pb0yaqp"},
		Results:     5, Took: 1500 * time.Microsecond,
		Chat: &assistants.ChatOutcome{FirstByte: time.Millisecond, Citations: "cited", Tokens: &assistants.Tokens{Prompt: 900, Completion: 120}},
	}
}
