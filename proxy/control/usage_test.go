package control_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/control"
)

func TestUsageIsShownByHourAndDayOfAssistantsAndKeys(t *testing.T) {
	w := newWorld(t)
	var events []assistants.AuditEvent
	for i := range 30 { // an hour each, from 30 hours before noon on
		events = append(events, assistants.AuditEvent{
			ID: assistants.NewAuditID(), TenantID: assistants.DefaultTenant, CreatedAt: noon.Add(time.Duration(i-30) * time.Hour), Action: assistants.AuditChat,
			Status: []int{200, 404}[i%2], Assistant: []assistants.AssistantID{"asst_a", "asst_b"}[i%2], Key: "key_a",
			Chat: &assistants.ChatOutcome{FirstByte: time.Duration(i) * 1500 * time.Microsecond, Citations: "cited", Tokens: &assistants.Tokens{Prompt: 10, Completion: 1}},
		})
	}
	if err := w.store.SaveAudit(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	steps := func(query string) []any {
		t.Helper()
		return w.call("GET", "/usage?"+query, "").object(200)["data"].([]any)
	}
	if got := steps(""); len(got) != 24 {
		t.Errorf("%d hours of the last day", len(got))
	}
	if got := steps("from=2026-03-01T00:00:00Z"); len(got) != 30 || got[0].(map[string]any)["start"] != "2026-03-03T06:00:00Z" || got[0].(map[string]any)["assistant_id"] != nil {
		t.Errorf("%d hours, the first %v", len(got), got[0])
	}
	if got := steps("from=2026-03-03T08:30:00Z&to=2026-03-03T10:00:00Z"); len(got) != 2 {
		t.Errorf("%d hours from half past eight to ten", len(got))
	}
	if got := steps("from=2026-03-01T00:00:00Z&key_id=key_b"); len(got) != 0 {
		t.Errorf("of a key without chats: %v", got)
	}
	days := steps("from=2026-03-01T00:00:00Z&step=day&by=assistant&by=key")
	want := map[string]any{
		"start": "2026-03-03T00:00:00Z", "assistant_id": "asst_a", "key_id": "key_a", "requests": 9.0, "refused": 0.0, "failed": 0.0, "interrupted": 0.0,
		"tokens":        map[string]any{"requests": 9.0, "prompt": 90.0, "completion": 9.0},
		"first_byte_ms": map[string]any{"requests": 8.0, "mean": 13.5, "max": 24.0},
		"citations":     map[string]any{"cited": 9.0, "none": 0.0, "no_sources": 0.0, "unavailable": 0.0},
	}
	if len(days) != 4 || !reflect.DeepEqual(days[0], want) {
		t.Errorf("%d days, the first %v\nwant %v", len(days), days[0], want)
	}
	total := w.call("GET", "/usage?from=2026-03-01T00:00:00Z&assistant_id=asst_b", "").object(200)["total"].(map[string]any)
	if total["requests"] != 15.0 || total["refused"] != 15.0 {
		t.Errorf("total %v", total)
	}
	for query, param := range map[string]string{"by=hour": "by", "step=week": "step", "from=x": "from", "assistant_id=a": "assistant_id", "key_id=k": "key_id"} {
		if got := w.call("GET", "/usage?"+query, ""); got.status != 400 || !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
			t.Errorf("%q: %d %s", query, got.status, got.raw)
		}
	}
}

func TestTooManyFiguresOfUsageAreRefused(t *testing.T) {
	w := newWorld(t)
	var events []assistants.AuditEvent
	for range assistants.MaxUsage + 1 {
		events = append(events, assistants.AuditEvent{
			ID: assistants.NewAuditID(), TenantID: assistants.DefaultTenant, CreatedAt: noon, Action: assistants.AuditChat, Status: 200,
			Key: assistants.NewKeyID(), Chat: &assistants.ChatOutcome{},
		})
	}
	if err := w.store.SaveAudit(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	w.call("GET", "/usage?by=key", "").fails(400, "invalid_value", "from")
	if total := w.call("GET", "/usage", "").object(200)["total"].(map[string]any); total["requests"] != float64(assistants.MaxUsage+1) {
		t.Errorf("total %v", total)
	}
}

func TestUsageOfTheLastHourIsShownByMinute(t *testing.T) {
	var log control.AuditLog
	w := newWorld(t, func(d *control.Deps) { log = d.Audit })
	for i := range 3 {
		log.Record(assistants.AuditEvent{
			ID: assistants.NewAuditID(), TenantID: assistants.DefaultTenant, CreatedAt: noon.Add(time.Duration(-i) * time.Minute), Action: assistants.AuditChat, Status: 200,
			Chat: &assistants.ChatOutcome{FirstByte: 4 * time.Millisecond, Citations: "no_sources"},
		})
	}
	got := w.call("GET", "/usage/minutes", "").object(200)
	minutes := got["data"].([]any)
	want := map[string]any{
		"start": "2026-03-04T12:00:00Z", "requests": 1.0, "refused": 0.0, "failed": 0.0, "interrupted": 0.0,
		"tokens":        map[string]any{"requests": 0.0, "prompt": 0.0, "completion": 0.0},
		"first_byte_ms": map[string]any{"requests": 1.0, "mean": 4.0, "max": 4.0},
		"citations":     map[string]any{"cited": 0.0, "none": 0.0, "no_sources": 1.0, "unavailable": 0.0},
	}
	if len(minutes) != 60 || !reflect.DeepEqual(minutes[59], want) {
		t.Errorf("%d minutes, the last %v\nwant %v", len(minutes), minutes[len(minutes)-1], want)
	}
	if first := minutes[0].(map[string]any); first["start"] != "2026-03-04T11:01:00Z" || first["requests"] != 0.0 {
		t.Errorf("the first %v", first)
	}
	if total := got["total"].(map[string]any); total["requests"] != 3.0 {
		t.Errorf("total %v", total)
	}
}
