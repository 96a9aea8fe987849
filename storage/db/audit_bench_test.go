package db

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"footnote/assistants"
)

const auditedEvents = 1_000_000

// BenchmarkAudit measures pages of a hundred out of a million events on SQLite, and
// reports the 95th percentile.
func BenchmarkAudit(b *testing.B) {
	s := auditStore(b)
	start := s.stamp()
	for name, q := range map[string]assistants.AuditQuery{
		"all":                   {},
		"an-action":             {Actions: []assistants.AuditAction{assistants.AuditKeyCreate}},
		"two-actions":           {Actions: []assistants.AuditAction{assistants.AuditKeyCreate, assistants.AuditChat}},
		"a-rare-result":         {Result: assistants.AuditFailed},
		"a-key":                 {Key: "key_7"},
		"an-assistant":          {Assistant: "asst_7"},
		"a-time":                {From: start.Add(-300 * 24 * time.Hour), To: start.Add(-299 * 24 * time.Hour)},
		"failed-of-a-key":       {Result: assistants.AuditFailed, Key: "key_7"},
		"searches-of-assistant": {Actions: []assistants.AuditAction{assistants.AuditSearch}, Assistant: "asst_7"},
		"nothing":               {Actions: []assistants.AuditAction{assistants.AuditKeyRevoke}},
	} {
		for _, descending := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/descending=%v", name, descending), func(b *testing.B) {
				var took []time.Duration
				list := assistants.List{Descending: descending}
				for b.Loop() {
					start := time.Now()
					p, err := s.FindAudit(b.Context(), "t", q, list)
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
					list.Cursor = p.Next // the following page, and after the last one the first
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			})
		}
	}
}

func auditStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "footnote.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err = s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	end := s.stamp()
	actions := []assistants.AuditAction{assistants.AuditChat, assistants.AuditChat, assistants.AuditSearch, assistants.AuditDocumentUpload, assistants.AuditKeyCreate}
	for first := 0; first < auditedEvents; first += 10_000 {
		events := make([]assistants.AuditEvent, 10_000)
		for i := range events {
			n := first + i
			e := assistants.AuditEvent{
				ID: assistants.NewAuditID(), TenantID: "t", CreatedAt: end.Add(-time.Duration(auditedEvents-n) * 30 * time.Second), Action: actions[n%len(actions)], Status: 200,
				Key: assistants.KeyID(fmt.Sprint("key_", n%1000)), KeyName: "the key of a team", Address: "203.0.113.7", RequestID: "req_01m84r427pkcww8er26pb0yaqm",
				Assistant: assistants.AssistantID(fmt.Sprint("asst_", n%50)), Query: "How many days of vacation does somebody have who works part-time?",
				Collections: []assistants.CollectionID{"coll_01m84r427pkcww8er26pb0yaqm"}, Documents: []assistants.DocumentID{"doc_01m84r427pkcww8er26pb0yaqm"}, Results: 5,
			}
			if n%997 == 0 {
				e.Status = 503
			}
			events[i] = e
		}
		if err := s.SaveAudit(b.Context(), events); err != nil {
			b.Fatal(err)
		}
	}
	return s
}
