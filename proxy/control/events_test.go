package control_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/control"
	"footnote/proxy/events"
)

// atOnce makes streams of events look often, so that tests wait little.
func atOnce(d *control.Deps) {
	d.EventTimings = control.EventTimings{Check: time.Millisecond, Gather: time.Millisecond}
}

func TestEventsFollowADocumentFromItsUploadToItsEnd(t *testing.T) {
	w := newWorld(t, atOnce)
	assistant := w.assistant("a", "")
	s := w.stream(adminKey, "", "")
	var q struct{ Documents map[string]int }
	s.want("queue").into(t, "queue", &q)
	if len(q.Documents) != len(assistants.Statuses) || q.Documents["pending"] != 0 {
		t.Error(q)
	}
	s.want("status")

	id := w.document(assistant, "a.txt", "text")
	d := s.document(id, func(followed) bool { return true })
	if d.Name != "a.txt" || d.Status != "pending" || d.Searchable != "none" || d.CollectionID == "" || d.Deleted {
		t.Errorf("%+v", d)
	}
	s.want("queue").into(t, "queue", &q)
	if q.Documents["pending"] != 1 {
		t.Error(q)
	}

	ref := assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(id), Number: 1}
	if err := w.store.SetStatus(t.Context(), ref, assistants.StatusExtracting, assistants.Progress{Pages: 1, PagesTotal: 3}, nil); err != nil {
		t.Fatal(err)
	}
	if d = s.document(id, func(d followed) bool { return d.Status == "extracting" }); d.Progress == nil || d.Progress.PagesTotal != 3 {
		t.Errorf("%+v", d)
	}
	w.publish(id, "text")
	s.document(id, func(d followed) bool { return d.Status == "ready" && d.Searchable == "text" && d.Progress == nil })

	w.call("PATCH", "/documents/"+id, `{"labels":["x"]}`).want(200)
	s.document(id, func(d followed) bool { return d.Status == "ready" })
	w.call("POST", "/assistants/"+assistant+"/documents/bulk", `{"action":"reprocess","documents":["`+id+`"]}`).want(200)
	s.document(id, func(d followed) bool { return d.Status == "pending" })
	ref.Number = 2
	cause := &assistants.Cause{Code: assistants.CodeUnreadable, Message: "It cannot be read."}
	if err := w.store.SetStatus(t.Context(), ref, assistants.StatusFailed, assistants.Progress{}, cause); err != nil {
		t.Fatal(err)
	}
	if d = s.document(id, func(d followed) bool { return d.Status == "failed" }); d.Error == nil || *d.Error != *cause {
		t.Errorf("%+v", d)
	}
	w.call("DELETE", "/documents/"+id, "").want(204)
	if got := s.document(id, func(d followed) bool { return d.Deleted }); got != (followed{ID: id, CollectionID: d.CollectionID, Deleted: true}) {
		t.Errorf("%+v", got)
	}
}

func TestADeletedAssistantIsAnEventForEachDocument(t *testing.T) {
	w := newWorld(t, atOnce)
	assistant := w.assistant("a", "")
	first, second := w.document(assistant, "a.txt", "a"), w.document(assistant, "b.txt", "b")
	before := w.nowAfter("")
	w.call("DELETE", "/assistants/"+assistant, "").want(204)
	got := w.nowAfter(before[0].id)
	if names(got) != "document document queue status" {
		t.Fatal(got)
	}
	var gone []string
	for _, e := range got[:2] {
		var d followed
		if e.into(t, "document", &d); !d.Deleted {
			t.Error(e)
		}
		gone = append(gone, d.ID)
	}
	slices.Sort(gone)
	want := []string{first, second}
	if slices.Sort(want); !slices.Equal(gone, want) {
		t.Error(gone)
	}
}

func TestAStreamResumesAfterTheLastEvent(t *testing.T) {
	w := newWorld(t, atOnce)
	assistant := w.assistant("a", "")
	fresh := w.nowAfter("")
	if names(fresh) != "queue status" || fresh[0].id == "" || fresh[1].id != fresh[0].id {
		t.Fatal(fresh)
	}
	first, second := w.document(assistant, "a.txt", "a"), w.document(assistant, "b.txt", "b")
	both := w.nowAfter(fresh[0].id)
	if names(both) != "document document queue status" || !strings.Contains(both[0].data, first) || !strings.Contains(both[1].data, second) {
		t.Fatal(both)
	}
	if got := w.nowAfter(both[0].id); names(got) != "document queue status" || !strings.Contains(got[0].data, second) {
		t.Error(got)
	}
	if got := w.nowAfter(both[3].id); names(got) != "queue status" {
		t.Error(got)
	}
	s := w.stream(adminKey, "?follow=true", both[0].id)
	s.document(second, func(followed) bool { return true })
}

func TestMoreThanOneBatchIsResumed(t *testing.T) {
	w := newWorld(t, atOnce)
	fresh := w.nowAfter("")
	const n = 250
	for range n {
		w.events.Publish([]assistants.DocumentChange{{Tenant: assistants.DefaultTenant, Collection: "coll_a", Document: assistants.NewDocumentID()}})
	}
	if got := w.nowAfter(fresh[0].id); strings.Count(names(got), "document") != n {
		t.Error(names(got))
	}
	s := w.stream(adminKey, "", fresh[0].id)
	for range n {
		s.want("document")
	}
}

func TestAnUnknownIDIsAReset(t *testing.T) {
	w := newWorld(t, atOnce, func(d *control.Deps) { d.Events = events.New(events.Limits{Documents: 1}) })
	assistant := w.assistant("a", "")
	old := w.nowAfter("")[0].id
	w.document(assistant, "a.txt", "a")
	w.document(assistant, "b.txt", "b")
	for name, id := range map[string]string{"too old": old, "of another process": "aaaaaaaaaaaaaaaa-1", "nonsense": strings.Repeat("x", 5000)} {
		got := w.nowAfter(id)
		if names(got) != "reset queue status" || !strings.Contains(got[0].data, "read the lists again") || got[0].id == "" {
			t.Errorf("%s: %v", name, got)
			continue
		}
		if got = w.nowAfter(got[0].id); names(got) != "queue status" {
			t.Errorf("%s, resumed after the reset: %v", name, got)
		}
	}
}

func TestATenantSeesItsOwnDocumentsOnly(t *testing.T) {
	const theirs = assistants.TenantID("theirs")
	w := newWorld(t, atOnce)
	assistant := w.assistant("a", "")
	mine := w.stream(adminKey, "", "")
	key := w.storeKey(func(k *assistants.Key) { k.TenantID = theirs })
	other := w.stream(key, "", "")
	var a struct{ ID string }
	w.as(key, "POST", "/assistants", `{"name":"theirs"}`).into(201, &a)
	body, contentType := encode(t, part{"file", "theirs.txt", "text"})
	id := w.send("POST", "/assistants/"+a.ID+"/documents", key, body, "Content-Type", contentType).object(202)["id"].(string)
	if got := other.document(id, func(followed) bool { return true }); got.Name != "theirs.txt" {
		t.Errorf("%+v", got)
	}
	own := w.document(assistant, "mine.txt", "text")
	mine.document(own, func(followed) bool { return true }) // fails at an event of another document
	var q struct{ Documents map[string]int }
	mine.want("queue").into(t, "queue", &q)
	if q.Documents["pending"] != 1 {
		t.Error(q)
	}
	// The id of one tenant's event means nothing to another.
	last := w.nowAfter("")[0].id
	if got := w.stream(key, "?follow=false", last).all(); names(got) != "reset queue status" {
		t.Error(got)
	}
}

func TestEventsAreForAdminKeysOfAll(t *testing.T) {
	w := newWorld(t, atOnce)
	w.send("GET", "/events?follow=false", "", nil).fails(401, "invalid_api_key", "")
	bound := w.storeKey(func(k *assistants.Key) {
		k.Assistants = []assistants.AssistantID{assistants.AssistantID(w.assistant("a", ""))}
	})
	for _, key := range []string{bound, w.key(`{"name":"k","scopes":["chat","search"]}`)} {
		w.as(key, "GET", "/events?follow=false", "").fails(403, "permission_denied", "")
	}
	w.call("GET", "/events?follow=maybe", "").fails(400, "invalid_value", "follow")
	w.call("GET", "/events?follow=false&follow=false", "").fails(400, "duplicate_key", "follow")
}

func TestAStreamEndsWithItsKey(t *testing.T) {
	w := newWorld(t, atOnce)
	key := w.call("POST", "/keys", `{"name":"k","scopes":["admin"]}`).object(201)
	s := w.stream(key["key"].(string), "", "")
	s.want("status")
	w.call("DELETE", "/keys/"+key["id"].(string), "").want(204)
	e := s.want("end")
	if _, more := s.next(); more || !strings.Contains(e.data, `"code":"invalid_api_key"`) || e.id != "" {
		t.Error(e, more)
	}
}

func TestAStreamEndsWhenTheServerDrains(t *testing.T) {
	draining := make(chan struct{})
	w := newWorld(t, atOnce, func(d *control.Deps) { d.Draining = draining })
	s := w.stream(adminKey, "", "")
	s.want("status")
	close(draining)
	e := s.want("end")
	if _, more := s.next(); more || !strings.Contains(e.data, `"code":"draining"`) {
		t.Error(e, more)
	}
	w.call("GET", "/events", "").fails(503, "draining", "")
}

func TestOpenStreamsAreBounded(t *testing.T) {
	w := newWorld(t, atOnce, func(d *control.Deps) { d.Events = events.New(events.Limits{PerKey: 1, Total: 2}) })
	s := w.stream(adminKey, "", "")
	refused := w.call("GET", "/events", "")
	refused.fails(429, "concurrency_limit_exceeded", "")
	if refused.header.Get("Retry-After") == "" {
		t.Error(refused.header)
	}
	w.stream(w.key(`{"name":"k","scopes":["admin"]}`), "", "")
	w.as(w.key(`{"name":"k","scopes":["admin"]}`), "GET", "/events", "").fails(503, "overloaded", "")
	s.close()
	for w.call("GET", "/events?follow=false", "").status != 200 {
		continue // until the server has seen that the client left
	}
}

func TestAnIdleStreamHasComments(t *testing.T) {
	w := newWorld(t, func(d *control.Deps) {
		d.EventTimings = control.EventTimings{KeepAlive: time.Millisecond, Check: time.Hour}
	})
	s := w.stream(adminKey, "", "")
	s.want("status")
	for range 3 {
		if e, ok := s.next(); !ok || e != (event{data: "keep-alive"}) {
			t.Fatal(e, ok)
		}
	}
}

func TestTheStateOfTheServerIsAnEventWhenItChanges(t *testing.T) {
	var failure atomic.Pointer[error]
	w := newWorld(t, atOnce, func(d *control.Deps) {
		d.Ready = func(context.Context) error {
			if err := failure.Load(); err != nil {
				return *err
			}
			return nil
		}
	})
	type condition struct {
		Ready    bool
		Degraded []struct{ Part, Code, Message, Remedy string }
	}
	s := w.stream(adminKey, "", "")
	var c condition
	if s.want("status").into(t, "status", &c); !c.Ready || len(c.Degraded) != 1 || c.Degraded[0].Part != "embedder" || c.Degraded[0].Remedy == "" {
		t.Errorf("%+v", c)
	}
	for code, err := range map[string]error{
		"starting": apierr.Starting("it begins."), "storage_unavailable": assistants.ErrUnavailable, "database_unavailable": assistants.ErrDatabaseUnavailable, "internal_error": io.ErrClosedPipe,
	} {
		failure.Store(&err)
		for c = (condition{Ready: true}); c.Ready || c.Degraded[0].Code != code; {
			s.want("status").into(t, "status", &c)
		}
		if d := c.Degraded[0]; d.Part != "server" || d.Message == "" || d.Remedy == "" || strings.Contains(d.Message, "closed pipe") {
			t.Errorf("%+v", d)
		}
		var shown condition
		if w.call("GET", "/status", "").into(200, &shown); shown.Ready || shown.Degraded[0] != c.Degraded[0] {
			t.Errorf("GET status says %+v, the event %+v", shown, c)
		}
	}
	failure.Store(nil)
	for !c.Ready {
		s.want("status").into(t, "status", &c)
	}
}

func TestADatabaseThatFailsEndsTheStream(t *testing.T) {
	w := newWorld(t, atOnce)
	s := w.stream(adminKey, "", "")
	s.want("status")
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	w.events.Publish([]assistants.DocumentChange{{Tenant: assistants.DefaultTenant, Collection: "coll_a", Document: "doc_a"}})
	if e := s.want("end"); !strings.Contains(e.data, `"code":"database_unavailable"`) {
		t.Error(e)
	}
	w.call("GET", "/events", "").fails(503, "database_unavailable", "")
}
