package db_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// newEvent returns an event of the n-th second after birth.
func newEvent(n int) assistants.AuditEvent {
	return assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: tenant, CreatedAt: birth.Add(time.Duration(n) * time.Second), Action: assistants.AuditChat, Status: 200,
		Fields: []string{}, Collections: []assistants.CollectionID{}, Documents: []assistants.DocumentID{},
	}
}

func addEvents(t *testing.T, s contract, n int, change func(i int, e *assistants.AuditEvent)) (all []assistants.AuditEvent) {
	t.Helper()
	for i := range n {
		e := newEvent(i)
		change(i, &e)
		all = append(all, e)
	}
	must(t, s.SaveAudit(t.Context(), all))
	return all
}

var auditTests = map[string]func(*testing.T, contract){
	"an event comes back as it was stored, the newer one with its id in the place of the older": func(t *testing.T, s contract) {
		begun := newEvent(0)
		begun.Status, begun.Action = 0, assistants.AuditDocumentUpload
		must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{begun}))
		ended := begun
		ended.Status, ended.Code, ended.Took = 202, "a_code", 1500*time.Microsecond
		ended.Key, ended.KeyName, ended.User, ended.Address, ended.RequestID = "key_a", "Kai's key", "Ünal", "203.0.113.7", "req_1"
		ended.Assistant, ended.Target, ended.Model, ended.Query = "asst_a", "doc_a", "m", strings.Repeat("why? ", 1000)
		ended.Fields, ended.Results = []string{"name", "settings.model"}, 3
		ended.Collections, ended.Documents = []assistants.CollectionID{"coll_a", "coll_b"}, []assistants.DocumentID{"doc_a"}
		must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{ended, newEvent(1)}))
		got, err := s.FindAudit(t.Context(), tenant, assistants.AuditQuery{}, assistants.List{})
		if err != nil || len(got.Items) != 2 || !reflect.DeepEqual(got.Items[0], ended) {
			t.Errorf("got %+v, %v\nwant %+v", got.Items, err, ended)
		}
	},

	"events are listed by what they are about, in both directions and in pages": func(t *testing.T, s contract) {
		all := addEvents(t, s, 60, func(i int, e *assistants.AuditEvent) {
			e.Action = []assistants.AuditAction{assistants.AuditChat, assistants.AuditSearch, assistants.AuditKeyCreate}[i%3]
			e.Status = []int{200, 404, 503, 499, 0}[i%5]
			e.Key = []assistants.KeyID{"", "key_a"}[i%2]
			e.Assistant = []assistants.AssistantID{"asst_a", "asst_b", "asst_c", ""}[i%4]
		})
		foreign := newEvent(3)
		foreign.TenantID = other
		must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{foreign}))
		at := func(n int) time.Time { return birth.Add(time.Duration(n) * time.Second) }
		for name, c := range map[string]struct {
			query assistants.AuditQuery
			wants func(i int, e assistants.AuditEvent) bool
		}{
			"all":                             {assistants.AuditQuery{}, func(int, assistants.AuditEvent) bool { return true }},
			"two actions":                     {assistants.AuditQuery{Actions: []assistants.AuditAction{assistants.AuditSearch, assistants.AuditKeyCreate}}, func(_ int, e assistants.AuditEvent) bool { return e.Action != assistants.AuditChat }},
			"a key":                           {assistants.AuditQuery{Key: "key_a"}, func(_ int, e assistants.AuditEvent) bool { return e.Key == "key_a" }},
			"an assistant, not its successor": {assistants.AuditQuery{Assistant: "asst_a"}, func(_ int, e assistants.AuditEvent) bool { return e.Assistant == "asst_a" }},
			"a time":                          {assistants.AuditQuery{From: at(10), To: at(20)}, func(i int, _ assistants.AuditEvent) bool { return i >= 10 && i < 20 }},
			"refused":                         {assistants.AuditQuery{Result: assistants.AuditRefused}, func(_ int, e assistants.AuditEvent) bool { return e.Status == 404 }},
			"failed":                          {assistants.AuditQuery{Result: assistants.AuditFailed}, func(_ int, e assistants.AuditEvent) bool { return e.Status == 503 }},
			"unknown":                         {assistants.AuditQuery{Result: assistants.AuditUnknown}, func(_ int, e assistants.AuditEvent) bool { return e.Status == 0 }},
			"all at once": {
				assistants.AuditQuery{Actions: []assistants.AuditAction{assistants.AuditChat}, Result: assistants.AuditOK, Key: "key_a", Assistant: "asst_b", From: at(0), To: at(60)},
				func(_ int, e assistants.AuditEvent) bool {
					return e.Action == assistants.AuditChat && e.Status == 200 && e.Key == "key_a" && e.Assistant == "asst_b"
				},
			},
		} {
			for _, descending := range []bool{false, true} {
				var want, got []assistants.AuditID
				for i, e := range all {
					if c.wants(i, e) {
						want = append(want, e.ID)
					}
				}
				if descending {
					slices.Reverse(want)
				}
				for list := (assistants.List{Limit: 7, Descending: descending}); ; {
					p, err := s.FindAudit(t.Context(), tenant, c.query, list)
					must(t, err)
					for _, e := range p.Items {
						got = append(got, e.ID)
					}
					if list.Cursor = p.Next; p.Next == "" {
						break
					}
				}
				if len(want) == 0 || !slices.Equal(got, want) {
					t.Errorf("%s, descending %v: %d events %v, want %d", name, descending, len(got), got, len(want))
				}
			}
		}
		p, err := s.FindAudit(t.Context(), tenant, assistants.AuditQuery{}, assistants.List{Limit: 1})
		must(t, err)
		var field *assistants.FieldError
		if _, err = s.FindAudit(t.Context(), tenant, assistants.AuditQuery{Key: "key_a"}, assistants.List{Cursor: p.Next}); !errors.As(err, &field) || field.Field != "cursor" {
			t.Errorf("the cursor of another query: %v", err)
		}
	},

	"old events of every tenant are removed, a few at once": func(t *testing.T, s contract) {
		all := addEvents(t, s, 10, func(int, *assistants.AuditEvent) {})
		for n, of := range []assistants.TenantID{"a first one", other, "the last one"} {
			e := newEvent(4 * n) // 0, 4 and 8
			e.TenantID = of
			must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{e}))
		}
		for _, want := range []int{3, 3, 1, 0} {
			if n, err := s.RemoveAudit(t.Context(), birth.Add(5*time.Second), 3); err != nil || n != want {
				t.Errorf("%d removed, %v, want %d", n, err, want)
			}
		}
		p, err := s.FindAudit(t.Context(), tenant, assistants.AuditQuery{}, assistants.List{})
		if err != nil || len(p.Items) != 5 || p.Items[0].ID != all[5].ID {
			t.Errorf("left: %+v, %v", p.Items, err)
		}
	},

	"the usage of chats is added up by hour, assistant and key": func(t *testing.T, s contract) {
		for range 2 { // the second time the hours are stored already
			addEvents(t, s, 48, func(i int, e *assistants.AuditEvent) {
				e.CreatedAt = birth.Truncate(time.Hour).Add(time.Duration(i) * 10 * time.Minute) // 8 hours
				e.Assistant = []assistants.AssistantID{"asst_a", "asst_b"}[i%2]
				e.Key = []assistants.KeyID{"key_a", "key_b", ""}[i%3]
				e.Status = []int{200, 200, 404, 503}[i%4]
				e.Chat = &assistants.ChatOutcome{FirstByte: time.Duration(i+1) * time.Millisecond, Citations: []string{"cited", "none", "no_sources", "skipped"}[i%4]}
				if i%2 == 0 {
					e.Chat.Tokens = &assistants.Tokens{Prompt: 100, Completion: 10}
				}
			})
		}
		again := newEvent(0)
		again.Chat = &assistants.ChatOutcome{}
		for range 2 { // nobody learned that the first time succeeded
			must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{again}))
		}
		other := newEvent(0)
		other.TenantID, other.Chat = "other", &assistants.ChatOutcome{}
		must(t, s.SaveAudit(t.Context(), []assistants.AuditEvent{other, newEvent(0)}))

		hours, err := s.Usage(t.Context(), tenant, assistants.UsageQuery{})
		must(t, err)
		var all assistants.UsageCounts
		for i, h := range hours {
			if want := birth.Truncate(time.Hour).Add(time.Duration(i) * time.Hour); !h.Hour.Equal(want) || h.Requests != []int64{13, 12}[min(i, 1)] || h.Assistant != "" || h.Key != "" {
				t.Errorf("hour %d: %+v", i, h)
			}
			all.Add(h.UsageCounts)
		}
		want := assistants.UsageCounts{
			Requests: 97, Refused: 24, Failed: 24, Counted: 48, PromptTokens: 4800, CompletionTokens: 480, FirstBytes: 96,
			FirstByteSum: 2 * 48 * 49 / 2 * time.Millisecond, FirstByteMax: 48 * time.Millisecond, Cited: 24, Uncited: 24, NoSources: 24,
		}
		if len(hours) != 8 || all != want {
			t.Errorf("%d hours with %+v, want %+v", len(hours), all, want)
		}
		for name, c := range map[string]struct {
			query          assistants.UsageQuery
			rows, requests int64
		}{
			"by assistant":   {assistants.UsageQuery{ByAssistant: true}, 17, 97},
			"by key":         {assistants.UsageQuery{ByKey: true}, 24, 97},
			"by both":        {assistants.UsageQuery{ByAssistant: true, ByKey: true}, 49, 97},
			"of a key":       {assistants.UsageQuery{Key: "key_a"}, 8, 32},
			"of one of each": {assistants.UsageQuery{Assistant: "asst_b", Key: "key_b", ByKey: true}, 8, 16},
			"of some hours":  {assistants.UsageQuery{From: birth.Add(2 * time.Hour), To: birth.Truncate(time.Hour).Add(4 * time.Hour)}, 2, 24},
		} {
			list, err := s.Usage(t.Context(), tenant, c.query)
			must(t, err)
			requests := int64(0)
			for _, u := range list {
				requests += u.Requests
			}
			if int64(len(list)) != c.rows || requests != c.requests {
				t.Errorf("%s: %d rows with %d requests, want %d with %d", name, len(list), requests, c.rows, c.requests)
			}
		}
		must(t, s.RemoveUsage(t.Context(), birth.Truncate(time.Hour).Add(7*time.Hour)))
		if left, err := s.Usage(t.Context(), tenant, assistants.UsageQuery{}); err != nil || len(left) != 1 {
			t.Errorf("left: %+v, %v", left, err)
		}
	},
}
