package control

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/events"
	"footnote/proxy/sse"
)

// maxEvents bounds the changes that are looked up at once.
const maxEvents = 100

// An eventStream is one client's stream of events. While the client does not read, its
// subscription only remembers where it stopped, so that no other work is delayed.
type eventStream struct {
	*api
	c         *gin.Context
	principal access.Principal
	sub       *events.Subscription
	out       *http.ResponseController

	pending bytes.Buffer // whole events that go out with the next flush
	// What was sent last, to send it again only when it has changed.
	queue, condition []byte
	uncounted        bool // documents have changed since they were counted
}

// begin sets the headers of the 200.
func (s *eventStream) begin() {
	h := s.c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	s.c.Status(http.StatusOK)
}

// addPresent adds the events with which a stream begins: what was missed, and the present
// state. If the stream goes on, the rest of what was missed may follow later.
func (s *eventStream) addPresent(ctx context.Context, goesOn bool) error {
	for {
		n, err := s.addChanges(ctx)
		if err != nil {
			return err
		}
		if n < maxEvents || goesOn {
			break
		}
	}
	s.uncounted = true
	return s.addState(ctx)
}

// run sends events until the client leaves, the key is not good any more, or the server
// stops.
func (s *eventStream) run(ctx context.Context) {
	check := time.NewTicker(s.EventTimings.Check)
	defer check.Stop()
	idle := time.NewTimer(s.EventTimings.KeepAlive)
	defer idle.Stop()
	changed := s.sub.Changed()
	var gathered <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-s.Draining:
			s.end(apierr.Draining())
			return
		case <-changed:
			changed, gathered = nil, time.After(s.EventTimings.Gather)
			_, err = s.addChanges(ctx)
		case <-gathered:
			changed, gathered = s.sub.Changed(), nil
		case <-check.C:
			if err = s.checkKey(ctx); err == nil {
				err = s.addState(ctx)
			}
		case <-idle.C:
			s.pending.WriteString(sse.KeepAlive)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.end(apierr.Report(s.c, err))
			return
		case s.pending.Len() == 0:
			continue
		}
		if s.flush() != nil {
			return // the client takes no more
		}
		idle.Reset(s.EventTimings.KeepAlive)
	}
}

// checkKey returns an error if a request with the stream's key would be refused now.
func (s *eventStream) checkKey(ctx context.Context) error {
	p, err := s.Auth.Authenticate(ctx, s.c.Request)
	if err != nil {
		return err
	}
	return adminOfAll.check(p)
}

// addChanges adds an event for each document that has changed, and returns their number.
func (s *eventStream) addChanges(ctx context.Context) (int, error) {
	changes, missed := s.sub.Read(maxEvents)
	if missed {
		s.uncounted = true
		if err := s.add("reset", s.sub.ID(), resetEvent{resetMessage}); err != nil {
			return 0, err
		}
	}
	if len(changes) == 0 {
		return 0, nil
	}
	s.uncounted = true
	ids := make([]assistants.DocumentID, len(changes))
	for i, change := range changes {
		ids[i] = change.Document
	}
	docs, err := s.Store.DocumentsByID(ctx, s.principal.Tenant, ids)
	if err != nil {
		return 0, err
	}
	present := make(map[assistants.DocumentID]assistants.Document, len(docs))
	for _, d := range docs {
		present[d.ID] = d
	}
	for _, change := range changes {
		v := documentEvent{ID: change.Document, CollectionID: change.Collection, Deleted: true}
		if d, ok := present[change.Document]; ok {
			v = viewEvent(d)
		}
		if err := s.add("document", change.ID, v); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}

// addState adds the counts of documents and the state of the server if they differ from
// what was sent last.
func (s *eventStream) addState(ctx context.Context) error {
	if s.uncounted {
		counts, err := s.Store.CountDocuments(ctx, s.principal.Tenant)
		if err != nil {
			return err
		}
		s.uncounted = false
		if err := s.addIfNew("queue", &s.queue, queueEvent{viewCounts(counts)}); err != nil {
			return err
		}
	}
	return s.addIfNew("status", &s.condition, s.api.condition(ctx))
}

// addIfNew adds an event unless its value was sent last.
func (s *eventStream) addIfNew(name string, last *[]byte, value any) error {
	now, err := json.Marshal(value)
	if err != nil || bytes.Equal(now, *last) {
		return err
	}
	*last = now
	return s.add(name, s.sub.ID(), json.RawMessage(now))
}

// add adds an event. A client that resumes with its id gets all later ones.
func (s *eventStream) add(name, id string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	s.pending.WriteString("event: " + name + "\nid: " + id + "\n")
	s.pending.Write(sse.AppendData(s.pending.AvailableBuffer(), data))
	return nil
}

// end sends a last event, which says why the stream ends. It has no id: the client
// resumes with the one that it has.
func (s *eventStream) end(reason error) {
	s.pending.Reset() // their ids were not sent, so they come again
	s.pending.WriteString("event: end\n")
	s.pending.Write(sse.AppendData(s.pending.AvailableBuffer(), apierr.JSON(reason)))
	_ = s.flush() // nothing is left to be done for a client that has left
}

// flush sends the events that wait.
func (s *eventStream) flush() error {
	defer s.pending.Reset()
	if _, err := s.c.Writer.Write(s.pending.Bytes()); err != nil {
		return err
	}
	return s.out.Flush()
}
