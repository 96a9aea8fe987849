package db

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// A lastSelect is a log that keeps the last query of a database.
type lastSelect struct {
	slog.Handler
	sql *string
}

// Enabled implements slog.Handler.
func (lastSelect) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l lastSelect) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "sql" && strings.HasPrefix(a.Value.String(), "SELECT") {
			*l.sql = a.Value.String()
		}
		return true
	})
	return nil
}

// A page of the audit log is read in the order of an index that has few other events.
// Only events of the very same time are sorted, so that a page takes no longer in a long
// log.
func TestNoQueryOfTheAuditLogSortsIt(t *testing.T) {
	var sent string
	s := openTest(t, "sqlite:"+filepath.Join(t.TempDir(), "footnote.db"), Options{Logger: slog.New(lastSelect{slog.DiscardHandler, &sent})})
	chat, search, at := assistants.AuditChat, assistants.AuditSearch, s.stamp()
	for _, status := range []int{200, 404, 503} {
		for _, action := range []assistants.AuditAction{chat, chat, chat, search, search, search} {
			e := assistants.AuditEvent{ID: assistants.NewAuditID(), TenantID: "t", CreatedAt: at, Action: action, Status: status, Key: "key_1", Assistant: "asst_1"}
			if err := s.SaveAudit(t.Context(), []assistants.AuditEvent{e}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		query assistants.AuditQuery
		index string
	}{
		"all":                  {assistants.AuditQuery{}, "created"},
		"a time":               {assistants.AuditQuery{From: at.Add(-time.Hour), To: at.Add(time.Hour)}, "created"},
		"an action":            {assistants.AuditQuery{Actions: []assistants.AuditAction{search}}, "action"},
		"two actions":          {assistants.AuditQuery{Actions: []assistants.AuditAction{chat, search}}, "created"},
		"ok":                   {assistants.AuditQuery{Result: assistants.AuditOK}, "created"},
		"failed":               {assistants.AuditQuery{Result: assistants.AuditFailed}, "result"},
		"refused":              {assistants.AuditQuery{Result: assistants.AuditRefused}, "result"},
		"failed chats":         {assistants.AuditQuery{Result: assistants.AuditFailed, Actions: []assistants.AuditAction{chat}}, "result"},
		"a key":                {assistants.AuditQuery{Key: "key_1"}, "key"},
		"chats of a key":       {assistants.AuditQuery{Key: "key_1", Actions: []assistants.AuditAction{chat}}, "key"},
		"an assistant":         {assistants.AuditQuery{Assistant: "asst_1"}, "assistant"},
		"ok of an assistant":   {assistants.AuditQuery{Result: assistants.AuditOK, Assistant: "asst_1"}, "assistant"},
		"both of an assistant": {assistants.AuditQuery{Actions: []assistants.AuditAction{chat, search}, Assistant: "asst_1"}, "assistant"},
	} {
		for _, list := range []assistants.List{{Limit: 1}, {Limit: 1, Descending: true}} {
			for range 2 { // the first page and the next one
				p, err := s.FindAudit(t.Context(), "t", c.query, list)
				if err != nil || p.Next == "" {
					t.Fatalf("%s: %d events, %v", name, len(p.Items), err)
				}
				list.Cursor = p.Next
				var plan []struct{ Detail string }
				if err := s.gorm.Raw("EXPLAIN QUERY PLAN "+sent, make([]any, strings.Count(sent, "?"))...).Scan(&plan).Error; err != nil {
					t.Fatal(err)
				}
				if len(plan) != 2 || !strings.HasPrefix(plan[0].Detail, "SEARCH audit_events USING INDEX audit_events_"+c.index+"_idx (tenant_id=?") ||
					plan[1].Detail != "USE TEMP B-TREE FOR LAST TERM OF ORDER BY" {
					t.Errorf("%s, descending %v: %+v\n%s", name, list.Descending, plan, sent)
				}
			}
		}
	}
}
