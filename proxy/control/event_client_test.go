package control_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"footnote/assistants"
)

// An event is one event of a stream; a comment has only data.
type event struct {
	name, id, data string
}

// into decodes the data of an event of a kind.
func (e event) into(t *testing.T, name string, v any) {
	t.Helper()
	if e.name != name {
		t.Fatalf("event %+v, want %s", e, name)
	}
	if err := json.Unmarshal([]byte(e.data), v); err != nil {
		t.Fatalf("%v in %+v", err, e)
	}
}

// eventStream is a client's side of a stream.
type eventStream struct {
	t     *testing.T
	resp  *http.Response
	lines *bufio.Reader
	leave context.CancelFunc
}

// stream opens a stream of events.
func (w *world) stream(key, query, lastID string) *eventStream {
	w.t.Helper()
	return openStream(w.t, w.server.Client(), w.url+"/events"+query, key, lastID)
}

func openStream(t *testing.T, client *http.Client, url, key, lastID string) *eventStream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := &eventStream{t, resp, bufio.NewReader(resp.Body), cancel}
	t.Cleanup(s.close)
	if h := resp.Header; resp.StatusCode != 200 || h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" || h.Get("X-Accel-Buffering") != "no" {
		t.Fatal(resp.StatusCode, h)
	}
	return s
}

func (s *eventStream) close() {
	s.leave()
	_ = s.resp.Body.Close() // it was cut
}

// next reads an event or a comment. ok is false at the end of the stream.
func (s *eventStream) next() (e event, ok bool) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" && e == (event{}) {
			return e, false
		}
		if err != nil {
			s.t.Fatalf("%v after %q", err, line)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if value != "" {
				return event{data: value}, true
			}
			return e, true
		default:
			s.t.Fatalf("line %q", line)
		}
	}
}

// want reads the next event of a kind; others, but for documents and resets, may come
// before it.
func (s *eventStream) want(name string) event {
	s.t.Helper()
	for {
		e, ok := s.next()
		switch {
		case !ok:
			s.t.Fatalf("the stream ends before %s", name)
		case e.name == name:
			return e
		case e.name == "document" || e.name == "reset" || e.name == "end":
			s.t.Fatalf("event %+v, want %s", e, name)
		}
	}
}

// A followed document is what an event says of a document.
type followed struct {
	ID           string `json:"id"`
	CollectionID string `json:"collection_id"`
	Name         string
	Status       string
	Searchable   string
	Deleted      bool
	Progress     *assistants.Progress
	Error        *assistants.Cause
}

// document reads the events of a document until one is as wanted. What lies between two
// reads of the server is one event, so states may be left out.
func (s *eventStream) document(id string, wanted func(followed) bool) followed {
	s.t.Helper()
	for {
		var d followed
		s.want("document").into(s.t, "document", &d)
		if d.ID != id {
			s.t.Fatalf("event of %+v, want %s", d, id)
		}
		if wanted(d) {
			return d
		}
	}
}

// all reads a stream that ends.
func (s *eventStream) all() []event {
	s.t.Helper()
	var got []event
	for {
		e, ok := s.next()
		if !ok {
			return got
		}
		got = append(got, e)
	}
}

// nowAfter reads what there is now, and what a client with an id has missed.
func (w *world) nowAfter(lastID string) []event {
	w.t.Helper()
	return w.stream(adminKey, "?follow=false", lastID).all()
}

func names(all []event) string {
	var list []string
	for _, e := range all {
		list = append(list, e.name)
	}
	return strings.Join(list, " ")
}
